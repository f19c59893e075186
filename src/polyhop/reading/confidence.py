"""How far an extracted answer can be trusted: the chance that it is right, from what its sentence and its way tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.indexes.folding import fold
from polyhop.reading.candidates import Candidate
from polyhop.reading.subjects import names_in, plain
from polyhop.types import Passage


@dataclass(frozen=True, kw_only=True)
class Confidence:
    """A logistic model.

    Its weights were fitted to answers read from passages that hold the answer, from those that BM25 prefers among all
    that do not, and from passages about something else. A way without steps counts as a sure one.
    """

    bias: float = -5.8
    sentence: float = 0.17  # the cross-encoder's logit for the sentence of the answer
    fit: float = 0.9
    cue: float = 1.5
    named: float = 1.4  # the share of the question's names that the passages contain
    way: float = 1.2  # the weakest cue on the way
    uncued: float = 0.5  # what a step counts at least: a relation that is not in the table has no cues
    way_sentence: float = 0.11  # the lowest logit on the way
    sure: float = 5.0  # the logit of a way without steps

    def of(self, question: str, best: Candidate, way: Sequence[Candidate], passages: Sequence[Passage]) -> float:
        """The chance that the best candidate is right, 0 to 1."""
        total = (
            self.bias
            + self.sentence * best.logit
            + self.fit * best.fit
            + self.cue * best.cue
            + self.named * named_share(question, passages)
            + self.way * max(min((step.cue for step in way), default=1.0), self.uncued)
            + self.way_sentence * min((step.logit for step in way), default=self.sure)
        )
        return 1 / (1 + math.exp(-total))


def named_share(question: str, passages: Sequence[Passage]) -> float:
    """The share of the names in a question that the passages contain; a half where it names nothing."""
    names = [fold(plain(question[start:end])) for start, end in names_in(question, ())]
    text = fold(" ".join(f"{passage.title} {passage.text}" for passage in passages))
    return sum(name in text for name in names) / len(names) if names else 0.5

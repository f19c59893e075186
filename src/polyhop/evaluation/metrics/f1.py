"""Word overlap of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.metric import of_answer
from polyhop.evaluation.metrics.normalise import normalise
from polyhop.evaluation.outcome import Outcome

ALL_OR_NOTHING = frozenset({"yes", "no", "noanswer"})


def f1(prediction: str, references: Sequence[str]) -> float:
    """The best harmonic mean of word precision and recall over the references, 0.0 to 1.0.

    Rajpurkar et al. 2016 (SQuAD), section 6.1, with HotpotQA's rule (Yang et al. 2018, its evaluation script) that yes,
    no and noanswer score only against themselves, and SQuAD 2.0's that texts without a word match each other only.
    """
    said = normalise(prediction)
    return max((_overlap(said, normalise(reference)) for reference in references), default=0.0)


def _overlap(said: str, gold: str) -> float:
    if said == gold:
        return 1.0
    if said in ALL_OR_NOTHING or gold in ALL_OR_NOTHING:
        return 0.0
    words, gold_words = said.split(), gold.split()
    common = (Counter(words) & Counter(gold_words)).total()
    return 2 * common / (len(words) + len(gold_words))  # precision and recall put into 2pr / (p + r)


@dataclass(frozen=True, kw_only=True)
class F1:
    """Word overlap of the answer with the gold answer or an alias; abstaining counts as under exact match."""

    name: str = "f1"

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """0.0 to 1.0; None where nothing was read."""
        return of_answer(question, outcome, f1)

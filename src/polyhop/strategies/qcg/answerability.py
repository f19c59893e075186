"""Whether documents speak of what is asked at all: a question that none of them answers has nearest texts, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.layers.view import View
from polyhop.models.timed import WORST

COVERED: Final = 20.0  # logits that a passage with all words of the question is worth
LEAST: Final = -11.0  # the cross-encoder's logit for what says nothing about a question
AT_ONCE: Final = 2  # texts read before it is asked whether that is enough: two cores read them in the time of one


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """How far documents speak of what is asked, and how far they should; both about -11 to 31."""

    worth: float  # where it is enough, a lower bound: the rest was not read
    least: float
    read: bool = True  # whether there was time to read the texts

    @property
    def enough(self) -> bool:
        """Whether they do."""
        return self.worth >= self.least

    @property
    def doubtful(self) -> bool:
        """Whether they do not: what there was no time to read may."""
        return self.read and not self.enough

    def __str__(self) -> str:
        """It as a line of the trace."""
        so_far = "" if self.read else ", as far as there was time to read"
        return f"speaks of what is asked: {'at least ' * self.enough}{self.worth:.1f} of {self.least:.1f}{so_far}"


def answerability_of(
    asked: Sequence[tuple[str, Sequence[str]]], passages: Sequence[str], over: View, least: float
) -> Answerability:
    """The cross-encoder's best logit for some texts, and what the passage with most of the question's words adds.

    ``asked``: a question with short texts that may answer it, or each part of one that is looked for by itself; it is
    enough where one part comes to ``least``. The texts are read in their order, and after them ``passages``, for each
    part, but no more of them once it is enough.

    The nearest vectors tell nothing here: something is always near. What a question with no answer asks for is spread
    over passages each of which has some of its words.
    """
    covered = {question: COVERED * over.text.lexical.coverage(question) for question, _ in asked}
    worth, read = LEAST + max(covered.values(), default=0.0), True
    for question, texts in [*asked, *((question, passages) for question, _ in asked)]:
        for start in range(0, len(texts), AT_ONCE):
            logits = over.models.reranker.score(question, texts[start : start + AT_ONCE])
            worth = max(worth, float(logits.max()) + covered[question])
            read = read and WORST not in logits
            if worth >= least:
                return Answerability(worth=worth, least=least, read=read)
    return Answerability(worth=worth, least=least, read=read)

"""Recall of supporting passages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.outcome import Outcome

NEEDED: Final = "ids of passages in 'supporting'"


def recall(ranking: Sequence[str], supporting: Collection[str], k: int) -> float:
    """The fraction of the supporting passages among the first k of the ranking; neither repeats an id.

    trec_eval's ``recall_k``; Manning, Raghavan and Schütze 2008, section 8.4. ``supporting`` is not empty.
    """
    return len(set(ranking[:k]).intersection(supporting)) / len(supporting)


@dataclass(frozen=True, kw_only=True)
class Recall:
    """How many of the supporting passages are among the first k."""

    k: int = 5

    needs: ClassVar[str] = NEEDED

    @property
    def name(self) -> str:
        """``recall@k``."""
        return f"recall@{self.k}"

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """0.0 to 1.0; None where the question has no supporting passages."""
        return recall(outcome.ranking, question.supporting, self.k) if question.supporting else None

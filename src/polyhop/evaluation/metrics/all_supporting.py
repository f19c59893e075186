"""Completeness of the evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.recall import NEEDED
from polyhop.evaluation.outcome import Outcome


def all_supporting(ranking: Sequence[str], supporting: Collection[str], k: int) -> float:
    """1.0 if every supporting passage is among the first k of the ranking, else 0.0.

    The all-recall (AR@k) of HippoRAG, Gutiérrez et al. 2024.
    """
    return float(set(ranking[:k]).issuperset(supporting))


@dataclass(frozen=True, kw_only=True)
class AllSupporting:
    """Whether all the supporting passages are among the first k: a chain with a gap answers nothing."""

    k: int = 5

    needs: ClassVar[str] = NEEDED

    @property
    def name(self) -> str:
        """``all@k``."""
        return f"all@{self.k}"

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """1.0 or 0.0; None where the question has no supporting passages."""
        return all_supporting(outcome.ranking, question.supporting, self.k) if question.supporting else None

"""Recall of evidence that is told in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.content import MOST, check_share, covered, with_share
from polyhop.evaluation.outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class EvidenceCovered:
    """How many of the evidence sentences the first k passages cover: one of them holds most of its content words."""

    k: int = 5
    share: float = MOST  # of a sentence's content words, from which a passage covers it, 0 to 1

    def __post_init__(self) -> None:
        check_share(self.share)

    needs: ClassVar[str] = "sentences in 'evidence'"

    @property
    def name(self) -> str:
        """``covered@k``, with the share where that is not the usual one."""
        return with_share(f"covered@{self.k}", self.share)

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """0.0 to 1.0; None where the question has no evidence sentences."""
        if not question.evidence:
            return None
        return covered(outcome.texts[: self.k], question.evidence, question.text, self.share)

"""Recall of evidence in what an answer quotes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.content import MOST, check_share, covered, with_share
from polyhop.evaluation.outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class Quoted:
    """How many of the evidence sentences an answer's quotations cover together, shown as an answer or not."""

    share: float = MOST  # of a sentence's content words, from which quotations cover it, 0 to 1

    def __post_init__(self) -> None:
        check_share(self.share)

    needs: ClassVar[str] = "sentences in 'evidence'"

    @property
    def name(self) -> str:
        """``quoted``, with the share where that is not the usual one."""
        return with_share("quoted", self.share)

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """0.0 to 1.0; None where the question has no evidence sentences, and where nothing was read."""
        if not question.evidence or not outcome.read:
            return None
        return covered([" ".join(outcome.quotations)], question.evidence, question.text, self.share)

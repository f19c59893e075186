"""Saying "not found": how often, how often rightly, and what it costs (SQuAD 2.0, Rajpurkar et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.outcome import Outcome


def _abstained(outcome: Outcome) -> float | None:
    if not outcome.read:
        return None
    return float(outcome.answer is None and outcome.error is None)


@dataclass(frozen=True, kw_only=True)
class Abstained:
    """Whether the question was left unanswered; over all questions, the share that was."""

    name: str = "abstained"

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """1.0 or 0.0; None where nothing was read."""
        return _abstained(outcome)


@dataclass(frozen=True, kw_only=True)
class AbstainedOnNull:
    """Whether an unanswerable question was left unanswered: recall of abstention."""

    name: str = "abstained_on_null"

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """1.0 or 0.0; None for answerable questions and where nothing was read."""
        return None if question.answerable else _abstained(outcome)


@dataclass(frozen=True, kw_only=True)
class Lost:
    """Whether an answerable question was left unanswered: the price of abstention, so lower is better."""

    of_errors: ClassVar[float] = 1.0
    name: str = "lost"

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """1.0 or 0.0; None for unanswerable questions and where nothing was read."""
        return _abstained(outcome) if question.answerable else None

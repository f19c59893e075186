"""Exact match of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.metric import of_answer
from polyhop.evaluation.metrics.normalise import normalise
from polyhop.evaluation.outcome import Outcome


def exact_match(prediction: str, references: Sequence[str]) -> float:
    """1.0 if the normalised prediction equals a normalised reference, else 0.0.

    Rajpurkar et al. 2016 (SQuAD), section 6.1: the maximum over the references.
    """
    said = normalise(prediction)
    return float(any(said == normalise(reference) for reference in references))


@dataclass(frozen=True, kw_only=True)
class ExactMatch:
    """Whether the answer equals the gold answer or an alias; abstaining is right exactly on unanswerable questions."""

    name: str = "em"

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """1.0 or 0.0; None where nothing was read."""
        return of_answer(question, outcome, exact_match)

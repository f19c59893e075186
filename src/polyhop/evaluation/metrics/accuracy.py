"""Accuracy: whether an answer is right in meaning, as QCG-RAG scores it (section 4.1), by rules or by a judge."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.equality import says
from polyhop.evaluation.metrics.metric import JudgedByModel, Metric, of_answer
from polyhop.evaluation.outcome import Outcome
from polyhop.models.choice import Models
from polyhop.prompts.judge_answer import judge_answer

logger = logging.getLogger(__name__)


def accurate(prediction: str, references: Sequence[str]) -> float:
    """1.0 if the prediction contains a reference, with numbers and dates however they are written, else 0.0.

    Looser than exact match: a prediction may say more. See ``equality.says``.
    """
    return float(any(says(prediction, reference) for reference in references))


@dataclass(frozen=True, kw_only=True)
class Accuracy(JudgedByModel):
    """Whether the answer is right in meaning; abstaining is right exactly on unanswerable questions."""

    judge: Literal["containment", "language_model"] = "containment"  # what decides; the language model is paid for

    name: str = field(default="accuracy", init=False)
    task: ClassVar[str] = "judge the answers"
    otherwise: ClassVar[str] = "leave judge at containment"

    def with_models(self, models: Models) -> Metric:
        """The metric, with the language model where it is to judge. Raises ModelMissing."""
        return self if self.judge == "containment" else super().with_models(models)

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """1.0 or 0.0; None where nothing was read, and where the language model gave no verdict."""
        if outcome.read and self.judge != "containment":
            model, what = self.asked, f"question {question.id}"
            verdict = self.verdict(
                lambda: judge_answer(model, question.text, outcome.answer, question.references), what
            )
            if verdict is None:
                return None
            logger.info("%s: %s, %s", what, "right" if verdict.correct else "wrong", verdict.reason)
            return float(verdict.correct)
        return of_answer(question, outcome, accurate)

"""Whether the steps of a plan mean what the question means (C2RAG, appendix F and Table 8), by a judge.

The paper has people read 200 plans a data set. A language model may stand in for them, an embedder may not: at its best
it takes one relation in seven for what it is not, where the paper finds one step in twenty-five wrong (decision 0057).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import ClassVar, Literal

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.metric import JudgedByModel
from polyhop.evaluation.outcome import Outcome
from polyhop.evaluation.plan_errors import gold_steps
from polyhop.prompts.judge_plan import StepVerdict, judge_plan

logger = logging.getLogger(__name__)

Of = Literal["steps", "relations", "references", "plans"]


@dataclass(frozen=True, kw_only=True)
class PlanMeaning(JudgedByModel):
    """The share of planned steps that a language model finds right; the model is asked once for all of a question's.

    Of ``steps`` relation and references count, as in the paper, of the two others one of these; of ``plans`` whether
    all steps are right. What is missing to 1 is the paper's hop-error rate (steps) and plan-invalid rate (plans).
    """

    of: Of = "steps"

    needs: ClassVar[str] = "hops that follow a plan, as stepchain and c2rag have them"
    task: ClassVar[str] = "judge plans"

    @property
    def name(self) -> str:
        """All of them can stand in one table."""
        return f"meaning of {self.of}"

    def __call__(self, question: Question, outcome: Outcome) -> float | None:
        """0.0 to 1.0; None where no hop follows a plan, and where the model gave no verdict."""
        model, gold = self.asked, gold_steps(question.decomposition)
        judged = self.verdict(
            lambda: judge_plan(model, question.text, outcome.steps, gold), f"the plan of question {question.id}"
        )
        if judged is None:
            return None
        verdicts = [verdict for verdict in judged if verdict is not None]
        for number, verdict in enumerate(judged, 1):
            if verdict is not None and not _right(verdict, "steps"):
                logger.info("question %s, step %d: %s", question.id, number, verdict.reason)
        if not verdicts:
            return None
        right = [_right(verdict, self.of) for verdict in verdicts]
        return float(all(right)) if self.of == "plans" else sum(right) / len(right)


def _right(verdict: StepVerdict, of: Of) -> bool:
    if of == "relations":
        return verdict.relation
    if of == "references":
        return verdict.references
    return verdict.relation and verdict.references

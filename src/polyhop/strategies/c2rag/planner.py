"""Who plans a question as constraints: a file of recorded plans, the configured language model, or the rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from polyhop.layers.view import View
from polyhop.models.within import NoCallsLeft, Within
from polyhop.planning.mending import mended
from polyhop.planning.recorded import ReplayedPlans
from polyhop.planning.rules.constraints import plan_by_rules
from polyhop.planning.rules.questions import with_questions
from polyhop.plans import ConstraintPlan, whole_question
from polyhop.prompts.plan import plan as plan_by_model
from polyhop.types import Budget, Cost


@dataclass(frozen=True, kw_only=True)
class Planner:
    """Plans questions with at most ``variants`` phrasings of a relation (the paper's m)."""

    variants: int
    file: str | None = None  # of recorded plans; a question that it lacks is planned as if there were none

    def plan(self, question: str, over: View, budget: Budget) -> tuple[ConstraintPlan, Cost]:
        """The plan of a question, and what it cost. Raises UsageError for a file that cannot be read, EndpointError."""
        if self.file is not None:
            file = self.file
            recorded: ReplayedPlans = over.once(f"plans:{file}", lambda: ReplayedPlans.read(Path(file)))
            found = recorded.find(question)
            if found is not None:
                return self._trimmed(with_questions(mended(found, question))), Cost()
        model = over.models.language_model
        if model is not None and budget.llm_calls > 1:  # the last call is the reader's
            planned, cost = self._planned(Within(model, budget.llm_calls - 1), question)
            return self._trimmed(mended(planned, question)), cost
        names = [over.facts.entity(entity).name for entity in over.facts.named_in(question)]
        return self._trimmed(plan_by_rules(question, names)), Cost()

    def _planned(self, model: Within, question: str) -> tuple[ConstraintPlan, Cost]:
        try:
            return plan_by_model(model, question, variants=self.variants)
        except NoCallsLeft:
            return whole_question(question), model.spent

    def _trimmed(self, plan: ConstraintPlan) -> ConstraintPlan:
        constraints = tuple(replace(one, variants=one.variants[: self.variants]) for one in plan.constraints)
        return replace(plan, constraints=constraints)

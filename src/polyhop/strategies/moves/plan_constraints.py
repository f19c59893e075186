"""Who plans a question as constraints: a file of recorded plans, the configured language model, or the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polyhop.errors import BudgetExceeded
from polyhop.layers.view import View
from polyhop.models.accounting import WastedOutput
from polyhop.ports import Completion, LanguageModel, Message
from polyhop.strategies.moves.mend_plan import mended
from polyhop.strategies.moves.plan_by_rules import plan_by_rules
from polyhop.strategies.moves.plan_questions import with_questions
from polyhop.strategies.moves.replayed_plans import ReplayedPlans
from polyhop.tasks.constraints import ConstraintPlan, whole_question
from polyhop.tasks.plan import plan as plan_by_model
from polyhop.types import Budget, Cost


class NoCallsLeft(BudgetExceeded):
    """A question may not ask the language model again: its own budget is used up, not a cap of the user's."""


@dataclass
class Within:
    """A language model that may be asked only so often; what it was asked is counted."""

    model: LanguageModel
    left: int  # calls
    spent: Cost = Cost()

    @property
    def name(self) -> str:
        """The model's own."""
        return self.model.name

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """The model's own completion. Raises NoCallsLeft, and what the model raises."""
        if not self.left:
            raise NoCallsLeft("No calls to the language model are left for this question.")
        self.left -= 1
        try:
            completion = self.model.complete(messages, max_tokens=max_tokens, schema=schema)
        except WastedOutput as wasted:
            self.spent += wasted.cost
            raise
        self.spent += completion.cost
        return completion


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

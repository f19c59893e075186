"""Planning by the configured language model: as steps in words, or as constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.models.within import NoCallsLeft, Within
from polyhop.planning.mending import mended
from polyhop.planning.planner import Planning
from polyhop.planning.rules.questions import with_questions
from polyhop.plans import Plan, plan_of_constraints, plan_of_questions
from polyhop.prompts.decompose import decompose
from polyhop.prompts.plan import VARIANTS, plan


@dataclass(frozen=True, kw_only=True)
class AsSteps:
    """Has the language model split a question into smaller ones (StepChain, Eq. 6)."""

    def plan(self, question: str, names: Sequence[str], model: Within | None) -> Plan:
        """At most 6 steps; those of our own planner where the model may not be asked, or has no plan.

        Raises EndpointError.
        """
        if model is not None:
            try:
                steps = decompose(model, question)
            except NoCallsLeft:
                steps = ()  # our own planner asks for nothing
            if steps:
                return plan_of_questions(steps, f"language model {model.name}")
        return Planning().plan(question, names, None)


@dataclass(frozen=True, kw_only=True)
class AsConstraints:
    """Has the language model turn a question into constraints (C2RAG, section 3.2)."""

    variants: int = VARIANTS  # phrasings of a relation that the model is asked for (the paper's m)

    def plan(self, question: str, names: Sequence[str], model: Within | None) -> Plan:
        """At most 8 constraints, a step each; steps of our own planner where it may not be asked, or has no plan.

        Raises EndpointError.
        """
        if model is not None:
            try:
                planned = plan(model, question, variants=self.variants)
            except NoCallsLeft:
                planned = None  # our own planner asks for nothing
            if planned is not None:
                return _in_words(mended(planned, question))
        return Planning().plan(question, names, None)


def _in_words(plan: Plan) -> Plan:
    """The plan with a question for each constraint that the model has left without one."""
    worded = with_questions(plan.constraints)
    return plan if worded == plan.constraints else plan_of_constraints(worded, plan.source)

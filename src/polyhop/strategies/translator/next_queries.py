"""Asking a question step by step: along its plan, or as a language model says where one is configured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from polyhop.layers.view import View
from polyhop.models.within import NoCallsLeft, Within, before_reading
from polyhop.planning.filling import rewrite
from polyhop.plans import Plan
from polyhop.prompts.next_query import Search, next_query
from polyhop.reading.steps import glance
from polyhop.types import Budget, Cost, Passage

SHOWN = 2  # passages of a query that a model sees before it asks for more


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """A query that was asked and the passages that it brought, best first."""

    query: str
    passages: tuple[Passage, ...]


class Steps(Protocol):
    """Says what to ask next, given what was asked and found so far."""

    @property
    def source(self) -> str:
        """Who decides, for the trace."""

    @property
    def by_model(self) -> bool:
        """Whether a language model decides, which itself asks for what it misses."""

    @property
    def plan(self) -> Plan | None:
        """The plan that is followed; None where what to ask is decided from step to step."""

    @property
    def cost(self) -> Cost:
        """What deciding has cost so far."""

    def next(self, done: Sequence[AskedQuery]) -> str | None:
        """The next query, or None when there is nothing left to ask."""

    def found(self, position: int) -> str | None:
        """What a step contributed to later ones, if it was read."""


@dataclass
class RuleSteps:
    """The steps of a plan; references to earlier answers are read from their passages at a glance."""

    plan: Plan
    over: View
    source: str = "rules"
    cost: Cost = Cost()
    by_model: bool = False
    answers: dict[int, str] = field(default_factory=dict)

    def next(self, done: Sequence[AskedQuery]) -> str | None:
        """The next step of the plan, with earlier answers written in."""
        if len(done) >= len(self.plan.steps):
            return None
        step = self.plan.steps[len(done)]
        for position in step.refers_to:
            if position not in self.answers:
                self.answers[position] = self._answer(done[position])
        known = [self.answers.get(position, "") for position in range(len(done))]
        return rewrite(step, known)

    def found(self, position: int) -> str | None:
        """The answer that was written into a later step."""
        return self.answers.get(position)

    def _answer(self, step: AskedQuery) -> str:
        read = [candidate.text for candidate in glance(step.query, step.passages[:3], self.over.models)]
        return next(iter([*read, *(passage.title for passage in step.passages)]), "")


@dataclass
class ModelSteps:
    """What a language model asks for, until it says that the evidence suffices (appendix M, third prompt).

    Without one, the question alone.
    """

    question: str
    model: Within | None
    limit: int
    source: str
    plan: Plan | None = None

    @property
    def by_model(self) -> bool:
        """Whether there is one."""
        return self.model is not None

    @property
    def cost(self) -> Cost:
        """What deciding has cost so far."""
        return Cost() if self.model is None else self.model.spent

    def next(self, done: Sequence[AskedQuery]) -> str | None:
        """The question itself first, then what the model misses."""
        if not done:
            return self.question
        if self.model is None or len(done) >= self.limit:
            return None
        try:
            return next_query(self.model, self.question, _searches(done))[0]
        except NoCallsLeft:
            return None

    def found(self, position: int) -> str | None:
        """A model keeps what it found to itself."""
        return None


def _searches(done: Sequence[AskedQuery]) -> list[Search]:
    """Each query with what is shown of it: the best of its passages that none before it has shown."""
    searches, shown = list[Search](), set[str]()
    for step in done:
        fresh = [passage for passage in step.passages if passage.id not in shown][:SHOWN]
        shown |= {passage.id for passage in fresh}
        searches.append((step.query, fresh))
    return searches


def steps_for(question: str, over: View, budget: Budget, limit: int) -> Steps:
    """Who decides what to ask: the configured language model, or the rules."""
    model = before_reading(over.models.language_model, budget) if limit > 1 else None
    if model is not None:
        return ModelSteps(question, model, limit, f"language model {model.name}")
    plan = over.plan(question) if limit > 1 else None
    if plan is None or len(plan.steps) > limit:
        return ModelSteps(question, None, 1, "nobody: one hop")
    return RuleSteps(plan, over, source=f"{plan.source} ({plan.shape})")

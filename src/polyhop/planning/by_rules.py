"""Planning by rules, without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyhop.planning.rules.decompose import decompose
from polyhop.plans import Plan, whole_question

if TYPE_CHECKING:
    from polyhop.models.within import Within


@dataclass(frozen=True, kw_only=True)
class ByRules:
    """Takes a question apart by the grammar of English; costs nothing."""

    steps: int = 8  # of a plan, at most: a question that seems to need more was misread, and is its own only step

    def plan(self, question: str, names: Sequence[str], model: Within | None) -> Plan:
        """Steps in words. Never raises."""
        plan = decompose(question, names)
        return plan if len(plan.steps) <= self.steps else whole_question(question)

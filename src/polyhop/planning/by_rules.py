"""Planning by grammar alone: what two things are compared by, when things happened, and what a kinship word hides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from polyhop.english.question import LONGEST_QUESTION, has_sentences
from polyhop.planning.rules.asked_outright import asked_outright
from polyhop.planning.rules.comparisons import compare
from polyhop.planning.rules.draft import SOURCE, PlanDraft
from polyhop.plans import REFERENCE, Plan, Step

if TYPE_CHECKING:
    from polyhop.models.within import Within

_LONGEST_TEXT: Final = 4000  # characters
_FEW: Final = 4  # words of a question that may hide another one


@dataclass(frozen=True, kw_only=True)
class ByRules:
    """Compares two things, and takes kinship words apart, by the grammar of English; costs nothing."""

    def plan(self, question: str, names: Sequence[str], model: Within | None) -> Plan:
        """Steps in words; a question that grammar alone does not take apart is its only one. Never raises."""
        text = question.strip()
        whole = Plan(shape="single", steps=(Step(question=text),) if text else (), source=SOURCE)
        if len(text) > _LONGEST_TEXT or len(text.split()) > LONGEST_QUESTION or REFERENCE.search(text):
            return whole
        words = asked_outright(text, names)
        if len(words) < _FEW or has_sentences(text):
            return whole
        plan = compare(words) or PlanDraft().chain(words)
        return plan if len(plan.steps) > 1 else whole

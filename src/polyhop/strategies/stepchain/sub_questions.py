"""Taking a question apart into sub-questions: by the language model, by rules, or not at all (StepChain, Eq. 6)."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.layers.view import View
from polyhop.models.within import NoCallsLeft
from polyhop.planning.plan import REFERENCE, Plan, Step
from polyhop.planning.rules import decompose as rules
from polyhop.ports import LanguageModel
from polyhop.prompts.decompose import MAX_STEPS, decompose


def sub_questions(question: str, over: View, model: LanguageModel | None, *, split: bool = True) -> tuple[Plan, str]:
    """The plan of a question, and who made it; ``split`` off: the question itself. Raises EndpointError."""
    if not split:
        return plan_of([question]), "nobody"
    if model is not None:
        try:
            return plan_of(decompose(model, question)[0]), f"language model {model.name}"
        except NoCallsLeft:
            pass  # the rules ask for nothing
    names = [title for title, _ in over.text.titles.named_in(question, careful=False)]
    plan = rules.decompose(question, names)
    if len(plan.steps) > MAX_STEPS:  # what needs more was misread
        return plan_of([question]), "nobody"
    return plan, f"rules ({plan.shape})"


def plan_of(questions: Sequence[str]) -> Plan:
    """Questions in which ``#1`` stands for the answer to the first, as a plan."""
    steps = []
    for place, text in enumerate(questions):
        references = sorted({int(number) - 1 for number in REFERENCE.findall(text)})
        steps.append(Step(question=text, refers_to=tuple(one for one in references if 0 <= one < place)))
    return Plan(shape="chain" if len(steps) > 1 else "single", steps=tuple(steps))

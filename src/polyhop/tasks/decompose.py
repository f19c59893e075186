"""Splits a question into steps that can be looked up one after the other."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from polyhop.models.accounting import WastedOutput
from polyhop.models.structured import complete_json
from polyhop.ports import LanguageModel, Message
from polyhop.tasks.blocks import DATA_RULE, Block, fenced
from polyhop.types import Cost

log = logging.getLogger(__name__)

MAX_STEPS = 6
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "steps": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": MAX_STEPS}
    },
    "required": ["steps"],
    "additionalProperties": False,
}

_SYSTEM = f"""You plan how to answer a question from a collection of documents. Split it into the fewest simple \
questions, each of which one document can answer.

- Write #1 for the answer to the first step, #2 for the answer to the second, and so on. A step may refer only to \
steps before it.
- Take names over exactly as the question writes them. Add no names and no facts of your own.
- A comparison looks up each side in a step of its own; its last step compares them.
- A question that one document can answer is one step: the question itself.
- At most {MAX_STEPS} steps.

{DATA_RULE}

Output JSON: {{"steps": [...]}}. An example, for "Who was the teacher of the painter of The Salt Harvest?": \
{{"steps": ["Who painted The Salt Harvest?", "Who was the teacher of #1?"]}}"""

_REFERENCE = re.compile(r"#(\d+)")


def decompose(model: LanguageModel, question: str, *, max_tokens: int = 400) -> tuple[tuple[str, ...], Cost]:
    """One to six sub-questions in which ``#1`` stands for the answer to the first, and what they cost.

    Where the model gives no usable plan, the question itself is the only step.

    Raises EndpointError, BudgetExceeded.
    """
    messages = (Message("system", _SYSTEM), Message("user", fenced([Block("QUESTION", question)])))
    try:
        plan, cost = complete_json(model, messages, SCHEMA, max_tokens)
    except WastedOutput as wasted:
        log.warning("The question is not decomposed: %s", wasted)
        return (question,), wasted.cost
    steps = tuple(" ".join(step.split()) for step in plan["steps"])
    if not well_formed(steps):
        log.warning("The question is not decomposed: the plan %s does not hold together.", steps)
        return (question,), cost
    return (steps if len(steps) > 1 else (question,)), cost


def well_formed(steps: Sequence[str]) -> bool:
    """Whether there are one to six steps, none empty, each referring only to steps before it."""
    return 0 < len(steps) <= MAX_STEPS and all(
        step.strip() and all(0 < int(number) <= index for number in _REFERENCE.findall(step))
        for index, step in enumerate(steps)
    )

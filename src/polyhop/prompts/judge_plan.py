"""Judges whether the steps of a plan mean what the question means (C2RAG, appendix F: errors of the planner)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyhop.models.structured import complete_json
from polyhop.ports import LanguageModel
from polyhop.prompts.asking import about
from polyhop.prompts.blocks import DATA_RULE, PromptBlock
from polyhop.prompts.schemas import Schema, closed, listed

SCHEMA: Schema = closed(steps=listed(closed(step="integer", reason="string", relation="boolean", references="boolean")))

_SYSTEM = f"""You check a plan for a question. Its steps are asked one after the other; #1 stands for the answer to \
the first step, and ?name for something that the question does not name. Judge what the steps mean, not how they are \
worded, and not whether anything answers them.

- "relation": whether the step asks for what the question means at that place. It is false if it asks for another \
relation (the mother instead of the father, where somebody lived instead of where they were born), for the same one \
turned round, or for something that the question neither asks for nor needs. What the question says as well, such as a \
year, may be told in another step.
- "references": whether what the step refers to is what the question means there. It is false if it refers to the \
answer of a wrong step, if two different things go by one name or one thing by two, or if a reference is missing.
- REFERENCE holds one right way to take the question apart, where there is one: "#1 >> child" asks for the child of \
the first answer. A plan that is cut otherwise, in another order, or into more or fewer steps is no worse for it.
- "reason": in a few words, what is wrong, or "right".

{DATA_RULE}

Output JSON, with a verdict for each step of PLAN: {{"steps": [{{"step": 1, "reason": "...", "relation": true or \
false, "references": true or false}}]}}."""


@dataclass(frozen=True, slots=True)
class StepVerdict:
    """Whether a step has the right relation and the right references, and what was said of it, on one line."""

    relation: bool
    references: bool
    reason: str


def judge_plan(
    model: LanguageModel, question: str, steps: Sequence[str], reference: Sequence[str] = ()
) -> tuple[StepVerdict | None, ...]:
    """Whether the steps of a plan mean what the question means; ``reference``: the steps of one that is right.

    None for a step of which nothing was said. Without steps nobody is asked. Raises EndpointError, OutputInvalid,
    BudgetExceeded.
    """
    if not steps:
        return ()
    blocks = [PromptBlock("QUESTION", question)]
    if reference:
        blocks.append(PromptBlock("REFERENCE", _numbered(reference)))
    blocks.append(PromptBlock("PLAN", _numbered(steps)))
    content, _ = complete_json(model, about(model, _SYSTEM, blocks), SCHEMA, max_tokens=600)
    said = {one["step"]: one for one in reversed(content["steps"])}
    return tuple(_verdict(said.get(number)) for number in range(1, len(steps) + 1))


def _verdict(said: Mapping[str, Any] | None) -> StepVerdict | None:
    return None if said is None else StepVerdict(said["relation"], said["references"], " ".join(said["reason"].split()))


def _numbered(steps: Sequence[str]) -> str:
    return "\n".join(f"{number}. {' '.join(step.split())}" for number, step in enumerate(steps, 1))

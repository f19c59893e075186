"""Which steps of a plan need nothing of each other, so that a language model may answer them in one call."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from polyhop.english.words import OWNERS, PRONOUNS
from polyhop.layers.grammar.lexicon import DEMONSTRATIVES
from polyhop.plans import Plan, Step
from polyhop.prompts.answer_step import MOST_TOGETHER

_BACK: Final = PRONOUNS | DEMONSTRATIVES | OWNERS | {"hers", "theirs"}
_WORD: Final = re.compile(r"\w+")


def asked_together(plan: Plan, first: int, answered: Collection[int]) -> list[int]:
    """The step ``first`` with later ones that, too, need only what is answered, by their places in the plan.

    Only ``first`` where it has to wait for something itself, compares what was found, or where no other is ready.
    """
    ready = [
        place
        for place in range(first, len(plan.steps))
        if place not in answered and len(plan.steps[place].refers_to) < 2
        and set(plan.steps[place].refers_to) <= set(answered)
    ]  # fmt: skip
    if ready[:1] != [first]:
        return [first]
    return [first, *(place for place in ready[1:] if _stands_alone(plan.steps[place]))][:MOST_TOGETHER]


def _stands_alone(step: Step) -> bool:
    """Whether a step says itself what it speaks of: "in spite of that doubt" waits for whoever found the doubt."""
    return not _BACK & {word.lower() for word in _WORD.findall(step.question)}

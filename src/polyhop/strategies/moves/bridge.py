"""Bridges: what the first steps of a question's plan find in the passages that the question names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from polyhop.layers.view import View
from polyhop.reading.extractive import best_candidate
from polyhop.strategies.moves.decompose import Plan, decompose, rewrite


@dataclass(frozen=True, kw_only=True)
class Bridges:
    """A plan made by rules, the step of it that asks about each start, and what reading the start answered.

    Read by rules and the cross-encoder: a hint about which link to follow, not a verdict.
    """

    question: str
    plan: Plan
    steps: Mapping[int, int]  # position of the step that asks about a start, by passage number
    found: Mapping[int, str]  # what the start answers it with

    def questions(self, start: int, names: Sequence[str]) -> list[str]:
        """What each passage of a path from a start is asked, ``names`` being what the links along it name."""
        if start not in self.steps:
            return [self.question] * (len(names) + 1)
        chain = [self.steps[start]]
        for _ in names:
            following = [place for place, step in enumerate(self.plan.steps) if chain[-1] in step.refers_to]
            if not following:
                break
            chain.append(following[0])
        answers = ["" for _ in self.plan.steps]
        for (step, _), name in zip(pairwise(chain), names, strict=False):
            answers[step] = name
        asked = [rewrite(self.plan.steps[step], answers) for step in chain]
        return [*asked, *[asked[-1]] * (len(names) + 1 - len(asked))]


def bridges(question: str, starts: Sequence[int], over: View) -> Bridges:
    """Plan a question, and read from each start what a later step of the plan needs."""
    kg = over.kg
    plan = decompose(question, [kg.entity(entity).name for entity in kg.named_in(question)])
    needed = {position for step in plan.steps for position in step.refers_to}
    asked: dict[int, int] = {}
    for position, step in enumerate(plan.steps):
        if position in needed and not step.refers_to:
            asked.update(dict.fromkeys(kg.named_in(step.question), position))
    steps: dict[int, int] = {}
    found: dict[int, str] = {}
    for start, passage in zip(starts, over.passages(starts), strict=True):
        subject = kg.find(passage.title)
        if subject in asked and subject is not None:
            steps[start] = asked[subject]
            candidate = best_candidate(plan.steps[asked[subject]].question, (passage,), over.models)
            if candidate is not None:
                found[start] = candidate.text
    return Bridges(question=question, plan=plan, steps=steps, found=found)

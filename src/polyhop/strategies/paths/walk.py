"""Walking along a plan: from what the question names, over what each step finds, to where the answer should stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyhop.indexes.names import normal, words
from polyhop.layers.view import View
from polyhop.planning.filling import rewrite
from polyhop.plans import Plan
from polyhop.reading.steps import glance
from polyhop.strategies.paths.link import Link, links_from
from polyhop.types import Passage


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A way along a plan: each passage is asked its question, and each link is what the question found there.

    Read at a glance: a hint about which links to follow, not a verdict.
    """

    steps: tuple[int, ...]  # indices into the plan's
    questions: tuple[str, ...]  # as they were asked
    passages: tuple[int, ...]
    links: tuple[Link, ...]
    complete: bool  # whether it came to the last step that concerns its start


def walks(plan: Plan, starts: Sequence[int], over: View, *, per_entity: int) -> dict[int, Walk]:
    """For each start whose subject a first step of the plan asks about, the walk from there.

    A plan of one step is no plan: the question may still need a second passage.
    """
    kg = over.kg
    if len(plan.steps) < 2:
        return {}
    asked: dict[int, int] = {}
    for position, step in enumerate(plan.steps):
        if not step.refers_to:
            for entity in kg.named_in(step.question):
                asked.setdefault(entity, position)
    walked: dict[int, Walk] = {}
    for start, passage in zip(starts, over.passages(starts), strict=True):
        subject = kg.find(passage.title)
        if subject is not None and subject in asked:
            walked[start] = _walk(plan, asked[subject], start, over, per_entity)
    return walked


def _walk(plan: Plan, position: int, start: int, over: View, per_entity: int) -> Walk:
    answers = ["" for _ in plan.steps]
    steps: list[int] = []
    questions: list[str] = []
    passages: list[int] = [start]
    links: list[Link] = []
    while True:
        steps.append(position)
        questions.append(rewrite(plan.steps[position], answers))
        following = _following(plan, position)
        if following is None:
            break
        passage = over.passages([passages[-1]])[0]
        candidate = next(iter(glance(questions[-1], [passage], over.models)), None)
        link = None if candidate is None else _link(candidate.text, passages[-1], passage, over, per_entity)
        if candidate is None or link is None or link.target in passages:
            break
        answers[position] = candidate.text
        links.append(link)
        passages.append(link.target)
        position = following
    return Walk(
        steps=tuple(steps),
        questions=tuple(questions),
        passages=tuple(passages),
        links=tuple(links),
        complete=following is None and (len(passages) > 1 or plan.shape == "comparison"),
    )


def _following(plan: Plan, position: int) -> int | None:
    """The step that asks on with what a step found."""
    return next((place for place, step in enumerate(plan.steps) if position in step.refers_to), None)


def _link(found: str, source: int, passage: Passage, over: View, per_entity: int) -> Link | None:
    """The first link from a passage to what was found in it."""
    name = set(words(normal(found)))
    for link in links_from(source, passage, over, per_entity=per_entity):
        title = set(words(normal(over.passages([link.target])[0].title)))
        if name and (name <= title or (title and title <= name) or over.kg.find(found) == link.entity):
            return link
    return None

"""Puts the answers to what one question asks together: each with its quotations, on one plan with all hops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TypeVar

from polyhop.indexes.by_turns import round_robin
from polyhop.plans import REFERENCE, Plan, Step
from polyhop.types import Answer, AnswerItem, AnswerKind, Cost, Evidence, Hop, Passage

T = TypeVar("T")


def as_one(question: str, answers: Sequence[Answer], *, seconds: float) -> Answer:
    """One answer to a question from the answers to what it asks, at least one of which has a text; it took so long.

    It is as sure as the least sure of these, also where that is not answered. Passages are those of each by turns, as
    many as the most that one has.
    """
    answered = [answer for answer in answers if answer.text is not None]
    least = min(answers, key=lambda answer: answer.confidence)
    evidence = _evidence(question, [answer.evidence for answer in answers])
    return replace(
        answers[-1],
        question=question,
        text="; ".join(answer.text for answer in answered if answer.text is not None),
        citations=tuple(dict.fromkeys(citation for answer in answered for citation in answer.citations)),
        confidence=least.confidence,
        confidence_kind=least.confidence_kind,
        evidence=replace(evidence, cost=replace(evidence.cost, seconds=seconds)),
        kind=AnswerKind.PARTS,
        items=tuple(map(_item, answers)),
        grounded=all(answer.grounded for answer in answered),
    )


def _item(answer: Answer) -> AnswerItem:
    """The answer to one of the things; without a text where the documents have none."""
    asked = answer.standalone or answer.question
    citations = answer.citations if answer.text else ()
    return AnswerItem(
        asked=asked,
        text=answer.text or "",
        citations=citations,
        confidence=answer.confidence,
        confidence_kind=answer.confidence_kind,
    )


def _evidence(question: str, found: Sequence[Evidence]) -> Evidence:
    steps: dict[Step, int] = {}  # each once, with its place: two things may be asked of one that is described
    hops: list[Hop] = []
    rankings = [each.passages for each in found]
    for each in found:
        known, places = len(steps), _added(each.plan, steps)
        for hop in each.hops:
            place = None if hop.step is None else places[hop.step]
            if place is None or place >= known:
                hops.append(replace(hop, step=place))
    return replace(
        found[0],
        question=question,
        passages=ranked_together(round_robin(rankings), max(map(len, rankings))),
        hops=tuple(_unsettled_once(hops)),
        plan=Plan(shape="several", steps=tuple(steps), source=found[0].plan.source if found[0].plan else ""),
        trail=tuple(line for each in found for line in (f"asked apart: {each.question}", *each.trail)),
        left_out=tuple(dict.fromkeys(line for each in found for line in each.left_out)),
        cost=sum((each.cost for each in found), Cost()),
        doubtful=any(each.doubtful for each in found),
        aside=tuple(dict.fromkeys(one for each in found for one in each.aside)),
    )


def _unsettled_once(hops: Iterable[Hop]) -> list[Hop]:
    """Hops of which those that ask the same and came to nothing are one, with the passages of each."""
    told: list[Hop] = []
    places: dict[str, int] = {}
    for hop in hops:
        settled = hop.status != "unresolved" or hop.found or hop.step is not None
        place = None if settled else places.get(hop.question)
        if place is not None:
            one = told[place]
            passages, sentences = _both(one.passages, hop.passages), _both(one.sentences, hop.sentences)
            told[place] = replace(one, passages=passages, sentences=sentences)
            continue
        if not settled:
            places[hop.question] = len(told)
        told.append(hop)
    return told


def _both(first: tuple[T, ...], second: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _added(plan: Plan | None, steps: dict[Step, int]) -> list[int]:
    """Add the steps of a plan that are not there yet; where each of its steps is now."""
    places: list[int] = []
    for step in plan.steps if plan is not None else ():
        question = REFERENCE.sub(lambda one: f"#{places[int(one[1]) - 1] + 1}", step.question)
        moved = replace(step, question=question, refers_to=tuple(places[at] for at in step.refers_to))
        places.append(steps.setdefault(moved, len(steps)))
    return places


def ranked_together(passages: Iterable[Passage], most: int) -> tuple[Passage, ...]:
    """Passages of several rankings, each where it comes first; none is scored above one before it."""
    first: dict[str, Passage] = {}
    for passage in passages:
        first.setdefault(passage.id, passage)
    ranked = list(first.values())[:most]
    scores = accumulate((passage.score for passage in ranked), min)
    return tuple(replace(passage, score=score) for passage, score in zip(ranked, scores, strict=True))

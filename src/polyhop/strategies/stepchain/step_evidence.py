"""The passages that a question answered step by step hands over, in one order."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.indexes.by_turns import round_robin
from polyhop.plans import Plan
from polyhop.strategies.shared.judge import most_telling
from polyhop.strategies.stepchain.stepping import Stepping


def ranking(stepping: Stepping, plan: Plan) -> dict[int, float]:
    """The passages with their scores: what was quoted, the ways to the answers, then single ones and leads by turns.

    What a step established stands or falls with the passages that it quoted: they come before anything that was merely
    retrieved, and the first one of each step before the second of any. Those of guesses come next.
    """
    referred = {one for step in plan.steps for one in step.refers_to}
    singles, others = (dict(sorted(each.items(), key=_best)) for each in (stepping.singles, stepping.others))
    known = {**others, **singles}
    quoted = [one.sources for one in stepping.done if one.established and one.quotes]
    quoted_for_guesses = [one.sources for one in stepping.done if one.supposed and one.quotes]
    first = [*round_robin(quoted), *round_robin(quoted_for_guesses)]
    ways = [number for one in stepping.done if one.position not in referred for number in one.way]
    ordered = dict.fromkeys([*first, *_ways_and_whole(stepping, ways), *round_robin([singles, others])])
    return {number: known.get(number, 0.0) for number in ordered}


def _ways_and_whole(stepping: Stepping, ways: Sequence[int]) -> list[int]:
    """The ways to the answers, and where the whole question leads: first what goes better with it, by its logit."""
    whole = stepping.whole
    if whole is None:
        return list(ways)
    led = [one.lead.logit for one in stepping.done if one.lead is not None]
    there = [whole.source, whole.target]
    return [*ways, *there] if led and whole.logit <= max(led) else [*there, *ways]


def aside(stepping: Stepping, order: Sequence[int]) -> list[int]:
    """The ranked passages that are clearly about none of the steps, where a model established them all.

    They fill the ranking up, and which of them do is chance; where a step has no answer, any passage may have it.
    """
    if stepping.calls is None or not stepping.done or not all(one.established for one in stepping.done):
        return []
    telling = {number for one in stepping.done for number in (*one.sources, *most_telling(dict(one.passages)))}
    return [number for number in order if number not in telling]


def _best(item: tuple[int, float]) -> tuple[float, int]:
    return -item[1], item[0]

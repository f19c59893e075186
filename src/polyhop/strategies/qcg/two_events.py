"""Questions about two events, each looked for by itself: what tells of one seldom tells of the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from polyhop.indexes.by_turns import each_once, round_robin
from polyhop.reading.asked_events import asked_events


def events_of(question: str) -> tuple[str, ...]:
    """The two events whose order or distance in time a question asks for, as statements; else the question alone."""
    asked = asked_events(question)
    return (question,) if asked is None else (asked.first, asked.second)


def interleaved(rankings: Sequence[Sequence[tuple[int, float]]]) -> list[tuple[int, float]]:
    """Passages with their scores, by turns from each ranking, each where it comes first.

    A score is never above one before it. A sum of ranks would prefer what both rankings have in the middle to the best
    of either.
    """
    ranked = each_once(round_robin(rankings))
    return list(zip(ranked, accumulate(ranked.values(), min), strict=True))

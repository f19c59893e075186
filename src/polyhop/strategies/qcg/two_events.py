"""Questions about two events, each looked for by itself: what tells of one seldom tells of the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

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
    scores: dict[int, float] = {}
    last = float("inf")
    for turn in zip_longest(*rankings):
        for number, score in filter(None, turn):
            if number not in scores:
                scores[number] = last = min(last, score)
    return list(scores.items())

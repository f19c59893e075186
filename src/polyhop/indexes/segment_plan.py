"""How an index made of immutable segments grows: by which of them stay, and what goes into a new one.

Each covers some passages, once and for all: new passages make a new segment, removed ones are masked when the index is
opened, and segments are written again in proportion to what is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from polyhop.indexes.segments import AllBut, alive_among, present
from polyhop.ports import Ints

MOST_SEGMENTS = 8
MOST_DEAD = 0.2  # share of the rows of a segment
SHARE = 1 / 4  # of a segment: when what is to stand behind it comes to more, both become one


@dataclass(frozen=True, kw_only=True, eq=False)
class SegmentPlan:
    """What turns the segments there are into segments that cover exactly the live passages."""

    keep: int  # how many of the existing segments stay: the first ones
    new: Ints  # numbers of the passages that go into one new segment behind them; empty: none is needed


def plan(existing: Sequence[Ints], live: Ints) -> SegmentPlan:
    """How to get from segments that cover ``existing`` to the ``live`` passages; all of these ascending."""
    together = _together(existing)
    if (together[1:] == together[:-1]).any():  # two segments cover the same passage
        return SegmentPlan(keep=0, new=live)
    return plan_of_change(existing, together[~present(together, live)], live[~present(live, together)])


def plan_of_change(existing: Sequence[Ints], dead: Ints, new: Ints) -> SegmentPlan:
    """How to get from segments to ones with new passages, and without those that are ``dead``; all of these ascending.

    A segment is written again when more than MOST_DEAD of its rows are dead, when what is new comes to more than
    a SHARE of it, or when there would be more than MOST_SEGMENTS; so are those behind it, which may build on it. Sizes
    thus fall quickly, and a passage is written again a few times only while the index grows, however large it becomes.
    """
    rows = [len(numbers) for numbers in existing]
    lost = [int(np.count_nonzero(present(dead, numbers))) for numbers in existing]
    keep = next((place for place, all_ in enumerate(rows) if lost[place] > MOST_DEAD * all_), len(rows))
    together = len(new) + sum(rows[keep:]) - sum(lost[keep:])
    while keep and together and (together > SHARE * (rows[keep - 1] - lost[keep - 1]) or keep == MOST_SEGMENTS):
        keep -= 1
        together += rows[keep] - lost[keep]
    again = (numbers[alive_among(numbers, AllBut(dead))] for numbers in existing[keep:])
    return SegmentPlan(keep=keep, new=_together([*again, new]))


def _together(parts: Iterable[Ints]) -> Ints:
    """All numbers of several lists, ascending."""
    return np.sort(np.concatenate([np.empty(0, np.int64), *parts]), kind="stable")

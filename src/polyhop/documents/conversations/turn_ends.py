"""Where the turns of a conversation begin and end, for cutting it into passages between them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from polyhop.documents.conversations.transcripts import Transcript

_something = re.compile(r"\S")


@dataclass(frozen=True)
class TurnEnds:
    """The turns of a conversation, or none for prose, which is cut as if there were no such thing.

    What stands between two turns (a day, a notice) belongs to the later one, and a header to the first.
    """

    begins: Sequence[int] = ()
    ends: Sequence[int] = ()

    @classmethod
    def of(cls, text: str, transcript: Transcript | None) -> Self:
        """The turns of a text, in order, or none where it is no conversation."""
        if transcript is None:
            return cls()
        ends = [turn.end for turn in transcript.turns]
        found = [_something.search(text, at) for at in (0, *ends[:-1])]
        return cls([match.start() if match else len(text) for match in found], ends)

    def fitting(self, start: int, done: int, low: int, limit: int) -> Sequence[int]:
        """Where a passage from ``start`` may end that says more than up to ``done``: with a turn, at most at ``limit``.

        From ``low`` on if any turn ends there, else with the last one before. A passage that begins within a turn (it
        was too long for one) ends with that turn, so that the next one begins with a turn. Nothing where no turn ends.
        """
        first, behind = bisect_right(self.ends, max(start, done)), bisect_right(self.ends, limit)
        if first >= behind:
            return ()
        if not _has(self.begins, start):
            return self.ends[first : first + 1]
        near = max(first, bisect_left(self.ends, low))
        return self.ends[near:behind] or self.ends[behind - 1 : behind]

    def overlapping(self, start: int, overlap: int, end: int) -> int:
        """Where the passage after one from ``start`` to ``end`` begins, at ``overlap`` or later.

        After a whole turn it is with a whole turn, and perhaps without an overlap.
        """
        if not _has(self.ends, end):
            return overlap
        at = bisect_right(self.begins, max(start, overlap - 1))
        return self.begins[at] if at < len(self.begins) and self.begins[at] < end else end


def _has(places: Sequence[int], place: int) -> bool:
    at = bisect_left(places, place)
    return at < len(places) and places[at] == place

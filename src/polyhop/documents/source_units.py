"""Where functions and classes end in source code, for cutting it into passages that leave them whole.

No language is parsed: blank lines and indentation tell, in all that people lay out. What begins at the margin behind a
blank line is a unit, with the comments and decorators right above it; where one is too long for a passage, what begins
less far in within it counts before what begins farther in.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

MEDIA_TYPE: Final = "text/x-source"
_TAB: Final = 4  # columns
_CLOSING: Final = (")", "]", "}", "end", "fi", "done", "esac", "#endif", "</")
_DEEPEST: Final = 32  # columns: what begins farther in is no unit


@dataclass(frozen=True)
class SourceUnits:
    """Where units end, in order, and how far in those begin that follow; none for a text that is no source code."""

    ends: Sequence[int] = ()
    depths: Sequence[int] = ()

    @classmethod
    def of(cls, text: str) -> Self:
        """The units of a source code."""
        ends: list[int] = []
        depths: list[int] = []
        at = end = 0
        blank = False  # whether the line before is
        for line in text.split("\n"):
            said = line.strip()
            if said:
                depth = len(line.expandtabs(_TAB)) - len(line.expandtabs(_TAB).lstrip())
                if blank and end and depth <= _DEEPEST and not said.startswith(_CLOSING):
                    ends.append(end)
                    depths.append(depth)
                end = at + len(line.rstrip())
            blank = not said
            at += len(line) + 1
        return cls(ends, depths)

    def fitting(self, start: int, done: int, low: int, limit: int) -> Sequence[int]:
        """Where a passage from ``start`` may end that says more than up to ``done``: with a unit, at most at ``limit``.

        Of units that begin least far in: from ``low`` on if any ends there, else the last one before.
        """
        first, behind = bisect_right(self.ends, max(start, done)), bisect_right(self.ends, limit)
        if first >= behind:
            return ()
        least = min(self.depths[first:behind])
        ends = [self.ends[at] for at in range(first, behind) if self.depths[at] == least]
        near = bisect_left(ends, low)
        return ends[near:] or ends[-1:]

    def overlapping(self, start: int, overlap: int, end: int) -> int:
        """Where the passage after one from ``start`` to ``end`` begins: behind a whole unit without an overlap."""
        at = bisect_left(self.ends, end)
        return end if at < len(self.ends) and self.ends[at] == end else overlap


def line_in(text: str, place: int) -> int:
    """The line of a text, from 1, on which a place lies."""
    return text.count("\n", 0, place) + 1

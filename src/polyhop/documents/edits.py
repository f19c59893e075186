"""Changes to a text that keep track of where its places went."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple


class TextEdit(NamedTuple):
    """A stretch of a text, half open, and what is to stand there instead."""

    start: int
    end: int
    text: str = ""


class TextEdits:
    """Stretches of a text that do not overlap, with what replaces each."""

    def __init__(self, edits: Iterable[TextEdit]) -> None:
        self._edits = sorted(edits)
        self._starts = [edit.start for edit in self._edits]
        shifts = (len(edit.text) - (edit.end - edit.start) for edit in self._edits)
        self._shifts = list(accumulate(shifts, initial=0))

    def __iter__(self) -> Iterator[TextEdit]:
        """The changes, in order."""
        return iter(self._edits)

    def applied(self, text: str) -> str:
        """The text with all of the changes."""
        pieces, at = [], 0
        for edit in self._edits:
            pieces += [text[at : edit.start], edit.text]
            at = edit.end
        return "".join([*pieces, text[at:]])

    def moved(self, place: int) -> int:
        """Where a place of the text is after the changes; one within a stretch is where the stretch begins."""
        before = bisect_right(self._starts, place) - 1
        if before >= 0 and place < self._edits[before].end:
            return self._edits[before].start + self._shifts[before]
        return place + self._shifts[before + 1]

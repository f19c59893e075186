"""Builds readable text from the events of a markup parser."""

from __future__ import annotations

from enum import IntEnum


class Gap(IntEnum):
    """How far two pieces of text are apart; the widest gap asked for between them wins."""

    NONE = 0
    SPACE = 1
    LINE = 2
    PARAGRAPH = 3


_WHITE = {Gap.NONE: "", Gap.SPACE: " ", Gap.LINE: "\n", Gap.PARAGRAPH: "\n\n"}


class Flow:
    """Text that grows piece by piece, with no more white space than the structure asks for.

    A gap is only written once there is text after it, so that the paragraphs a table cell begins and ends with leave
    the row on its line.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._gap = Gap.NONE
        self._fresh_cell = False

    def part(self, gap: Gap) -> None:
        """Keep what follows at least this far from what is there."""
        if gap > self._gap and not self._fresh_cell:
            self._gap = gap

    def begin_cell(self, *, first: bool) -> None:
        """Begin a table cell, behind a bar unless it is the first of its row."""
        if not first:
            fresh_row = self._gap >= Gap.LINE  # its first cell was empty: the bar begins the line
            self._gap = self._gap if fresh_row else Gap.NONE
            self.write_exactly("|" if fresh_row else " |")
            self._gap = Gap.SPACE
        self._fresh_cell = True

    def end_cell(self) -> None:
        """End a table cell; the line that a row begins is still to be begun where nothing stands in it."""
        if not (self._fresh_cell and self._gap >= Gap.LINE):
            self._gap = Gap.NONE
        self._fresh_cell = False

    def write(self, text: str) -> None:
        """Add running text; its white space is collapsed."""
        words = text.split()
        if text[:1].isspace():
            self.part(Gap.SPACE)
        if words:
            self.write_exactly(" ".join(words))
            if text[-1].isspace():
                self.part(Gap.SPACE)

    def write_exactly(self, text: str) -> None:
        """Add text whose white space has a meaning."""
        if self._pieces:
            self._pieces.append(_WHITE[self._gap])
        self._pieces.append(text)
        self._gap = Gap.NONE
        self._fresh_cell = False

    def text(self) -> str:
        """All of it."""
        return "".join(self._pieces)

"""Builds readable text from the events of a markup parser."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple


class Gap(IntEnum):
    """How far two pieces of text are apart; the widest gap asked for between them wins."""

    NONE = 0
    SPACE = 1
    LINE = 2
    PARAGRAPH = 3


class Mark(NamedTuple):
    """What a stretch of the text is, such as a heading or a link."""

    start: int
    end: int
    kind: str
    level: int = 0  # of a heading, 1 the highest; 0 where it is not known

    def moved(self, by: int) -> Mark:
        """The same so many characters further on."""
        return self._replace(start=self.start + by, end=self.end + by)


HEADING = "heading"  # the kind of those marks
_NOT_YET = -1  # where a stretch begins of which nothing is written
_WHITE = {Gap.NONE: "", Gap.SPACE: " ", Gap.LINE: "\n", Gap.PARAGRAPH: "\n\n"}


class Flow:
    """Text that grows piece by piece, with no more white space than the structure asks for.

    A gap is only written once there is text after it. Marks say what stretches of the text are.
    """

    def __init__(self) -> None:
        self.marks: list[Mark] = []
        self._pieces: list[str] = []
        self._length = 0
        self._gap = Gap.NONE
        self._open: dict[str, tuple[int, int]] = {}  # by kind: where it begins, and its level

    def part(self, gap: Gap) -> None:
        """Keep what follows at least this far from what is there."""
        self._gap = max(self._gap, gap)

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
        white = _WHITE[self._gap] if self._length else ""
        self._pieces += [white, text]
        if self._open:
            begins = self._length + len(white)
            for kind, (begun, level) in self._open.items():
                if begun == _NOT_YET:
                    self._open[kind] = begins, level
        self._length += len(white) + len(text)
        self._gap = Gap.NONE

    def go_on(self, said: str, gap: Gap) -> None:
        """Add text right behind what is there, whatever gap was asked for, and keep what follows this far from it."""
        if self._length:
            self._pieces.append(said)
            self._length += len(said)
            self._gap = gap

    def close_up(self) -> None:
        """Have what follows stand right behind what is there, where nothing but a space would part them."""
        if self._gap is Gap.SPACE:
            self._gap = Gap.NONE

    @property
    def last(self) -> str:
        """The last character; none where what follows is kept apart from it."""
        return self._pieces[-1][-1:] if self._pieces and not self._gap else ""

    def append(self, other: Flow) -> None:
        """Add what another flow has, with its marks."""
        text = other.text()
        if text:
            self.write_exactly(text)
            begin = self._length - len(text)
            self.marks += (mark.moved(begin) for mark in other.marks)

    def begin(self, kind: str, level: int = 0) -> None:
        """What follows is of a kind, until that ends; within the same kind nothing begins."""
        self._open.setdefault(kind, (_NOT_YET, level))

    def end(self, kind: str) -> None:
        """What was of a kind ends, if anything was."""
        begun, level = self._open.pop(kind, (_NOT_YET, 0))
        if begun != _NOT_YET:
            self.marks.append(Mark(begun, self._length, kind, level))

    def heading(self, text: str, level: int = 0) -> None:
        """Add a heading, a paragraph of its own."""
        self.part(Gap.PARAGRAPH)
        self.begin(HEADING, level)
        self.write(text)
        self.end(HEADING)
        self.part(Gap.PARAGRAPH)

    def headings(self) -> list[Mark]:
        """The marks of headings, in order."""
        return sorted(mark for mark in self.marks if mark.kind == HEADING)

    def text(self) -> str:
        """All of it."""
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]


class JoinedText(NamedTuple):
    """Texts with blank lines between them, where each begins, and where headings stand in all of it."""

    text: str
    begins: tuple[int, ...]
    headings: tuple[Mark, ...]


def joined(flows: Iterable[Flow]) -> JoinedText:
    """Flows one after the other, as one text."""
    pieces: list[str] = []
    begins: list[int] = []
    headings: list[Mark] = []
    at = 0
    for flow in flows:
        text = flow.text()
        white = "\n\n" if text and at else ""
        at += len(white)
        begins.append(at)
        headings += (mark.moved(at) for mark in flow.headings())
        pieces += [white, text]
        at += len(text)
    return JoinedText("".join(pieces), tuple(begins), tuple(headings))

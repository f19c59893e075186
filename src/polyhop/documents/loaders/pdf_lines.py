"""The lines of a PDF's pages, with where each stands and how large its letters are."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from polyhop.documents.encoding import clean
from polyhop.documents.raised import MARK

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

_LINE: Final = re.compile(r"([^\r\n\x02\ufffe]*)(\r\n?|\n|[\x02\ufffe](?:\r\n?|\n)?|\Z)")
_OWN_HYPHENS: Final = ("\x02", "\ufffe")  # how PDFium writes a hyphen at the end of a line
_WORD: Final = re.compile(r"\S+")
_GAP: Final = 1.0  # of the height of letters: hardly two words are so far apart, however a line is justified
_NUMBER: Final = re.compile(r"\d+[-+\u2212]?\d+")
_SMALLER: Final = 0.9  # than a letter before, as raised ones are,
_RAISED: Final = 0.15  # and how much higher, of the height of that one
_SLANTED: Final = 0.1  # of a right angle
_LONGEST_NAME: Final = 128  # bytes of the name of a font


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLine:
    """A line of a page, in points from a corner of the page; one that is turned is measured as if it were upright."""

    text: str
    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    size: float = 0.0  # the height of its letters
    bold: bool = False
    pieces: tuple[PageLine, ...] = ()  # that wide gaps part; none where it is in one piece
    row: bool = False  # whether it is a row of a table

    @property
    def letter(self) -> float:
        """The width of a letter, on average."""
        return (self.right - self.left) / max(1, len(self.text))


def lines_of(page: PdfPage) -> list[PageLine]:
    """The lines of a page that are not blank, in the order in which the file has them."""
    with closing(page.get_textpage()) as content:
        return list(_lines(content))


@dataclass(frozen=True, slots=True)
class _Letters:
    """The letters of a line; ``quarters``: how often the line is turned clockwise by a right angle."""

    content: PdfTextPage
    quarters: int

    def box(self, index: int) -> tuple[float, float, float, float]:
        """The left, lower, right and upper edge of a letter, as if the page were turned so that the line is upright."""
        left, bottom, right, top = self.content.get_charbox(index, loose=True)
        turned = (
            (left, bottom, right, top),
            (-top, left, -bottom, right),
            (-right, -top, -left, -bottom),
            (bottom, -right, top, -left),
        )
        return turned[self.quarters]

    def is_raised(self, index: int, before: int) -> bool:
        """Whether a letter is smaller than one before it, and stands higher."""
        _, bottom, _, top = self.box(index)
        _, lower, _, upper = self.box(before)
        return top - bottom < _SMALLER * (upper - lower) and bottom - lower > _RAISED * (upper - lower)


def _lines(content: PdfTextPage) -> Iterator[PageLine]:
    for found in _LINE.finditer(str(content.get_text_range())):
        said = found[1].strip()
        if said:
            first = found.start() + len(found[1]) - len(found[1].lstrip())
            letters = _Letters(content, _quarters(content, first))
            line = _measured(letters, said, first, first + len(said) - 1)
            marked = _with_marks(letters, said, first)
            text = clean(f"{marked}-" if found[2].startswith(_OWN_HYPHENS) else marked).strip()
            if text:
                yield replace(line, text=text, pieces=tuple(_pieces(letters, said, first, line)))


def _quarters(content: PdfTextPage, character: int) -> int:
    """How often a letter is turned clockwise by a right angle; 0 for one that is slanted."""
    from pypdfium2 import raw  # imported when used: start-up time

    quarters = max(0.0, raw.FPDFText_GetCharAngle(content.raw, character)) / (math.pi / 2)
    return round(quarters) % 4 if abs(quarters - round(quarters)) < _SLANTED else 0


def _measured(letters: _Letters, text: str, first: int, last: int) -> PageLine:
    (first_left, _, first_right, _), (last_left, _, last_right, _) = letters.box(first), letters.box(last)
    left, right = min(first_left, last_left), max(first_right, last_right)  # it may run from right to left
    letter = first + next((at for at, character in enumerate(text) if character.isalpha()), 0)
    _, bottom, _, top = letters.box(letter)  # marks and numbers of items have fonts of their own
    bold = _is_bold(letters.content, letter)
    return PageLine(text=text, left=left, right=right, bottom=bottom, size=round(top - bottom, 1), bold=bold)


def _pieces(letters: _Letters, said: str, first: int, line: PageLine) -> Iterator[PageLine]:
    """What wide gaps part a line into; nothing where there are none."""

    def piece(end: int) -> PageLine:
        text = clean(_with_marks(letters, said[begins:end], first + begins)).strip()
        return replace(line, text=text, left=min(left, right), right=max(left, right))

    begins, left, right = 0, line.left, line.left
    for word in _WORD.finditer(said):
        start = letters.box(first + word.start())[0]
        if word.start() and start - right > _GAP * line.size:
            yield piece(word.start())
            begins, left = word.start(), start
        right = letters.box(first + word.end() - 1)[2]
    if begins:
        yield piece(len(said))


def _with_marks(letters: _Letters, said: str, first: int) -> str:
    """What a line says, with a mark before numbers that are raised behind another one."""
    pieces, begins = [], 0
    for found in _NUMBER.finditer(said):
        start, end = first + found.start(), first + found.end() - 1
        if letters.is_raised(end, start):  # most numbers end as high as they begin
            at = next(at for at in range(start + 1, end + 1) if letters.is_raised(at, start)) - first
            pieces += [said[begins:at], MARK]
            begins = at
    return "".join((*pieces, said[begins:]))


def _is_bold(content: PdfTextPage, character: int) -> bool:
    """Whether the name of a character's font says that it is bold."""
    from pypdfium2 import raw  # imported when used: start-up time

    name, flags = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.c_int()
    raw.FPDFText_GetFontInfo(content.raw, character, name, _LONGEST_NAME, ctypes.byref(flags))
    return b"bold" in name.value.lower()

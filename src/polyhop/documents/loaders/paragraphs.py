"""What a word processor's file says: headings, paragraphs, items and rows of tables, and the notes behind them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.documents.flow import HEADING, Gap
from polyhop.documents.loading import file_document, headed
from polyhop.documents.tables import Cell, Tables
from polyhop.types import Document

DASH: Final = "- "  # before an item
_HEADINGS: Final = ("heading", "title")  # styles
_ITEMS: Final = ("listbullet", "listnumber")
_NO_HEADINGS: Final = ("toc", "subtitle")  # styles that are based on those of headings
MOST_BASED: Final = 10  # styles on which one is based


class ParagraphStyles:
    """What styles are: by their names, which are English in any language, or those of what they are based on."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._based: dict[str, str] = {}
        self._listed: set[str] = set()

    def named(self, style: str, name: str) -> None:
        """What a style is called; the first name counts."""
        self._names.setdefault(style, re.sub(r"\s", "", name).lower())

    def based_on(self, style: str, other: str) -> None:
        """Which one a style is based on."""
        self._based.setdefault(style, other)

    def of_items(self, style: str) -> None:
        """The paragraphs of a style are items."""
        self._listed.add(style)

    def kind(self, style: str) -> str:
        """What paragraphs of a style are: a kind of heading or item; else its own name."""
        own = self._names.get(style, re.sub(r"\s", "", style).lower())
        if own.startswith(_NO_HEADINGS):
            return own
        for _ in range(MOST_BASED):
            name = self._names.get(style, own)
            if name.startswith((*_HEADINGS, *_ITEMS)):
                return name
            if style in self._listed:
                return _ITEMS[0]
            style = self._based.get(style, "")
            if not style:
                break
        return own


def is_item(kind: str) -> bool:
    """Whether paragraphs of a kind are items of a list."""
    return kind.startswith(_ITEMS)


def _level(kind: str) -> int:
    """How deep a kind of heading is: a title is above those of level 1."""
    depth = re.search(r"\d+$", kind)
    return int(depth[0]) + 1 if depth else 1


class Paragraphs:
    """Collects paragraphs into text, tables and notes."""

    def __init__(self) -> None:
        self.title = ""  # the first title paragraph
        self.tables = Tables()  # where text belongs now
        self._heading = ""
        self._all = [self.tables, Tables(), Tables()]  # the body, footnotes, endnotes
        self._around: list[Tables] = []  # what the notes that are open stand in
        self._after_item = False
        self._plain = False  # whether the open cell has letters that are not bold

    def write(self, text: str, kind: str = "", *, mark: str = "") -> None:
        """A paragraph, if it says anything; ``kind`` is that of its style, ``mark`` what an item begins with."""
        if not text:
            return
        flow, in_cell, is_heading = self.tables.flow, self.tables.cell() is not None, kind.startswith(_HEADINGS)
        listed = bool(mark) and not is_heading and not in_cell
        flow.part(Gap.LINE if in_cell or (listed and self._after_item) else Gap.PARAGRAPH)
        if is_heading:
            flow.begin(HEADING, _level(kind))
        flow.write_exactly(f"{mark}{text}" if listed else text)
        flow.end(HEADING)
        self._after_item = listed
        if kind == "title":
            self.title = self.title or text
        elif is_heading:
            self._heading = self._heading or text

    def letters(self, text: str, *, bold: bool) -> None:
        """Letters of what will be a paragraph: a cell that has none but bold ones is a name."""
        self._plain = self._plain or not (bold or text.isspace())

    def begin_cell(self, cell: Cell) -> None:
        """A cell of the open table begins."""
        self._plain = False
        self.tables.begin_cell(cell)

    def end_cell(self) -> None:
        """The open cell ends, if one is."""
        cell = self.tables.cell()
        if cell is not None:
            cell.heading = cell.heading or (bool(cell.flow.text()) and not self._plain)
        self.tables.end_cell()

    def begin_note(self, *, at_the_end: bool) -> None:
        """What follows is in a note, of those at the end of the document or those below its pages."""
        self._around.append(self.tables)
        self.tables = self._all[2 if at_the_end else 1]
        self._after_item = False

    def end_note(self) -> None:
        """The open note ends, if one is."""
        if self._around:
            self.tables = self._around.pop()

    def document(self, uri: str, media_type: str, titles: Sequence[str] = ()) -> Document:
        """All of it; the title is the title paragraph, else the first of these, else the first heading."""
        flow, *notes = (tables.finished() for tables in self._all)
        for note in notes:
            flow.part(Gap.PARAGRAPH)
            flow.append(note)
        title = next(filter(None, (self.title, *titles, self._heading)), None)
        return headed(file_document(uri, flow.text(), media_type, title=title), flow.marks)

"""Word documents (Office Open XML)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from polyhop.documents.flow import Gap
from polyhop.documents.loaders.archives import LARGEST, ArchiveKind, Attributes, PartArchive, PartEvents, opened
from polyhop.documents.loaders.formulas import FORMULA, FormulaText, TextWithFormulas
from polyhop.documents.loaders.office_parts import main_part, own_title
from polyhop.documents.loading import file_document, headed
from polyhop.documents.tables import Cell, Tables
from polyhop.types import Document

_LEFT_OUT = frozenset(  # deleted, said twice, or how something is pronounced
    ("del", "moveFrom", "Fallback", "pPr", "sectPr", "footnotePr", "rt")
)
_CHANGED = "Change"  # how the names of elements end that say what properties were before a change that is tracked
_HEADINGS = ("heading", "title")  # styles
_ITEMS = ("listbullet", "listnumber")
_CONTENTS = "toc"  # styles of a table of contents, whose heading is based on those of headings
_MOST_BASED = 10  # styles on which one is based
_CHARACTERS = {"tab": "\t", "ptab": "\t", "noBreakHyphen": "-"}
_SYMBOL = {  # what the font Symbol has in the places of Latin letters and signs
    **dict(zip(b"ABCDEFGHIKLMNOPQRSTUVWXYZ", "ΑΒΧΔΕΦΓΗΙΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)),
    **dict(zip(b"abcdefghijklmnopqrstuvwxyz", "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)),
    **dict(zip(b" !%&()+,-./0123456789:;<=>?[]_{|}", " !%&()+,-./0123456789:;<=>?[]_{|}", strict=True)),
    **dict(zip(b"\xa3\xa5\xac\xad\xae\xaf\xb0\xb1\xb3\xb4\xb7\xb8\xb9\xba\xbb", "≤∞←↑→↓°±≥×•÷≠≡≈", strict=True)),
}
_OF_ITS_FONT = range(0xF000, 0xF100)  # characters that only their font gives a meaning
_WORD = ArchiveKind(
    name="a Word document",
    locked="encrypted, or an old .doc file",
    remedy="Open it in a word processor and save it again as .docx.",
)


@dataclass(frozen=True, kw_only=True)
class DocxLoader:
    """Reads the body, then the notes: paragraphs apart, items with a dash, rows with the names of columns."""

    suffixes: ClassVar[tuple[str, ...]] = (".docx",)
    media_type: ClassVar[str] = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    version: ClassVar[str] = "7"

    largest: int = LARGEST  # bytes that its parts may unpack to: a guard against zip bombs

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document; its title is the title paragraph, else the file's own, else the first heading.

        Raises DocumentError for a damaged or encrypted file.
        """
        with opened(path, _WORD, self.largest) as archive:
            body = _body_of(archive)
            title = body.title or own_title(archive) or body.heading
        flow = body.tables.finished()
        yield headed(file_document(uri, flow.text(), self.media_type, title=title), flow.marks)


def _level(style: str) -> int:
    """How deep a heading of a style is: a title is above those of level 1."""
    depth = re.search(r"\d+$", style)
    return int(depth[0]) + 1 if depth else 1


def _body_of(archive: PartArchive) -> _Body:
    main = main_part(archive, "word/document.xml")
    folder = posixpath.dirname(main)
    styles = _Styles()
    archive.parse(posixpath.join(folder, "styles.xml"), styles)
    body = _Body(styles)
    for part in (main, posixpath.join(folder, "footnotes.xml"), posixpath.join(folder, "endnotes.xml")):
        archive.parse(part, body)
    return body


class _Styles(PartEvents):
    """Reads what styles are: by their names, which are English in any language, or those of what they are based on."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._based: dict[str, str] = {}
        self._listed: set[str] = set()
        self._style = ""

    def start(self, name: str, attributes: Attributes) -> None:
        value = attributes.get("val", "")
        if name == "style":
            self._style = attributes.get("styleId", "")
        elif name == "name" and self._style:
            self._names.setdefault(self._style, re.sub(r"\s", "", value).lower())
        elif name == "basedOn" and self._style:
            self._based.setdefault(self._style, value)
        elif name == "numId" and self._style and value != "0":
            self._listed.add(self._style)

    def kind(self, style: str) -> str:
        """What paragraphs of a style are: a kind of heading or item; else its own name."""
        own = self._names.get(style, re.sub(r"\s", "", style).lower())
        if own.startswith(_CONTENTS):
            return own
        for _ in range(_MOST_BASED):
            name = self._names.get(style, own)
            if name.startswith((*_HEADINGS, *_ITEMS)):
                return name
            if style in self._listed:
                return _ITEMS[0]
            style = self._based.get(style, "")
        return own


@dataclass
class _Body(TextWithFormulas):
    """Collects the text of the body or of notes."""

    styles: _Styles
    tables: Tables = field(default_factory=Tables)
    title: str = ""
    heading: str = ""
    _style: str = ""
    _listed: bool = False  # whether the paragraph is an item of a list
    _after_item: bool = False
    _bold: bool = False  # the run
    _plain: bool = False  # whether the open cell has letters that are not bold
    _hidden: bool = False  # the run

    def _starts(self, name: str, attributes: Attributes) -> None:
        if _CHANGED in self._skipping or name.endswith(_CHANGED):
            self._skipping.append(_CHANGED)
        elif name == "pStyle":
            self._style = self.styles.kind(attributes.get("val", ""))
            self._listed = self._listed or self._style.startswith(_ITEMS)
        elif name == "numId":
            self._listed = attributes.get("val", "0") != "0"
        elif self._skipping or name in _LEFT_OUT:
            self._skipping.append(name)
        elif name in ("footnote", "endnote") and attributes.get("type", "normal") != "normal":
            self._skipping.append(name)  # the rule above the notes
        elif name == FORMULA:
            self._formula = FormulaText()
        else:
            self._begin(name, attributes)

    def _begin(self, name: str, attributes: Attributes) -> None:
        beginnings: dict[str, Callable[[], object]] = {
            "p": self._flush,  # a text box stands within a paragraph
            "tbl": self.tables.begin_table,
            "tr": self.tables.begin_row,
            "tc": self._begin_cell,
        }
        beginnings.get(name, lambda: None)()
        self._describe(name, attributes)
        if name == "r":
            self._in_run, self._bold, self._raised, self._hidden = True, False, False, False
        elif name == "t":
            self._in_text = True
        elif self._in_run and name in _CHARACTERS:
            self._text.append(_CHARACTERS[name])
        elif self._in_run and name == "sym":
            self._text.append(_symbol(attributes.get("char", ""), attributes.get("font", "")))
        elif self._in_run and name in ("br", "cr"):
            self._text.append("\n")

    def _ends(self, name: str) -> None:
        if self._skipping:
            if self._skipping[-1] in (name, _CHANGED):
                self._skipping.pop()
        elif name == "t":
            self._in_text = False
        elif name == "r":
            self._in_run = False
        elif name == "p":
            self._end_paragraph()
        elif name == "tc":
            self._end_cell()
        elif name == "tbl":
            self.tables.end_table()

    def _write(self, text: str) -> None:
        if not self._hidden:
            super()._write(text)
            self._plain = self._plain or not (self._bold or text.isspace())

    def _flush(self) -> str:
        text = self._taken()
        if text:
            flow, is_heading = self.tables.flow, self._style.startswith(_HEADINGS)
            is_item = self._listed and not is_heading and self.tables.cell() is None
            flow.part(Gap.LINE if self.tables.cell() or (is_item and self._after_item) else Gap.PARAGRAPH)
            if is_heading:
                flow.begin("heading", _level(self._style))
            flow.write_exactly(f"- {text}" if is_item else text)
            flow.end("heading")
            self._after_item = is_item
        return text

    def _end_paragraph(self) -> None:
        text = self._flush()
        if self._style == "title":
            self.title = self.title or text
        elif self._style.startswith("heading"):
            self.heading = self.heading or text
        self._style, self._listed = "", False

    def _begin_cell(self) -> None:
        self._plain = False
        self.tables.begin_cell(Cell())

    def _end_cell(self) -> None:
        cell = self.tables.cell()
        if cell is not None:
            cell.heading = cell.heading or (bool(cell.flow.text()) and not self._plain)
        self.tables.end_cell()

    def _describe(self, name: str, attributes: Attributes) -> None:
        """What properties say: letters that are bold or raised, and cells that span several columns or rows."""
        value, cell = attributes.get("val", ""), self.tables.cell()
        if name == "b" and self._in_run:
            self._bold = value not in ("0", "false")
        elif name == "vanish" and self._in_run:
            self._hidden = value not in ("0", "false")
        elif name == "vertAlign" and self._in_run:
            self._raised = value == "superscript"
        elif name == "gridSpan" and cell is not None:
            cell.columns = _number(value)
        elif name == "gridBefore" and value != "0":  # columns that the row begins behind
            self.tables.begin_cell(Cell(columns=_number(value)))
            self.tables.end_cell()
        elif name == "vMerge" and cell is not None:
            cell.above = value != "restart"
        elif name == "tblHeader":
            self.tables.head()


def _number(written: str) -> int:
    return int(written[:4]) if written.isascii() and written.isdigit() else 1


def _symbol(code: str, font: str) -> str:
    """The character of a symbol; of those that are none without their font, the letters and signs of Symbol."""
    number = int(code, 16) if re.fullmatch("[0-9A-Fa-f]{1,4}", code) else 0
    place = number - _OF_ITS_FONT.start if number in _OF_ITS_FONT else number
    if font == "Symbol":
        return _SYMBOL.get(place, "")
    return chr(number) if number and number not in _OF_ITS_FONT else ""

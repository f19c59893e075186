"""Word documents (Office Open XML)."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from polyhop.documents.loaders.archives import LARGEST, Attributes, PartArchive, count_in, office_file, opened
from polyhop.documents.loaders.formulas import FORMULA, FormulaText, TextWithFormulas
from polyhop.documents.loaders.office_parts import main_part, own_title
from polyhop.documents.loaders.paragraphs import DASH, Paragraphs, ParagraphStyles, is_item
from polyhop.documents.loaders.symbol_font import symbol
from polyhop.documents.tables import Cell
from polyhop.types import Document

_LEFT_OUT = frozenset(  # deleted, said twice, or how something is pronounced
    ("del", "moveFrom", "Fallback", "pPr", "sectPr", "footnotePr", "rt")
)
_UNSEEN = frozenset(("vanish", "strike", "dstrike"))  # properties of a run that is hidden, or struck out
_CHANGED = "Change"  # how the names of elements end that say what properties were before a change that is tracked
_CHARACTERS = {"tab": "\t", "ptab": "\t", "noBreakHyphen": "-"}
_WORD = office_file("a Word document", ".doc", "word processor", ".docx")


@dataclass(frozen=True, kw_only=True)
class DocxLoader:
    """Reads the body, then the notes: paragraphs apart, items with a dash, rows with the names of columns."""

    suffixes: ClassVar[tuple[str, ...]] = (".docx",)
    media_type: ClassVar[str] = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    version: ClassVar[str] = "12"

    largest: int = LARGEST  # bytes that its parts may unpack to: a guard against zip bombs

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document; its title is the title paragraph, else the file's own, else the first heading.

        Raises DocumentError for a damaged or encrypted file.
        """
        with opened(path, _WORD, self.largest) as archive:
            document = _read(archive).document(uri, self.media_type, [own_title(archive)])
        yield document


def _read(archive: PartArchive) -> Paragraphs:
    main = main_part(archive, "word/document.xml")
    folder = posixpath.dirname(main)
    body = _Body(_styles(archive, posixpath.join(folder, "styles.xml")))
    for part in (main, posixpath.join(folder, "footnotes.xml"), posixpath.join(folder, "endnotes.xml")):
        archive.parse(part, body)
    return body.paragraphs


def _styles(archive: PartArchive, part: str) -> ParagraphStyles:
    styles, style = ParagraphStyles(), ""
    for name, attributes in archive.elements(part, "style", "name", "basedOn", "numId"):
        value = attributes.get("val", "")
        if name == "style":
            style = attributes.get("styleId", "")
        elif name == "name" and style:
            styles.named(style, value)
        elif name == "basedOn" and style:
            styles.based_on(style, value)
        elif name == "numId" and style and value != "0":
            styles.of_items(style)
    return styles


@dataclass
class _Body(TextWithFormulas):
    """Collects the text of the body or of notes."""

    styles: ParagraphStyles
    paragraphs: Paragraphs = field(default_factory=Paragraphs)
    _style: str = ""
    _listed: bool = False  # whether the paragraph is an item of a list
    _around: list[tuple[str, bool]] = field(default_factory=list)  # the same of the paragraphs around it
    _bold: bool = False  # the run
    _hidden: bool = False  # the run

    def _starts(self, name: str, attributes: Attributes) -> None:
        if _CHANGED in self._skipping or name.endswith(_CHANGED):
            self._skipping.append(_CHANGED)
        elif name == "pStyle" and self._skipping[:1] == ["pPr"]:  # not of what is said twice
            self._style = self.styles.kind(attributes.get("val", ""))
            self._listed = self._listed or is_item(self._style)
        elif name == "numId" and self._skipping[:1] == ["pPr"]:
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
        tables = self.paragraphs.tables
        beginnings: dict[str, Callable[[], object]] = {
            "p": self._begin_paragraph,
            "tbl": tables.begin_table,
            "tr": tables.begin_row,
            "tc": lambda: self.paragraphs.begin_cell(Cell()),
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
            self._text.append(symbol(attributes.get("char", ""), attributes.get("font", "")))
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
            self.paragraphs.end_cell()
        elif name == "tbl":
            self.paragraphs.tables.end_table()

    def _write(self, text: str) -> None:
        if not self._hidden:
            super()._write(text)
            self.paragraphs.letters(text, bold=self._bold)

    def _flush(self) -> None:
        self.paragraphs.write(self._taken(), self._style, mark=DASH if self._listed else "")

    def _begin_paragraph(self) -> None:
        self._flush()  # a text box stands within a paragraph
        self._around.append((self._style, self._listed))
        self._style, self._listed = "", False

    def _end_paragraph(self) -> None:
        self._flush()
        self._style, self._listed = self._around.pop()

    def _describe(self, name: str, attributes: Attributes) -> None:
        """What properties say: letters that are bold or raised, and cells that span several columns or rows."""
        value, cell = attributes.get("val", ""), self.paragraphs.tables.cell()
        if name == "b" and self._in_run:
            self._bold = value not in ("0", "false")
        elif name in _UNSEEN and self._in_run:
            self._hidden = self._hidden or value not in ("0", "false")
        elif name == "vertAlign" and self._in_run:
            self._raised = value == "superscript"
        elif name == "gridSpan" and cell is not None:
            cell.columns = count_in(attributes, "val", 4)
        elif name == "gridBefore" and value != "0":  # columns that the row begins behind
            self.paragraphs.tables.begin_cell(Cell(columns=count_in(attributes, "val", 4)))
            self.paragraphs.tables.end_cell()
        elif name == "vMerge" and cell is not None:
            cell.above = value != "restart"
        elif name == "tblHeader":
            self.paragraphs.tables.head()

"""What is read of OpenDocument files, packed or flat: paragraphs as people see them, formulas, and tables."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from polyhop.documents.encoding import clean
from polyhop.documents.loaders.archives import (
    ArchiveKind,
    Attributes,
    PartArchive,
    PartEvents,
    count_in,
    damage_named,
    opened,
    parse_xml,
)
from polyhop.documents.loaders.formulas import MathMarkup
from polyhop.documents.loaders.odf_styles import OdfStyles, is_bold
from polyhop.documents.raised import MARK, needs_mark
from polyhop.documents.tables import Cell, Tables
from polyhop.errors import DocumentError

DRAWN: Final = frozenset(
    (
        *("frame", "custom-shape", "rect", "ellipse", "circle", "line", "polyline", "polygon", "regular-polygon", "g"),
        *("path", "connector", "caption", "measure", "control", "object-ole", "image"),
    )
)
_LEFT_OUT: Final = frozenset(
    (
        *("tracked-changes", "annotation", "note-citation", "ruby-text", "binary-data", "forms", "script", "scripts"),
        *("event-listeners", "master-styles", "dde-links", "number", "content-validations", "page-thumbnail"),
    )
)
_WHITE: Final = re.compile(r"[ \t\r\n]+")
_MOST_SPACES: Final = 80
_LONGEST_TITLE: Final = 1000
_MOST_CELLS: Final = 100  # that one is repeated as
_BLOCK: Final = 1 << 16
_FLAT: Final = ".f"  # how the suffixes begin of flat files, which are one XML file
_PARTS: Final = ("meta.xml", "settings.xml", "styles.xml", "content.xml")


class _Run(NamedTuple):
    """How text is set; in a frame there is none but in its paragraphs."""

    bold: bool = False
    raised: bool = False
    hidden: bool = False
    framed: bool = False


_PLAIN: Final = _Run()
_FRAMED: Final = _Run(framed=True)


@dataclass
class Paragraph:
    """A paragraph that is open, as far as it is not written."""

    kind: str
    text: list[str] = field(default_factory=list)


class OdfEvents(PartEvents):
    """Reads paragraphs; each kind of file says what becomes of them, and what other elements mean."""

    def __init__(self) -> None:
        self.title = ""  # the file's own
        self.styles = OdfStyles()
        self.archive: PartArchive | None = None  # that formulas are in
        self._before: list[PartEvents] = [self.styles]  # who reads what stands before the body
        self._open: list[Paragraph] = []  # paragraphs within one another
        self._runs: list[_Run] = []
        self._raised = False  # whether the run is, until it says something
        self._left_out = 0  # elements within one that is left out, and itself
        self._change = ""  # that is being described
        self._deletions: set[str] = set()  # changes of which the text is gone, wherever it is written,
        self._deleted: set[str] = set()  # and those that are open
        self._formula: MathMarkup | None = None  # that is open
        self._root = ""
        self._in_body = False
        self._in_title = False

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if self._formula is not None:
            self._formula.start(name, attributes)
        elif self._left_out or self._is_left_out(name, attributes):
            self._left_out += 1
            self._describe_change(name, attributes)
        elif name == "math":
            self._formula = MathMarkup()
        elif self._in_body:
            self._starts(name, attributes)
        else:
            self._root = name if name.startswith("document") else self._root
            self._in_body, self._in_title = name == "body", name == "title"
            for reader in self._before:
                reader.start(name, attributes)

    def end(self, name: str) -> None:
        """An element ends."""
        if self._formula is not None and name == "math":
            self._write_formula(self._formula.text())
            self._formula = None
        elif self._formula is not None:
            self._formula.end(name)
        elif self._left_out:
            self._left_out -= 1
        elif self._in_body:
            self._in_body = name != "body"
            self._ends(name)
        else:
            self._in_title = False
            for reader in self._before:
                reader.end(name)

    def data(self, text: str) -> None:
        """Text within an element."""
        if self._formula is not None:
            self._formula.data(text)
        elif self._left_out:
            return
        elif not self._in_body:
            self.title = f"{self.title}{text}"[:_LONGEST_TITLE] if self._in_title else self.title
            for reader in self._before:
                reader.data(text)
        elif self._runs and not self._runs[-1].framed:
            self._said(text)

    def _is_left_out(self, name: str, attributes: Attributes) -> bool:
        """Whether an element says nothing that is shown in its place: what is hidden, or in a file within the file."""
        if name == "automatic-styles":
            return self._root == "document-styles"  # those of running heads
        if name in ("hidden-text", "hidden-paragraph"):
            return attributes.get("is-hidden") == "true"
        if name == "section":
            return attributes.get("display") == "none"
        return name in _LEFT_OUT or (name == "document" and self._in_body)

    def _starts(self, name: str, attributes: Attributes) -> None:
        """An element of the body begins."""
        if name in ("p", "h"):
            self._flush()  # what it stands in, as text boxes do
            style = attributes.get("style-name", "")
            level = count_in(attributes, "outline-level")
            self._open.append(Paragraph(f"heading{level}" if name == "h" else self.styles.kinds.kind(style)))
            self._begin_run("paragraph", style, _PLAIN)
        elif name in DRAWN:
            self._begin_frame()
        elif name == "span":
            self._begin_run("text", attributes.get("style-name", ""), self._runs[-1] if self._runs else _FRAMED)
        elif name == "object":
            self._read_formula(attributes.get("href", ""))
        elif name == "change-start" and attributes.get("change-id") in self._deletions:
            self._deleted.add(attributes["change-id"])
        elif name == "change-end":
            self._deleted.discard(attributes.get("change-id", ""))
        elif name in ("s", "tab", "line-break") and self._open:
            spaces = " " * min(count_in(attributes, "c"), _MOST_SPACES)
            self._open[-1].text.append({"s": spaces, "tab": "\t"}.get(name, "\n"))

    def _ends(self, name: str) -> None:
        """An element of the body ends."""
        if name in ("p", "h"):
            self._flush()
            self._open.pop()
            self._runs.pop()
        elif name in DRAWN or name == "span":
            self._end_frame()

    def _begin_frame(self) -> None:
        self._runs.append(_FRAMED)

    def _end_frame(self) -> None:
        self._runs.pop()

    def _describe_change(self, name: str, attributes: Attributes) -> None:
        if name == "changed-region":
            self._change = attributes.get("id", "")
        elif name == "deletion":
            self._deletions.add(self._change)

    def _letters(self, text: str, *, bold: bool) -> None:
        """Letters that are shown."""

    def _paragraph(self, text: str, kind: str) -> None:
        """A paragraph, or a part of one that something else stands in."""

    def _begin_run(self, family: str, style: str, around: _Run) -> None:
        weight, position, display = (
            self.styles.value(family, style, name) for name in ("font-weight", "text-position", "display")
        )
        self._raised = _is_above(position) if position else around.raised
        bold = is_bold(weight) if weight else around.bold
        hidden = display == "none" if display else around.hidden
        self._runs.append(_Run(bold, self._raised, hidden, around.framed))

    def _said(self, text: str) -> None:
        run, written = self._runs[-1], self._open[-1].text
        last = written[-1] if written else " "
        text = _WHITE.sub(" ", text)
        if last[-1:].isspace():
            text = text.lstrip(" ")
        if run.hidden or self._deleted or not text:
            return
        if self._raised and needs_mark(last, text):
            written.append(MARK)
        self._raised = False
        written.append(text)
        self._letters(text, bold=run.bold)

    def _flush(self) -> None:
        if self._open:
            text = clean("".join(self._open[-1].text)).strip()
            self._open[-1].text.clear()
            self._paragraph(text, self._open[-1].kind)

    def _read_formula(self, part: str) -> None:
        """The formula that a part of its own holds, if it is one."""
        if self.archive is not None and part:
            formula = MathMarkup()
            self.archive.parse(f"{part.removeprefix('./')}/content.xml", formula)
            self._write_formula(formula.text())

    def _write_formula(self, text: str) -> None:
        if self._open:
            self._open[-1].text.append(text)
        else:
            self._paragraph(text, "")


class OdfText(OdfEvents, ABC):
    """Reads paragraphs and tables, of documents and slides."""

    def __init__(self) -> None:
        super().__init__()
        self._heads = 0  # groups of rows that name columns, which are open
        self._again: list[int] = []  # how often each of the cells is there that are open

    @abstractmethod
    def _tables(self) -> Tables:
        """Where rows belong now."""

    def _is_left_out(self, name: str, attributes: Attributes) -> bool:
        return name == "covered-table-cell" or super()._is_left_out(name, attributes)

    def _starts(self, name: str, attributes: Attributes) -> None:
        if name == "table":
            self._begin_table(attributes)
        elif name == "table-header-rows":
            self._heads += 1
        elif name == "table-row":
            self._begin_row()
        elif name == "table-cell":
            columns, rows = (count_in(attributes, f"number-{each}-spanned") for each in ("columns", "rows"))
            self._begin_cell(Cell(columns=columns, rows=rows))
            self._again.append(min(count_in(attributes, "number-columns-repeated"), _MOST_CELLS))
        else:
            super()._starts(name, attributes)

    def _ends(self, name: str) -> None:
        if name == "table":
            self._tables().end_table()
        elif name == "table-header-rows":
            self._heads -= 1
        elif name == "table-cell":
            cell = self._tables().cell()
            self._end_cell()
            for _ in range(1, self._again.pop()):
                self._tables().begin_cell(replace(cell) if cell else Cell())
                self._tables().end_cell()
        else:
            super()._ends(name)

    def _begin_table(self, attributes: Attributes) -> None:
        self._tables().begin_table()

    def _begin_row(self) -> None:
        self._tables().begin_row()
        if self._heads:
            self._tables().head()

    def _begin_cell(self, cell: Cell) -> None:
        self._tables().begin_cell(cell)

    def _end_cell(self) -> None:
        self._tables().end_cell()


def read_opendocument(path: Path, kind: ArchiveKind, largest: int, events: OdfEvents) -> None:
    """Feed the parts of a file to a handler. Raises DocumentError for one that is damaged, encrypted or too large."""
    if path.suffix.lower().startswith(_FLAT):
        if path.stat().st_size > largest:
            raise DocumentError(f"has more than {largest:,} bytes", remedy="Split it.")
        with path.open("rb") as stream, damage_named(kind):
            parse_xml(iter(partial(stream.read, _BLOCK), b""), events, kind)
        return
    with opened(path, kind, largest) as archive:
        if archive.elements("META-INF/manifest.xml", "encryption-data"):
            raise DocumentError("is encrypted", remedy="Save a copy without a password.")
        if _PARTS[-1] not in archive:
            raise KeyError("it has no content")
        events.archive = archive
        for part in _PARTS:
            archive.parse(part, events)


def _is_above(position: str) -> bool:
    """Whether text is set above the line, by a name or by a share of the letters' height."""
    return position.startswith("super") or (position[:1].isdecimal() and bool(position.split("%")[0].strip("0.")))

"""Spreadsheets (OpenDocument)."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from polyhop.documents.encoding import clean
from polyhop.documents.loaders.archives import LARGEST, Attributes, PartEvents, count_in, office_file
from polyhop.documents.loaders.number_formats import plain_number
from polyhop.documents.loaders.odf_events import DRAWN, OdfEvents, read_opendocument
from polyhop.documents.loaders.odf_styles import is_bold
from polyhop.documents.loaders.sheet_rows import sheets_document
from polyhop.documents.loaders.sheets import (
    FROZEN_ROWS,
    LAST_COLUMN,
    LAST_ROW,
    CellCount,
    CellRange,
    Sheet,
    SheetCell,
    ValueKind,
)
from polyhop.documents.loading import OPEN_SPREADSHEET
from polyhop.reports import Skipped
from polyhop.types import Document

_SPREADSHEET = office_file("an OpenDocument spreadsheet", ".xls", "spreadsheet program", ".ods")
_ELSEWHERE = "'#$"  # within the names of sheets that are copies of those of other files
_FIRST_CELL = re.compile(r"\$?(?:'((?:[^']|'')*)'|([^.:']*))\.\$?[A-Z]{1,3}\$?([0-9]{1,7})(?![0-9])")
_CLOCK = re.compile(r"PT([0-9]{1,6})H([0-9]{1,2})M([0-9]{1,2})(?:[.,][0-9]+)?S")
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:[.,][0-9]+)?)?")
_FAILED = re.compile(r"#[A-Z/]+[0!?A]?|(?:Err|Fehler):[0-9]+")  # what a formula shows that has no value
_TRUTHS = ("TRUE", "FALSE")
_FROZEN = "2"  # how a sheet is split whose rows at the top stay where they are


@dataclass(frozen=True, kw_only=True)
class OdsLoader:
    """Reads the sheets, each below its name: a row a line, each value with the name of its column.

    Numbers are read as they are shown, dates as 2031-02-04; of formulas the stored values count. Sheets that are hidden
    are left out and named.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".ods", ".fods")
    media_type: ClassVar[str] = OPEN_SPREADSHEET
    version: ClassVar[str] = "2"

    largest: int = LARGEST  # bytes that its parts may unpack to
    cells: int = 2_000_000  # that have something in them

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """One document; its title is the file's own, or its name.

        Raises DocumentError for a file that is damaged, encrypted or too large.
        """
        workbook = _Workbook(CellCount(self.cells))
        read_opendocument(path, _SPREADSHEET, self.largest, workbook)
        yield from sheets_document(workbook.sheets(), workbook.hidden, uri, self.media_type, workbook.title.strip())


class _Workbook(OdfEvents):
    """Reads the sheets; rows and cells that are repeated are counted before they are made."""

    def __init__(self, count: CellCount) -> None:
        super().__init__()
        self.hidden: list[str] = []
        self._count = count
        self._sheets: dict[str, Sheet] = {}
        self._view = _View()
        self._before.append(self._view)
        self._sheet = Sheet(count)
        self._columns: list[tuple[int, str]] = []  # up to which ones are of a style
        self._row = _Row({})
        self._rows = 0  # of the sheet that have ended
        self._heads = 0  # groups of rows that name columns, which are open
        self._cell: Attributes | None = None
        self._lines: list[str] = []  # of the cell

    def sheets(self) -> Iterator[tuple[str, Sheet]]:
        """Those that are shown, by their names."""
        for name, sheet in self._sheets.items():
            sheet.frozen = self._view.frozen(name)
            yield clean(name), sheet

    def _is_left_out(self, name: str, attributes: Attributes) -> bool:
        return name in DRAWN or name == "shapes" or super()._is_left_out(name, attributes)

    def _starts(self, name: str, attributes: Attributes) -> None:
        if name == "table":
            self._begin_sheet(attributes.get("name", ""), attributes.get("style-name", ""))
        elif name == "table-column":
            before = self._columns[-1][0] if self._columns else 0
            style = attributes.get("default-cell-style-name", "")
            self._columns.append((before + count_in(attributes, "number-columns-repeated"), style))
        elif name == "table-header-rows":
            self._heads += 1
        elif name == "table-row":
            self._row = _Row(attributes)
        elif name in ("table-cell", "covered-table-cell"):
            self._cell = attributes
            self._lines.clear()
        elif name == "database-range" and attributes.get("contains-header", "true") == "true":
            self._name_columns(attributes.get("target-range-address", ""))
        else:
            super()._starts(name, attributes)

    def _ends(self, name: str) -> None:
        if name == "table-header-rows":
            self._heads -= 1
        elif name == "table-row":
            self._end_row()
        elif name == "table-cell":
            self._end_cell(self._cell or {})
        elif name == "covered-table-cell":
            self._row.columns += count_in(self._cell or {}, "number-columns-repeated")
        else:
            super()._ends(name)

    def _paragraph(self, text: str, kind: str) -> None:
        self._lines.append(text)

    def _begin_sheet(self, name: str, style: str) -> None:
        self._sheet, self._columns, self._rows = Sheet(self._count), [], 0
        if _ELSEWHERE in name:
            return
        if self.styles.value("table", style, "display") == "false":
            self.hidden.append(clean(name))
        else:
            self._sheets[name] = self._sheet

    def _name_columns(self, address: str) -> None:
        """The first row of a range that is filtered or sorted names its columns."""
        found = _FIRST_CELL.match(address)
        sheet = self._sheets.get((found[1] or found[2] or "").replace("''", "'")) if found else None
        if found and sheet is not None:
            sheet.heads.add(int(found[3]))

    def _end_cell(self, attributes: Attributes) -> None:
        again, left, row = count_in(attributes, "number-columns-repeated"), self._row.columns + 1, self._row
        row.columns += again
        cell = self._shown(attributes, left)
        if cell is None or not cell.text.strip():
            return
        if row.columns > LAST_COLUMN:
            raise ValueError(f"a cell in column {row.columns}")
        self._count.take(again)
        row.cells.update((left + number, SheetCell(*cell)) for number in range(again))  # each one of its own
        height, width = (count_in(attributes, f"number-{each}-spanned") for each in ("rows", "columns"))
        if height > 1 or width > 1:
            top = self._rows + 1
            self._sheet.merged.append(CellRange(top, left, top + height - 1, left + width - 1))

    def _end_row(self) -> None:
        again, top = count_in(self._row.attributes, "number-rows-repeated"), self._rows + 1
        self._rows += again
        if not self._row.cells:
            return
        if self._rows > LAST_ROW:
            raise ValueError(f"a cell in row {self._rows}")
        self._count.take(len(self._row.cells) * (again - 1))
        for number in range(top, top + again):
            self._sheet.rows[number] = {column: SheetCell(*cell) for column, cell in self._row.cells.items()}
        if self._heads:
            self._sheet.heads.update(range(top, top + again))

    def _style(self, attributes: Attributes, column: int) -> str:
        """The style of a cell: its own, or that of its row or column."""
        own = attributes.get("style-name", "") or self._row.attributes.get("default-cell-style-name", "")
        place = bisect_left(self._columns, (column, ""))
        return own or (self._columns[place][1] if place < len(self._columns) else "")

    def _shown(self, attributes: Attributes, column: int) -> SheetCell | None:
        """What a cell shows; nothing for an error."""
        text, kind = "\n".join(self._lines), attributes.get("value-type", "")
        if kind == "error" or ("formula" in attributes and _FAILED.fullmatch(text)):
            return None
        style = self._style(attributes, column)
        bold = is_bold(self.styles.value("table-cell", style, "font-weight"))
        moments = self.styles.moments.get(self.styles.value("table-cell", style, "data-style-name"), set())
        if kind in ("date", "time"):
            moment = (_day if kind == "date" else _clock)(attributes.get(f"{kind}-value", ""), moments)
            return SheetCell(moment or text, ValueKind.DATE, bold)
        if kind in ("float", "percentage", "currency"):
            shown = text.lower() if text in _TRUTHS else text or _number(attributes, kind)
            return SheetCell(shown, ValueKind.NUMBER, bold)
        if kind == "boolean":
            return SheetCell(clean(attributes.get("boolean-value", text)), ValueKind.NUMBER, bold)
        return SheetCell(text or clean(attributes.get("string-value", "")), ValueKind.TEXT, bold)


@dataclass
class _Row:
    """A row that is open, with what has ended of it."""

    attributes: Attributes
    columns: int = 0
    cells: dict[int, SheetCell] = field(default_factory=dict)


class _View(PartEvents):
    """Reads which rows of sheets stay where they are while others move, from how the program last showed the file."""

    def __init__(self) -> None:
        self._split: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._within: list[tuple[str, str]] = []  # elements, and their names

    def frozen(self, sheet: str) -> int:
        """How many at the top of a sheet."""
        split = self._split.get(sheet, {})
        rows = split.get("VerticalSplitPosition", "")
        return int(rows) if split.get("VerticalSplitMode") == _FROZEN and rows in FROZEN_ROWS else 0

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        self._within.append((name, attributes.get("name", "")))

    def end(self, name: str) -> None:
        """An element ends."""
        if self._within:
            self._within.pop()

    def data(self, text: str) -> None:
        """Text within an element."""
        if len(self._within) > 2 and self._within[-3] == ("config-item-map-named", "Tables"):
            setting = self._split[self._within[-2][1]]
            setting[self._within[-1][1]] = text


def _day(value: str, moments: Set[str]) -> str:
    """A day, and the time where it is shown; nothing for what is no day."""
    found = _DAY.fullmatch(value)
    if not found:
        return ""
    day, clock, seconds = found[1], found[2] or "", found[3] or ""
    if moments and "day" not in moments and "year" in moments:
        day = day[:7] if "month" in moments else day[:4]
    elif moments and not moments & {"year", "month", "day"}:
        day = ""
    if "hours" not in moments if moments else clock + seconds in ("", "00:00:00"):
        clock = seconds = ""
    return f"{day} {clock}{seconds if not moments or 'seconds' in moments else ''}".strip()


def _clock(value: str, moments: Set[str]) -> str:
    """A time, or how long something takes; nothing for what is none."""
    found = _CLOCK.fullmatch(value)
    if not found:
        return ""
    hours, minutes, seconds = (int(each) for each in found.groups())
    shows_seconds = "seconds" in moments if moments else seconds
    return f"{hours:02}:{minutes:02}" + (f":{seconds:02}" if shows_seconds else "")


def _number(attributes: Attributes, kind: str) -> str:
    """A number of which the file has no text, as it is stored."""
    written = attributes.get("value", "")
    value = float(written) if len(written) < 400 and written else math.nan
    if not math.isfinite(value):
        return ""
    if kind == "percentage":
        return f"{plain_number(value * 100)}%"
    return f"{plain_number(value)} {attributes.get('currency', '')}".strip()

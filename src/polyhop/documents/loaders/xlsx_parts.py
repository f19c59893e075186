"""The parts of a spreadsheet: which sheets there are, and what stands in their cells."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from polyhop.documents.encoding import clean
from polyhop.documents.loaders.archives import Attributes, PartEvents
from polyhop.documents.loaders.number_formats import BUILT_IN, GENERAL, NumberFormat, number_format
from polyhop.documents.loaders.sheets import FROZEN_ROWS, LAST_COLUMN, LAST_ROW, CellRange, Sheet, SheetCell, ValueKind

_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_PLACE: Final = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})\Z")
NO: Final = ("0", "false", "off")


class SharedStrings(PartEvents):
    """The texts that cells refer to by number, without how they are pronounced."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._text: list[str] = []
        self._within: str | None = None

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if name == "rPh" or (name == "t" and self._within is None):
            self._within = name
        elif name == "si":
            self._text = []

    def end(self, name: str) -> None:
        """An element ends."""
        if name == self._within:
            self._within = None
        elif name == "si":
            self.texts.append(unescaped("".join(self._text)))

    def data(self, text: str) -> None:
        """Text within an element."""
        if self._within == "t":
            self._text.append(text)


class CellStyle(NamedTuple):
    """How a cell looks."""

    format: NumberFormat
    bold: bool


class CellStyles(PartEvents):
    """By the number of a style, the format of numbers, and whether letters are bold."""

    def __init__(self) -> None:
        self._codes: dict[str, str] = {str(number): code for number, code in BUILT_IN.items()}
        self._bold_fonts: list[bool] = []
        self._styles: list[tuple[str, str]] = []
        self._known: dict[str, CellStyle] = {}
        self._list = ""

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if name in ("fonts", "cellXfs", "cellStyleXfs", "dxfs"):
            self._list = name
        elif name == "numFmt" and self._list != "dxfs":
            self._codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", GENERAL)
        elif self._list == "fonts" and name == "font":
            self._bold_fonts.append(False)
        elif self._list == "fonts" and name == "b" and self._bold_fonts:
            self._bold_fonts[-1] = attributes.get("val", "1") not in NO
        elif self._list == "cellXfs" and name == "xf":
            self._styles.append((attributes.get("numFmtId", "0"), attributes.get("fontId", "0")))

    def of(self, number: str) -> CellStyle:
        """The style of a number; a plain one where there is none of it."""
        if number not in self._known:
            listed = number.isdecimal() and len(number) < 7 and int(number) < len(self._styles)
            code, font = self._styles[int(number)] if listed else ("0", "")
            bold = font.isdecimal() and int(font) < len(self._bold_fonts) and self._bold_fonts[int(font)]
            self._known[number] = CellStyle(number_format(self._codes.get(code, GENERAL)), bold)
        return self._known[number]


@dataclass
class SheetPart(PartEvents):
    """Reads the cells of a sheet."""

    texts: Sequence[str]
    styles: CellStyles
    sheet: Sheet
    from_1904: bool = False
    _row: int = 0
    _column: int = 0
    _type: str = ""
    _style: str = ""
    _within: list[str] = field(default_factory=list)  # v, t, rPh
    _value: list[str] = field(default_factory=list)

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""
        if name == "row":
            self._row, self._column = _bounded(attributes.get("r", ""), self._row + 1, LAST_ROW), 0
        elif name == "c":
            self._begin_cell(attributes)
        elif name in ("v", "t", "rPh"):
            self._within.append(name)
        elif name == "mergeCell":
            self.sheet.merged += cell_ranges(attributes.get("ref", ""))
        elif name == "autoFilter":
            self.sheet.heads.update(each.top for each in cell_ranges(attributes.get("ref", "")))
        elif name == "pane" and attributes.get("state", "").startswith("frozen"):
            split = attributes.get("ySplit", "0").partition(".")[0]
            self.sheet.frozen = int(split) if split in FROZEN_ROWS else 0

    def end(self, name: str) -> None:
        """An element ends."""
        if self._within and name == self._within[-1]:
            self._within.pop()
        elif name == "c":
            self._end_cell()

    def data(self, text: str) -> None:
        """Text within an element."""
        if self._within and "rPh" not in self._within:
            self._value.append(text)

    def _begin_cell(self, attributes: Attributes) -> None:
        place = _PLACE.match(attributes.get("r", ""))
        self._column = _column(place[1]) if place else self._column + 1
        self._row = _bounded(place[2], self._row, LAST_ROW) if place else max(1, self._row)
        if self._column > LAST_COLUMN:
            raise ValueError(f"a cell in column {self._column}")
        self._type, self._style = attributes.get("t", "n"), attributes.get("s", "0")
        self._value.clear()

    def _end_cell(self) -> None:
        value = "".join(self._value)
        self._value.clear()
        cell = self._cell(value) if value else None
        if cell is not None and cell.text.strip():
            self.sheet.count.take()
            self.sheet.rows.setdefault(self._row, {})[self._column] = cell

    def _cell(self, value: str) -> SheetCell | None:
        """What a stored value shows; nothing for an error."""
        bold = self.styles.of(self._style).bold
        if self._type == "s":
            known = value.isdecimal() and len(value) < 10 and int(value) < len(self.texts)
            return SheetCell(self.texts[int(value)], ValueKind.TEXT, bold) if known else None
        if self._type in ("str", "inlineStr"):
            return SheetCell(unescaped(value), ValueKind.TEXT, bold)
        if self._type == "b":
            return SheetCell("true" if value == "1" else "false", ValueKind.NUMBER, bold)
        if self._type == "d":
            return SheetCell(clean(value).removesuffix("T00:00:00").replace("T", " "), ValueKind.DATE, bold)
        return self._number(value, bold) if self._type == "n" else None

    def _number(self, value: str, bold: bool) -> SheetCell | None:
        number = float(value) if len(value) < 400 else math.nan
        if not math.isfinite(number):
            return None
        form = self.styles.of(self._style).format
        kind = ValueKind.DATE if form.is_date else ValueKind.NUMBER
        return SheetCell(form.shown(number, from_1904=self.from_1904), kind, bold)


def unescaped(text: str) -> str:
    """A text of a cell with its characters that XML has no room for, and without those that nobody sees."""
    return clean(_ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))


def cell_ranges(reference: str) -> list[CellRange]:
    """The rectangles that a reference such as ``A1:C3`` names, each with its top left corner first."""
    found = []
    for each in reference.split():
        corners = [_PLACE.match(corner) for corner in each.split(":")]
        rows = [int(corner[2]) for corner in corners if corner]
        columns = [_column(corner[1]) for corner in corners if corner]
        if rows and len(rows) == len(corners):
            found.append(CellRange(min(rows), min(columns), max(rows), max(columns)))
    return found


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _bounded(written: str, otherwise: int, most: int) -> int:
    number = int(written) if written.isdecimal() and len(written) < 9 else otherwise
    if not 1 <= number <= most:
        raise ValueError(f"a cell in row {number}")
    return number

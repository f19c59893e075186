"""The sheets of a spreadsheet of any format, and what stands in their cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from polyhop.errors import DocumentError

LAST_ROW: Final = 1 << 20
LAST_COLUMN: Final = 1 << 14
FROZEN_ROWS: Final = tuple(map(str, range(1, 9)))  # at the top, that may be names of columns


class ValueKind(Enum):
    """What a cell holds."""

    TEXT = "text"
    NUMBER = "number"  # or a truth
    DATE = "date"


class SheetCell(NamedTuple):
    """What a cell shows, on however many lines."""

    text: str
    kind: ValueKind
    bold: bool = False


class CellRange(NamedTuple):
    """A rectangle of cells; both corners belong to it."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass
class CellCount:
    """How many cells may still be read."""

    most: int
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.most

    def take(self, cells: int = 1) -> None:
        """Count some. Raises DocumentError."""
        self.left -= cells
        if self.left < 0:
            raise DocumentError(
                f"has more than {self.most:,} cells", remedy="Save its sheets as CSV files: those are read row by row."
            )


@dataclass
class Sheet:
    """The cells of a sheet by row and column, from 1, and what is known of them."""

    count: CellCount
    rows: dict[int, dict[int, SheetCell]] = field(default_factory=dict)
    merged: list[CellRange] = field(default_factory=list)
    heads: set[int] = field(default_factory=set)  # rows that name columns,
    frozen: int = 0  # and so many at the top that stay where they are

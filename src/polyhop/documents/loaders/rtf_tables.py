"""Tables of RTF files, which name no columns: where the edges of their cells are tells which ones stand above which."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from polyhop.documents.loaders.paragraphs import Paragraphs
from polyhop.documents.tables import Cell

_NEAR: Final = 30  # twentieths of a point by which the places of one edge may differ
_DEEPEST: Final = 8  # tables within tables


@dataclass
class _RowShape:
    """What is said of the cells of a row: where they end, and which go on with others."""

    begins: int = 0
    ends: list[int] = field(default_factory=list)
    left: set[int] = field(default_factory=set)
    above: set[int] = field(default_factory=set)
    heads: bool = False


@dataclass
class _OpenTable:
    rows: list[tuple[list[Cell], _RowShape]] = field(default_factory=list)
    row: list[Cell] | None = None
    in_cell: bool = False


class RtfTables:
    """Puts paragraphs into cells by how deep in tables they say they are; a table ends where one stands outside it."""

    def __init__(self, paragraphs: Paragraphs) -> None:
        self._paragraphs = paragraphs
        self._open: list[_OpenTable] = []
        self._shapes = {False: _RowShape(), True: _RowShape()}  # of the next row to end, and that of a table within

    def reach(self, depth: int) -> None:
        """What follows is in so many tables within one another, in a cell that is open or begins."""
        self._leave(min(depth, _DEEPEST))
        for level in range(min(depth, _DEEPEST)):
            if level == len(self._open):
                self._paragraphs.tables.begin_table()
                self._open.append(_OpenTable())
            table = self._open[level]
            if table.row is None:
                self._paragraphs.tables.begin_row()
                table.row = []
            if not table.in_cell:
                table.row.append(Cell())
                self._paragraphs.begin_cell(table.row[-1])
                table.in_cell = True

    def end_cell(self, depth: int) -> None:
        """The cell ends that is so deep."""
        self.reach(depth)
        self._paragraphs.end_cell()
        self._open[-1].in_cell = False

    def end_row(self, depth: int) -> None:
        """The row ends that is so deep, if one is open; what was said of its cells holds for the next one, too."""
        depth = min(depth, _DEEPEST)
        self._leave(depth)
        if len(self._open) < depth or self._open[-1].row is None:
            return
        table, shape = self._open[-1], self._shapes[depth > 1]
        if table.in_cell:
            self._paragraphs.end_cell()
        if shape.heads:
            self._paragraphs.tables.head()
        table.rows.append((table.row or [], shape))
        table.row, table.in_cell = None, False

    def end(self) -> None:
        """All tables that are open end."""
        self._leave(0)

    def describe(self, word: str, number: int, *, within: bool) -> None:
        """What a control word says of the next row to end, of a table or of one within a table."""
        shape = self._shapes[within]
        if word == "trowd":
            self._shapes[within] = _RowShape()
        elif word == "trleft":
            shape.begins = number
        elif word == "trhdr":
            shape.heads = True
        elif word == "clmrg":
            shape.left.add(len(shape.ends))
        elif word == "clvmrg":
            shape.above.add(len(shape.ends))
        elif word == "cellx":
            shape.ends.append(number)

    def _leave(self, depth: int) -> None:
        while len(self._open) > depth:
            rows = self._open.pop().rows
            edges: list[int] = []
            for place in sorted({end for _, shape in rows for end in shape.ends}):
                if not edges or place > edges[-1] + _NEAR:
                    edges.append(place)
            for cells, shape in rows:
                _place(cells, shape, edges)
            self._paragraphs.tables.end_table()


def _place(cells: list[Cell], shape: _RowShape, edges: list[int]) -> None:
    """Tell the cells of a row how many columns they span, and with which others they go on."""
    before = bisect_right(edges, shape.begins + _NEAR)
    for number, (cell, end) in enumerate(zip(cells, shape.ends, strict=False)):
        upto = bisect_right(edges, end)
        cell.columns = max(1, upto - before)
        cell.left, cell.above = number in shape.left, number in shape.above
        before = max(before, upto)

"""Tables as sentences of their rows: each value with the name of its column, so that a row says what it says by itself.

A cell that spans several rows or columns counts in each of them, and names that stand above one another are one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile, zip_longest
from typing import Final

from polyhop.documents.flow import Flow, Gap

_LONGEST_NAME: Final = 60  # characters of the name of a column
_LONGEST_VALUE: Final = 500  # characters; a table with more in a cell is there for its looks
_AMOUNT: Final = re.compile(r"\W*\d")  # how a number, a sum of money, a day or a time begins
_VALUE: Final = re.compile(r"[\W\d_]*\d[\W\d_]*|\d.*\d")  # one without a word, or a day with its month
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_ANSWERS: Final = frozenset(("yes", "no", "true", "false"))
_GOES_ON: Final = frozenset("([{.,;:/&-\u2013\u2014\u2022*")  # what begins so goes on, or has a mark of its own
_LEADS_ON: Final = frozenset(".,;:!?/&-\u2013\u2014([")
_MOST_SPANNED: Final = 100  # columns or rows of one cell
_DEEPEST: Final = 8  # tables within tables that are told apart


@dataclass(slots=True)
class Cell:
    """A cell of a table; ``above``: it goes on with the cell above it, ``left``: with that to the left of it."""

    flow: Flow = field(default_factory=Flow)
    heading: bool = False
    columns: int = 1
    rows: int = 1
    above: bool = False
    left: bool = False

    @property
    def text(self) -> str:
        """What it says, on one line."""
        return " ".join(self.flow.text().split())

    @property
    def value(self) -> str:
        """What it says, on one line; things that stand on lines of their own have commas between them, names none."""
        lines = [" ".join(line.split()) for line in self.flow.text().split("\n") if line.strip()]
        are_things = (
            not self.heading
            and len(lines) > 1
            and all(map(_is_thing, lines))
            and not all(line[0].islower() for line in lines[1:])
        )
        return (", " if are_things else " ").join(lines)


def _is_thing(line: str) -> bool:
    """Whether a line may be one of several things, such as names or parts of an address, and not of a sentence."""
    return len(line) <= _LONGEST_NAME and line[0] not in _GOES_ON and line[-1] not in _LEADS_ON


_Grid = list[list[Cell]]


def typed_cell(said: str, *, heading: bool) -> Cell:
    """A cell of a table that was typed, where a bar within it has a backslash before it."""
    cell = Cell(heading=heading)
    for line in said.replace("\\|", "|").split("\n"):
        cell.flow.part(Gap.LINE)
        cell.flow.write(line)
    return cell


def pairs(names: Iterable[str], values: Iterable[str]) -> list[str]:
    """The values of a row, each behind the name of its column; without those that are empty."""
    found = zip(names, values, strict=False)
    return [f"{name}: {value}" if name else value for name, value in found if value]


class Tables:
    """A flow of text and tables: text goes into the cell that is open, and a table is written where it ends."""

    def __init__(self) -> None:
        self._flow = Flow()
        self._tables: list[_Open] = []
        self._deeper = 0  # tables that are too deep to be told apart

    @property
    def flow(self) -> Flow:
        """Where text belongs now."""
        return self._tables[-1].flow if self._tables else self._flow

    def begin_table(self) -> None:
        """A table begins."""
        if len(self._tables) == _DEEPEST:
            self._deeper += 1
        else:
            self._tables.append(_Open())

    def begin_row(self) -> None:
        """A row begins, in a table that begins with it where none is open."""
        if not self._tables:
            self._tables.append(_Open(implied=True))
        self._tables[-1].rows.append([])
        self._tables[-1].cell = None

    def begin_cell(self, cell: Cell) -> None:
        """A cell begins, in a row that begins with it where none is open."""
        if not self._tables or not self._tables[-1].rows:
            self.begin_row()
        self._tables[-1].rows[-1].append(cell)
        self._tables[-1].cell = cell

    def cell(self) -> Cell | None:
        """The cell that is open."""
        return self._tables[-1].cell if self._tables else None

    def head(self) -> None:
        """The cells of the open row name columns."""
        if self._tables:
            self._tables[-1].heads.add(len(self._tables[-1].rows))

    def head_next(self) -> None:
        """The cells of the row that begins next name columns."""
        if self._tables:
            self._tables[-1].heads.add(len(self._tables[-1].rows) + 1)

    def end_cell(self) -> None:
        """The open cell ends, if one is."""
        if self._tables:
            self._tables[-1].cell = None

    def end_table(self) -> None:
        """The open table ends, if one is."""
        if self._deeper:
            self._deeper -= 1
        elif self._tables:
            table = self._tables.pop()
            for number in table.heads.intersection(range(1, len(table.rows) + 1)):
                table.rows[number - 1] = [replace(cell, heading=True) for cell in table.rows[number - 1]]
            rows = Flow()
            _write(table.rows, rows)
            for part in (rows, table.outside) if table.implied else (table.outside, rows):
                self.flow.part(Gap.PARAGRAPH)
                self.flow.append(part)
            self.flow.part(Gap.PARAGRAPH)

    def finished(self) -> Flow:
        """All of it, with what was left open ended."""
        self._deeper = 0
        while self._tables:
            self.end_table()
        return self._flow


@dataclass(slots=True)
class _Open:
    """A table that has begun; ``outside`` is what it says in no cell, such as a caption."""

    rows: list[list[Cell]] = field(default_factory=list)
    outside: Flow = field(default_factory=Flow)
    cell: Cell | None = None
    implied: bool = False  # whether it began with a row: what is in none of its cells stands behind it
    heads: set[int] = field(default_factory=set)  # the numbers of rows, from 1, that name columns

    @property
    def flow(self) -> Flow:
        return self.cell.flow if self.cell is not None else self.outside


def rows_as_lines(rows: Sequence[Sequence[Cell]]) -> list[str]:
    """The rows of a table below those that name its columns, each on a line."""
    whole = _without_gaps(_without_indent(_grid(rows)))
    titles = list(takewhile(lambda row: len({id(cell) for cell in row}) == 1, whole))
    grid = whole[len(titles) :]
    if not grid:
        return [row[0].value for row in titles]
    names = list(takewhile(_names_columns, grid)) or grid[: is_headed(grid)]
    above = [row[0].value for row in titles]
    if len(names) == len(grid):
        return [*above, *filter(None, map(_bare, grid))]
    return [*above, *rows_below(names, grid[len(names) :])]


def rows_below(names: Sequence[Sequence[Cell]], rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Rows, each on a line, whose columns other rows name, if any do; rows may end before others."""
    columns = [_column(filter(None, each)) for each in zip_longest(*names)]
    return list(filter(None, (_line(row, columns) for row in rows)))


def _write(rows: Sequence[Sequence[Cell]], flow: Flow) -> None:
    cells = [cell for row in rows for cell in row]
    lays_out = any(len(cell.flow.text()) > _LONGEST_VALUE for cell in cells) or (
        all(len(row) < 2 for row in rows) and any("\n" in cell.flow.text() for cell in cells)
    )
    if lays_out and not any(cell.heading for cell in cells):
        for cell in cells:
            flow.part(Gap.PARAGRAPH)
            flow.append(cell.flow)
        return
    kinds = _kinds(rows)
    for line in rows_as_lines(rows):
        flow.part(Gap.LINE)
        for kind in kinds:
            flow.begin(kind)
        flow.write_exactly(line)
        for kind in kinds:
            flow.end(kind)


def _kinds(rows: Sequence[Sequence[Cell]]) -> set[str]:
    """Of what kinds the cells of a table are, where all that they say is of one, such as links."""
    cells = [cell.flow for row in rows for cell in row]
    said = [flow for flow in cells if any(map(str.isalnum, flow.text()))]
    common = {mark.kind for mark in said[0].marks} if said else set()
    if any(all(_covers(flow, kind) for flow in said) for kind in common):
        return {mark.kind for flow in cells for mark in flow.marks}
    return set()


def _covers(flow: Flow, kind: str) -> bool:
    """Whether all words of a text are of a kind."""
    text, at = flow.text(), 0
    for mark in sorted(mark for mark in flow.marks if mark.kind == kind):
        if any(map(str.isalnum, text[at : mark.start])):
            return False
        at = max(at, mark.end)
    return not any(map(str.isalnum, text[at:]))


_Spanned = dict[int, tuple[Cell, int]]  # by column, a cell and in how many more rows it stands


def _grid(rows: Sequence[Sequence[Cell]]) -> _Grid:
    """The cells of each row by their columns, with cells that span several in all of them."""
    grid: _Grid = []
    before: _Spanned = {}
    for row in rows:
        line: list[Cell] = []
        after: _Spanned = {}
        for cell in row:
            _go_on(line, before, after)
            for _ in range(min(max(1, cell.columns), _MOST_SPANNED)):
                column = len(line)
                if cell.rows > 1:
                    after[column] = (cell, min(cell.rows, _MOST_SPANNED) - 1)
                upper = grid[-1][column] if cell.above and grid and column < len(grid[-1]) else cell
                line.append(line[-1] if cell.left and line else upper)
        _go_on(line, before, after)
        before = after
        if any(cell.text for cell in line):
            grid.append(line)
    return grid


def _without_indent(grid: _Grid) -> _Grid:
    """A grid without first columns that only set the others in: all that stands there goes through the whole row."""
    rows = [row for row in grid if len({id(cell) for cell in row}) > 1]
    width = max(map(len, rows), default=0)
    said = (at for at in range(width) if any(at < len(row) and row[at].text for row in rows))
    first = next(said, 0)
    return [row[first:] or row[-1:] for row in grid] if width - first > 1 else grid


def _without_gaps(grid: _Grid) -> _Grid:
    """A grid without columns that only set the others apart: nothing stands there in any of several rows."""
    rows = [row for row in grid if len({id(cell) for cell in row}) > 1]
    said = {at for row in rows for at, cell in enumerate(row) if cell.text}
    if len(rows) < 2:
        return grid
    return [[cell for at, cell in enumerate(row) if at in said] or row[:1] for row in grid]


def _go_on(line: list[Cell], before: _Spanned, after: _Spanned) -> None:
    """Put the cells of rows before into the columns of a line that come next."""
    while len(line) in before:
        column = len(line)
        cell, left = before.pop(column)
        if left > 1:
            after[column] = (cell, left - 1)
        line.append(cell)


def _names_columns(row: Sequence[Cell]) -> bool:
    """Whether all cells of a row are marked as names."""
    return any(cell.heading for cell in row) and all(cell.heading or not cell.text for cell in row)


def is_headed(grid: Sequence[Sequence[Cell]]) -> bool:
    """Whether the first row of a table without marks names its columns: three or more short names, each different."""
    if len(grid) < 2 or any(cell.heading for row in grid for cell in row):
        return False
    names = [cell.text for cell in grid[0]]
    if len(names) < 3 or len(set(names)) < len(names) or not all(names[1:]):
        return False
    if not all(len(name) <= _LONGEST_NAME and name[-1:] not in ".!?" and not name.isdigit() for name in names if name):
        return False
    columns = list(zip_longest(*([cell.text for cell in row] for row in grid[1:]), fillvalue=""))
    return not _has_values(names, [list(filter(None, column)) for column in columns])


def _has_values(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether a first row says what the rows below say, so that it is one of them: the same, or a value like theirs.

    A value may name a column above numbers of another form ("2030/31"), or where one follows another in each column,
    as days do in a list of who was there.
    """
    told = [(name, below) for name, below in zip(names, columns, strict=False) if name]
    again = [name in below for name, below in told]
    if any(again) and not all(again):
        return True
    in_series = len(set(map(_form, names[1:]))) == 1
    return any(_is_value_among(name, below, in_series=in_series) for name, below in told)


def _is_value_among(name: str, below: Sequence[str], *, in_series: bool) -> bool:
    """Whether what stands above a column is a value like those below it."""
    if {name.lower(), *map(str.lower, below)} <= _ANSWERS:
        return True
    if not _NUMBER.search(name):
        return False
    if _form(name) in map(_form, below):
        return True
    return _VALUE.fullmatch(name) is not None and not in_series and not all(map(_NUMBER.search, below))


def _form(said: str) -> str:
    """How something is written, whatever numbers it has, and whatever words behind them: "30 September 2024"."""
    form = _NUMBER.sub("9", said)
    return _LETTERS.sub("a", form) if _AMOUNT.match(said) else form


def _column(cells: Iterable[Cell]) -> str:
    """The name of a column: what stands above it, each once."""
    return ", ".join(dict.fromkeys(cell.text for cell in cells if cell.text)).rstrip(":")


def _line(row: Sequence[Cell], columns: Sequence[str]) -> str:
    """A row with the names of its columns; without any, a first cell that is a name, or one of two, names the rest."""
    cells = [cell.value for cell in row]
    if len({id(cell) for cell in row}) == 1:
        return cells[0]
    if columns:
        names = [*columns, *[""] * (len(cells) - len(columns))]
        return "; ".join(dict.fromkeys(pairs(names, cells)))
    if row[0].heading or len(cells) == 2:
        rest = "; ".join(dict.fromkeys(cell for cell in cells[1:] if cell))
        return f"{cells[0].rstrip(':')}: {rest}" if cells[0] and rest else cells[0] or rest
    return _bare(row)


def _bare(row: Sequence[Cell]) -> str:
    """The cells of a row that nothing names."""
    return " ".join(" | ".join(cell.value for cell in row).split()) if any(cell.text for cell in row) else ""

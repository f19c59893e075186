"""The rows of a sheet as lines, as those of tables in other files: with the names of their columns.

A sheet says where a table is by blank rows alone. What names its columns is told by filters and frozen panes, by bold
letters, and by values that are numbers or dates where the row above has words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, takewhile
from typing import Final

from polyhop.documents.flow import Flow, Gap
from polyhop.documents.loaders.sheets import Sheet, SheetCell, ValueKind
from polyhop.documents.loading import file_document, headed
from polyhop.documents.tables import Cell, is_headed, rows_below
from polyhop.reports import Skipped
from polyhop.types import Document

_TOGETHER: Final = 500  # rows
_MOST_NAMES: Final = 3  # rows of names above one another
_LOOKED_AT: Final = 50  # rows below that tell whether a row names columns
_YEARS: Final = range(1800, 2200)

Row = Mapping[int, SheetCell]


@dataclass(slots=True)
class _Names:
    """The rows that name the columns of a table, and where those stand."""

    rows: Sequence[Row] = ()
    columns: Sequence[int] = ()
    lasting: bool = False  # whether they also name those of tables below that have no names


@dataclass(slots=True)
class _Block:
    """Rows without a blank one between them."""

    numbers: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def columns(self) -> list[int]:
        """Those with something in them."""
        return sorted({column for row in self.rows for column in row})


def sheets_document(
    sheets: Iterable[tuple[str, Sheet]], hidden: Sequence[str], uri: str, media_type: str, title: str
) -> Iterator[Document | Skipped]:
    """The sheets, each below its name, which is a heading; those that are empty are left out.

    ``hidden``: the names of sheets that are not shown, and so not read, once the others are.
    """
    flow = Flow()
    for name, sheet in sheets:
        if not sheet.rows:
            continue
        flow.heading(name)
        for lines in _sheet_lines(sheet):
            flow.part(Gap.PARAGRAPH)
            for line in filter(None, lines):
                flow.write_exactly(line)
                flow.part(Gap.LINE)
    if flow.text() or not hidden:
        yield headed(file_document(uri, flow.text(), media_type, title=title), flow.marks)
    for name in hidden:
        yield Skipped(f"{uri}#{name}", "is a hidden sheet; show it, and it is read")


def _sheet_lines(sheet: Sheet) -> Iterator[list[str]]:
    """The lines of each block of rows that blank rows part from others."""
    _fill_merged(sheet)
    before = _Names()
    for block in _blocks(sheet.rows):
        columns = block.columns()
        titles = _titles(block, columns)
        rest = _Block(block.numbers[len(titles) :], block.rows[len(titles) :])
        lines = [next(iter(row.values())).text for row in titles]
        names = _names(rest, columns, sheet) if rest.rows else _Names()
        body = rest.rows[len(names.rows) :]
        if names.rows and not body:
            lines += rows_below([], [_cells(row, columns) for row in names.rows])
        if not names.rows and before.lasting and set(columns) <= set(before.columns):
            names = before
        lines += _body_lines(body, names, names.columns or columns)
        before = names if names.rows else before
        yield [" ".join(line.split()) for line in lines]


def _fill_merged(sheet: Sheet) -> None:
    """Put what a merged cell says into all the places that it covers, as far as the sheet has anything there."""
    last_row = max(sheet.rows, default=0)
    last_column = max((column for row in sheet.rows.values() for column in row), default=0)
    for each in sheet.merged:
        cell = sheet.rows.get(each.top, {}).get(each.left)
        if cell is None:
            continue
        height, width = min(each.bottom, last_row) - each.top + 1, min(each.right, last_column) - each.left + 1
        sheet.count.take(height * width - 1)
        for row in range(each.top, each.top + height):
            sheet.rows.setdefault(row, {}).update(dict.fromkeys(range(each.left, each.left + width), cell))


def _blocks(rows: Mapping[int, Row]) -> Iterator[_Block]:
    numbers = sorted(rows)
    for _, group in groupby(enumerate(numbers), key=lambda one: one[1] - one[0]):
        together = [number for _, number in group]
        yield _Block(together, [rows[number] for number in together])


def _titles(block: _Block, columns: Sequence[int]) -> list[Row]:
    """The first rows that say one thing: over all columns, or in the first one."""
    if len(columns) == 1:
        return list(block.rows)
    return list(takewhile(lambda row: len({id(cell) for cell in row.values()}) == 1 and columns[0] in row, block.rows))


def _names(block: _Block, columns: Sequence[int], sheet: Sheet) -> _Names:
    """The first rows of a block, where they name its columns."""
    numbered = zip(block.numbers, block.rows, strict=True)
    marked = list(takewhile(lambda one: one[0] <= sheet.frozen or one[0] in sheet.heads, numbered))
    if marked:
        return _Names([row for _, row in marked], columns, lasting=marked[0][0] <= sheet.frozen)
    bold = list(takewhile(_is_bold, block.rows))
    if bold and len(bold) <= _MOST_NAMES and len(bold) < len(block.rows):
        return _Names(bold, columns, lasting=True)
    together = _joined(block.rows)
    below = block.rows[together : together + _LOOKED_AT]
    last = block.rows[together - 1]
    if together > 1 and below and (_is_of_periods(last, columns) or _is_above_values(last, below, columns)):
        return _Names(block.rows[:together], columns)
    first, below = block.rows[0], block.rows[1 : 1 + _LOOKED_AT]
    pair = [_cells(row, columns) for row in (first, *below[:1])]
    if below and (_is_of_periods(first, columns) or _is_above_values(first, below, columns) or is_headed(pair)):
        return _Names([first], columns)
    return _Names()


def _joined(rows: Sequence[Row]) -> int:
    """How many of the first rows merged cells hold together: they stand in two rows, or above several cells."""
    count = 1
    while count < min(len(rows), _MOST_NAMES) and any(
        rows[count].get(column) is cell or _is_above_several(column, rows[count - 1], rows[count])
        for column, cell in rows[count - 1].items()
    ):
        count += 1
    return count


def _is_above_several(column: int, row: Row, following: Row) -> bool:
    """Whether a cell goes on in the next column, and those below are two."""
    is_wide = row.get(column + 1) is row[column]
    return is_wide and column in following and following.get(column + 1) is not following[column]


def _is_bold(row: Row) -> bool:
    return len(row) > 1 and all(cell.bold and cell.kind is ValueKind.TEXT for cell in row.values())


def _is_of_periods(row: Row, columns: Sequence[int]) -> bool:
    """Whether a row has years or dates from its second column on, each another one."""
    values = [row[column] for column in columns[1:] if column in row]
    return (
        len(values) > 1
        and len({cell.text for cell in values}) == len(values) == len(columns) - 1
        and all(cell.kind is ValueKind.DATE or _is_year(cell) for cell in values)
    )


def _is_year(cell: SheetCell) -> bool:
    return cell.text.isdecimal() and len(cell.text) == 4 and int(cell.text) in _YEARS


def _is_above_values(row: Row, below: Sequence[Row], columns: Sequence[int]) -> bool:
    """Whether a row has words only, and below one of them there is nothing but numbers or dates."""
    named = columns[1:] if columns[0] not in row else columns
    if any(column not in row or row[column].kind is not ValueKind.TEXT for column in named):
        return False
    if len(columns) == 2:
        return False  # it may as well be the first of a list of names with their values
    kinds = ({each[column].kind for each in below if column in each} for column in columns)
    return any(found and ValueKind.TEXT not in found for found in kinds)


def _body_lines(rows: Sequence[Row], names: _Names, columns: Sequence[int]) -> Iterator[str]:
    above = [_cells(row, columns) for row in names.rows]
    waiting = iter(rows)
    while together := list(islice(waiting, _TOGETHER)):
        yield from rows_below(above, [_cells(row, columns, named=bool(above)) for row in together])


def _cells(row: Row, columns: Sequence[int], *, named: bool = True) -> list[Cell]:
    """A row as that of a table; without names of columns a bold first cell names what follows it."""
    made: dict[int, Cell] = {}  # one for what is one in the sheet
    cells = []
    for at, column in enumerate(columns):
        found = row.get(column)
        if found is None:
            cells.append(Cell())
            continue
        cell = made.get(id(found))
        if cell is None:
            cell = made[id(found)] = Cell(heading=not named and at == 0 and found.bold)
            cell.flow.write_exactly(found.text)
        cells.append(cell)
    return cells

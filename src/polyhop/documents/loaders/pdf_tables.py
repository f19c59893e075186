"""Tables of a PDF, told by where their pieces stand: a PDF itself knows of letters and places only.

A table begins with a line that wide gaps part into pieces, and goes on as long as what follows below fits its columns.
A row is what stands closer together than rows do, so that cells of several lines are whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise, takewhile
from typing import Final

from polyhop.documents.loaders.pdf_lines import PageLine
from polyhop.documents.sentences import begins_item
from polyhop.documents.tables import Cell, rows_as_lines

_LONGEST_PIECE: Final = 60  # letters on average; what has more is text in columns
_PARTED: Final = 3.0  # of the height of letters: what is farther below is no part of the table
_LEADING: Final = 1.35  # of the height of letters: lines of one cell are as close
_LOOSER: Final = 1.2  # of the closest lines, as those of two rows are
_SAME: Final = 0.3  # of the height of letters by which pieces of one line may be lower than another
_HIGHER: Final = 1.5  # of the height of letters by which a cell of several lines may begin above the first of its row
_ALIKE: Final = 0.1  # of the height of letters by which that of others may differ


def with_tables(pages: Sequence[Sequence[PageLine]]) -> list[list[PageLine]]:
    """The pages with a line for each row of a table, which says what it says by itself."""
    found: list[list[PageLine]] = []
    before: _Table | None = None  # the one that has just ended
    for page in pages:
        told: list[PageLine] = []
        at = 0
        while at < len(page):
            table = _table_at(page, at, before)
            told += [page[at]] if table is None else table.lines()
            at += 1 if table is None else len(table.parts)
            before = table
        found.append(told)
    return found


@dataclass(slots=True)
class _Column:
    left: float
    right: float

    def meets(self, piece: PageLine) -> bool:
        """Whether a piece stands above or below what is in the column."""
        return piece.left == self.left or (piece.left < self.right and self.left < piece.right)


@dataclass(slots=True)
class _Table:
    """Lines of a page that are one table, and its columns from left to right."""

    parts: list[PageLine] = field(default_factory=list)
    columns: list[_Column] = field(default_factory=list)
    names: Sequence[Cell] = ()  # of the columns, where a part before it has them

    def is_rest(self) -> bool:
        """Whether what fits the columns of a table before is more of it: something in several of them."""
        pieces = [piece for line in self.parts for piece in line.pieces or (line,)]
        return sum(any(column.meets(piece) for piece in pieces) for column in self.columns) > 1

    def rest_at(self, line: PageLine) -> _Table:
        """What goes on elsewhere with the same columns, beginning with that line."""
        aside = line.left - self.columns[0].left
        columns = [_Column(column.left + aside, column.right + aside) for column in self.columns]
        return _Table(columns=columns, names=self.names)

    def widen(self, cells: Sequence[PageLine]) -> None:
        """Widen the columns to the first row, which may begin beside names that stand in the middle of theirs."""
        if len(cells) != len(self.columns) or not all(piece.bold for line in self.parts for piece in line.pieces):
            return
        pairs = zip(self.columns, sorted(cells, key=lambda cell: cell.left), strict=True)
        wider = [_Column(min(one.left, cell.left), max(one.right, cell.right)) for one, cell in pairs]
        if not any(cell.bold for cell in cells) and all(one.right < other.left for one, other in pairwise(wider)):
            self.columns = wider

    def take(self, line: PageLine) -> bool:
        """Take the next line, where its pieces fit the columns."""
        pieces = line.pieces or (line,)
        met = [[column for column in self.columns if column.meets(piece)] for piece in pieces]
        ours = [columns[0] for columns in met if len(columns) == 1]
        if len({id(column) for column in ours}) < len(ours) or any(len(columns) > 1 for columns in met):
            return False
        if not ours and self.columns and not self._names_another(line):
            return False
        for piece, columns in zip(pieces, met, strict=True):
            if columns:
                columns[0].left = min(columns[0].left, piece.left)
                columns[0].right = max(columns[0].right, piece.right)
            else:
                self.columns.append(_Column(piece.left, piece.right))
        self.columns.sort(key=lambda column: column.left)
        self.parts.append(line)
        return True

    def _names_another(self, line: PageLine) -> bool:
        """Whether a line stands beside or above the first one, to the right: the name of a last column that has two."""
        first = self.parts[0]
        return line.left > self.columns[-1].right and line.bottom >= first.bottom - _SAME * first.size

    def is_one(self) -> bool:
        """Whether it is a table at all: rows of several short pieces."""
        pieces = [piece for line in self.parts for piece in line.pieces or (line,)]
        return sum(len(line.pieces) > 1 for line in self.parts) > 1 and sum(
            len(piece.text) for piece in pieces
        ) <= _LONGEST_PIECE * len(pieces)

    def ends_in_note(self) -> bool:
        """Whether the last line is a sentence below the first column alone, and no line of a cell."""
        above, last = self.parts[-2:]
        near = min(piece.bottom for piece in above.pieces or (above,)) - last.bottom <= _LEADING * last.size
        alone = not last.pieces and self.columns[0].meets(last)
        return alone and not near and last.text[0].isupper() and last.text.endswith((".", "!", "?"))

    def lines(self) -> Iterator[PageLine]:
        """A line for each row."""
        for said in self._told():
            yield replace(self.parts[-1], text=said, left=self.columns[0].left, right=self.columns[-1].right, row=True)

    def _told(self) -> list[str]:
        placed = self._rows()
        rows = [self._cells(row) for row in placed]
        if self.names:
            return rows_as_lines([self.names, *rows])
        below = [any(cell.text for cell in column) for column in zip(*rows[1:], strict=True)]
        if not all(told or not name.text for told, name in zip(below, rows[0], strict=False)):
            return [" | ".join(cell.text for cell in row if cell.text) for row in rows]  # what names nothing is no name
        if not rows[0][0].text or self._is_set_off(placed[0]):
            rows[0] = [replace(cell, heading=True) for cell in rows[0]]
        told = rows_as_lines(rows)
        if len(told) < len(rows):  # the first one names the columns, also of what goes on elsewhere
            self.names = [replace(cell, heading=True) for cell in rows[0]]
        return told

    def _is_set_off(self, row: Sequence[PageLine]) -> bool:
        """Whether a row has bold letters, and others do not."""
        return all(piece.bold for piece in row) and not all(line.bold for line in self.parts)

    def _rows(self) -> list[list[PageLine]]:
        """The pieces of each row, from the top."""
        pieces = sorted((piece for line in self.parts for piece in line.pieces or (line,)), key=lambda one: -one.bottom)
        lines = [list(line) for line in _on_one_line(pieces)]
        steps = [one[0].bottom - other[0].bottom for one, other in pairwise(lines)]
        named = len(lines) > 1 and self._are_names_above(lines[0], lines[1])
        if max(steps, default=0.0) > _LOOSER * min(steps, default=0.0):
            below = [piece for line in lines[named:] for piece in line]
            return [*lines[:named], *_side_by_side(self._whole_cells(below))]
        rows = [lines[0]]
        for number, line in enumerate(lines[1:]):
            if any(self.columns[0].meets(piece) for piece in line) or (named and not number):
                rows.append(line)
            else:
                rows[-1] += line
        return rows

    def _whole_cells(self, pieces: Sequence[PageLine]) -> Iterator[list[PageLine]]:
        """Pieces, from the top, with those of one cell together: as close as lines are, below one another."""
        columns: list[list[PageLine]] = [[] for _ in self.columns]
        for piece in pieces:
            columns[self._place(piece)].append(piece)
        steps = (one.bottom - other.bottom for column in columns for one, other in pairwise(column))
        close = _LOOSER * min((step for step in steps if step > 0), default=0.0)
        for column in filter(None, columns):
            cell = [column[0]]
            for above, piece in pairwise(column):
                if above.bottom - piece.bottom > min(close, _LEADING * piece.size):
                    yield cell
                    cell = []
                cell.append(piece)
            yield cell

    def _are_names_above(self, names: Sequence[PageLine], line: Sequence[PageLine]) -> bool:
        """Whether bold names of all columns stand right above a line without a bold letter: a row of its own."""
        return (
            len(names) == len(self.columns)
            and all(piece.bold for piece in names)
            and not any(piece.bold for piece in line)
        )

    def _cells(self, row: Sequence[PageLine]) -> list[Cell]:
        cells = [Cell() for _ in self.columns]
        for piece in row:
            cells[self._place(piece)].flow.write(f"{piece.text} ")
        return cells

    def _place(self, piece: PageLine) -> int:
        """The number of the column that a piece stands in."""
        return next(at for at, column in enumerate(self.columns) if column.meets(piece))


def _table_at(page: Sequence[PageLine], at: int, before: _Table | None) -> _Table | None:
    """The table that begins with a line, or the rest of the one before that goes on there, if one does."""
    first = page[at]
    if before is not None and before.columns:
        rest = _taken(before.rest_at(first), page[at:])
        if rest.is_rest():
            return rest
    if len(first.pieces) < 2 or begins_item(first.text):
        return None
    table = _taken(_Table(), page[at:])
    return table if table.is_one() else None


def _taken(table: _Table, lines: Sequence[PageLine]) -> _Table:
    """The table with those of the lines, from the first, that belong to it."""
    first, lowest = lines[0], lines[0].bottom
    for line in lines:
        alike = abs(line.size - first.size) <= _ALIKE * first.size
        near = lowest - _PARTED * line.size <= line.bottom <= first.bottom + _HIGHER * line.size
        if not (alike and near and table.take(line)):
            break
        if table.parts == [first] and first.pieces:
            table.widen(_on_level_of_next(lines))
        lowest = min(lowest, line.bottom)
    while len(table.parts) > 1 and table.ends_in_note():
        table.parts.pop()
    return table


def _on_level_of_next(lines: Sequence[PageLine]) -> list[PageLine]:
    """The pieces of the second line, and of those behind it that stand as high."""
    level = takewhile(lambda line: abs(line.bottom - lines[1].bottom) <= _SAME * line.size, lines[1:])
    return [piece for line in level for piece in line.pieces or (line,)]


def _side_by_side(cells: Iterable[Sequence[PageLine]]) -> list[list[PageLine]]:
    """The pieces of cells by rows, from the top: what begins above the end of another one stands beside it."""
    rows: list[list[PageLine]] = []
    end = 0.0
    for cell in sorted(cells, key=lambda one: -one[0].bottom):
        if rows and cell[0].bottom >= end - _SAME * cell[0].size:
            rows[-1] += cell
            end = min(end, cell[-1].bottom)
        else:
            rows.append(list(cell))
            end = cell[-1].bottom
    return rows


def _on_one_line(pieces: Sequence[PageLine]) -> Iterator[Sequence[PageLine]]:
    """Pieces, from the top, that stand on one line."""
    number, level = 0, pieces[0].bottom
    places: list[int] = []
    for piece in pieces:
        if level - piece.bottom > _SAME * piece.size:
            number, level = number + 1, piece.bottom
        places.append(number)
    for _, group in groupby(zip(places, pieces, strict=True), key=lambda one: one[0]):
        yield [piece for _, piece in group]

"""Tables in plain text, as people type them and programs print them: parted by bars, tabs, semicolons, dots or spaces.

That several lines are parted alike tells a table. A rule below its first row tells that this names the columns, or what
the row says: names, and not values like those below.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, pairwise, zip_longest
from operator import or_
from typing import Final, NamedTuple

from polyhop.documents.edits import TextEdit
from polyhop.documents.labelled_lines import indent
from polyhop.documents.sentences import begins_item
from polyhop.documents.tables import rows_as_lines, typed_cell

_RULE: Final = re.compile(r"(?=.*[-=_\u2500-\u257f]{3})[\s|+:=_\u2500-\u257f-]+")  # "-----+-----", "=====  ====="
_DRAWN: Final = re.compile(r"[|+\u2500-\u257f]")  # in a rule that is drawn around a table
_GRID_RULE: Final = re.compile(r"\+=[=+]+\+")  # below the names, where all rows are parted by rules
_BAR: Final = re.compile(r"(?<!\\)[|\u2502\u2503\u2551]")
# One of these is in each line that is parted.
_MARKS: Final = ("  ", "|", "\t", ";", "..", ". .", "\u2026", "\u2502", "\u2503", "\u2551")
_DOTS: Final = re.compile(r"(?<=\S)\s?(?:\.{3,}|(?:\. ){2,}\.|\u2026{2,})\s?(?=\S)")
_GAP: Final = re.compile(r"(?<=\S) {2,}(?=\S)")
_TAB: Final = re.compile(r"(?<=\S) *\t\s*(?=\S)")
_STRETCH: Final = re.compile(r"1(?:0?1)*")  # places that are filled, with no more than one between them that is not
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")
_YEAR: Final = re.compile(r"(?:1[89]|2[01])\d\d")
_AMOUNT: Final = re.compile(r"\W*\d")
_UNIT: Final = re.compile(r"\d.*[^\W\d]")  # a letter behind a number
_ASSIGNED: Final = re.compile(r"(?::?=|:|[=-]>)(?:\s|$)")  # at the beginning of a value that stands behind its name
_ADDRESS: Final = re.compile(r"@|://")
_LONGEST_NAME: Final = 60  # characters
_LONGEST_CELL: Final = 300  # characters; what has more is text in columns
_LONGEST_TYPED: Final = 40  # the same of columns of tabs or spaces, on average
_LOOKED_AT: Final = 50  # lines that tell whether there is a table
_STARTS: Final = 3  # lines of a block that may be above its table
_FEWEST: Final = 3  # rows that are alike by chance no more

Grid = list[list[str]]


@dataclass(frozen=True, slots=True)
class PlainTable:
    """The lines of a text that are a table, from ``first`` to before ``end``, and its rows, each on a line."""

    first: int
    end: int
    rows: tuple[str, ...]


def plain_tables(lines: Sequence[str]) -> Iterator[PlainTable]:
    """The tables of a text, in order, but for those whose columns nothing names."""
    at = 0
    blocks = {kind: _Block() for kind in _KINDS}
    while at < len(lines):
        table = None
        said = lines[at].strip() if any(mark in lines[at] for mark in _MARKS) else ""
        for kind, block in blocks.items() if said else ():
            if table is None and kind.parts(said):
                block.enter(lines, at, kind)
                table = block.table_at(lines, at, kind)
        if table is not None:
            yield table
        at = table.end if table is not None else at + 1


def table_edits(text: str) -> Iterator[TextEdit]:
    """What puts the rows of a text's tables in their place."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for table in plain_tables(lines):
        yield TextEdit(starts[table.first], starts[table.end] - 1, "\n".join(table.rows))


class _Kind(NamedTuple):
    """A way to part columns: whether a line has some, and what cells lines have, None where they do not fit."""

    parts: Callable[[str], object]
    grid: Callable[[Sequence[str]], Grid | None]
    typed: bool  # with a character that stands in prose, too: a table then has short cells, and no marks of items


@dataclass(slots=True)
class _Block:
    """Lines next to one another that are parted in one way, and how often no table was found to begin among them."""

    end: int = 0
    missed: int = 0
    uneven: bool = False  # whether what is left of them is known not to be one table

    def enter(self, lines: Sequence[str], at: int, kind: _Kind) -> None:
        """Begin a new block where the last one has ended."""
        if at >= self.end:
            self.end, self.missed, self.uneven = at + 1, 0, False
            while self.end < len(lines) and (_is_rule(lines[self.end]) or kind.parts(lines[self.end].strip())):
                self.end += 1

    def table_at(self, lines: Sequence[str], at: int, kind: _Kind) -> PlainTable | None:
        """The table that begins with a line, if one does. Its first lines tell; a rule above it belongs to it."""
        if self.missed >= _STARTS or (kind.typed and begins_item(lines[at].lstrip())):
            return None
        together = _alike(lines[at : min(self.end, at + _LOOKED_AT)], kind)
        rows = _rows(together, kind)
        if rows is None:
            self.missed += 1
            return None
        self.missed = 0
        if len(together) == _LOOKED_AT and not self.uneven:
            longer = _alike(lines[at : self.end], kind)
            said = _rows(longer, kind)
            together, rows, self.uneven = (together, rows, True) if said is None else (longer, said, False)
        above = at > 0 and _is_rule(lines[at - 1]) and _DRAWN.search(lines[at - 1]) is not None
        return PlainTable(at - above, at + len(together), tuple(rows))


def _alike(lines: Sequence[str], kind: _Kind) -> Sequence[str]:
    return list(_as_far_as_they_fit(iter(lines))) if kind.grid is _spaced else lines


def _rows(lines: Sequence[str], kind: _Kind) -> list[str] | None:
    groups = _between_rules(lines)
    body = [line for group in groups for line in group]
    grid = kind.grid(body) if len(body) > 1 else None
    ruled = len(groups) > 1 and len(groups[0]) == 1
    if grid is not None and any(_GRID_RULE.fullmatch(line.strip()) for line in lines):
        grid, ruled = _joined(grid, list(map(len, groups))), len(groups) > 1
    if grid is None or any(len(cell) > _LONGEST_CELL for row in grid for cell in row):
        return None
    if kind.typed and any(all(map(_ASSIGNED.match, column)) for column in zip(*grid, strict=True)):
        return None  # each line says what it says by itself
    if kind.typed and sum(len(cell) for row in grid for cell in row) > _LONGEST_TYPED * sum(map(len, grid)):
        return None
    if not ruled and not _is_told(grid, kind):
        return None
    headed = ruled or _is_head(grid)
    return rows_as_lines([[typed_cell(said, heading=headed and not at) for said in row] for at, row in enumerate(grid)])


def _is_told(grid: Grid, kind: _Kind) -> bool:
    """Whether rows that no rule parts are a table: names and values, or a row of names above others."""
    if len(grid[0]) == 2:
        values = [row[1] for row in grid[1:]]
        return kind.grid is _dotted or (len(grid) >= _FEWEST and all(map(_DIGITS.search, values)))
    if kind.grid is not _spaced:
        return _is_head(grid)
    return len(grid) >= _FEWEST and _is_head(grid) and _is_above_values(grid)


def _is_head(grid: Grid) -> bool:
    """Whether a first row names the columns: each differs, and none is a value such as stand below it.

    "24p" is none above "31p", nor is "6 mm" above "30 s"; but "250 g" is one above "3.20".
    """
    first, *below = grid
    names = [name for name in first if name]
    if not below or not all(first[1:]) or len(set(names)) < len(names):
        return False
    if len(first) > 2 and all(map(_YEAR.fullmatch, first[1:])):
        return True
    if len(first) == 2 and any(map(_DIGITS.search, first)):
        return False
    columns = list(zip(*below, strict=True))
    return all(
        not name or (any(column) and _is_name(name, column)) for name, column in zip(first, columns, strict=True)
    )


def _is_name(text: str, below: Sequence[str]) -> bool:
    if len(text) > _LONGEST_NAME or text[-1] in "!?" or _ADDRESS.search(text) or not any(map(str.isalpha, text)):
        return False
    if _AMOUNT.match(text) and any(map(_UNIT.search, below)):
        return False
    return _DIGITS.sub("9", text) not in {_DIGITS.sub("9", said) for said in below}


def _is_above_values(grid: Grid) -> bool:
    """Whether below one of the names there is a number in each row that says something."""
    columns = ([row[at] for row in grid[1:] if row[at]] for at in range(len(grid[0])))
    return any(column and all(map(_DIGITS.search, column)) for column in columns)


# -- rules


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line) is not None


def _between_rules(lines: Sequence[str]) -> list[list[str]]:
    """The lines between rules, and what is above the first and below the last one."""
    groups: list[list[str]] = [[]]
    for line in lines:
        if _is_rule(line):
            groups.append([])
        else:
            groups[-1].append(line)
    return [group for group in groups if group]


def _joined(grid: Grid, sizes: Sequence[int]) -> Grid:
    """The rows of a table whose rows have so many lines each."""
    ends = list(accumulate(sizes, initial=0))
    columns = ([row[at] for row in grid] for at in range(len(grid[0])))
    joined = ([" ".join(filter(None, column[a:b])) for a, b in pairwise(ends)] for column in columns)
    return [list(row) for row in zip(*joined, strict=True)]


# -- cells


def _barred(lines: Sequence[str]) -> Grid | None:
    rows = [_BAR.split(line.strip()) for line in lines]
    if all(not row[0] for row in rows):
        rows = [row[1:] for row in rows]
    if all(not row[-1].strip() for row in rows):
        rows = [row[:-1] for row in rows]
    return _even(rows)


def _tabbed(lines: Sequence[str]) -> Grid | None:
    """Where a tab stands for a column each, or else where so many were typed that columns stand below one another."""
    return _even([line.rstrip().split("\t") for line in lines]) or _even([_TAB.split(line.strip()) for line in lines])


def _has_semicolons(line: str) -> bool:
    """Whether they part columns: those of prose have a space behind them."""
    return line.count(";") > 1 and "; " not in line


def _semicolons(lines: Sequence[str]) -> Grid | None:
    return _even([line.strip().split(";") for line in lines])


def _has_dots(line: str) -> bool:
    return any(dots in line for dots in ("..", ". .", "\u2026")) and _DOTS.search(line) is not None


def _dotted(lines: Sequence[str]) -> Grid | None:
    return _even([_DOTS.split(line.strip()) for line in lines])


def _has_gap(line: str) -> bool:
    return "  " in line and _GAP.search(line) is not None


def _spaced(lines: Sequence[str]) -> Grid | None:
    """Where each line has as many gaps, those; else what stands between the gaps that go through all lines."""
    rows = [_GAP.split(line.strip()) for line in lines]
    if len(set(map(len, rows))) > 1:
        columns = _columns(lines)
        rows = [[line[begin:end] for begin, end in columns] for line in lines]
    return _even(rows)


def _even(rows: Sequence[Sequence[str]]) -> Grid | None:
    """The cells of rows of which most are equally long and none is longer, without empty columns; None for others."""
    counts = Counter(map(len, rows))
    most = max(counts, key=lambda count: (counts[count], count), default=0)
    if most < 2 or max(counts) > most or 2 * counts[most] < len(rows):
        return None
    columns = [column for column in zip_longest(*rows, fillvalue="") if any(map(str.strip, column))]
    return [[cell.strip() for cell in row] for row in zip(*columns, strict=True)] if len(columns) > 1 else None


def _as_far_as_they_fit(lines: Iterator[str]) -> Iterator[str]:
    """The first lines that have as many gaps each as the first one, or through all of them."""
    first = next(lines)
    yield first
    count, begins = len(_GAP.split(first.strip())), indent(first)
    filled, alike = _filled(first), True
    for line in lines:
        alike = alike and (_is_rule(line) or len(_GAP.split(line.strip())) == count)
        filled |= _filled(line)
        unnamed = indent(line) + 1 < begins  # the first column has no name
        if not alike and len(_stretches(filled)) < count + unnamed:
            return
        yield line


def _columns(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Where columns begin and end: between stretches of two spaces or more in which no line has anything."""
    return _stretches(reduce(or_, map(_filled, lines), 0))


def _filled(line: str) -> int:
    """A bit for each place of a line that has something, the first one lowest; none of a rule."""
    return 0 if _is_rule(line) else int("".join("01"[not one.isspace()] for one in reversed(line)) or "0", base=2)


def _stretches(filled: int) -> list[tuple[int, int]]:
    return [stretch.span() for stretch in _STRETCH.finditer(f"{filled:b}"[::-1])]


_KINDS: Final = (
    _Kind(_BAR.search, _barred, typed=False),
    _Kind(_TAB.search, _tabbed, typed=True),
    _Kind(_has_semicolons, _semicolons, typed=True),
    _Kind(_has_dots, _dotted, typed=True),
    _Kind(_has_gap, _spaced, typed=True),
)

"""What AsciiDoc has for its tools and not for readers: attributes, comments and pictures; and its tables, as rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from polyhop.documents.loaders.definitions import described, is_term
from polyhop.documents.tables import Cell, rows_as_lines, typed_cell

_FENCE: Final = re.compile(r"([-.+/])\1{3,}|`{3}.*")  # around what is code, passed through, or a comment
_TABLE: Final = re.compile(r"\|={3,}")
_TITLE: Final = re.compile(r"=[ \t]+\S.*")
_AUTHOR: Final = re.compile(r"[^\W\d][\w.'-]*(?: [^\W\d][\w.'-]*){0,2}(?<!\.)(?: <[^<>]*>)?(?:; .*)?")
_ATTRIBUTE: Final = re.compile(r":(?P<name>!?[\w-]+!?):(?:[ \t]+(?P<value>\S.*))?")
_TOLD: Final = frozenset(("author", "authors", "revdate", "revnumber", "revremark", "description"))  # on the page, too
_BLOCK: Final = re.compile(
    r"\[(?!(?:quote|verse)\b)(?:[^\s\]\d][^\]]*|\[[^\]]+\])\]"
)  # of what follows; who is quoted stays
_MACRO: Final = re.compile(r"(?:image|video|audio|include|ifn?def|ifeval|endif|toc)::\S*\[.*\]|<<<|'{3}|//(?!/).*")
_TERM: Final = re.compile(r"(?P<term>[^\s:|*.-].{0,120}?):{2,4}(?:[ \t]+(?P<said>\S.*))?")
_CELL: Final = re.compile(  # the bar before a cell, with how many columns and rows it takes, and how it looks
    r"(?:(?:^|(?<=\s))(?:(?P<columns>\d{1,3})?(?:\.(?P<rows>\d{1,3}))?(?P<sign>[+*]))?[<^>]?(?:\.[<^>])?"
    r"(?P<style>[adehlms])?)?(?<!\\)\|",
    re.MULTILINE,
)
_WIDTHS: Final = re.compile(r"cols=(?:\"(?P<several>[^\"]*)\"|(?P<one>[^,\]]*))")
_AGAIN: Final = re.compile(r"\s*(\d{1,2})\*")
_MOST: Final = 50  # rows that one cell reaches over, and cells that say the same
_HEADER: Final = re.compile(r"%header|(?:options|opts)=\"?[^\]]*\bheader\b")


def as_shown(text: str) -> str:
    """A text as its page shows it: who wrote it below its title, a term with what it means, and rows of tables."""
    lines = [line.rstrip() for line in text.split("\n")]
    last_of = {line: number for number, line in enumerate(lines)}
    kept: list[str] = []
    at, block, in_head = 0, "", True
    while at < len(lines):
        line, end = lines[at], _end(lines, at, last_of)
        if _TABLE.fullmatch(line) and end > at:
            kept += _rows(lines[at + 1 : end], block)
        elif end > at:
            kept += [] if line.startswith("//") else lines[at : end + 1]
        elif in_head and kept and _TITLE.fullmatch(kept[-1]) and _AUTHOR.fullmatch(line):
            kept.append(f"Author: {line}")
        else:
            kept += _told(line)
        in_head = in_head and (bool(line) or not kept)
        block = f"{block}{line}" if _BLOCK.fullmatch(line) else ""
        at = max(at, end) + 1
    return "\n".join(kept)


def _end(lines: Sequence[str], at: int, last_of: Mapping[str, int]) -> int:
    """Where a block ends that is fenced in and begins with a line; where none does, that line itself."""
    line = lines[at]
    if not (_FENCE.fullmatch(line) or _TABLE.fullmatch(line)):
        return at
    closing = line[:3] if line.startswith("```") else line
    if last_of.get(closing, -1) <= at:
        return at
    return next(end for end in range(at + 1, len(lines)) if lines[end] == closing)


def _told(line: str) -> list[str]:
    """What a line outside of code tells: nothing, itself, or a term and what is said of it."""
    attribute, term = _ATTRIBUTE.fullmatch(line), _TERM.fullmatch(line)
    if attribute:
        said = attribute["value"] if attribute["name"] in _TOLD else None
        return [described(attribute["name"].capitalize(), said)] if said else []
    if _BLOCK.fullmatch(line) or _MACRO.fullmatch(line):
        return []
    return [described(term["term"], term["said"])] if term and is_term(term["term"]) else [line]


# -- tables


def _rows(lines: Sequence[str], block: str) -> list[str]:
    """The rows of a table, each a line; ``block`` is what is said of the table above it."""
    if not any(map(_CELL.search, lines)):
        return list(lines)
    said = "\n".join(lines).strip("\n")
    first, _, below = said.partition("\n")
    marks = list(_CELL.finditer(said))
    in_first = [mark for mark in marks if mark.end() <= len(first)]
    columns = _columns(block) or sum(_taken(mark) for mark in in_first)
    is_headed = _HEADER.search(block) is not None or (
        bool(lines[0]) and below.startswith("\n") and sum(map(_taken, in_first)) == columns
    )
    ends = [*(mark.start() for mark in marks[1:]), len(said)]
    cells = [
        _cell(mark, said[mark.end() : end])
        for mark, end in zip(marks, ends, strict=True)
        for _ in range(min(_taken(mark), _MOST) if mark["sign"] == "*" else 1)
    ]
    rows = list(_filled(cells, columns))
    if is_headed and rows:
        rows[0] = [replace(cell, heading=True) for cell in rows[0]]
    return rows_as_lines(rows)


def _columns(block: str) -> int:
    """How many columns a table is said to have: "1,2,2", or "3*"; 0 where nothing is said."""
    found = _WIDTHS.search(block)
    widths = (found["several"] or found["one"] or "").split(",") if found else []
    return sum(int(again[1]) if (again := _AGAIN.match(width)) else 1 for width in widths if width.strip())


def _taken(mark: re.Match[str]) -> int:
    return int(mark["columns"] or 1)


def _cell(mark: re.Match[str], said: str) -> Cell:
    """A cell with how many columns and rows it takes."""
    cell = typed_cell(" ".join(said.split()), heading=mark["style"] == "h")
    if mark["sign"] == "+":
        cell.columns, cell.rows = _taken(mark), int(mark["rows"] or 1)
    return cell


def _filled(cells: Iterable[Cell], columns: int) -> Iterator[list[Cell]]:
    """Cells in rows: a row ends where its columns are full, also of cells that reach down into it."""
    row: list[Cell] = []
    reaching: Counter[int] = Counter()  # by the number of a row, the columns that are taken from above
    number = taken = 0
    for cell in cells:
        row.append(cell)
        taken += cell.columns
        for below in range(1, min(cell.rows, _MOST)):
            reaching[number + below] += cell.columns
        if taken + reaching[number] >= columns:
            yield row
            row, number, taken = [], number + 1, 0
    if row:
        yield row

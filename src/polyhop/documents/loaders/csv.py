"""Tables as CSV or TSV: every row is a document, or a short table is one."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from statistics import median_low
from typing import ClassVar

from polyhop.documents.encoding import open_text
from polyhop.documents.loaders import fields
from polyhop.documents.loaders.objects import is_for_machines
from polyhop.documents.loading import NO_ROWS, file_document, one_line, row_document
from polyhop.documents.tables import pairs
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 64  # lines that the delimiter is told from
_LONGEST_FIELD = 1 << 30  # characters; the csv module's own limit is 131,072
_FEWEST = 2  # rows of a table
_WIDE = 3  # cells of rows below which a single one is no name of a column
_ROLES = {"id": fields.IDS, "title": fields.TITLES, "text": fields.TEXTS, "abstract": fields.ABSTRACTS}
_ABOVE = "above"  # what the row is called that stands above the header


@dataclass(frozen=True, kw_only=True)
class CsvLoader:
    """Reads one document a row, by the names of the columns; a row without a text is written out in a line.

    Columns are known however their names are spelled (``full_text``, ``Full Text``). An abstract stands before the
    text. The column with ids names the rows within the table: many tables number theirs from 1, or repeat an id.

    A table of few rows that are nothing but values is one document, as it is on the sheet of a spreadsheet: no row
    says what the table is about, nor which row has the most.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".tsv")
    media_type: ClassVar[str] = "text/csv"
    version: ClassVar[str] = "5"

    longest_table: int = 40  # rows of a table that is one document

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The rows under the header, numbered from 1; empty ones are left out, also above the header.

        What stands above the header, as the heads of reports do, stands above a table that is one document, and is a
        document of its own before rows.
        A header without rows is handed out as Skipped. Raises DocumentError for binary content.
        """
        with open_text(path) as stream:
            head = list(islice(stream, _SAMPLE))
            declared = head.pop(0)[4:5] if head and head[0].lower().startswith("sep=") else ""
            delimiter = declared or sniffed(head)
            try:
                yield from self._documents(_records(chain(head, stream), delimiter), uri)
            except csv.Error as error:
                raise DocumentError(f"is not a table ({error})") from error

    def _documents(self, records: Iterator[list[str]], uri: str) -> Iterator[Document | Skipped]:
        ahead = list(islice(records, _SAMPLE))
        at = _header_at(ahead)
        header = next(iter(ahead[at:]), [])
        columns = _named(header)
        roles = {role: _chosen(columns, names) for role, names in _ROLES.items()}
        used: Counter[str] = Counter()
        above = list(filter(None, map(_as_line, ahead[:at])))
        rows = list(filter(_says_something, ahead[at + 1 :])) if len(ahead) < _SAMPLE else []
        if roles["id"] is roles["text"] is None and self._is_table(rows):
            lines = ("; ".join(pairs(_names(columns, record), map(one_line, record))) for record in rows)
            yield file_document(uri, "\n".join([*above, "", *lines]), self.media_type)
            return
        if above:
            yield row_document(
                uri, 0, "\n".join(above), self.media_type, name=_unlike(_ABOVE, used), title=fields.first_name(above)
            )
        empty = _says_something(header) and not above
        for row, record in enumerate(chain(ahead[at + 1 :], records), start=1):
            if _says_something(record):
                empty = False
                yield self._document(dict(zip(_names(columns, record), record, strict=False)), roles, uri, row, used)

        if empty:
            yield Skipped(uri, NO_ROWS)

    def _is_table(self, rows: Sequence[Sequence[str]]) -> bool:
        """Whether rows are few and have nothing but values."""
        few = _FEWEST <= len(rows) <= self.longest_table
        return few and all(len(cell) <= fields.LONGEST_VALUE for row in rows for cell in row)

    def _document(
        self, values: dict[str, str], roles: dict[str, str | None], uri: str, row: int, used: Counter[str]
    ) -> Document:
        found = {role: values.get(column, "") if column else "" for role, column in roles.items()}
        text = fields.below_abstract(found["text"], found["abstract"])
        others = {
            name: one_line(value) for name, value in values.items() if name not in roles.values() and value.strip()
        }
        if roles["text"] is None or not text.strip():  # nothing else is searched
            said = {name: value.strip() for name, value in values.items()}
            shown = {
                name: value for name, value in said.items() if name != roles["id"] or not is_for_machines("id", value)
            }
            text, others = "; ".join(pairs(shown.keys(), shown.values())), {}
            found["title"] = found["title"] or fields.first_name(shown.values())
        return row_document(
            uri,
            row,
            text,
            self.media_type,
            name=_unlike(one_line(found["id"]) or str(row), used),
            title=found["title"],
            metadata=others,
        )


def sniffed(lines: Sequence[str]) -> str:
    """The delimiter that parts most rows into the same number of fields, more than one."""

    def evenness(delimiter: str) -> tuple[float, int]:
        widths = Counter(len(record) for record in _reader(lines, delimiter) if record)
        width, rows = max(widths.items(), key=lambda item: (item[0] > 1, item[1]), default=(0, 0))
        return (rows / widths.total(), width) if width > 1 else (0.0, 0)

    try:
        return max(_DELIMITERS, key=evenness)
    except csv.Error:  # a field beyond the limit: a table with texts that long is written by a program
        return max(_DELIMITERS, key=lines[0].count)


def _records(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """The records, with the module's limit on the length of a field lifted only while it reads one."""
    reader = _reader(lines, delimiter)
    while True:
        limit = csv.field_size_limit(_LONGEST_FIELD)
        try:
            record = next(reader, None)
        finally:
            csv.field_size_limit(limit)
        if record is None:
            return
        yield record


def _reader(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Quotation marks count also behind a space."""
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _says_something(record: Sequence[str]) -> bool:
    return any(map(str.strip, record))


def _header_at(records: Sequence[Sequence[str]]) -> int:
    """Which of the first records of a table names its columns: the first one, but for single cells above wider rows."""
    widths = [sum(map(bool, map(str.strip, record))) for record in records]
    first = next((at for at, width in enumerate(widths) if width), 0)
    usual = median_low(list(filter(None, widths)) or [0])
    if usual < _WIDE or widths[first] > 1:
        return first
    return next(at for at, width in enumerate(widths) if width >= usual)


def _as_line(record: Sequence[str]) -> str:
    """A record that no header names: what it says, behind its first cell where that names another one."""
    cells = list(filter(None, map(one_line, record)))
    return f"{cells[0].rstrip(':')}: {cells[1]}" if len(cells) == 2 else " | ".join(cells)


def _named(header: Sequence[str]) -> list[str]:
    """The columns' names, each one different."""
    names: list[str] = []
    for number, cell in enumerate(header, start=1):
        name = one_line(cell) or f"column {number}"
        names.append(f"{name} {number}" if name in names else name)
    return names


def _names(columns: Sequence[str], record: Sequence[str]) -> list[str]:
    """The names of a record's columns, also of those that the header does not name."""
    return [*columns, *(f"column {number + 1}" for number in range(len(columns), len(record)))]


def _unlike(name: str, used: Counter[str]) -> str:
    """The name, with a number behind it where a row before has it; ``used`` counts those that rows have."""
    used[name] += 1
    while used[name] > 1:
        name = f"{name} ({used[name]})"
        used[name] += 1
    return name


def _chosen(columns: Sequence[str], names: tuple[str, ...]) -> str | None:
    """The column with the first of these names that there is."""
    return next(iter(fields.bearing(tuple(columns), names)), None)

"""Statements for SQLite as Postgres takes them, and a connection that takes them so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import psycopg
from psycopg.types.string import StrDumper, TextLoader

NAMED = re.compile(r"(?<!:):([a-z_]\w*)")
LISTED = (
    "(SELECT place - 1 AS key, value"
    r" FROM json_array_elements_text(CAST(\1 AS json)) WITH ORDINALITY AS listed(value, place))"
)


@cache  # of a pure function, called with a few dozen statements
def postgres_of(statement: str) -> bytes:
    """The same statement for Postgres; of what differs, it knows what the record's statements have."""
    translated = re.sub(r"json_each\((\?|:\w+)\)", LISTED, statement).replace("CROSS JOIN", "JOIN")
    return NAMED.sub(r"%(\1)s", translated.replace("?", "%s")).encode()


class Escaped(StrDumper):
    """Text with U+0000, which Postgres does not store, as U+001A 0, and U+001A as U+001A 1."""

    def dump(self, obj: str) -> Any:
        """The text as it is stored."""
        if "\0" in obj or "\x1a" in obj:
            obj = obj.replace("\x1a", "\x1a1").replace("\0", "\x1a0")
        return super().dump(obj)


class Unescaped(TextLoader):
    """Such text as it was."""

    def load(self, data: Any) -> str:
        """The text as it was given."""
        text = super().load(data)
        assert isinstance(text, str)  # noqa: S101  # the database is in UTF-8
        return text.replace("\x1a0", "\0").replace("\x1a1", "\x1a") if "\x1a" in text else text


class PostgresRows:
    """What a statement found."""

    def __init__(self, cursor: psycopg.Cursor[tuple[Any, ...]]) -> None:
        self._cursor = cursor

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self._cursor)

    def fetchall(self) -> Any:
        """All rows."""
        return self._cursor.fetchall()

    @property
    def get(self) -> Any:
        """The first row, or its only column; None where there is no row."""
        row = self._cursor.fetchone()
        return row[0] if row is not None and len(row) == 1 else row


class PostgresConnection:
    """A connection to Postgres that takes statements for SQLite."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection
        self._last = self._total = 0
        connection.adapters.register_dumper(str, Escaped)
        connection.adapters.register_loader("text", Unescaped)

    def __del__(self) -> None:
        self.connection.close()  # that of a thread goes with the thread

    def execute(self, query: str, values: Any = (), /) -> PostgresRows:
        """Run a statement."""
        cursor = self.connection.execute(postgres_of(query), values or None)
        self._count(cursor)
        return PostgresRows(cursor)

    def executemany(self, query: str, rows: Iterable[Any], /) -> None:
        """Run a statement once a row, all of them in one go."""
        cursor = self.connection.cursor()
        cursor.executemany(postgres_of(query), rows)
        self._count(cursor)

    def changes(self) -> int:
        """How many rows the last statement changed."""
        return self._last

    def total_changes(self) -> int:
        """How many rows all statements changed."""
        return self._total

    def _count(self, cursor: psycopg.Cursor[Any]) -> None:
        self._last = max(cursor.rowcount, 0)
        self._total += self._last

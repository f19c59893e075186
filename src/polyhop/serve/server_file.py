"""A small SQLite file of the server's own: keys, or the jobs of a workspace. Several processes may use it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import apsw

from polyhop.store.faults import translated

BUSY_MILLISECONDS = 10_000


class ServerFile:
    """Rows in tables, changed in transactions that survive a kill and a power cut. Threads may share it."""

    def __init__(self, path: Path, tables: str, *, version: int) -> None:
        """Open the file, making it with its tables where there is none.

        Raises StorageFull, IndexCorrupt and the other errors of the store.
        """
        self.path = path
        self._one = threading.RLock()
        with translated(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = apsw.Connection(str(path))
            self._connection.set_busy_timeout(BUSY_MILLISECONDS)
            self._connection.pragma("journal_mode", "WAL")
            self._connection.pragma("synchronous", "FULL")
            self._connection.pragma("foreign_keys", True)
            if self._connection.pragma("user_version") == 0:
                self._make(tables, version)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._one, translated(self.path):
            return self._connection.execute(query, values).fetchall()

    def row(self, query: str, *values: Any) -> tuple[Any, ...] | None:
        """The first row of a query, None where there is none."""
        with self._one, translated(self.path):
            return self._connection.execute(query, values).fetchone()

    def change(self, query: str, *values: Any) -> int:
        """Make one change; how many rows it changed."""
        with self.transaction():
            self._connection.execute(query, values)
            return self._connection.changes()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What is read and changed inside happens at once, and together; may be nested."""
        with self._one, translated(self.path):
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            stored = False
            try:
                yield
                self._connection.execute("COMMIT")
                stored = True
            finally:
                if not stored and self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the file."""
        with self._one:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _make(self, tables: str, version: int) -> None:
        with self.transaction():
            if self._connection.pragma("user_version") == 0:  # nobody has made them since
                self._connection.execute(tables)
                self._connection.pragma("user_version", version)

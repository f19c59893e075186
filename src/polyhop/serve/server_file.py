"""A small SQLite file of the server's own: keys, or the jobs of a workspace. Several processes may use it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

import apsw

from polyhop.errors import IndexMissing
from polyhop.store.faults import translated
from polyhop.store.write_ahead import synced, write_ahead

BUSY_MILLISECONDS = 10_000
VERSION = 1  # of the tables


class ServerFile:
    """Rows in tables, changed in transactions that survive a kill and a power cut. Threads may share it.

    It is made, or opened, when it is first used, and anew where another lies in its place since: what is written to a
    file that was removed is lost. One that was ``made`` by somebody else is opened only: where it is gone, it stays so.
    Every method raises StorageFull, IndexCorrupt and the other errors of the store.
    """

    def __init__(self, path: Path, tables: str, *, made: bool = False) -> None:
        self.path, self._tables, self._made = path, tables, made
        self._one = threading.RLock()
        self._opened: apsw.Connection | None = None
        self._same: tuple[int, int] | None = None  # device and number of the file that was opened last

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
        """Let go of the file; whoever uses it again opens it again."""
        with self._one:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _is_replaced(self) -> bool:
        """Whether the file that is open is no longer the one at its path."""
        try:
            return identity_of(self.path) != self._same
        except FileNotFoundError:
            return True

    def _is_gone(self) -> bool:
        """Whether it was removed: one made by somebody else by itself, another with the folder around it."""
        if self._made:
            return not self.path.exists()
        return self._same is not None and not self.path.parent.exists()

    @property
    def _connection(self) -> apsw.Connection:
        if self._opened is not None and not self._opened.in_transaction and self._is_replaced():
            self.close()
        if self._opened is None:
            if self._is_gone():
                raise IndexMissing("What a server keeps beside an index is gone: it was deleted or moved.")
            if not self._made:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with ExitStack() as undo:
                making = 0 if self._made else apsw.SQLITE_OPEN_CREATE
                opened = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE | making)
                undo.callback(opened.close)
                opened.set_busy_timeout(BUSY_MILLISECONDS)
                write_ahead(opened, patience=BUSY_MILLISECONDS / 1000)
                synced(opened)
                opened.pragma("foreign_keys", True)
                if opened.pragma("user_version") == 0:
                    opened.execute("BEGIN IMMEDIATE")
                    if opened.pragma("user_version") == 0:  # nobody has made them since
                        opened.execute(self._tables)
                        opened.pragma("user_version", VERSION)
                    opened.execute("COMMIT")
                undo.pop_all()
            self._opened, self._same = opened, identity_of(self.path)
        return self._opened


def identity_of(path: Path) -> tuple[int, int]:
    """Which file or folder lies at a path: device and number. Raises FileNotFoundError where none does."""
    told = path.stat()
    return told.st_dev, told.st_ino

"""What documents and ledger ask of the database under them, whichever it is."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

T = TypeVar("T")


class Connection(Protocol):
    """A connection as SQLite's library has it; statements are in SQLite's dialect."""

    def execute(self, query: str, values: Any = (), /) -> Any:
        """Run a statement; the result has ``fetchall()`` and ``get``, and gives rows one by one."""

    def executemany(self, query: str, rows: Iterable[Any], /) -> Any:
        """Run a statement once a row."""

    def changes(self) -> int:
        """How many rows the last statement changed."""

    def total_changes(self) -> int:
        """How many rows all statements changed."""


class ThreadState(threading.local):
    """What one thread is doing with a database."""

    connection: Any = None
    depth: int = 0  # of nested transactions
    snapshots: int = 0  # of nested snapshots
    version: object = None  # of the record, when what is kept was read

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}  # by name, what was read and holds for this version


class StoreTables(ABC):
    """Tables that threads may share: each has its own connection, and those that write do so one after another."""

    _session: ThreadState

    @property
    @abstractmethod
    def folder(self) -> Path:
        """The index's folder."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """All changes inside are stored together, or (any error) none of them; may be nested."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[None]:
        """All reads of this thread inside see the store as it was on entry, whatever a writer does meanwhile."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Connection]:
        """A connection to read from; what goes wrong inside is raised as a StoreError."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Connection]:
        """A connection to write to, in a transaction."""

    @abstractmethod
    def _version(self, connection: Connection) -> object:
        """Another value whenever this connection would see another state of the tables than before."""

    def _rows(self, query: str, *values: Any) -> list[Any]:
        """All rows, as tuples."""
        with self._reading() as connection:
            rows: list[Any] = connection.execute(query, values).fetchall()
            return rows

    def _value(self, query: str, *values: Any) -> Any:
        """The only column of the first row; None where there is no row."""
        with self._reading() as connection:
            return connection.execute(query, values).get

    def _unchanged(self, name: str, read: Callable[[], T]) -> T:
        """What reading gave when this thread last did, unless anything in the record has changed since.

        What is read inside a transaction is not kept, because it may be undone.
        """
        session = self._session
        if session.depth:
            return read()
        with self._reading() as connection:  # asked before anything is read: what is newer is then read again
            version = self._version(connection)
        if session.version != version:
            session.version = version
            session.kept.clear()
        if name not in session.kept:
            session.kept[name] = read()
        return cast("T", session.kept[name])

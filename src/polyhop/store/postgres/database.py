"""A record's connections to Postgres: one a thread to read, and one that holds the lock to write."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from polyhop.errors import IndexMissing, StorageFull, StoreError, UsageError
from polyhop.store.place import StorePlace
from polyhop.store.postgres import connecting
from polyhop.store.postgres.dialect import PostgresConnection
from polyhop.store.postgres.faults import translated
from polyhop.store.tables import Connection, StoreTables, ThreadState
from polyhop.store.writer_lock import WriterLock

TABLES = ("meta", "documents", "blocks", "passages", "ledger", "generations", "removed")


class PostgresDatabase(StoreTables):
    """The database behind a record: opened for reading, or with a connection for writing.

    That connection holds the lock, so that whoever loses one has lost the other. A connection that only reads is made
    again where the server has ended it.
    """

    def __init__(
        self, place: StorePlace, *, writing: PostgresConnection | None = None, folder_lock: WriterLock | None = None
    ) -> None:
        self.place = place
        self._writer = writing
        self._folder_lock = folder_lock
        self._session = ThreadState()
        self._opened: weakref.WeakSet[PostgresConnection] = weakref.WeakSet()
        self._one_writer = threading.RLock()
        self._closed = False
        try:
            self._identity = connecting.verify(self._thread_connection(), place)
        except BaseException:
            self._close_connections()
            raise

    @property
    def folder(self) -> Path:
        """The index's folder on this machine."""
        return self.place.folder

    @property
    def writable(self) -> bool:
        """Whether this is a writer."""
        return self._writer is not None

    def check(self) -> None:
        """Raise IndexMissing where the index was deleted or replaced since it was opened."""
        with translated(self.place):
            self._require_same(self._first("SELECT 1"))

    def verify(self) -> None:
        """Read the whole record and raise IndexCorrupt where the server says that it is damaged."""
        with self._reading() as connection:
            for table in TABLES:
                connection.execute(f"SELECT sum(octet_length(CAST({table} AS text))) FROM {table}").fetchall()  # noqa: S608

    def writer(self) -> str | None:
        """Who is writing to the index, in words; None where nobody is."""
        return connecting.holder_of(self._thread_connection(), self.place)

    def close(self) -> None:
        """Release connections and locks; closing again does nothing."""
        if self._closed:
            return
        with suppress(psycopg.Error):
            if self._writer is not None:
                connecting.unlock(self._writer)
        self._close_connections()
        if self._folder_lock is not None:
            self._folder_lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes inside are stored together, or (any error) none of them; may be nested."""
        if self._writer is None:
            raise UsageError(f"The index at {self.place} was opened for reading only.")
        session, connection = self._session, self._writer.connection
        if session.snapshots:
            raise UsageError("A snapshot is for reading: leave it before changing the index.")
        with self._one_writer, translated(self.place):
            self._require_open()
            with connection.transaction():
                if not session.depth:
                    self._require_same(self._writer)
                session.depth += 1
                try:
                    yield
                finally:
                    session.depth -= 1
                if connection.info.transaction_status == TransactionStatus.INERROR:  # a commit would undo it unheard
                    raise StorageFull(f"The change to the index at {self.place} was undone after an error.")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reads of this thread inside see the store as it was on entry, whatever a writer does meanwhile."""
        session = self._session
        if session.depth or session.snapshots:
            yield
            return
        with translated(self.place):
            spoken = self._first("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        session.snapshots += 1
        try:
            with translated(self.place):
                self._require_same(spoken)  # the first read fixes what is seen
            yield
        finally:
            session.snapshots -= 1
            with suppress(psycopg.Error):  # nothing to lose: it only read
                spoken.execute("ROLLBACK")

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with translated(self.place):
            yield self._writer if self._writer is not None and self._session.depth else self._thread_connection()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self.transaction():
            assert self._writer is not None  # noqa: S101  # else there is no transaction
            yield self._writer

    def _version(self, connection: Connection) -> object:
        """The transactions that this connection sees, by name."""
        return connection.execute("SELECT CAST(pg_current_snapshot() AS text)").get

    def _first(self, statement: str) -> PostgresConnection:
        """Run a first statement, on a new connection where the server has ended the one there was meanwhile."""
        spoken = self._thread_connection()
        try:
            spoken.execute(statement)
        except psycopg.OperationalError:
            if not spoken.connection.closed:
                raise
            spoken = self._thread_connection()
            spoken.execute(statement)
        return spoken

    def _thread_connection(self) -> PostgresConnection:
        self._require_open()
        spoken: PostgresConnection | None = self._session.connection
        if spoken is None or (spoken.connection.closed and not self._session.snapshots):
            self._session.connection = spoken = connecting.connected(self.place)
            self._opened.add(spoken)
        return spoken

    def _require_same(self, spoken: PostgresConnection) -> None:
        found: Any = spoken.execute("SELECT value FROM meta WHERE key = 'identity'").get
        if found != self._identity:
            raise IndexMissing(f"The index at {self.place} is gone: it was deleted or replaced while in use.")

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError(f"The index at {self.place} was closed.")

    def _close_connections(self) -> None:
        self._closed = True
        for spoken in (*self._opened, *(() if self._writer is None else (self._writer,))):
            with suppress(psycopg.Error):
                spoken.connection.close()

"""Connections to a record: one a thread, transactions that nest, snapshots, and noticing that the index is gone."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import apsw

from polyhop.errors import IndexCorrupt, IndexMissing, StorageFull, StoreError, UsageError
from polyhop.store import schema
from polyhop.store.faults import translated
from polyhop.store.tables import Connection, StoreTables, ThreadState
from polyhop.store.writer_lock import WriterLock


class Database(StoreTables):
    """The file behind a record: opened for reading, or (with the writer's lock) for writing.

    Threads may share it: each has its own connection, and those of one process write one after another.
    """

    def __init__(self, path: Path, *, lock: WriterLock | None = None) -> None:
        self._path = path
        self._lock = lock
        self._session = ThreadState()
        self._opened: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._one_writer = threading.RLock()
        self._closed = False
        with translated(path), ExitStack() as undo:
            undo.callback(self._close_connections)
            self._identity = _identity(path)
            schema.verify(self._thread_connection(), path)
            undo.pop_all()

    @property
    def folder(self) -> Path:
        """The index's folder."""
        return self._path.parent

    @property
    def writable(self) -> bool:
        """Whether this is the writer."""
        return self._lock is not None

    def check(self) -> None:
        """Raise IndexMissing where the index was deleted or replaced since it was opened."""
        try:
            found = _identity(self._path)
        except OSError:
            found = None
        if found != self._identity:
            raise IndexMissing(f"The index at {self.folder} is gone: it was deleted or replaced while in use.")

    def verify(self) -> None:
        """Read the whole record and raise IndexCorrupt where it is damaged; takes seconds a gigabyte."""
        with self._reading() as connection:
            findings = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
            if findings != ["ok"]:
                raise IndexCorrupt(f"The index at {self.folder} is damaged: {'; '.join(findings)}")
            if connection.execute("PRAGMA foreign_key_check").get is not None:
                raise IndexCorrupt(f"The index at {self.folder} is damaged: some rows belong to nothing.")

    def close(self) -> None:
        """Release connections and, where this is the writer, its lock; closing again does nothing."""
        if self._closed:
            return
        with suppress(apsw.Error):  # what cannot be moved into the main file now stays safe in the log
            if self._lock is not None and self._path.exists():
                connection = self._thread_connection()
                connection.set_busy_timeout(0)  # a reader in the middle of something is no reason to wait
                with suppress(apsw.Error):  # no room, say: then it is as large as it was
                    schema.give_back(connection)
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        self._close_connections()
        if self._lock is not None:
            self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes inside are stored together, or (any error) none of them; may be nested."""
        if self._lock is None:
            raise UsageError(f"The index at {self.folder} was opened for reading only.")
        if self._session.snapshots:
            raise UsageError("A snapshot is for reading: leave it before changing the index.")
        with self._one_writer:
            self.check()
            connection = self._thread_connection()
            level = self._session.depth
            self._begin(connection, level)
            self._session.depth += 1
            stored = False
            try:
                yield
                self._commit(connection, level)
                stored = True
            finally:
                self._session.depth -= 1
                if not stored:
                    self._undo(connection, level)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reads of this thread inside see the store as it was on entry, whatever a writer does meanwhile."""
        session = self._session
        if session.depth or session.snapshots:
            yield
            return
        with self._reading() as connection:
            connection.execute("BEGIN")
            connection.execute("SELECT 1 FROM meta").get  # noqa: B018  # the first read fixes what is seen
        session.snapshots += 1
        try:
            yield
        finally:
            session.snapshots -= 1
            with suppress(apsw.Error):  # nothing to lose: it only read
                connection.execute("ROLLBACK")

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection]:
        with translated(self._path):
            self.check()
            yield self._thread_connection()

    @contextmanager
    def _writing(self) -> Iterator[apsw.Connection]:
        with self.transaction(), translated(self._path):
            yield self._thread_connection()

    def _version(self, connection: Connection) -> object:
        """Two counts: of commits by other connections, whichever process has them, and of rows changed by this one."""
        return connection.execute("PRAGMA data_version").get, connection.total_changes()

    def _close_connections(self) -> None:
        self._closed = True
        for connection in list(self._opened):
            with suppress(apsw.ThreadingViolationError):  # one that a thread is reading by goes when that lets go of it
                connection.close()

    def _thread_connection(self) -> apsw.Connection:
        if self._closed:
            self.check()  # another thread closes what is gone, and what is gone is missing
            raise StoreError(f"The index at {self.folder} was closed.")
        connection: apsw.Connection | None = self._session.connection
        if connection is None:
            self._session.connection = connection = schema.connect(self._path, write=self.writable)
            self._opened.add(connection)
        return connection

    def _begin(self, connection: apsw.Connection, level: int) -> None:
        with translated(self._path):
            if level == 0:
                connection.execute("BEGIN IMMEDIATE")
            else:
                self._still_open(connection)
                connection.execute(f"SAVEPOINT level{level}")

    def _commit(self, connection: apsw.Connection, level: int) -> None:
        self._still_open(connection)
        with translated(self._path):
            connection.execute("COMMIT" if level == 0 else f"RELEASE level{level}")

    def _undo(self, connection: apsw.Connection, level: int) -> None:
        if not connection.in_transaction:
            return
        with suppress(apsw.Error):  # the error that led here says more than one about undoing
            if level == 0:
                connection.execute("ROLLBACK")
            else:
                connection.execute(f"ROLLBACK TO level{level}")
                connection.execute(f"RELEASE level{level}")

    def _still_open(self, connection: apsw.Connection) -> None:
        """SQLite undoes a transaction by itself after some errors; going on would store its second half alone."""
        if not connection.in_transaction:
            raise StorageFull(f"The change to the index at {self.folder} was undone after an error.")


def _identity(path: Path) -> tuple[int, int]:
    found = os.stat(path)  # noqa: PTH116  # on every call: half the time of Path.stat
    return found.st_dev, found.st_ino

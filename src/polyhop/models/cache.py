"""Keeps every paid answer of a language model on disk, so that it is never paid for twice."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    import apsw

log = logging.getLogger(__name__)
T = TypeVar("T")

_PATIENCE: Final = 10.0  # seconds to wait for other processes that write

_SCHEMA = """
CREATE TABLE IF NOT EXISTS responses (
    key BLOB PRIMARY KEY,
    model TEXT NOT NULL,
    text TEXT NOT NULL,
    finish TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    created REAL NOT NULL
)
"""


def cache_key(*parts: object) -> bytes:
    """The sha256 of everything that an answer depends on; the parts are plain JSON values."""
    canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).digest()


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """An answer as the endpoint gave it, why it ended, and the tokens it took when it was paid for."""

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int


class ResponseCache:
    """A SQLite file in a folder, shared by threads and processes.

    A cache is a convenience: whatever is wrong with it is logged once, and work goes on without it. A damaged file is
    moved aside and a new one begun.
    """

    FILE = "responses.sqlite"

    def __init__(self, folder: str | Path) -> None:
        """A cache in a folder, made where missing."""
        self.path = Path(folder).expanduser() / self.FILE
        self._lock = threading.Lock()
        self._connection: apsw.Connection | None = None
        self._complained = False

    def get(self, key: bytes) -> CachedResponse | None:
        """The answer stored under a key, if any."""

        def read(connection: apsw.Connection) -> CachedResponse | None:
            query = "SELECT text, finish, prompt_tokens, completion_tokens FROM responses WHERE key = ?"
            row = connection.execute(query, (key,)).fetchone()
            return None if row is None else CachedResponse(*row)

        return self._with_connection(read)

    def put(self, key: bytes, model: str, response: CachedResponse) -> None:
        """Store an answer; the first one stored under a key stays."""

        def write(connection: apsw.Connection) -> None:
            connection.execute(
                "INSERT OR IGNORE INTO responses VALUES (?, ?, ?, ?, ?, ?, ?)",
                (key, model, *astuple(response), time.time()),
            )

        self._with_connection(write)

    @contextmanager
    def after_others(self, key: bytes) -> Iterator[None]:
        """Begin once nobody else, in whatever process, is paying for the same answer: then it may be kept.

        Where they got none, those who waited go on side by side.
        """
        import filelock  # imported when used: start-up time

        lock = filelock.FileLock(self.path.with_name(f"{self.path.name}.{key.hex()}.lock"))
        try:
            try:
                lock.acquire(blocking=False)
            except filelock.Timeout:
                lock.acquire()
                lock.release()
        except (OSError, NotImplementedError) as error:  # some shared folders know no locks
            log.debug("Nobody can be waited for in %s: %s", self.path.parent, error)
        try:
            yield
        finally:
            lock.release()
            with suppress(OSError):  # who waits makes it anew
                Path(lock.lock_file).unlink()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            self._close()

    def _with_connection(self, action: Callable[[apsw.Connection], T]) -> T | None:
        import apsw  # imported when used: start-up time

        with self._lock:  # one connection for all threads: what is done under the lock takes microseconds
            try:
                try:
                    return action(self._open())
                except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError) as error:
                    self._move_aside(error)
                    return action(self._open())
            except (apsw.Error, OSError) as error:
                self._complain(error)
                return None

    def _open(self) -> apsw.Connection:
        import apsw

        from polyhop.store.write_ahead import write_ahead

        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = apsw.Connection(str(self.path))
            try:
                connection.set_busy_timeout(round(_PATIENCE * 1000))
                write_ahead(connection, patience=_PATIENCE)
                connection.pragma("synchronous", "NORMAL")  # survives kill -9; a power cut may cost the last ones
                connection.execute(_SCHEMA)
                connection.execute("SELECT text, finish, prompt_tokens, completion_tokens FROM responses LIMIT 0")
            except apsw.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _move_aside(self, reason: Exception) -> None:
        self._close()
        stamp = f"{time.time_ns():x}"
        aside = self.path.with_name(f"{self.path.name}.damaged-{stamp}")
        log.warning("The response cache %s is damaged (%s): moved to %s, starting anew.", self.path, reason, aside.name)
        for suffix in ("", "-wal", "-shm"):
            part = self.path.with_name(self.path.name + suffix)
            if part.exists():
                part.replace(aside.with_name(aside.name + suffix))

    def _complain(self, reason: Exception) -> None:
        if not self._complained:
            log.warning("The response cache %s cannot be used (%s): answers are not kept.", self.path, reason)
        self._complained = True

"""The lock that makes a process the one writer of an index, and the note beside it that says who that is."""

from __future__ import annotations

import json
import logging
import math
import os
import shlex
import socket
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import filelock

from polyhop.errors import IndexLocked, UsageError
from polyhop.store.faults import translated
from polyhop.store.place import without_password

LOCK = "writer.lock"
NOTE = "writer.json"
POLL_SECONDS = 0.05
PATIENCE_SECONDS = 0.2  # outlasts a process that only looks who is writing
NAMELESS = "a process that left no name"
LONGEST_COMMAND = 200  # characters

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who holds the lock."""

    pid: int
    host: str
    since: str  # ISO 8601, UTC
    command: str

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.since}: {self.command}"

    @classmethod
    def here(cls) -> Holder:
        """This process, from now on."""
        return cls(
            pid=os.getpid(),
            host=socket.gethostname(),
            since=datetime.now(UTC).isoformat(timespec="seconds"),
            command=shlex.join(map(without_password, sys.argv))[:LONGEST_COMMAND],
        )

    @classmethod
    def noted(cls, folder: Path) -> Holder | None:
        """Whom the note names; None where there is no readable note."""
        try:
            fields = json.loads((folder / NOTE).read_text(encoding="utf-8"))
            return cls(**{name: fields[name] for name in ("pid", "host", "since", "command")})
        except (OSError, ValueError, KeyError, TypeError):
            return None


class WriterLock:
    """The right to write to an index. The system takes it back when the process ends, however it ends."""

    def __init__(self, folder: Path, *, wait: float = 0.0) -> None:
        """Take the lock, or raise IndexLocked (naming the holder) when ``wait`` seconds have passed.

        Raises UsageError where ``wait`` is not a number.
        """
        seconds = patience(wait)
        self._folder = folder
        self._lock = _lock(folder)
        with translated(folder / LOCK):
            try:
                self._lock.acquire(timeout=seconds, poll_interval=POLL_SECONDS)
            except filelock.Timeout:
                holder = Holder.noted(folder) or NAMELESS
                raise IndexLocked(f"The index at {folder} is being written to by {holder}") from None
        self._note()

    def release(self) -> None:
        """Let others write; releasing again does nothing."""
        if self._lock.is_locked:
            with suppress(OSError):
                (self._folder / NOTE).unlink(missing_ok=True)
            self._lock.release()

    def _note(self) -> None:
        draft = self._folder / f"{NOTE}.new"
        try:
            draft.write_text(json.dumps(asdict(Holder.here())), encoding="utf-8")
            draft.replace(self._folder / NOTE)
        except OSError as fault:  # the lock itself holds; only its holder stays unnamed
            logger.debug("cannot note who is writing to %s: %s", self._folder, fault)


def patience(wait: float) -> float:
    """How many seconds to wait for another writer, at least. Raises UsageError where ``wait`` is not a number."""
    if math.isnan(wait):
        raise UsageError("The seconds to wait for another writer must be a number.", remedy="Give one, such as 60.")
    return max(wait, PATIENCE_SECONDS)


def writer(folder: str | Path) -> str | None:
    """Who is writing to the index in a folder, in words; None where nobody is."""
    folder = Path(folder)
    holder = Holder.noted(folder)
    if holder is None:
        return None
    lock = _lock(folder)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        return str(holder)
    except OSError:  # not ours to lock, so the note is all there is to know
        return str(holder) if os.access(folder, os.W_OK) else None
    lock.release()
    return None


def _lock(folder: Path) -> filelock.BaseFileLock:
    return filelock.FileLock(folder / LOCK, thread_local=False)

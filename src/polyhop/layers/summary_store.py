"""Keeps summaries on disk, so that each is made once, whoever asks for it and however often a run is killed.

The store is a file of JSON lines for each maker, so that what two makers wrote never mixes. Lines are only appended,
each whole and synced, under a lock: any number of processes may write, and a kill costs what was not yet appended. A
torn line is passed over. The lines of passages that are no more are removed when the store is opened.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, Final, Self

import filelock

from polyhop.ports import Ints

logger = logging.getLogger(__name__)

FORMAT_VERSION: Final = 1  # raise it when the lines would be read in another way
PATIENCE: Final = 10.0  # seconds to wait for other processes that write


@dataclass(frozen=True, slots=True)
class Kept:
    """A summary, what it is known by, and the numbers of the passages that it was made of."""

    key: str
    text: str
    passages: tuple[int, ...]


class SummaryStore:
    """The summaries that one maker made for an index; threads and processes may share it."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._durable = file is not None
        self._kept: dict[str, Kept] = {}
        self._seen: tuple[int, int] | None = None  # the file as it was last read: which one, and how long
        self._lock = threading.Lock()

    @classmethod
    def open(cls, folder: Path | None, maker: str, live: Ints | None = None) -> Self:
        """The store in a folder, which need not be writable; None: one in memory.

        ``maker``: names whoever writes the summaries, and what else they depend on. ``live``: the numbers of all
        passages there are; None: nothing is removed.
        """
        if folder is None:
            return cls(None)
        mark = hashlib.sha256(json.dumps([FORMAT_VERSION, maker]).encode()).hexdigest()[:16]
        store = cls(folder / f"summaries-{mark}.jsonl")
        store.refresh()
        if live is not None:
            store._forget(set(live.tolist()))
        return store

    def __len__(self) -> int:
        """How many summaries are known."""
        return len(self._kept)

    def get(self, key: str) -> str | None:
        """The summary of this key, if there is one."""
        kept = self._kept.get(key)
        return None if kept is None else kept.text

    def refresh(self) -> None:
        """See also what other processes have written since."""
        with self._lock:
            if self._file is None or (state := _state(self._file)) == self._seen:
                return
            for kept in _read(self._file):
                self._kept.setdefault(kept.key, kept)
            self._seen = state

    def put(self, summaries: Sequence[Kept]) -> None:
        """Keep summaries, on disk where that is possible; the first one of a key stays."""
        with self._lock:
            new = [kept for kept in summaries if self._kept.setdefault(kept.key, kept) is kept]
            if self._file is None or not self._durable or not new:
                return
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                with _locked(self._file):
                    _append(self._file, new)
            except (OSError, filelock.Timeout) as error:  # a read-only index still answers, only slower
                logger.warning("Summaries cannot be stored (%s); they are kept in memory.", error)
                self._durable = False

    def _forget(self, live: set[int]) -> None:
        """Drop what was made of passages that are no more: no text of theirs stays behind."""
        with self._lock:
            gone = [key for key, kept in self._kept.items() if not live.issuperset(kept.passages)]
            for key in gone:
                del self._kept[key]
            if not gone or self._file is None:
                return
            try:
                with _locked(self._file):
                    _replace(self._file, (kept for kept in _read(self._file) if live.issuperset(kept.passages)))
                self._seen = _state(self._file)
            except (OSError, filelock.Timeout) as error:
                logger.debug("%s cannot be cleaned now: %s", self._file, error)


def _state(file: Path) -> tuple[int, int] | None:
    """Which file there is and how long it is; None where there is none, or it cannot be read."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size


def _read(file: Path) -> list[Kept]:
    """What the lines of a file hold that are whole."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        logger.debug("%s cannot be read: %s", file, error)
        return []
    return [kept for line in lines if line and (kept := _parsed(line)) is not None]


def _parsed(line: bytes) -> Kept | None:
    try:
        value = json.loads(line)
        key, text, passages = value["key"], value["text"], value["passages"]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None  # torn by a kill or a full disk
    fits = isinstance(key, str) and isinstance(text, str) and isinstance(passages, list)
    return Kept(key, text, tuple(passages)) if fits and all(type(one) is int for one in passages) else None


def _lines(summaries: Iterable[Kept]) -> bytes:
    return b"".join(json.dumps(asdict(kept), separators=(",", ":")).encode("ascii") + b"\n" for kept in summaries)


def _append(file: Path, summaries: Iterable[Kept]) -> None:
    with file.open("ab+") as stream:
        if stream.tell() and _last_byte(stream) != b"\n":
            stream.write(b"\n")  # what a kill tore stays a line of its own
        stream.write(_lines(summaries))
        stream.flush()
        os.fsync(stream.fileno())


def _last_byte(stream: BinaryIO) -> bytes:
    stream.seek(-1, os.SEEK_END)
    return stream.read(1)


def _replace(file: Path, summaries: Iterable[Kept]) -> None:
    partial = file.with_name(f".{file.name}-{secrets.token_hex(6)}")
    try:
        with partial.open("wb") as stream:
            stream.write(_lines(summaries))
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def _locked(file: Path) -> filelock.BaseFileLock:
    return filelock.FileLock(file.with_suffix(".lock"), timeout=PATIENCE)

"""Keeps summaries on disk, so that each is made once, whoever asks for it and however often a run is killed.

The store is a file of JSON lines. Lines are only appended, each whole and synced, under a lock: any number of processes
may write, and a kill costs what was not yet appended. A torn line is passed over. The lines of passages that are no
more can be removed.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

import filelock

from polyhop.errors import StorageFull
from polyhop.ports import Ints
from polyhop.store import json_lines
from polyhop.store.whole_file import whole_file

logger = logging.getLogger(__name__)

FORMAT_VERSION: Final = 1  # raise it when the lines would be read in another way
PATIENCE: Final = 10.0  # seconds to wait for other processes that write


@dataclass(frozen=True, slots=True)
class Stored:
    """A summary, what it is known by, and the passages that it was made of, by number or by mark.

    The text is empty where nothing usable was given: that is kept, too, so that nobody asks and pays again.
    """

    key: str
    text: str
    passages: tuple[int | str, ...]


class SummaryStore:
    """Summaries in a file, by key; threads and processes may share it. None: in memory.

    ``required``: that it cannot be written is an error. Else it is a warning, and summaries are there as long as the
    store is.
    """

    def __init__(self, file: Path | None, *, required: bool = False) -> None:
        self._file = file
        self._required = required
        self._durable = file is not None
        self._kept: dict[str, Stored] = {}
        self._seen: tuple[int, int] | None = None  # the file as it was last read: which one, and how long
        self._torn = False  # whether there were lines in it that are not whole
        self._lock = threading.Lock()
        self.refresh()

    @classmethod
    def open(cls, folder: Path | None, maker: str, live: Ints | None = None) -> Self:
        """That of one maker in a folder, which need not be writable; None: one in memory.

        ``maker``: names whoever writes the summaries, and what else they depend on. ``live``: the numbers of all
        passages there are; None: nothing is removed.
        """
        if folder is None:
            return cls(None)
        mark = hashlib.sha256(json.dumps([FORMAT_VERSION, maker]).encode()).hexdigest()[:16]
        store = cls(folder / f"summaries-{mark}.jsonl")
        if live is not None:
            store.forget_all_but(live.tolist())
        return store

    def __len__(self) -> int:
        """How many summaries are known."""
        return len(self._kept)

    def get(self, key: str) -> str | None:
        """The summary of this key, if there is one; empty where nothing usable was given."""
        kept = self._kept.get(key)
        return None if kept is None else kept.text

    def refresh(self) -> None:
        """See also what other processes have written since."""
        with self._lock:
            if self._file is None or (state := _state(self._file)) == self._seen:
                return
            found = _read(self._file)
            for kept in filter(None, found):
                self._kept.setdefault(kept.key, kept)
            self._seen, self._torn = state, None in found

    def put(self, summaries: Sequence[Stored]) -> None:
        """Keep summaries, on disk before this returns; the first one of a key stays.

        Raises StorageFull (``required``).
        """
        with self._lock:
            new = [kept for kept in summaries if self._kept.setdefault(kept.key, kept) is kept]
            if self._file is None or not self._durable or not new:
                return
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                with _locked(self._file):
                    json_lines.append(self._file, map(asdict, new))
            except (OSError, filelock.Timeout) as error:
                if self._required:
                    raise _unwritable(self._file, error) from error
                logger.warning("Summaries cannot be stored (%s); they are kept in memory.", error)
                self._durable = False

    def forget_all_but(self, live: Iterable[int | str]) -> None:
        """Drop what was made of passages other than these: no text of theirs stays behind.

        Raises StorageFull (``required``).
        """
        passages = set(live)
        with self._lock:
            gone = [key for key, kept in self._kept.items() if not passages.issuperset(kept.passages)]
            for key in gone:
                del self._kept[key]
            if self._file is None or not (gone or self._torn):
                return
            try:
                with _locked(self._file):
                    known = filter(None, _read(self._file))
                    stay = [asdict(kept) for kept in known if passages.issuperset(kept.passages)]
                    with whole_file(self._file) as stream:
                        stream.write(json_lines.encoded(stay))
                self._seen, self._torn = _state(self._file), False
            except (OSError, filelock.Timeout) as error:
                if self._required:
                    raise _unwritable(self._file, error) from error
                logger.debug("%s cannot be cleaned now: %s", self._file, error)


def _unwritable(file: Path, error: Exception) -> StorageFull:
    return StorageFull(f"{file} cannot be written: {getattr(error, 'strerror', None) or error}.")


def _state(file: Path) -> tuple[int, int] | None:
    """Which file there is and how long it is; None where there is none, or it cannot be read."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size


def _read(file: Path) -> list[Stored | None]:
    """What the lines of a file hold; None for one that is not whole."""
    return [_stored(value) for value in json_lines.read(file)]


def _stored(value: Any) -> Stored | None:
    try:
        key, text = value["key"], value["text"]
        passages = value["of"] if "of" in value else value["passages"]  # "of" in the first trees of summaries
    except (TypeError, LookupError):
        return None
    fits = isinstance(key, str) and isinstance(text, str) and isinstance(passages, list)
    return Stored(key, text, tuple(passages)) if fits and all(type(one) in (int, str) for one in passages) else None


def _locked(file: Path) -> filelock.BaseFileLock:
    return filelock.FileLock(file.with_suffix(".lock"), timeout=PATIENCE)

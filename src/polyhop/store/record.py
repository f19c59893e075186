"""The system of record: a folder with one SQLite file that holds documents, passages, ledger and generations."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

from polyhop.errors import IndexCorrupt, IndexMissing
from polyhop.store import schema
from polyhop.store.faults import translated
from polyhop.store.ledger import Ledger
from polyhop.store.writer_lock import WriterLock

FILE = "record.sqlite"


class Record(Ledger):
    """A store in a folder: one process writes, many read meanwhile; threads may share it.

    Made by ``create_or_open`` (the writer) or ``open`` (a reader); a context manager that closes it.
    """

    @classmethod
    def create_or_open(cls, folder: str | Path, *, wait: float = 0.0) -> Self:
        """Open the index in a folder for writing, making it where there is none.

        ``wait``: seconds to wait for another writer. Raises IndexLocked, IndexCorrupt, IndexTooNew, StorageFull.
        """
        path = Path(folder).absolute() / FILE
        with ExitStack() as undo:
            with translated(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            lock = WriterLock(path.parent, wait=wait)
            undo.callback(lock.release)
            with translated(path):
                if not path.exists():
                    schema.create(path, version=_version())
            record = cls(path, lock=lock)
            undo.callback(record.close)
            if record.meta("polyhop") != _version():
                record.set_meta("polyhop", _version())
            undo.pop_all()
        return record

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Open the index in a folder for reading. Raises IndexMissing, IndexCorrupt, IndexTooNew."""
        path = Path(folder).absolute() / FILE
        if path.parent.exists() and not path.parent.is_dir():
            raise IndexCorrupt(f"{path.parent} is not a folder, so it cannot be an index.")
        if not path.exists():
            raise IndexMissing(f"There is no index at {path.parent}.")
        return cls(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def size(self) -> int:
        """Bytes of all files of the index."""
        return sum(_sizes(self.folder))

    def meta(self, key: str) -> str | None:
        """A fact about the index, e.g. ``created`` (a time) and ``polyhop`` (the version that wrote it last)."""
        value: str | None = self._value("SELECT value FROM meta WHERE key = ?", key)
        return value

    def set_meta(self, key: str, value: str) -> None:
        """Store a fact about the index."""
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO meta VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2", (key, value)
            )


def _sizes(folder: Path) -> Iterator[int]:
    """The size of every file below a folder; files come and go while somebody writes."""
    for place, _, files in os.walk(folder):
        for file in files:
            with suppress(FileNotFoundError):
                yield (Path(place) / file).stat().st_size


def _version() -> str:
    from importlib.metadata import version

    return version("polyhop")

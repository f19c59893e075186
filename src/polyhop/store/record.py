"""The system of record: documents, passages, ledger and generations, in a file of the index's folder or a database."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from polyhop.errors import IndexCorrupt, IndexMissing, UsageError
from polyhop.extras import check_installed
from polyhop.store import schema, writer_lock
from polyhop.store.database import Database
from polyhop.store.faults import translated
from polyhop.store.ledger import Ledger
from polyhop.store.place import place_of
from polyhop.store.port import Generation
from polyhop.store.stripes import Stripes
from polyhop.store.writer_lock import WriterLock

if TYPE_CHECKING:
    from polyhop.store.postgres.record import PostgresRecord

FILE = "record.sqlite"
STRIPES = "growing"  # a folder: the locks on passages


class Record(Ledger):
    """A store of an index: one process writes, many read meanwhile; threads may share it.

    Made by ``create_or_open`` (the writer) or ``open`` (a reader); a context manager that closes it.
    """

    is_shared: ClassVar[bool] = False  # whether machines with files of their own write it

    @staticmethod
    def create_or_open(folder: str | Path, store: str | None = None, *, wait: float = 0.0) -> Record:
        """Open the index in a folder for writing, making it where there is none.

        ``store``: the database that has its record; None: the one that the folder names, else a file in the folder.
        ``wait``: seconds to wait for another writer. Raises IndexLocked, IndexCorrupt, IndexTooNew, StorageFull, and
        UsageError where the folder's record is elsewhere.
        """
        place = place_of(folder, store)
        if place is None:
            return FileRecord.create(Path(folder), wait=wait)
        return _in_postgres().create(place, wait=wait)

    @staticmethod
    def open(folder: str | Path, store: str | None = None) -> Record:
        """Open the index in a folder for reading. Raises IndexMissing, IndexCorrupt, IndexTooNew, UsageError."""
        place = place_of(folder, store)
        if place is None:
            return FileRecord.read(Path(folder))
        return _in_postgres().read(place)

    @staticmethod
    def catching_up(folder: str | Path, store: str | None = None, *, wait: float = 0.0) -> Record:
        """Open an index that is behind, to gather in this folder alone; whoever writes elsewhere may go on.

        Raises UsageError for one whose record is in its folder, IndexLocked.
        """
        place = place_of(folder, store)
        if place is None:
            raise UsageError(f"The index at {folder} is nowhere else, so that it has nothing to catch up with.")
        return _in_postgres().to_catch_up(place, wait=wait)

    @abstractmethod
    def close(self) -> None:
        """Release connections and, where this is the writer, its lock; closing again does nothing."""

    @abstractmethod
    def check(self) -> None:
        """Raise IndexMissing where the index was deleted or replaced since it was opened."""

    @abstractmethod
    def verify(self) -> None:
        """Read the whole record and raise IndexCorrupt where it is damaged; takes seconds a gigabyte."""

    @abstractmethod
    def writer(self) -> str | None:
        """Who is writing to the index, in words; None where nobody is."""

    @abstractmethod
    def held(self, numbers: Iterable[int]) -> AbstractContextManager[None]:
        """Hold passages for work that nobody else shall do meanwhile, waiting for as long as it takes; not nested."""

    def behind(self) -> Mapping[str, str]:
        """The layers that were gathered elsewhere since they were here, with the fingerprints of their rows."""
        return {}

    def pushed(self, layer: str) -> Generation | None:
        """What the layer has in the object store, if that is as new as what was gathered last."""
        return None

    def set_pushed(self, layer: str, name: str, description: Mapping[str, Any]) -> None:
        """Note that what the layer serves here is in the object store."""

    @property
    def identity(self) -> str:
        """What tells an index that several machines share from all others; empty for one that is in its folder."""
        return self.meta("identity") or ""

    def caught_up(self, layer: str) -> None:
        """Note that a layer has here what there was of it when this was opened to catch up."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def size(self) -> int:
        """Bytes of all files of the index."""
        return sum(_sizes(self.folder))

    def _note_version(self) -> None:
        if self.meta("polyhop") != version():
            self.set_meta("polyhop", version())


class FileRecord(Database, Record):
    """A record in a file of SQLite's."""

    @classmethod
    def create(cls, folder: Path, *, wait: float) -> Self:
        """Like ``Record.create_or_open``."""
        path = folder.absolute() / FILE
        with ExitStack() as undo:
            with translated(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            lock = WriterLock(path.parent, wait=wait)
            undo.callback(lock.release)
            with translated(path):
                if not path.exists():
                    schema.create(path, version=version())
            record = cls(path, lock=lock)
            undo.callback(record.close)
            with record._reading() as connection:
                schema.bring_up_to_date(connection)
            record._note_version()
            undo.pop_all()
        return record

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Like ``Record.open``."""
        path = folder.absolute() / FILE
        if path.parent.exists() and not path.parent.is_dir():
            raise IndexCorrupt(f"{path.parent} is not a folder, so it cannot be an index.")
        if not path.exists():
            raise IndexMissing(f"There is no index at {path.parent}.")
        return cls(path)

    @property
    def notes(self) -> bool:
        """Whether this may note what happens to rows."""
        return self.writable

    def writer(self) -> str | None:
        """Who is writing to the index, in words; None where nobody is."""
        return writer_lock.writer(self.folder)

    @cached_property
    def _stripes(self) -> Stripes:
        return Stripes(self.folder / STRIPES)

    def held(self, numbers: Iterable[int]) -> AbstractContextManager[None]:
        """Hold passages for work that nobody else shall do meanwhile."""
        return self._stripes.held(numbers)


def _in_postgres() -> type[PostgresRecord]:
    """Raises UsageError where the extra is not installed."""
    check_installed("postgres", ("psycopg",), doing="A record in Postgres")
    from polyhop.store.postgres.record import PostgresRecord

    return PostgresRecord


def _sizes(folder: Path) -> Iterator[int]:
    """The size of every file below a folder; files come and go while somebody writes."""
    for place, _, files in os.walk(folder):
        for file in files:
            with suppress(FileNotFoundError):
                yield (Path(place) / file).stat().st_size


def version() -> str:
    """The version of Polyhop."""
    from importlib.metadata import version as installed

    return installed("polyhop")

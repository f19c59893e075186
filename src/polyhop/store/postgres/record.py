"""The system of record in Postgres: shared by machines, each of which has its own folder for what it gathers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, ClassVar, Final, Self

from polyhop.store.place import StorePlace
from polyhop.store.port import Generation
from polyhop.store.postgres import connecting
from polyhop.store.postgres.database import PostgresDatabase
from polyhop.store.postgres.faults import translated
from polyhop.store.record import Record, version
from polyhop.store.stripes import stripes_of
from polyhop.store.writer_lock import WriterLock

NEWEST = """
    SELECT layer, version, description FROM generations AS newest
    WHERE version = (SELECT max(version) FROM generations WHERE layer = newest.layer)
"""
OBJECTS: Final = "objects"  # the place of what is in the object store: no folder's key
PUSHED = """
    SELECT name, description FROM generations AS pushed WHERE layer = ? AND place = ?
    AND version = (SELECT max(version) FROM generations WHERE layer = pushed.layer)
"""
OWN = "SELECT name, description, version FROM generations WHERE layer = ? AND place = ?"
SERVE = """
    INSERT INTO generations(layer, place, name, description, version) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT(layer, place) DO UPDATE
    SET name = excluded.name, description = excluded.description, version = excluded.version
"""
BYTES = """
    SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ? AND c.relkind = 'r'
"""


class PostgresRecord(PostgresDatabase, Record):
    """A record in a schema of a database.

    Generations are those of this machine's folder. One that is gathered here with the right to write is what folders
    elsewhere are then behind of; they catch up by gathering the same rows.
    """

    is_shared: ClassVar[bool] = True
    _reached: Mapping[str, int] | None = None  # by layer, the version that gathering here comes up to; None: a new one

    @classmethod
    def create(cls, place: StorePlace, *, wait: float) -> Self:
        """Like ``Record.create_or_open``."""
        with ExitStack() as undo:
            writing = connecting.connected(place)
            undo.callback(writing.connection.close)
            connecting.lock(writing, place, wait=wait)
            connecting.migrate(writing, place, version=version())
            place = place.note()
            folder_lock = WriterLock(place.folder, wait=wait)
            undo.callback(folder_lock.release)
            record = cls(place, writing=writing, folder_lock=folder_lock)
            undo.callback(record.close)
            record._note_version()
            undo.pop_all()
        return record

    @classmethod
    def read(cls, place: StorePlace) -> Self:
        """Like ``Record.open``."""
        record = cls(place)
        record.place = place.note()
        return record

    @classmethod
    def to_catch_up(cls, place: StorePlace, *, wait: float) -> Self:
        """Open the index to gather, in this folder, what was gathered elsewhere; whoever else writes may go on."""
        with ExitStack() as undo:
            folder_lock = WriterLock(place.folder, wait=wait)
            undo.callback(folder_lock.release)
            writing = connecting.connected(place)
            undo.callback(writing.connection.close)
            record = cls(place, writing=writing, folder_lock=folder_lock)
            record._reached = {row[0]: row[1] for row in record._rows(NEWEST)}
            undo.pop_all()
        return record

    def size(self) -> int:
        """Bytes of the tables and of this machine's files."""
        return super().size() + int(self._value(BYTES, self.place.schema) or 0)

    @contextmanager
    def held(self, numbers: Iterable[int]) -> Iterator[None]:
        """Hold passages for work that nobody else shall do meanwhile, on whichever machine."""
        with translated(self.place):
            holding = connecting.connected(self.place)  # its end, however it comes, lets go of them
            try:
                for stripe in stripes_of(numbers):
                    name = f"{self.place.schema} {stripe}"
                    holding.execute("SELECT pg_advisory_lock(?, hashtext(?))", (connecting.STRIPE_LOCKS, name))
                yield
            finally:
                holding.connection.close()

    def behind(self) -> Mapping[str, str]:
        """The layers that were gathered elsewhere since they were here, with the fingerprints of their rows."""
        return self._unchanged("behind", self._behind)

    def caught_up(self, layer: str) -> None:
        """Note that what a layer serves here has all rows that there were when this was opened to catch up."""
        with self._writing() as connection:
            reached = (self._reached or {}).get(layer, 0)
            query = "UPDATE generations SET version = ? WHERE layer = ? AND place = ? AND version < ?"
            connection.execute(query, (reached, layer, self.place.key, reached))

    @property
    def notes(self) -> bool:
        """Whether this may note what happens to rows."""
        return self.writable and self._reached is None

    def pushed(self, layer: str) -> Generation | None:
        """What the layer has in the object store, if that is as new as what was gathered last."""
        rows = self._rows(PUSHED, layer, OBJECTS)
        return Generation(rows[0][0], json.loads(rows[0][1])) if rows else None

    def set_pushed(self, layer: str, name: str, description: Mapping[str, Any]) -> None:
        """Note that what the layer serves here is in the object store."""
        with self._writing() as connection:
            own = connection.execute(OWN, (layer, self.place.key)).get
            connection.execute(SERVE, (layer, OBJECTS, name, json.dumps(dict(description)), own[2]))

    def generation(self, layer: str) -> Generation | None:
        """What the layer serves in this folder, if anything."""
        rows = self._rows(OWN, layer, self.place.key)
        return Generation(rows[0][0], json.loads(rows[0][1])) if rows else None

    def set_generation(self, layer: str, name: str, description: Mapping[str, Any]) -> None:
        """Make a generation the current one of this folder; one that is new is what others are behind of."""
        told = json.dumps(dict(description))
        with self._writing() as connection:
            own = connection.execute(OWN, (layer, self.place.key)).get
            newest = connection.execute("SELECT max(version) FROM generations WHERE layer = ?", (layer,)).get or 0
            if own == (name, told, newest):
                return
            reached = newest + 1 if self._reached is None else self._reached.get(layer, 0)
            connection.execute(SERVE, (layer, self.place.key, name, told, reached))

    def _behind(self) -> dict[str, str]:
        own = "SELECT layer, version FROM generations WHERE place = ?"
        with self.snapshot():
            reached = dict(self._rows(own, self.place.key))
            newest = self._rows(NEWEST)
        return {
            layer: json.loads(description)["fingerprint"]
            for layer, number, description in newest
            if number > reached.get(layer, 0)
        }

    def _state(self) -> tuple[list[Any], list[Any]]:
        generations = "SELECT layer, name, description FROM generations WHERE place = ? ORDER BY layer"
        with self.snapshot():
            own = self._rows(generations, self.place.key)
            return [*self._went(), sorted(self._behind())], own

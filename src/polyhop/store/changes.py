"""What changed since somebody last looked, found in time for what changed and not for what is there."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from polyhop.ports import Ints
from polyhop.store.tables import StoreTables

NOTE: Final = "rows:{}"  # the fact about an index that has the lineage of a layer's rows
UNKNOWN: Final = -1  # no turn that can be told from another
SAVE_META = "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value"
DONE_AFTER = """
    SELECT passage FROM ledger WHERE layer = ? AND fingerprint = ? AND state = 'done' AND passage > ? ORDER BY passage
"""
DONE_AMONG = """
    SELECT ledger.passage FROM json_each(?) AS wanted
    CROSS JOIN ledger ON ledger.layer = ? AND ledger.passage = CAST(wanted.value AS BIGINT)
    WHERE ledger.fingerprint = ? AND ledger.state = 'done' ORDER BY ledger.passage
"""
UNTRIED = """
    SELECT number FROM passages WHERE number > ? AND NOT EXISTS (
        SELECT 1 FROM ledger WHERE ledger.layer = ? AND ledger.passage = passages.number AND ledger.fingerprint = ?
    )
"""
FAILED = "SELECT passage FROM ledger WHERE layer = ? AND fingerprint = ? AND state = 'failed'"


class Lineage(NamedTuple):
    """How the rows of a layer came about lately."""

    fingerprint: str  # that of all rows that were stored since the turn
    turn: int  # how often rows under another fingerprint, or failures in the place of rows, were stored
    settled: int = 0  # up to this number each passage was tried


class Changes(StoreTables):
    """Passages that came and went, and rows that did.

    Passages have ascending numbers, so that what came is what has a higher one. The numbers of those that went are
    kept by the database itself, 16 bytes each. Rows under one fingerprint come with new passages and go with them;
    whatever else happens to them is a *turn*, after which everything has to be looked at.
    """

    def meta(self, key: str) -> str | None:
        """A fact about the index, e.g. ``created`` (a time) and ``polyhop`` (the version that wrote it last)."""
        value: str | None = self._value("SELECT value FROM meta WHERE key = ?", key)
        return value

    def set_meta(self, key: str, value: str) -> None:
        """Store a fact about the index."""
        with self._writing() as connection:
            connection.execute(SAVE_META, (key, value))

    def highest(self) -> int:
        """The highest number of a passage; 0 where there is none."""
        return int(self._value("SELECT max(number) FROM passages") or 0)

    def numbers_after(self, number: int) -> Ints:
        """The numbers of the passages that have a higher one, ascending."""
        return self._ints("SELECT number FROM passages WHERE number > ? ORDER BY number", number)

    def gone_by_now(self) -> int:
        """The place of the last passage that went, among all that did; 0 where none has."""
        return int(self._value("SELECT max(place) FROM removed") or 0)

    def gone_since(self, place: int) -> Ints:
        """The numbers of the passages that went after such a place, ascending."""
        return self._ints("SELECT passage FROM removed WHERE place > ? ORDER BY passage", place)

    def done_after(self, layer: str, fingerprint: str, number: int) -> Ints:
        """What ``done`` tells, of passages that have a higher number."""
        return self._ints(DONE_AFTER, layer, fingerprint, number)

    def done_among(self, layer: str, fingerprint: str, numbers: Ints) -> Ints:
        """What ``done`` tells, of these passages."""
        return self._ints(DONE_AMONG, json.dumps(numbers.tolist()), layer, fingerprint)

    @property
    @abstractmethod
    def notes(self) -> bool:
        """Whether this may note what happens to rows: not where it only reads, or catches up."""

    def turn(self, layer: str, fingerprint: str) -> int:
        """Another number whenever rows under this fingerprint did anything but come and go with their passages.

        UNKNOWN where others have stored rows under another fingerprint, and this may not note that it looked since.
        """
        if not self.notes:
            lineage = self._lineage(layer)
            return lineage.turn if lineage is not None and lineage.fingerprint == fingerprint else UNKNOWN
        with self.transaction():
            lineage = self._lineage(layer)
            if lineage is None or lineage.fingerprint != fingerprint:
                lineage = Lineage(fingerprint, (lineage.turn if lineage else 0) + 1)
                self._note(layer, lineage)
            return lineage.turn

    def settle(self, layer: str, fingerprint: str) -> None:
        """Note that each passage was tried under a fingerprint, if it was: then nobody has to look at them again."""
        with self.transaction():
            turn, highest = self.turn(layer, fingerprint), self.highest()
            settled = self._settled(layer, fingerprint)
            if highest > settled and not self._rows(f"{UNTRIED} LIMIT 1", settled, layer, fingerprint):
                self._note(layer, Lineage(fingerprint, turn, highest))

    def _to_do(self, layer: str, fingerprint: str, retry_failed: bool) -> Ints:
        """The numbers of the passages that were not tried or, if these count, failed; ascending."""
        untried = self._ints(UNTRIED, self._settled(layer, fingerprint), layer, fingerprint)
        failed = self._ints(FAILED, layer, fingerprint) if retry_failed else untried[:0]
        return np.sort(np.concatenate((untried, failed)))  # none is in both, and union1d loads masked arrays

    def _turned(self, layer: str, fingerprint: str) -> None:
        """Note that rows are stored under a fingerprint; in a transaction."""
        lineage = self._lineage(layer)
        if lineage is not None and lineage.fingerprint != fingerprint:
            self._note(layer, Lineage(fingerprint, lineage.turn + 1))

    def _undone(self, layer: str, fingerprint: str, numbers: Sequence[int]) -> None:
        """Note that these passages failed, which may have had rows; in a transaction."""
        lineage = self._lineage(layer)
        if lineage is not None and len(self.done_among(layer, fingerprint, np.array(numbers, np.int64))):
            self._note(layer, lineage._replace(turn=lineage.turn + 1))

    def _settled(self, layer: str, fingerprint: str) -> int:
        lineage = self._lineage(layer)
        return lineage.settled if lineage is not None and lineage.fingerprint == fingerprint else 0

    def _lineage(self, layer: str) -> Lineage | None:
        told = self.meta(NOTE.format(layer))
        return Lineage(**json.loads(told)) if told else None

    def _note(self, layer: str, lineage: Lineage) -> None:
        self.set_meta(NOTE.format(layer), json.dumps(lineage._asdict()))

    def _ints(self, query: str, *values: Any) -> Ints:
        rows = self._rows(query, *values)
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

"""The ledger: what each layer derived from each passage, under which fingerprint, or why it could not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polyhop.errors import StoreError
from polyhop.ports import Ints
from polyhop.reports import LayerStatus
from polyhop.store.changes import NOTE, Changes
from polyhop.store.documents import PAGE, Documents
from polyhop.store.port import Generation
from polyhop.types import Passage

FETCH = 128  # passages cut at a time while a layer works through what is pending

RECORD_ROW = """
    INSERT INTO ledger(layer, passage, fingerprint, state, attempts, payload)
    SELECT :layer, number, :fingerprint, 'done', 1, :payload FROM passages WHERE number = :passage
    ON CONFLICT(layer, passage) DO UPDATE SET
        attempts = CASE WHEN ledger.fingerprint = excluded.fingerprint THEN ledger.attempts + 1 ELSE 1 END,
        fingerprint = excluded.fingerprint, state = 'done', error = NULL, payload = excluded.payload
"""
RECORD_FAILURE = """
    INSERT INTO ledger(layer, passage, fingerprint, state, attempts, error)
    SELECT :layer, number, :fingerprint, 'failed', 1, :error FROM passages WHERE number = :passage
    ON CONFLICT(layer, passage) DO UPDATE SET
        attempts = CASE WHEN ledger.fingerprint = excluded.fingerprint THEN ledger.attempts + 1 ELSE 1 END,
        fingerprint = excluded.fingerprint, state = 'failed', error = excluded.error, payload = NULL
"""
LAYERS = """
    WITH RECURSIVE in_ledger(layer) AS (
        SELECT min(layer) FROM ledger
        UNION ALL
        SELECT (SELECT min(layer) FROM ledger WHERE ledger.layer > in_ledger.layer) FROM in_ledger
        WHERE layer IS NOT NULL
    )
    SELECT layer FROM in_ledger WHERE layer IS NOT NULL UNION SELECT layer FROM generations ORDER BY layer
"""  # one step of the ledger's index for each layer, where DISTINCT would read all of it
PAYLOADS = """
    SELECT passage, payload FROM ledger
    WHERE layer = ? AND passage > ? AND state = 'done' AND fingerprint = coalesce(?, fingerprint)
    ORDER BY passage LIMIT ?
"""


class Ledger(Documents, Changes):
    """Keeps the rows and the failures of layers beside the passages that they come from."""

    def pending(
        self, layer: str, fingerprint: str, retry_failed: bool = True, *, dated: bool = False
    ) -> Iterator[tuple[int, Passage]]:
        """Passages that a layer has yet to do under a fingerprint, ascending; the writer may commit in between.

        They are handed out without headings and sections and, unless they are to be ``dated``, without occasions: rows
        depend on title and text alone.
        """
        numbers = self._to_do(layer, fingerprint, retry_failed).tolist()
        for start in range(0, len(numbers), FETCH):
            chunk = numbers[start : start + FETCH]
            for place, passage in self._cut(chunk).items():
                yield chunk[place], passage.for_layers(dated=dated)

    def count_pending(self, layer: str, fingerprint: str, retry_failed: bool = True) -> int:
        """How many passages ``pending`` would yield."""
        return len(self._to_do(layer, fingerprint, retry_failed))

    def record_rows(self, layer: str, fingerprint: str, rows: Sequence[tuple[int, bytes]]) -> int:
        """Store what was derived from passages, with the ledger entries; how many are still in the store to keep."""
        entries = [
            {"layer": layer, "fingerprint": fingerprint, "passage": int(number), "payload": payload}
            for number, payload in rows
        ]
        with self.transaction():
            self._turned(layer, fingerprint)
            return self._record(RECORD_ROW, entries)

    def record_failures(self, layer: str, fingerprint: str, failures: Sequence[tuple[int, str]]) -> int:
        """Note passages that could not be done and why; what was derived before is let go."""
        entries = [
            {"layer": layer, "fingerprint": fingerprint, "passage": int(number), "error": _storable(error)}
            for number, error in failures
        ]
        with self.transaction():
            self._turned(layer, fingerprint)
            self._undone(layer, fingerprint, [number for number, _ in failures])
            return self._record(RECORD_FAILURE, entries)

    def done(self, layer: str, fingerprint: str) -> Ints:
        """The numbers of the passages that a layer has done under a fingerprint, ascending."""
        return self.done_after(layer, fingerprint, 0)

    def payloads(self, layer: str, fingerprint: str | None = None) -> Iterator[tuple[int, bytes]]:
        """What was derived from each passage (under a fingerprint), ascending by number."""
        last = 0
        while True:
            rows = self._rows(PAYLOADS, layer, last, fingerprint, PAGE)
            yield from rows
            if len(rows) < PAGE:
                return
            last = rows[-1][0]

    def payloads_of(self, layer: str, numbers: Sequence[int], fingerprint: str | None = None) -> dict[int, bytes]:
        """What was derived from these passages (under a fingerprint), for those that have something."""
        return self._told("payload", "done", layer, numbers, fingerprint)

    def failures_of(self, layer: str, numbers: Sequence[int], fingerprint: str) -> dict[int, str]:
        """Why these passages could not be done under a fingerprint, for those that could not."""
        return self._told("error", "failed", layer, numbers, fingerprint)

    def _told(
        self, column: str, state: str, layer: str, numbers: Sequence[int], fingerprint: str | None
    ) -> dict[int, Any]:
        """A column of the entries of these passages that are in a state (under a fingerprint)."""
        query = f"""
            SELECT ledger.passage, ledger.{column} FROM json_each(?) AS wanted
            CROSS JOIN ledger ON ledger.layer = ? AND ledger.passage = CAST(wanted.value AS BIGINT)
            WHERE ledger.state = ? AND ledger.fingerprint = coalesce(?, ledger.fingerprint)
        """  # noqa: S608
        wanted = json.dumps([int(number) for number in numbers])
        return {row[0]: row[1] for row in self._rows(query, wanted, layer, state, fingerprint)}

    def layer_status(self, layer: str, fingerprint: str) -> LayerStatus:
        """How many passages are done, stale, failed and missing: together all of them."""
        query = "SELECT fingerprint = ?, state, count(*) FROM ledger WHERE layer = ? GROUP BY 1, 2"
        with self.snapshot():
            counts = {(row[0], row[1]): row[2] for row in self._rows(query, fingerprint, layer)}
            passages = self.count_passages()
        return LayerStatus(
            name=layer,
            done=counts.get((1, "done"), 0),
            failed=counts.get((1, "failed"), 0),
            stale=counts.get((0, "done"), 0) + counts.get((0, "failed"), 0),
            missing=passages - sum(counts.values()),
            fingerprint=fingerprint,
        )

    def layers(self) -> list[str]:
        """Names of the layers with an entry or a generation, sorted."""
        return [row[0] for row in self._unchanged("layers", lambda: self._rows(LAYERS))]

    def forget(self, layer: str) -> int:
        """Remove all of a layer's entries and its generation; how many entries went."""
        with self._writing() as connection:
            connection.execute("DELETE FROM generations WHERE layer = ?", (layer,))
            connection.execute("DELETE FROM meta WHERE key = ?", (NOTE.format(layer),))
            connection.execute("DELETE FROM ledger WHERE layer = ?", (layer,))
            return connection.changes()

    def generation(self, layer: str) -> Generation | None:
        """What the layer currently serves, if anything."""
        rows = self._rows("SELECT name, description FROM generations WHERE layer = ?", layer)
        return Generation(rows[0][0], json.loads(rows[0][1])) if rows else None

    def state(self) -> str:
        """Changes whenever a generation does, or passages go: a reader's sign to look again.

        Passages that came are found once a generation covers them.
        """
        return json.dumps(self._unchanged("state", self._state))

    def state_of(self, layer: str) -> str:
        """Likewise, of one layer."""
        went, generations = self._unchanged("state", self._state)
        return json.dumps([went, [row for row in generations if row[0] == layer]])

    def _state(self) -> tuple[list[Any], list[Any]]:
        """What went and is behind, and the generation of each layer."""
        generations = "SELECT layer, name, description FROM generations ORDER BY layer"
        with self.snapshot():
            return self._went(), list(self._rows(generations))

    def _went(self) -> list[int]:
        """Other numbers whenever passages have gone."""
        try:
            return [self.gone_by_now()]
        except StoreError:  # an earlier version made the record, which does not note it, and nobody has written since
            return list(self._rows("SELECT count(*), max(number) FROM passages")[0])

    def set_generation(self, layer: str, name: str, description: Mapping[str, Any]) -> None:
        """Make a generation the current one."""
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO generations VALUES (?, ?, ?)"
                " ON CONFLICT(layer) DO UPDATE SET name = excluded.name, description = excluded.description",
                (layer, name, json.dumps(dict(description))),
            )

    def _record(self, statement: str, entries: list[dict[str, Any]]) -> int:
        with self._writing() as connection:
            before = connection.total_changes()
            connection.executemany(statement, entries)
            return connection.total_changes() - before


def _storable(error: str) -> str:
    """An error message may quote text that cannot be encoded."""
    return error.encode(errors="backslashreplace").decode()

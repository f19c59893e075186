"""Runs to a segment: entities in the order of their keys, links in the order of entities, a stretch at a time.

What stays in memory grows with the number of entities and readings, by a few numbers each.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhop.indexes.csr import offsets
from polyhop.indexes.names import MISSING, key_hashes
from polyhop.indexes.run_merging import AT_ONCE, NamesOfRuns, starts_of, write_in_pieces, write_lists
from polyhop.indexes.streamed import FolderWriter, Onward, TextsWriter, streamed
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.runs import MAPS, PARTS, SortedRun
from polyhop.ports import Ints

READINGS = 1 << 16  # of all runs together that are read at once
WRITTEN = 1 << 13  # entities or readings that are written together
Places = Sequence[NDArray[np.intc]]  # for each run, what each of its entities or readings is in the segment


def merged(runs: Sequence[SortedRun], folder: Path, earlier: ParseKG) -> None:
    """Write the segment that all runs together are, behind those of an earlier graph.

    Raises StorageFull, and IndexCorrupt where a run was damaged meanwhile.
    """
    with streamed(folder) as writer:
        _write(runs, writer, earlier)


def _write(runs: Sequence[SortedRun], writer: FolderWriter, earlier: ParseKG) -> None:
    rows, sentences = offsets([run.rows for run in runs]), offsets([run.sentences for run in runs])
    named = _named(runs, writer, earlier)
    _link(runs, writer.part("said"), "said", named.reading_places, rows, named.readings)
    starts = {
        name: _link(
            runs,
            writer.part(name),
            name,
            named.entity_places,
            sentences if name in ("out", "into") else rows,
            len(named.ids),
        )
        for name in MAPS
    }
    _contains(runs, named.entity_places, writer.part("contains"))
    texts = writer.part("hyperrelations").texts()
    for run in runs:
        _copy_texts(run, texts)
    leading = named.ids[np.diff(starts["out"]) > 0]
    counts = [
        int(sentences[-1]),
        sum(run.headless for run in runs),
        int(np.count_nonzero(named.ids >= earlier.known)),
        int(np.count_nonzero(~earlier.leading(leading))),
        int(starts["out"][-1]),
        int(starts["into"][-1]),
    ]
    _places(runs, writer.part("places"), counts)


class _Named(NamedTuple):
    ids: Ints  # of entities, in the graph
    readings: int
    entity_places: Places
    reading_places: Places


def _named(runs: Sequence[SortedRun], writer: FolderWriter, earlier: ParseKG) -> _Named:
    """Write the names of entities, and their readings."""
    shared = NamesOfRuns([run.readings(max(1, READINGS // len(runs))) for run in runs])
    whose = array("i")  # of each reading
    keys, spelled, waiting = _Keys(writer.part("names"), earlier), writer.part("readings"), list[bytes]()
    texts = spelled.texts()
    for reading in shared:
        key, _, said = reading.partition(PARTS.encode())
        whose.append(keys.place_of(key))
        waiting.append(said.decode("utf-8", "surrogatepass").encode("utf-8", "replace"))
        if len(waiting) == WRITTEN:
            texts.add(waiting)
            waiting.clear()
    texts.add(waiting)
    ids = keys.finished()
    entities = np.frombuffer(whose, np.intc)
    write_in_pieces(spelled.array("first"), np.searchsorted(entities, np.arange(len(ids) + 1)))
    # nothing where each entity has its place as its number
    order = np.empty(0, np.int64) if np.array_equal(ids, np.arange(len(ids))) else np.argsort(ids, kind="stable")
    write_in_pieces(writer.part("ids").array("held"), ids, order)
    write_in_pieces(writer.part("ids").array("places"), order)
    places = shared.places()
    each = [entities[found[run.first_readings()]] for run, found in zip(runs, places, strict=True)]
    return _Named(ids, len(entities), each, places)


class _Keys:
    """Writes the names of entities as they come, in order, and finds or gives them their numbers in the graph."""

    def __init__(self, writer: FolderWriter, earlier: ParseKG) -> None:
        self._writer, self._texts, self._earlier = writer, writer.texts(), earlier
        self._count, self._new = 0, earlier.known
        self._waiting: list[bytes] = []
        self._hashes = [np.empty(0, np.uint64)]
        self._ids = [np.empty(0, np.int64)]
        self._last: bytes | None = None

    def place_of(self, key: bytes) -> int:
        """The place of a key, which is the last one or the next."""
        if key != self._last:
            self._last = key
            self._count += 1
            self._waiting.append(key)
            if len(self._waiting) == WRITTEN:
                self._write()
        return self._count - 1

    def finished(self) -> Ints:
        """The numbers of all entities, once all keys have come."""
        self._write()
        hashes, ids = np.concatenate(self._hashes), np.concatenate(self._ids)
        order = np.argsort(hashes, kind="stable")
        write_in_pieces(self._writer.array("values"), ids)
        write_in_pieces(self._writer.array("order"), order)
        write_in_pieces(self._writer.array("hashes", np.uint64), hashes, order)
        return ids

    def _write(self) -> None:
        self._texts.add(self._waiting)
        keys = [key.decode("utf-8", "surrogatepass") for key in self._waiting]
        ids = self._earlier.ids_of(keys)
        new = ids == MISSING
        ids[new] = self._new + np.arange(np.count_nonzero(new))
        self._new += int(np.count_nonzero(new))
        self._ids.append(ids)
        self._hashes.append(key_hashes(keys))
        self._waiting.clear()


def _link(runs: Sequence[SortedRun], writer: FolderWriter, name: str, places: Places, before: Ints, count: int) -> Ints:
    """Write what so many entities or readings are linked with. Returns where the links of each begin."""
    parts = [run.lists(name, place, base) for run, place, base in zip(runs, places, before[:-1].tolist(), strict=True)]
    starts = starts_of(parts, count)
    write_in_pieces(writer.array("starts"), starts)
    write_lists(parts, starts, writer.array("rights"))
    return starts


def _contains(runs: Sequence[SortedRun], places: Places, writer: FolderWriter) -> None:
    """Write which entities each passage mentions: what each run says, turned round."""
    starts, rights = writer.array("starts"), writer.array("rights")
    starts.add(np.zeros(1, np.int64))
    for run, place in zip(runs, places, strict=True):
        found = run.contains()
        starts.add(rights.rows + found.starts[1:])
        rights.add(place[found.rights])


def _copy_texts(run: SortedRun, texts: TextsWriter) -> None:
    """Write the hyperrelations of a run."""
    blob = Onward(run.arrays["hyperrelations"])
    for lengths in run.arrays["hyperrelation_lengths"].pieces(AT_ONCE >> 6):
        texts.lay(blob.next(int(lengths.sum(dtype=np.int64))), lengths.astype(np.int64))


def _places(runs: Sequence[SortedRun], writer: FolderWriter, counts: Sequence[int]) -> None:
    """Write the passages, where in them sentences stand, and what the segment adds to the counts."""
    numbers, rows = writer.array("numbers"), writer.array("sentence_rows")
    spans = writer.array("sentence_spans", row=(2,))
    writer.array("counts").add(np.array(counts, np.int64))
    before = offsets([run.rows for run in runs])
    for number, run in enumerate(runs):
        for piece in run.arrays["numbers"].pieces(AT_ONCE):
            numbers.add(piece)
        for piece in run.arrays["sentence_rows"].pieces(AT_ONCE):
            rows.add(piece + before[number])
        for piece in run.arrays["sentence_spans"].pieces(AT_ONCE):
            spans.add(piece)

"""Runs to the graph: entities in the order of their keys, links in the order of entities, a stretch at a time.

What stays in memory grows with the number of entities, by a few numbers each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhop.indexes.csr import offsets
from polyhop.indexes.names import key_hashes
from polyhop.indexes.run_merging import AT_ONCE, NamesOfRuns, starts_of, write_in_pieces, write_lists
from polyhop.indexes.streamed import Onward, TextsWriter, streamed
from polyhop.layers.parsekg.runs import MAPS, EntityOfRun, SortedRun

ENTITIES = 1 << 16  # of all runs together that are read at once
WRITTEN = 1 << 13  # entities that are written together


def merged(runs: Sequence[SortedRun], folder: Path) -> dict[str, int]:
    """Write the graph that all runs together are. Returns the counts that summaries show (Table 5).

    Raises StorageFull, and IndexCorrupt where a run was damaged meanwhile.
    """
    places, entities = _entities(runs, folder)
    leading, links = 0, {}
    for name in MAPS:
        before = offsets([run.rows if name in ("mentioned", "titled") else run.sentences for run in runs]).tolist()
        parts = [run.lists(name, place, base) for run, place, base in zip(runs, places, before[:-1], strict=True)]
        starts = starts_of(parts, entities)
        with streamed(folder / name) as writer:
            write_in_pieces(writer.array("starts"), starts)
            write_lists(parts, starts, writer.array("rights"))
        links[name] = int(starts[-1])
        if name == "out":
            leading = int(np.count_nonzero(np.diff(starts)))
    _contains(runs, places, folder / "contains")
    with streamed(folder / "hyperrelations") as writer:
        texts = writer.texts()
        for run in runs:
            _copy_texts(run, texts)
    _places(runs, folder / "places")  # last: its presence says that all is there
    return {
        "hyperrelations": sum(run.sentences for run in runs),
        "headless": sum(run.headless for run in runs),
        "entities": entities,
        "entry entities": leading,
        "head links": links["out"],
        "tail links": links["into"],
    }


def _entities(runs: Sequence[SortedRun], folder: Path) -> tuple[list[NDArray[np.intc]], int]:
    """Write names, aliases and labels; for each run which entity each of its entities is, and how many there are."""
    each = max(1, ENTITIES // max(1, len(runs)))
    names = NamesOfRuns([run.entities(each) for run in runs])
    hashes: list[NDArray[np.uint64]] = [np.empty(0, np.uint64)]
    with ExitStack() as open_folders:
        writers = [open_folders.enter_context(streamed(folder / name)) for name in ("names", "aliases", "labels")]
        keys, aliases, labels = (writer.texts() for writer in writers)
        waiting: list[tuple[bytes, bytes, bytes]] = []
        for shared in names:
            waiting.append((shared.name, *_as_shown(shared.said)))
            if len(waiting) == WRITTEN:
                hashes.append(_write(waiting, keys, aliases, labels))
        hashes.append(_write(waiting, keys, aliases, labels))
        together = np.concatenate(hashes)
        order = np.argsort(together, kind="stable")
        write_in_pieces(writers[0].array("values"), np.arange(names.count))
        write_in_pieces(writers[0].array("order"), order)
        write_in_pieces(writers[0].array("hashes", np.uint64), together, order)
    return names.places(), names.count


def _as_shown(found: Sequence[EntityOfRun]) -> tuple[bytes, bytes]:
    """An entity's spellings, the most frequent first, on a line each; and its label."""
    spellings, labels = found[0].spellings, found[0].labels
    if len(found) > 1:
        spellings = list(_summed(item for named in found for item in named.spellings).items())
        labels = list(_summed(item for named in found for item in named.labels).items())
    ordered = sorted(spellings, key=lambda item: (-item[1], item[0]))  # UTF-8 is in the order of its characters
    names = (" ".join(name.decode("utf-8", "surrogatepass").split()) for name, _ in ordered)
    label = min(labels, key=lambda item: (-item[1], item[0]))[0]
    return "\n".join(names).encode("utf-8", "replace"), label.encode("utf-8", "replace")


def _summed(counts: Iterable[tuple[Any, int]]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for what, count in counts:
        total[what] += count
    return total


def _write(
    waiting: list[tuple[bytes, bytes, bytes]], keys: TextsWriter, aliases: TextsWriter, labels: TextsWriter
) -> NDArray[np.uint64]:
    """Write what waits, and tell the hashes of its keys."""
    for place, texts in enumerate((keys, aliases, labels)):
        texts.add([row[place] for row in waiting])
    found = key_hashes([key.decode("utf-8", "surrogatepass") for key, _, _ in waiting])
    waiting.clear()
    return found


def _contains(runs: Sequence[SortedRun], places: Sequence[NDArray[np.intc]], folder: Path) -> None:
    """Write which entities each passage mentions: what each run says, turned round."""
    with streamed(folder) as writer:
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


def _places(runs: Sequence[SortedRun], folder: Path) -> None:
    """Write the passages, and where in them sentences stand."""
    with streamed(folder) as writer:
        numbers, rows = writer.array("numbers"), writer.array("sentence_rows")
        spans = writer.array("sentence_spans", row=(2,))
        before = offsets([run.rows for run in runs])
        for number, run in enumerate(runs):
            for piece in run.arrays["numbers"].pieces(AT_ONCE):
                numbers.add(piece)
            for piece in run.arrays["sentence_rows"].pieces(AT_ONCE):
                rows.add(piece + before[number])
            for piece in run.arrays["sentence_spans"].pieces(AT_ONCE):
                spans.add(piece)

"""How extraction on Ray grows with its workers, one core each, and what is left of it where workers are killed.

Each number of workers has a cluster of its own on this machine, whose workers have loaded the model before time is
taken. Then the same once more with all cores, while a worker is killed every few seconds. The rows of each run are
compared with those of the first: what a killed worker had in hand is done again, and nothing is there twice.

    python benchmarks/extraction_on_ray.py DATA [--layer parsekg] [--limit N] [--workers 1,2] [--kill SECONDS]
                                           [--json OUT]
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import psutil
from grown_corpus import read
from measuring import Figures, available_cores, beside_others, machine, save, show_load, show_table

from polyhop.indexing.executors.cluster import Cluster
from polyhop.ports import Chunk, Rows
from polyhop.settings import Settings
from polyhop.types import Passage

TOGETHER = 20  # passages in a chunk


def chunks_of(data: Path, limit: int) -> list[Chunk]:
    """The first passages of a data set, in chunks."""
    passages = [
        Passage(id=row.id, document_id=row.id, ordinal=0, start=0, end=len(row.text), title=row.title, text=row.text)
        for row in islice(read([data]), limit)
    ]
    return [Chunk(passages[start : start + TOGETHER]) for start in range(0, len(passages), TOGETHER)]


def measured(layer: str, chunks: Sequence[Chunk], workers: int, kill: float | None) -> tuple[Figures, list[Rows]]:
    """How many passages a second so many workers extract, and their rows."""
    with Cluster(workers=workers) as cluster:
        for _ in cluster.extract(layer, Settings(), [chunks[0]] * workers):
            pass  # each has loaded its model now
        begun = time.perf_counter()
        with killing(kill) as killed:
            rows = [row for some in cluster.extract(layer, Settings(), chunks) for row in some]
        seconds = time.perf_counter() - begun
    passages = sum(len(chunk.passages) for chunk in chunks)
    return {
        "workers": workers,
        "passages_a_second": passages / seconds,
        "seconds": seconds,
        "killed": len(killed),
    }, rows


@contextmanager
def killing(every: float | None) -> Iterator[list[int]]:
    """Meanwhile a worker of this machine is killed every so many seconds; which ones were."""
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while every is not None and not over.wait(every):
            there = [each for each in psutil.process_iter() if "ray::ClusterWorker" in " ".join(_said(each))]
            for victim in there[len(killed) % max(len(there), 1) :][:1]:  # one after the other
                victim.kill()
                killed.append(victim.pid)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    try:
        yield killed
    finally:
        over.set()
        killer.join()


def _said(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def main() -> None:
    """Measure, print the table, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a folder with corpus.jsonl")
    parser.add_argument("--layer", default="parsekg")
    parser.add_argument("--limit", type=int, default=2000, help="the first N passages (%(default)s)")
    parser.add_argument("--workers", type=lambda given: [int(one) for one in given.split(",")])
    parser.add_argument("--kill", type=float, default=20.0, help="seconds between two kills (%(default)s)")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    chunks = chunks_of(options.data, options.limit)
    counts = options.workers or list(range(1, available_cores() + 1))
    about = {**machine(), "data": options.data.resolve().name, "layer": options.layer, "passages": options.limit}
    found: dict[str, Figures] = {}
    expected: list[Rows] | None = None
    with beside_others(about):
        for workers, kill in [*((count, None) for count in counts), (counts[-1], options.kill)]:
            told, rows = measured(options.layer, chunks, workers, kill)
            expected = rows if expected is None else expected
            told |= {"same rows": rows == expected}
            found[f"{workers}" if kill is None else f"{workers}, one killed every {kill:g} s"] = told
            print(told, flush=True)
    first = found[f"{counts[0]}"]["passages_a_second"] / counts[0]
    rows_shown = [
        [name, one["passages_a_second"], one["passages_a_second"] / first / one["workers"], one["killed"]]
        for name, one in found.items()
    ]
    show_table(("workers", "passages a second", "of linear", "killed"), rows_shown)
    if not all(one["same rows"] for one in found.values()):
        raise SystemExit("THE ROWS DIFFER.")
    show_load(about)
    save(options.json, about, found)


if __name__ == "__main__":
    main()

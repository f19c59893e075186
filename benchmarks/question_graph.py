"""How long the graph of generated questions takes: to build, to change by a document, and to search.

Vectors are synthetic, and clustered as those of real questions are: all share a direction, a topic has one, a document
has one, and the rest is its own. Two questions of a document have a cosine of about 0.78, of a topic 0.62, others 0.46;
what is searched for is at about 0.7 from one of them. ``--vectors FILE`` takes real ones, unit rows in an .npy file.

The graph must equal scores of all pairs in double precision on a sample of nodes; a document that goes and comes back
must leave the graph as it was, bit for bit; with ``--rebuild``, the graph without it is built anew, too, and must be
the same. The naive side is the exact scan of all vectors (for a search) and building anew (for a document).

``--sizes`` measures something else: how the build grows where not all pairs are compared (``indexes/cells.py``), what
of the true neighbours it finds, and what a document costs then; ``--exact`` names sizes at which all pairs are, too.

    python benchmarks/question_graph.py [--nodes N] [--searched N] [-k K] [--vectors FILE] [--rebuild] [--json OUT]
    python benchmarks/question_graph.py --sizes N ... [--exact N ...] [--vectors FILE] [--json OUT]
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np
from measuring import (
    Figures,
    beside_others,
    machine,
    median,
    percentile,
    save,
    show_load,
    show_table,
    show_verdicts,
    verdict,
)

from polyhop.indexes.neighbours import NeighbourGraph
from polyhop.indexes.sign_codes import SignCodes
from polyhop.indexes.vectors import Vectors
from polyhop.ports import Floats, Ints

DIMENSIONS = 384
DOCUMENT = 200  # nodes: 10 passages of 20 questions
DOCUMENTS = 5  # that go and come back
TOPIC = 5_000  # nodes
SHARES = (0.46, 0.16, 0.16, 0.22)  # of a squared length: what all share, the topic, the document, the node's own
SAMPLE = 300  # nodes whose neighbours are compared with scores of all pairs
SEARCHES = 300
FOUND = 15
MOST = 16  # neighbours a node, where builds of several sizes are compared
BUILD_S, CHANGE_S, SEARCH_MS, RECALL = 90.0, 0.5, 30.0, 0.98
T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    """A result, and how many seconds it took on the clock and of this process's processor time."""
    start, spent = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - start, time.process_time() - spent


def directions(count: int, random: np.random.Generator) -> Floats:
    """Random unit vectors."""
    rows = random.standard_normal((count, DIMENSIONS), np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def clustered(count: int, path: Path) -> Floats:
    """Vectors as those of questions are, written to a file and mapped as an index maps them."""
    random = np.random.default_rng(11)
    common, topic, document, own = np.sqrt(np.array(SHARES, np.float32))
    everywhere, topics = directions(1, random), directions(-(-count // TOPIC), random)
    rows = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(count, DIMENSIONS))
    for start in range(0, count, DOCUMENT):
        size = min(DOCUMENT, count - start)
        about = topics[random.integers(len(topics))]  # documents of a topic do not stand together
        block = common * everywhere + topic * about + document * directions(1, random) + own * directions(size, random)
        rows[start : start + size] = block / np.linalg.norm(block, axis=1, keepdims=True)
    rows.flush()
    del rows
    return np.asarray(np.load(path, mmap_mode="r"))


def questions(vectors: Floats, count: int) -> Floats:
    """What is searched for: some of the vectors, moved."""
    random = np.random.default_rng(12)
    rows = vectors[random.choice(len(vectors), count, replace=False)] + directions(count, random)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def row(what: str, clock: Sequence[float], processor: Sequence[float], naive: float | None = None) -> Figures:
    """One row of the table, in milliseconds, from seconds."""
    return {
        "what": what,
        "p50_ms": median(clock) * 1e3,
        "p95_ms": percentile(clock, 95) * 1e3,
        "processor_p50_ms": median(processor) * 1e3,
        "processor_p95_ms": percentile(processor, 95) * 1e3,
        "naive_ms": None if naive is None else naive * 1e3,
        "ratio": None if naive is None else naive / median(clock),
    }


def nearest(vectors: Floats, node: int, k: int) -> Ints:
    """The k nodes nearest to a node by scores in double precision."""
    scores = np.concatenate([part.astype(np.float64) @ vectors[node] for part in np.array_split(vectors, 20)])
    scores = scores.astype(np.float32)
    scores[node] = -np.inf
    return np.lexsort((np.arange(len(scores)), -scores))[:k]


def recall_of(graph: NeighbourGraph, vectors: Floats) -> float:
    """The share of the true neighbours that are in the graph, for a sample of nodes."""
    sample = np.random.default_rng(13).choice(len(graph), min(SAMPLE, len(graph)), replace=False)
    shared = [len(np.intersect1d(graph.of(node)[0], nearest(vectors, node, graph.k))) for node in sample.tolist()]
    return sum(shared) / (len(sample) * graph.k)


def is_same(graph: NeighbourGraph, other: NeighbourGraph) -> bool:
    """Whether what is promised is the same, bit for bit."""
    return np.array_equal(graph.neighbours, other.neighbours) and np.array_equal(graph.cosines, other.cosines)


def built(vectors: Floats, k: int, folder: Path) -> tuple[NeighbourGraph, list[Figures], Figures]:
    """The graph as it is opened again, how long it took, and whether it is right."""
    tracemalloc.start()
    graph, clock, processor = timed(lambda: NeighbourGraph.build(vectors, k))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    graph.save(folder)
    opened = NeighbourGraph.open(folder)
    size = graph.lists.nbytes + graph.scores.nbytes + graph.keys.nbytes
    figures = {
        "build_s": clock,
        "build_processor_s": processor,
        "build_peak_mb": peak / 1e6,
        "graph_mb": size / 1e6,
        "graph_recall": recall_of(opened, vectors),
    }
    return opened, [row(f"build {len(graph):,} nodes, k = {k}", [clock], [processor])], figures


def changed(
    graph: NeighbourGraph, vectors: Floats, build_s: float, rebuild: bool, documents: int = DOCUMENTS
) -> tuple[list[Figures], Figures]:
    """How long a document takes to go and to come back, and whether that leaves a trace."""
    gone, back, same = [], [], []
    firsts = np.random.default_rng(14).choice(len(graph) // DOCUMENT, documents, replace=False) * DOCUMENT
    for first in firsts.tolist():
        rows = np.arange(first, first + DOCUMENT)
        left = np.delete(vectors, rows, axis=0)
        less, *spent = timed(lambda rows=rows, left=left: graph.without(rows, left))  # type: ignore[misc]
        gone.append(spent)
        more, *spent = timed(lambda less=less, rows=rows: less.extended(vectors, rows, graph.keys[rows]))  # type: ignore[misc]
        back.append(spent)
        same.append(is_same(more, graph))
    if rebuild:
        same.append(is_same(less, NeighbourGraph.build(left, graph.k, np.delete(graph.keys, rows))))
    table = [
        row(f"{what} a document of {DOCUMENT} nodes", [one[0] for one in times], [one[1] for one in times], build_s)
        for what, times in (("delete", gone), ("insert", back))
    ]
    return table, {"changes_equal": all(same), "rebuilt_to_compare": rebuild}


def recalls(graph: NeighbourGraph, vectors: Floats) -> dict[str, float]:
    """The share of the true nearest 3, and of as many as are promised, that are in the lists of a sample of nodes."""
    sample = np.random.default_rng(16).choice(len(graph), min(SAMPLE, len(graph)), replace=False)
    products = vectors[sample] @ vectors.T
    products[np.arange(len(sample)), sample] = -np.inf
    nearest_first = np.argpartition(-products, graph.k, axis=1)[:, : graph.k]
    order = np.argsort(-np.take_along_axis(products, nearest_first, axis=1), axis=1)
    true = np.take_along_axis(nearest_first, order, axis=1)
    found = graph.neighbours[sample]
    return {
        f"recall_{most}": float((true[:, :most, None] == found[:, None, :most]).any(axis=2).mean())
        for most in (3, graph.k)
    }


def growing(options: argparse.Namespace) -> None:
    """How long graphs of growing sizes take; figures are written after each, because the last ones take long."""
    about = about_vectors(options) | {"k": MOST}
    with TemporaryDirectory() as name, beside_others(about):
        vectors = loaded(options.vectors, max(options.sizes), Path(name))
        for figures in grown(vectors, options.sizes, options.exact):
            print(figures["figures"][-1], *figures["table"][-3:], sep="\n", flush=True)
            save(options.json, about, figures)
    save(options.json, about, figures)
    show_load(about)


def grown(vectors: Floats, sizes: Sequence[int], exact: Sequence[int]) -> Iterator[Figures]:
    """All figures so far, after each size."""
    table: list[Figures] = []
    figures: list[Figures] = []
    for size, pairs in [(size, 0) for size in sizes] + [(size, size) for size in exact]:
        nodes = np.array(vectors[:size])
        graph, clock, spent = timed(lambda nodes=nodes, pairs=pairs: NeighbourGraph.build(nodes, MOST, exact=pairs))  # type: ignore[misc]
        what = "all pairs" if pairs else "cells"
        one: Figures = {"nodes": size, "what": what, "build_s": clock, "build_processor_s": spent}
        one |= recalls(graph, nodes)
        table.append(row(f"build {size:,} nodes, k = {MOST}, {what}", [clock], [spent]))
        changes, same = changed(graph, nodes, clock, False, 2)
        table += [change | {"what": f"{change['what']}, {size:,} nodes, {what}"} for change in changes]
        figures.append(one | same)
        yield {"table": table, "figures": figures}


def loaded(path: Path | None, count: int, folder: Path) -> Floats:
    """So many vectors: those of a file, or synthetic ones."""
    if path is None:
        return clustered(count, folder / "vectors.npy")
    return np.asarray(np.load(path, mmap_mode="r")[:count], np.float32)


def about_vectors(options: argparse.Namespace) -> Figures:
    """What figures depend on."""
    return machine() | {"vectors": "real" if options.vectors else "synthetic", "shares": SHARES, "k": options.k}


def searched(vectors: Floats, folder: Path) -> tuple[list[Figures], Figures]:
    """How long a search takes by codes, with some nodes shut out, and by scanning all; and what the codes miss."""
    codes, clock, processor = timed(lambda: SignCodes.build(vectors))
    codes.save(folder)
    codes = SignCodes.open(folder)
    table = [row(f"encode {len(vectors):,} nodes", [clock], [processor])]
    everything = np.arange(len(vectors))
    exact = Vectors(numbers=everything, rows=everything, segments=(vectors,))
    asked = questions(vectors, SEARCHES)
    allowed = np.random.default_rng(15).random(len(vectors)) < 0.8
    codes.search(asked[0], FOUND, vectors)
    scans = [timed(lambda one=one: exact.search(one, FOUND)) for one in asked]  # type: ignore[misc]
    naive = median([one[1] for one in scans])
    runs = [timed(lambda one=one: codes.search(one, FOUND, vectors)) for one in asked]  # type: ignore[misc]
    shut = [timed(lambda one=one: codes.search(one, FOUND, vectors, allowed)) for one in asked]  # type: ignore[misc]
    name = f"search {len(vectors):,} nodes, the nearest {FOUND}"
    for what, times in ((name, runs), (f"{name} of 80 %", shut)):
        table.append(row(what, [one[1] for one in times], [one[2] for one in times], naive))
    table.append(row(f"{name}, all scanned", [one[1] for one in scans], [one[2] for one in scans]))
    shared = [len(np.intersect1d(mine[0][0], other[0][0])) for mine, other in zip(runs, scans, strict=True)]
    tracemalloc.start()
    codes.search(asked[0], FOUND, vectors)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return table, {
        "search_recall": sum(shared) / (FOUND * len(asked)),
        "search_peak_mb": peak / 1e6,
        "codes_mb": codes.planes.nbytes / 1e6,
        "vectors_mb": vectors.nbytes / 1e6,
        "cosine_of_the_first": median([float(one[0][1][0]) for one in scans]),
        "cosine_of_the_last": median([float(one[0][1][-1]) for one in scans]),
    }


def verdicts_of(table: Sequence[Figures], about: Figures, cores: int) -> list[Figures]:
    """What must be reached; processor time is held against the same limit on all cores."""
    by_name = {one["what"].split()[0]: one for one in table[:3]}
    search = next(one for one in table if one["what"].startswith("search"))
    return [
        verdict("build", about["build_s"], BUILD_S, "s"),
        verdict(f"build, processor time on {cores} cores", about["build_processor_s"] / cores, BUILD_S, "s"),
        verdict("recall of the graph on a sample", about["graph_recall"], RECALL, "", at_least=True),
        verdict("delete a document, slowest", by_name["delete"]["p95_ms"] / 1e3, CHANGE_S, "s"),
        verdict("delete, processor time", by_name["delete"]["processor_p95_ms"] / 1e3, CHANGE_S, "s"),
        verdict("insert a document, slowest", by_name["insert"]["p95_ms"] / 1e3, CHANGE_S, "s"),
        verdict("insert, processor time", by_name["insert"]["processor_p95_ms"] / 1e3, CHANGE_S, "s"),
        verdict("a changed graph equals one that is built", float(about["changes_equal"]), 1, "", at_least=True),
        verdict("search, p95", search["p95_ms"], SEARCH_MS, "ms"),
        verdict("search, p95 of processor time", search["processor_p95_ms"], SEARCH_MS, "ms"),
        verdict("recall of the search", about["search_recall"], RECALL, "", at_least=True),
    ]


def main() -> None:
    """Print the table with what must be reached, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000, help="of the graph that is built")
    parser.add_argument("--searched", type=int, default=500_000, help="nodes that are searched")
    parser.add_argument("-k", type=int, default=3, help="neighbours a node that are promised")
    parser.add_argument("--vectors", type=Path, help="unit rows of real texts, .npy, instead of synthetic ones")
    parser.add_argument("--rebuild", action="store_true", help="build the graph without a document, and compare")
    parser.add_argument("--sizes", type=int, nargs="+", default=[], help="of graphs of cells, instead of all else")
    parser.add_argument("--exact", type=int, nargs="*", default=[], help="sizes at which all pairs are compared, too")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    if options.sizes:
        growing(options)
        return
    with TemporaryDirectory() as name, beside_others(about := about_vectors(options)):
        folder = Path(name)
        vectors = loaded(options.vectors, max(options.searched, options.nodes), folder)
        nodes, many = np.array(vectors[: options.nodes]), vectors[: options.searched]
        graph, table, figures = built(nodes, options.k, folder / "graph")
        rows, same = changed(graph, nodes, figures["build_s"], options.rebuild)
        more_rows, search = searched(many, folder / "codes")
        del graph, vectors, many
    table += [*rows, *more_rows]
    figures |= same | search
    columns = ("what", "p50_ms", "p95_ms", "processor_p50_ms", "processor_p95_ms", "naive_ms", "ratio")
    headings = ["", "p50 ms", "p95 ms", "p50 ms processor", "p95 ms processor", "naive ms", "ratio"]
    show_table(headings, [[one[name] for name in columns] for one in table])
    print("\n" + ", ".join(f"{name} {value:,.4g}" for name, value in figures.items()))
    verdicts = verdicts_of(table, figures, about["cores"])
    show_verdicts(verdicts)
    show_load(about)
    save(options.json, about, {"table": table, "figures": figures, "verdicts": verdicts})


if __name__ == "__main__":
    main()

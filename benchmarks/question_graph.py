"""Walking the graph of generated questions: how long the neighbours of some nodes take, and how many of them are found.

Neighbours are found when they are walked (``QuestionGraph.around``): up to some size every node is compared, of more
those whose signs agree. The naive side is an exact search for each node by itself. What a document costs that comes or
goes is measured with a whole layer, in ``question_latency.py``.

Vectors are synthetic, clustered as those of generated questions are, or those of a file.

    python benchmarks/question_graph.py [--sizes N ...] [--walked N] [--vectors FILE] [--json OUT]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

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
    timed,
    verdict,
)

from polyhop.indexes.vectors import Vectors
from polyhop.layers.questions.graph import COMPARED
from polyhop.ports import Floats, Ints

DIMENSIONS = 384
DOCUMENT = 200  # nodes: 10 passages of 20 questions
TOPIC = 5_000  # nodes
SHARES = (0.46, 0.16, 0.16, 0.22)  # of a squared length: what all share, the topic, the document, the node's own
NEIGHBOURS = 10  # the most that figures walk to are 5
STEPS = 30  # that are walked: each from the nodes nearest to a question
LIMIT_MS, RECALL = 60.0, 0.99


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


def steps(vectors: Vectors, walked: int) -> list[Ints]:
    """The nodes nearest to some questions, which are nodes that were moved."""
    random = np.random.default_rng(12)
    asked = vectors.of(random.choice(len(vectors), STEPS, replace=False)) + directions(STEPS, random)
    lengths = np.linalg.norm(asked, axis=1, keepdims=True)
    return [vectors.search(np.asarray(one, np.float32), walked)[0] for one in asked / lengths]


def measured(rows: Floats, walked: int) -> Figures:
    """How long a step takes at the median and at p95, in ms of processor time, and what it finds of the neighbours."""
    whole = Vectors.of_all(np.arange(len(rows)), rows)
    exact = replace(whole, exact=len(rows))
    spent, naive, recalls = [], [], dict[int, list[float]]({2: [], NEIGHBOURS: []})
    for nodes in steps(whole, walked):
        queries = whole.of(nodes)
        found, _, seconds = timed(lambda queries=queries: whole.search_each(queries, NEIGHBOURS + 1, COMPARED))  # type: ignore[misc]
        spent.append(seconds * 1e3)
        true, _, seconds = timed(lambda each=queries: [exact.search(one, NEIGHBOURS + 1) for one in each])  # type: ignore[misc]
        naive.append(seconds * 1e3)
        for node, (mine, _), (all_, _) in zip(nodes.tolist(), found, true, strict=True):
            others = mine[mine != node], all_[all_ != node]
            for most, shares in recalls.items():
                shares.append(len(np.intersect1d(*(part[:most] for part in others))) / most)
    return {
        "nodes": len(rows),
        "step_p50_ms": median(spent),
        "step_p95_ms": percentile(spent, 95),
        "naive_p50_ms": median(naive),
        **{f"recall_{most}": float(np.mean(shares)) for most, shares in recalls.items()},
    }


def main() -> None:
    """Print the table with what must be reached, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sizes = (20_000, 100_000, 150_000, 500_000, 1_000_000)
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes, help="how many nodes there are")
    parser.add_argument("--walked", type=int, default=10, help="nodes whose neighbours are looked for at once")
    parser.add_argument("--vectors", type=Path, help="an .npy file with unit vectors, instead of synthetic ones")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    with TemporaryDirectory() as name, beside_others(about := machine()):
        every = np.load(options.vectors) if options.vectors else clustered(max(options.sizes), Path(name) / "rows.npy")
        table = [measured(np.array(every[:size]), options.walked) for size in options.sizes]
    columns = list(table[0])
    show_table([one.replace("_", " ") for one in columns], [[one[name] for name in columns] for one in table])
    verdicts = judged(table)
    show_verdicts(verdicts)
    show_load(about)
    about |= {"vectors": "real" if options.vectors else "synthetic", "shares": SHARES, "walked": options.walked}
    save(options.json, about, {"table": table, "verdicts": verdicts})


def judged(table: Sequence[Figures]) -> list[Figures]:
    """What must be reached of the largest size."""
    last = table[-1]
    return [
        verdict(f"a step over {last['nodes']:,} nodes, p95", last["step_p95_ms"], LIMIT_MS, "ms"),
        verdict("recall of the nearest 2", last["recall_2"], RECALL, "", at_least=True),
        verdict(f"recall of the nearest {NEIGHBOURS}", last[f"recall_{NEIGHBOURS}"], RECALL, "", at_least=True),
    ]


if __name__ == "__main__":
    main()

"""How long a breadth-first walk takes that ranks its paths, beside plain loops over dictionaries.

A synthetic graph with a heavy tail, saved and mapped as the facts layer does it, and a seed that everybody is next to.
Relations are random unit vectors, some far more frequent than others; a fact is worth the cosine of its relation with
the question, times how sure the extractor was. Both sides walk within the same bounds, and must find the same paths.
The naive side has its facts by entity and the cosines of all relations beforehand.

    python benchmarks/graph_walk.py [--facts N] [--entities N] [--json OUT]
"""

from __future__ import annotations

import argparse
import tracemalloc
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path as Folder
from tempfile import TemporaryDirectory

import numpy as np
import psutil
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
    times_row,
    verdict,
)

from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.breadth_first import Bounds, BreadthFirstWalk, WalkedPath, breadth_first
from polyhop.indexes.coverage import TokenCoverage
from polyhop.indexes.names import Names
from polyhop.indexes.texts import Texts
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.grown_graph import GrownGraph
from polyhop.layers.facts.stated import Stated
from polyhop.ports import Floats, Ints
from polyhop.types import Fact, Passage

RELATIONS = 50_000
DIMENSIONS = 384
HUB = 0  # the entity that everybody is next to
HUB_NEIGHBOURS = 50_000
SEEDS = 5
WALKS = 50
NAIVE_WALKS = 10
SMALL = 20  # passages of the second part
FACTS_A_PASSAGE = 10
LIMIT_MS = 20.0
BOUNDS = Bounds(depth=2)

Around = dict[int, list[tuple[int, int, bool]]]  # entity -> fact, where it leads, whether from head to tail
Seeds = list[tuple[int, float]]


def units(count: int, random: np.random.Generator) -> Floats:
    """Random unit vectors."""
    vectors = random.standard_normal((count, DIMENSIONS), np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def zipf(count: int, among: int, power: float, random: np.random.Generator) -> Ints:
    """Integers below ``among``, the lowest ones most often."""
    share = np.arange(1, among + 1) ** -power
    return random.choice(among, count, p=share / share.sum())


def large_graph(facts: int, entities: int, folder: Folder) -> FactGraph:
    """A graph as it is opened from a generation."""
    random = np.random.default_rng(7)
    heads, tails = (1 + zipf(facts, entities - 1, 0.7, random) for _ in range(2))
    own = random.choice(facts, HUB_NEIGHBOURS, replace=False)
    neighbours = 1 + random.permutation(entities - 1)[:HUB_NEIGHBOURS]
    heads[own], tails[own] = HUB, neighbours
    turned = own[: HUB_NEIGHBOURS // 2]
    heads[turned], tails[turned] = tails[turned], heads[turned]
    places = np.arange(facts, dtype=np.int64)
    keys = [f"entity {place}" for place in range(entities)]
    passages = -(-facts // FACTS_A_PASSAGE)
    pairs = np.concatenate([np.stack([ends, places], axis=1) for ends in (heads, tails)])
    nothing = np.zeros((facts, 2), np.int64)
    FactGraph(
        folder=None,
        alive=np.ones(passages, np.bool_),
        numbers=np.arange(1, passages + 1, dtype=np.int64),
        heads=heads,
        tails=tails,
        relation_ids=zipf(facts, RELATIONS, 1.0, random),
        rows=places // FACTS_A_PASSAGE,
        spans=nothing,
        confidences=random.uniform(0.5, 1, facts).astype(np.float32),
        spelled=nothing,
        labelled=nothing,
        relation_vectors=units(RELATIONS, random),
        relations=Texts.build([f"relation {place:05}" for place in range(RELATIONS)]),
        keys=Texts.build(keys),
        aliases=Texts.build(keys),
        reasons=Texts.build([""] * entities),
        labels=Texts.build([""] * entities),
        kinds=Texts.build([""]),
        names=Names.build(keys, np.arange(entities)),
        coverage=TokenCoverage.build([], np.empty(0, np.int64)),  # the walk looks no words up
        around=Adjacency.build(pairs, entities),
    ).save(folder)
    return FactGraph.open(folder, np.arange(1, passages + 1, dtype=np.int64))


def small_graph(after: int, entities: int) -> FactGraph:
    """What a question adds: a few passages about entities that there are and about new ones."""
    random = np.random.default_rng(8)

    def stated() -> Iterator[Stated]:
        for number in range(after + 1, after + 1 + SMALL):
            title = f"Entity {random.integers(entities)}"
            passage = Passage(id=title, document_id=title, ordinal=0, start=0, end=1, title=title, text="…")
            others = [f"Entity {random.integers(2 * entities)}" for _ in range(FACTS_A_PASSAGE)]
            yield (
                number,
                passage,
                [Fact(head=title, relation=f"leads to {other}", tail=other, start=0, end=1) for other in others],
            )

    return FactGraph.of(stated(), lambda texts: units(len(texts), random))


def seeds_of(graph: FactGraph, random: np.random.Generator) -> Seeds:
    """The hub, and entities that facts are about, the frequent ones more likely."""
    others = graph.heads[random.choice(len(graph.heads), SEEDS - 1)].tolist()
    return [
        (HUB, 0.9),
        *((entity, float(score)) for entity, score in zip(others, random.random(SEEDS - 1), strict=True)),
    ]


def walked(graph: GrownGraph, vector: Floats, seeds: Seeds) -> BreadthFirstWalk:
    """A walk as a strategy does it."""
    similarities = graph.similarities(vector)

    def worth(facts: Ints) -> Floats:
        return np.asarray((similarities(facts) + 1) / 2 * graph.confidences(facts), np.float32)

    return breadth_first(seeds, graph, worth, BOUNDS)


def by_entity(graph: FactGraph) -> Around:
    """The facts of each entity."""
    around: Around = defaultdict(list)
    for fact, (head, tail) in enumerate(zip(graph.heads.tolist(), graph.tails.tolist(), strict=True)):
        if head != tail:
            around[head].append((fact, tail, True))
            around[tail].append((fact, head, False))
    return around


def naively(around: Around, graph: FactGraph, vector: Floats, seeds: Seeds) -> list[WalkedPath]:
    """The same by plain loops."""
    cosines = (graph.relation_vectors @ vector).tolist()
    relations, sure = graph.relation_ids, graph.confidences
    followed: dict[int, list[tuple[float, int, int, bool]]] = {}

    def steps(entity: int) -> list[tuple[float, int, int, bool]]:
        if entity not in followed:
            scored = sorted(
                (-(cosines[relations[fact]] + 1) / 2 * float(sure[fact]), fact, target, forward)
                for fact, target, forward in around[entity]
            )
            seen: defaultdict[int, int] = defaultdict(int)
            kept = followed[entity] = []
            for step in scored:
                seen[step[2]] += 1
                if seen[step[2]] <= BOUNDS.parallel:
                    kept.append(step)
                if len(kept) == BOUNDS.fan_out:
                    break
        return followed[entity]

    level = [(WalkedPath((seed,), (), (), score), score, 0.0) for seed, score in dict(reversed(seeds)).items()]
    found: list[WalkedPath] = []
    for length in range(1, BOUNDS.depth + 1):
        level.sort(key=lambda one: (-one[0].score, one[0].entities, one[0].facts))
        wide = set(list(dict.fromkeys(one[0].entities[-1] for one in level))[: BOUNDS.frontier])
        chosen = [one for one in level if one[0].entities[-1] in wide][: BOUNDS.paths]
        level = []
        for path, weight, total in chosen:
            for less, fact, target, forward in steps(path.entities[-1]):
                if target not in path.entities:
                    score = weight * (total - less) / length * BOUNDS.decay ** (length - 1)
                    longer = WalkedPath((*path.entities, target), (*path.facts, fact), (*path.forward, forward), score)
                    level.append((longer, weight, total - less))
        found += [path for path, _, _ in level]
    return _best_once(found, dict(reversed(seeds)))


def _best_once(found: Sequence[WalkedPath], seeds: dict[int, float]) -> list[WalkedPath]:
    ranked = sorted(found, key=lambda path: (-path.score, -seeds[path.entities[0]], len(path.facts), path.entities))
    once: dict[tuple[int, ...], WalkedPath] = {}
    for path in ranked:
        once.setdefault(min(path.facts, path.facts[::-1]), path)
    return list(once.values())[: BOUNDS.paths]


def row(what: str, clock: Sequence[float], processor: Sequence[float], naive: Sequence[float] = ()) -> Figures:
    """One row of the table."""
    return {
        **times_row(what, clock, naive, unit="ms"),
        "processor_p50_ms": median(processor) * 1e3,
        "processor_p95_ms": percentile(processor, 95) * 1e3,
    }


def walks(what: str, graph: GrownGraph, asked: Sequence[tuple[Floats, Seeds]], naive: Sequence[float] = ()) -> Figures:
    """The row of some walks, after one that is not timed."""
    walked(graph, *asked[0])
    runs = [timed(lambda one=one: walked(graph, *one)) for one in asked]  # type: ignore[misc]
    return row(what, [run[1] for run in runs], [run[2] for run in runs], naive)


def naive_times(large: FactGraph, asked: Sequence[tuple[Floats, Seeds]]) -> list[float]:
    """How long plain loops take, checked to find the same paths."""
    around, graph = by_entity(large), GrownGraph.of([large])
    times = []
    for vector, seeds in asked:
        expected, spent, _ = timed(lambda vector=vector, seeds=seeds: naively(around, large, vector, seeds))  # type: ignore[misc]
        times.append(spent)
        ours = walked(graph, vector, seeds).paths
        assert np.allclose([path.score for path in ours], [path.score for path in expected], atol=1e-6)
        assert len({path.facts for path in ours} & {path.facts for path in expected}) > 0.98 * len(expected)  # ties
    return times


def memory(graph: GrownGraph, asked: Sequence[tuple[Floats, Seeds]]) -> Figures:
    """What a walk takes at its peak, and by how much the process has grown after all of them."""
    before = psutil.Process().memory_info().rss
    for one in asked:
        walked(graph, *one)
    grown = psutil.Process().memory_info().rss - before
    tracemalloc.start()
    walked(graph, *asked[0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"peak_mb": peak / 1e6, "grown_mb": grown / 1e6, "walks": len(asked)}


def main() -> None:
    """Print the table with what must be reached, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--entities", type=int, default=200_000)
    parser.add_argument("--json", type=Folder, help="write the figures here, too")
    options = parser.parse_args()
    about: Figures = {
        **machine(),
        "facts": options.facts,
        "entities": options.entities,
        "relations": RELATIONS,
        "hub": HUB_NEIGHBOURS,
        "seeds": SEEDS,
        "walks": WALKS,
        "bounds": {name: getattr(BOUNDS, name) for name in ("depth", "frontier", "fan_out", "parallel", "paths")},
    }
    random = np.random.default_rng(9)
    with TemporaryDirectory() as folder:
        large = large_graph(options.facts, options.entities, Folder(folder) / "graph")
        small = small_graph(len(large.numbers), options.entities)
        asked = list(zip(units(WALKS, random), [seeds_of(large, random) for _ in range(WALKS)], strict=True))
        with beside_others(about):
            alone = GrownGraph.of([large])
            naive = naive_times(large, asked[:NAIVE_WALKS])
            table = [walks("a walk over the large graph", alone, asked, naive)]
            made = [timed(lambda: GrownGraph.of([large, small])) for _ in range(WALKS)]
            table.append(row(f"join it with {SMALL} passages", [one[1] for one in made], [one[2] for one in made]))
            table.append(walks("a walk over both", made[0][0], asked))
        used = memory(alone, asked)
    columns = ("what", "p50_ms", "p95_ms", "processor_p50_ms", "processor_p95_ms", "naive_ms", "ratio")
    headings = ["", "p50 ms", "p95 ms", "p50 ms processor", "p95 ms processor", "naive ms", "ratio"]
    show_table(headings, [[one[name] for name in columns] for one in table])
    print(f"\nA walk takes {used['peak_mb']:.1f} MB; the process grew by {used['grown_mb']:.1f} MB in {WALKS} walks.")
    kinds = {"p50_ms": "median", "processor_p50_ms": "median of processor time"}
    verdicts = [
        verdict(f"{one['what']}, {kind}", one[name], LIMIT_MS, "ms")
        for one in (table[0], table[2])
        for name, kind in kinds.items()
    ]
    show_verdicts(verdicts)
    show_load(about)
    save(options.json, about, {"table": table, "memory": used, "verdicts": verdicts})


if __name__ == "__main__":
    main()

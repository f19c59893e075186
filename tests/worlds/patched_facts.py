"""Graphs of facts over which a change is laid, indexes of them, and all that such a graph tells."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from polyhop.indexes.segments import AllBut
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.grown_graph import GrownGraph
from polyhop.ports import Ints
from polyhop.store.record import Record
from tests.worlds.stated_facts import LAYER, MODELS, NAMES, TEXTS, TITLES, Told, at_once, fact, gather

NONE = AllBut(np.empty(0, np.int64))


def said(graph: FactGraph) -> dict[str, Any]:
    """All that a graph tells, by names and places and not by its positions."""

    def facts(positions: Ints) -> list[object]:
        return [(graph.place(position), graph.fact(position)) for position in positions.tolist()]

    def keys(entities: Iterable[int | None]) -> list[str | None]:
        return [None if entity is None else graph.keys[entity] for entity in entities]

    entities, stated = graph.entities.tolist(), graph.facts
    anchors = {
        (name, k): [(graph.keys[entity], share) for entity, share in graph.anchors(name, k)]
        for name in (*NAMES, "the Old Korr of Ada Oar")
        for k in (1, 2, 5)
    }
    running = (*NAMES, *TEXTS, "Ada Brisk, the Korr ship and the Tarn Rowing Club (TRC) of Old Oar and korr (film).")
    return {
        "facts": facts(stated),
        "vectors": graph.relation_vectors[graph.relation_ids[stated]].tolist(),
        "entities": [(graph.entity(entity), graph.reasons[entity]) for entity in entities],
        "ends": [keys(ends[stated].tolist()) for ends in (graph.heads, graph.tails)],
        "touching": [facts(graph.touching([entity])) for entity in entities],
        "around": [len(graph.around.of(entity)) for entity in entities],
        "degrees": graph.around.degrees()[entities].tolist(),
        "titled": [graph.passages_titled(entity) for entity in entities],
        "of passages": {number: facts(graph.facts_of(number)) for number in range(20)},
        "found": keys(map(graph.find, (*NAMES, *TITLES, "nobody"))),
        "named": [keys(graph.named_in(text, careful=careful)) for text in running for careful in (True, False)],
        "names": sorted((name, graph.keys[entity]) for name, entity in graph.names.items()),
        "anchors": anchors,
        "counts": graph.counts,
        "grown": GrownGraph.of([graph]).counts,
    }


def segments_of(index: Path) -> list[str]:
    """What the generation of an index is made of."""
    with Record.open(index) as record:
        current = record.generation("facts")
        assert current is not None
        names: list[str] = current.description["segments"]
        return names


def opened(index: Path) -> FactGraph:
    """The graph of an index."""
    with Record.open(index) as record:
        return LAYER.open(record, index / "generations" / "facts", MODELS)


OUTGROWN: list[Told] = [(f"Night {day}", "…", [fact(f"Night {day}", "follows", f"Day {day}")], {}) for day in range(4)]


def assert_is_merged(index: Path) -> None:
    """An index has one graph, that which is gathered at once, and nothing else."""
    assert gather(index) == at_once(index)
    shutil.rmtree(index.with_name(f"{index.name}-whole"))
    assert_reads_as_at_once(index)
    assert len(segments_of(index)) == len(list((index / "generations" / "facts").iterdir())) == 1
    assert [each.name for each in (index / "generations").iterdir()] == ["facts"]


def assert_reads_as_at_once(index: Path) -> None:
    """An index tells what one does that was gathered at once."""
    at_once(index)
    copy = index.with_name(f"{index.name}-whole")
    assert said(opened(index)) == said(opened(copy))
    assert told_of(index) == told_of(copy)
    shutil.rmtree(copy)


def told_of(index: Path) -> dict[str, Any]:
    """What the description of a generation counts."""
    with Record.open(index) as record:
        current = record.generation("facts")
        assert current is not None
        return {name: current.description[name] for name in ("facts", "entities", "relations", "rejected", "of")}

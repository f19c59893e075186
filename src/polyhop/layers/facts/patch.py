"""A change laid over the graph that it changes: what it touches is kept beside it, and all else stays where it is.

A patch says all that came and went since its graph was written whole, so that there is one at a time. Reading through
it gives what a graph gathered whole gives; only positions differ: facts of passages that went keep theirs, and entities
that came stand behind the others. So it is written, and opened, in time for what changed; when much has, the graph is
written whole beside it (``changed_graph.py``), while questions and further changes go on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isqrt
from pathlib import Path
from typing import Any, Final

import numpy as np

from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.coverage import TokenCoverage
from polyhop.indexes.names import Names
from polyhop.indexes.patched import Patch, PatchedAdjacency, PatchedCoverage, PatchedNames, PatchedTexts
from polyhop.indexes.segments import AllBut, Live, alive_among, check_fit, read_arrays
from polyhop.indexes.splicing import Vocabulary, places_in
from polyhop.indexes.streamed import read_with_room, room_in, streamed
from polyhop.indexes.texts import Texts
from polyhop.layers.facts.changed_graph import ChangedGraph
from polyhop.layers.facts.gathered import GatheredFacts, GraphCounts, check_kept
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.graph_parts import ARRAYS, TEXTS, entity_parts, in_order
from polyhop.layers.facts.merging import BY_NAME
from polyhop.ports import Embed, Ints

FOLDER: Final = "patch"  # in that of a generation
LEAST: Final = 5000  # passages; a smaller graph is written whole in half a second
BESIDE: Final = ("gone", "hidden", "ids", "before", "moved", "emptied", "lefts")


def may_patch(base: Path, changed: ChangedGraph) -> bool:
    """Whether a change is laid over the graph in a folder: it adds behind what is there, and has room.

    What goes counts, too: nothing is written of it, but what is around it is told again. Raises IndexCorrupt.
    """
    graph, new = changed.before.graph, changed.new
    if len(graph.numbers) < LEAST:
        return False
    room = room_in(base / "facts", ARRAYS)
    passages = len(new.numbers) + int(np.count_nonzero(~graph.alive))
    wanted = {name: len(new.heads) for name in ARRAYS}
    wanted |= {"numbers": passages, "relation_vectors": len(_Draft(changed).relations.texts)}
    behind = new.numbers[:1] > graph.numbers[-1]
    return bool(behind.all()) and all(wanted[name] <= room[name] for name in ARRAYS)


def write_patch(
    folder: Path, base: Path, changed: ChangedGraph, came: GatheredFacts, embed: Embed, whole: GraphCounts
) -> None:
    """Write a change as a patch of the graph in a folder that stays, of which ``whole`` is what it has.

    Raises StorageFull.
    """
    draft, place = _Draft(changed), folder / FOLDER
    vectors = np.asarray(embed(draft.relations.texts), np.float32)  # before anything is written, as in ``stated_parts``
    gone = draft.graph.numbers[~draft.graph.alive]
    sizes = {name: whole.sizes[name] + more for name, more in draft.more().items()}
    counts = GraphCounts(sizes=sizes, rejected=changed.before.beside.reasons_with(gone, came, whole.rejected))
    parts = entity_parts(changed.ends)
    names: Names = parts["names"]()
    lefts, own = draft.around()
    with streamed(place) as writer:
        for name in ("keys", "aliases", "reasons", "labels", "coverage"):
            writer.keep(name, parts[name]())
        writer.keep("names", replace(names, values=draft.ids[names.values]))
        writer.keep("relations", Texts.build(draft.relations.texts))
        writer.keep("kinds", Texts.build(draft.kinds.texts))
        writer.keep("told", Texts.build([base.name, json.dumps(asdict(counts))]))
        writer.keep("around", own)
        arrays = {**draft.facts(), **draft.beside(), "relation_vectors": vectors, "lefts": lefts}
        writer.part("facts").put(arrays)


@dataclass(frozen=True, eq=False)
class _Added:
    """Texts that facts come to have, those that none had behind the others."""

    texts: Sequence[str]  # those that none had
    ids: Ints  # as given, but of all texts

    @classmethod
    def of(cls, before: Texts, texts: Sequence[str], ids: Ints) -> _Added:
        ordered, which = in_order(texts, ids)
        joined = Vocabulary.of(before, np.ones(len(before), np.bool_), ordered)
        places = np.where(joined.new, len(before) + np.cumsum(joined.new) - 1, joined.at)
        added = [ordered[place] for place in np.flatnonzero(joined.new).tolist()]
        return cls(added, places[which[ids]] if len(ids) else ids)


@dataclass(frozen=True, eq=False)
class _Draft:
    """What a patch says of a change."""

    changed: ChangedGraph

    @cached_property
    def graph(self) -> FactGraph:
        return self.changed.before.graph

    @cached_property
    def before(self) -> Ints:
        """Before which of the entities that were there each of those that the patch tells of stands."""
        return places_in(self.graph.keys, self.changed.ends.keys)

    @cached_property
    def ids(self) -> Ints:
        """What entities are: one with the key of another that was there is that one; the rest come behind them."""
        keys, there = self.graph.keys, len(self.graph)
        pairs = zip(self.before.tolist(), self.changed.ends.keys, strict=True)
        same = np.array([place < there and keys[place] == key for place, key in pairs], np.bool_)
        return np.where(same, self.before, there + np.cumsum(~same) - 1)

    @cached_property
    def relations(self) -> _Added:
        return _Added.of(self.graph.relations, self.changed.new.relations, self.changed.new.relation_ids)

    @cached_property
    def kinds(self) -> _Added:
        return _Added.of(self.graph.kinds, self.changed.new.labels, self.changed.new.labelled)

    @cached_property
    def sides(self) -> list[tuple[Ints, Ints, Ints]]:
        """Of heads and of tails: the facts that stay and are touched, their entities now, and those of new facts."""
        told = ((self.changed.old[side], *self.changed.at(side, self.changed.ends.ends)) for side in (0, 1))
        return [(facts, self.ids[old], self.ids[new]) for facts, old, new in told]

    @cached_property
    def moved(self) -> Ints:
        """Ends that name another entity, or another spelling of it: fact, side, entity, and which spelling."""
        found = []
        for side, (facts, entities, _) in enumerate(self.sides):
            spelled, _ = self.changed.at(side, self.changed.ends.spelled)
            ends = (self.graph.heads, self.graph.tails)[side]
            rows = np.stack([facts, np.full(len(facts), side), entities, spelled], axis=1)
            found.append(rows[(ends[facts] != entities) | (self.graph.spelled[facts, side] != spelled)])
            gone = self.changed.before.facts_gone  # their spellings may not be there any more
            found.append(np.stack([gone, np.full(len(gone), side), ends[gone], np.zeros(len(gone), np.int64)], axis=1))
        return np.concatenate(found)

    @cached_property
    def emptied(self) -> Ints:
        """The entities whose facts went, or have another entity now, or this one for another; ascending."""
        gone = self.changed.before.facts_gone
        found = []
        for side, (facts, entities, _) in enumerate(self.sides):
            ends = (self.graph.heads, self.graph.tails)[side]
            others = ends[facts] != entities
            found += [ends[gone], ends[facts[others]], entities[others]]
        return np.unique(np.concatenate(found))

    def around(self) -> tuple[Ints, Adjacency]:
        """Entities with the facts that the patch says are around them: all facts of those emptied, else new ones."""
        pairs = []
        for facts, entities, new in self.sides:
            whole = np.isin(entities, self.emptied)
            pairs.append(np.stack([entities[whole], facts[whole]], axis=1))
            pairs.append(np.stack([new, len(self.graph.heads) + np.arange(len(new))], axis=1))
        together = np.concatenate(pairs)
        lefts, together[:, 0] = np.unique(together[:, 0], return_inverse=True)
        return lefts, Adjacency.build(together, len(lefts))

    def facts(self) -> dict[str, Any]:
        """The rows that come behind those of the graph's arrays, but for the vectors of relations."""
        new = self.changed.new
        spelled = [self.changed.at(side, self.changed.ends.spelled)[1] for side in (0, 1)]
        return {
            "numbers": np.array(new.numbers),
            "heads": self.sides[0][2],
            "tails": self.sides[1][2],
            "relation_ids": self.relations.ids,
            "rows": len(self.graph.numbers) + new.rows,
            "spans": np.array(new.spans),
            "confidences": np.array(new.confidences),
            "spelled": np.stack(spelled, axis=1),
            "labelled": self.kinds.ids,
        }

    def beside(self) -> dict[str, Any]:
        """What is different of the rows that stay."""
        return {
            "gone": np.flatnonzero(~self.graph.alive),
            "hidden": np.flatnonzero(self.changed.touched.entities),
            "ids": self.ids,
            "before": self.before,
            "moved": self.moved,
            "emptied": self.emptied[self.emptied < len(self.graph)],
        }

    def more(self) -> dict[str, int]:
        """By how much the counts of the graph grow."""
        graph, new, gone = self.graph, self.changed.new, self.changed.before.facts_gone
        hidden = np.flatnonzero(self.changed.touched.entities).tolist()
        reasons = [reason for entity in hidden for reason in graph.reasons[entity].split("\n")]
        return {
            "entities": len(self.ids) - len(hidden),
            "relations": len(self.relations.texts) - self._unused(),
            "facts": len(new.heads) - len(gone),
            "merged": _joined(self.changed.ends.reasons) - _joined(reasons),
            "passages": len(np.unique(new.rows)) - len(np.unique(graph.rows[gone])),
        }

    def _unused(self) -> int:
        """How many relations no fact has any more."""
        gone = self.graph.relation_ids[self.changed.before.facts_gone]
        if not len(gone):
            return 0
        left = np.bincount(self.graph.relation_ids, minlength=len(self.graph.relations))
        left -= np.bincount(gone, minlength=len(left))
        left[self.relations.ids[self.relations.ids < len(left)]] += 1
        return int(np.count_nonzero(left == 0))


def _joined(reasons: Sequence[str]) -> int:
    return sum(reason not in ("", BY_NAME) for reason in reasons)


@dataclass(frozen=True, kw_only=True, eq=False)
class PatchedGraph(FactGraph):
    """A graph with a patch."""

    patch: Patch  # of entities
    told: GraphCounts
    gone: Ints  # rows of passages that went before it was written

    @classmethod
    def open(cls, folder: Path, live: Live) -> PatchedGraph:
        """A graph that was saved with its patch, as ``FactGraph.open``. Raises IndexCorrupt."""
        place = folder / FOLDER
        told, base = read_arrays(place / "facts", (*ARRAYS, *BESIDE)), _base(folder)
        arrays = read_with_room(base / "facts", {name: len(told[name]) for name in ARRAYS})
        keys = Texts.open(base / "keys")
        check_fit(place, _fits(told, len(keys), {name: len(arrays[name]) for name in ARRAYS}))
        _lay(told, arrays)
        patch = Patch(hidden=_marked(told["hidden"], len(keys)), ids=told["ids"], before=told["before"])
        alive = alive_among(arrays["numbers"], live)
        alive[told["gone"]] = False

        def texts(name: str) -> PatchedTexts:
            there, own = Texts.open(base / name), Texts.open(place / name)
            whose = patch if name in ("keys", "aliases", "reasons", "labels") else Patch.adding(len(there), len(own))
            return PatchedTexts.over(there, whose, own)

        kept: dict[str, Any] = {**arrays, **{name: texts(name) for name in TEXTS}}
        own = Adjacency.open(place / "around")
        emptied = _marked(told["emptied"], len(keys))
        return cls(
            folder=folder,
            alive=alive,
            names=PatchedNames.over(Names.open(base / "names"), patch, Names.open(place / "names")),
            coverage=PatchedCoverage.over(
                TokenCoverage.open(base / "coverage"), patch, TokenCoverage.open(place / "coverage")
            ),
            around=PatchedAdjacency.over(Adjacency.open(base / "around"), patch.size, emptied, told["lefts"], own),
            patch=patch,
            told=_counts(folder),
            gone=told["gone"],
            **kept,
        )

    @property
    def counts(self) -> dict[str, int]:
        """What summaries show."""
        return self.told.sizes

    @property
    def entities(self) -> Ints:
        """The positions of all entities, in the order of their keys."""
        return self.patch.in_order

    @property
    def facts(self) -> Ints:
        """The positions of all facts, in order."""
        return np.flatnonzero(~_marked(self.gone, len(self.numbers))[self.rows])

    @property
    def counted(self) -> dict[str, int]:
        """How many entities and facts there were when it was gathered."""
        return self.told.sizes

    @property
    def settled(self) -> int:
        """How many rows are not alive, of whose facts nothing is left elsewhere."""
        return len(self.gone)


def open_graph(folder: Path, live: Live) -> FactGraph:
    """The graph of a generation, whole or patched, without passages that are not live any more. Raises IndexCorrupt."""
    return (PatchedGraph if (folder / FOLDER).is_dir() else FactGraph).open(folder, live)


def numbers_in(folder: Path) -> Ints:
    """The passage numbers of the graph of a generation, ascending. Raises IndexCorrupt."""
    if not (folder / FOLDER).is_dir():
        return FactGraph.numbers_in(folder)
    told = read_arrays(folder / FOLDER / "facts", ("numbers", "gone"))
    return np.concatenate([np.delete(FactGraph.numbers_in(_base(folder)), told["gone"]), told["numbers"]])


def is_outgrown(folder: Path) -> bool:
    """Whether a generation has a patch that tells of more passages than the square root of all.

    Up to there what patches cost, which grows with the change, and what whole graphs cost that are written now and
    then, which grows with the passages, are about the same. Raises IndexCorrupt.
    """
    if not (folder / FOLDER).is_dir():
        return False
    told = read_arrays(folder / FOLDER / "facts", ("numbers", "gone"))
    return len(told["numbers"]) + len(told["gone"]) > isqrt(len(FactGraph.numbers_in(_base(folder))))


def counts_of(folder: Path) -> GraphCounts | None:
    """What a patched graph has; None for one that is not. Raises IndexCorrupt."""
    return _counts(folder) if (folder / FOLDER).is_dir() else None


def is_sound(folder: Path) -> None:
    """Raises IndexCorrupt where a graph, or what the next gathering builds upon, is damaged."""
    check_kept(folder)
    open_graph(folder, AllBut(np.empty(0, np.int64)))


def _counts(folder: Path) -> GraphCounts:
    return GraphCounts(**json.loads(Texts.open(folder / FOLDER / "told")[1]))


def _base(folder: Path) -> Path:
    """The folder of the graph that a generation patches."""
    return folder.with_name(Texts.open(folder / FOLDER / "told")[0])


def _marked(places: Ints, count: int) -> Any:
    marked = np.zeros(count, np.bool_)
    marked[places] = True
    return marked


def _fits(told: Mapping[str, Any], entities: int, rows: Mapping[str, int]) -> bool:
    """Whether what a patch says is of a graph with so many entities, and with its own so many rows in its arrays."""
    size = max(entities, int(told["ids"].max(initial=-1)) + 1)
    bounds = [(told[name], entities) for name in ("hidden", "emptied")]
    bounds += [(told[name], size) for name in ("heads", "tails", "lefts")]
    bounds += [(told[name], rows["numbers"]) for name in ("rows", "gone")]
    bounds += [(told["relation_ids"], rows["relation_vectors"])]
    bounds += list(zip(told["moved"].T, (rows["heads"], 2, size), strict=False))
    return all(not len(ids) or 0 <= ids.min() <= ids.max() < bound for ids, bound in bounds)


def _lay(told: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write what a patch says over arrays that have room for it."""
    for name in ARRAYS:
        arrays[name][len(arrays[name]) - len(told[name]) :] = told[name]
    fact, side, entity, spelled = told["moved"].T
    for at, ends in enumerate(("heads", "tails")):
        arrays[ends][fact[side == at]] = entity[side == at]
    arrays["spelled"][fact, side] = spelled
    for array in arrays.values():
        array.flags.writeable = False

"""Overlays: lists of edits to a fact graph, kept beside it, so that a damaged graph can be asked and none is changed.

The robustness harness of C2RAG (section 4.3) makes them. A fact is named by the number of its passage and its place
among the facts of that passage, and an overlay fits one generation of the facts layer and no other.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polyhop.errors import IndexCorrupt, OverlayStale, StorageFull, UsageError, nearest
from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.coverage import TokenCoverage
from polyhop.indexes.names import Names, normal
from polyhop.indexes.texts import Texts
from polyhop.layers.facts import merging
from polyhop.layers.facts.graph import Embed, FactGraph
from polyhop.ports import Ints
from polyhop.store.whole_file import whole_file
from polyhop.types import Fact

FORMAT_VERSION = 1
FOLDER = "overlays"  # in the folder of the index
_NAME = re.compile(r"\w[\w.+-]{0,99}")


class Worded(NamedTuple):
    """What a fact says, apart from where it says it."""

    head: str
    relation: str
    tail: str
    head_label: str = ""
    tail_label: str = ""

    @classmethod
    def of(cls, fact: Fact) -> Worded:
        """The words of a fact."""
        return cls(fact.head, fact.relation, fact.tail, fact.head_label, fact.tail_label)

    def __str__(self) -> str:
        return f"{self.head} -({self.relation})-> {self.tail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One fact that is changed or, where nothing comes after it, removed."""

    passage: int  # number of the passage that states it
    ordinal: int  # its place among the facts of that passage, from 0
    kind: str  # of damage
    before: Worded
    after: Worded | None
    editor: str = "rules"  # or the name of the language model that worded it


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """Edits to the facts of one generation, and how they were drawn."""

    kind: str
    ratio: float  # of the pool that was to be edited, above 0 and at most 1
    seed: int
    generation: str  # of the facts layer; empty for a graph that is in memory only
    pool: int  # facts that could have been drawn
    edits: tuple[Edit, ...]  # in the order in which they were drawn, each fact once
    around: int | None = None  # names that the pool lies around; None: the whole graph

    @property
    def wanted(self) -> int:
        """How many facts were to be edited; there are fewer edits where the kind did not fit enough facts."""
        return quota(self.ratio, self.pool)

    @property
    def removed(self) -> int:
        """How many facts are removed."""
        return sum(edit.after is None for edit in self.edits)

    @property
    def kinds(self) -> dict[str, int]:
        """How many edits there are of each kind, by name."""
        return dict(sorted(Counter(edit.kind for edit in self.edits).items()))


def quota(ratio: float, pool: int) -> int:
    """How many facts a share of a pool is."""
    return round(ratio * pool)


def generation_of(graph: FactGraph) -> str:
    """The generation that a graph was opened from; empty for a graph that is in memory only."""
    return "" if graph.folder is None else graph.folder.name


def save(overlay: Overlay, index: Path, name: str) -> Path:
    """Store an overlay in the folder of an index, whole or not at all. Returns its file.

    Raises UsageError for a name that is no file name, StorageFull.
    """
    path = _file(index, name)
    content = {"format": FORMAT_VERSION, **asdict(overlay)}
    try:
        path.parent.mkdir(exist_ok=True)
        with whole_file(path) as file:
            file.write(json.dumps(content, ensure_ascii=False, indent=1).encode())
    except OSError as error:
        raise StorageFull(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


def read(index: Path, name: str) -> Overlay:
    """An overlay of an index. Raises UsageError where there is none of that name, IndexCorrupt."""
    path = _file(index, name)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return _overlay(content)
    except FileNotFoundError as error:
        raise UsageError(f"There is no overlay {name!r}.", remedy=nearest(name, names(index))) from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise IndexCorrupt(
            f"{path} is no overlay: {error}.", remedy=f"Remove it with: polyhop corrupt --remove {name}"
        ) from error


def names(index: Path) -> tuple[str, ...]:
    """The names of the overlays of an index, sorted."""
    return tuple(sorted(path.stem for path in (index / FOLDER).glob("*.json") if _NAME.fullmatch(path.stem)))


def remove(index: Path, name: str) -> None:
    """Remove an overlay. Raises UsageError where there is none of that name, StorageFull where it cannot go."""
    path = _file(index, name)
    try:
        path.unlink()
    except FileNotFoundError as error:
        raise UsageError(f"There is no overlay {name!r}.", remedy=nearest(name, names(index))) from error
    except OSError as error:
        raise StorageFull(f"{path} cannot be removed: {error.strerror or error}.") from error


def _file(index: Path, name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be the name of an overlay.", remedy="Use letters, digits, - and _.")
    return index / FOLDER / f"{name}.json"


def _overlay(content: Mapping[str, Any]) -> Overlay:
    if content["format"] != FORMAT_VERSION:
        raise ValueError(f"its format is {content['format']}, not {FORMAT_VERSION}")
    rest = {key: value for key, value in content.items() if key not in ("format", "edits")}
    return Overlay(edits=tuple(_edits(content["edits"])), **rest)


def _edits(rows: Iterable[Mapping[str, Any]]) -> Iterable[Edit]:
    for row in rows:
        after = None if row["after"] is None else Worded(*row["after"])
        yield Edit(**{**row, "before": Worded(*row["before"]), "after": after})


def place_of(graph: FactGraph, position: int) -> tuple[int, int]:
    """The number of the passage that states a fact, and the fact's place among those of the passage."""
    row = int(graph.rows[position])
    return int(graph.numbers[row]), position - int(np.searchsorted(graph.rows, row))


def position_of(graph: FactGraph, edit: Edit) -> int:
    """The fact that an edit is about. Raises OverlayStale where the graph has none there, or another one."""
    row = int(np.searchsorted(graph.numbers, edit.passage))
    if row < len(graph.numbers) and graph.numbers[row] == edit.passage:
        start, end = np.searchsorted(graph.rows, (row, row + 1)).tolist()
        position = int(start) + edit.ordinal
        if start <= position < end and Worded.of(graph.fact(position)) == edit.before:
            return position
    raise OverlayStale(f"The overlay changes the fact {edit.before}, which is not where it was.")


def checked(graph: FactGraph, overlay: Overlay) -> dict[int, Edit]:
    """The edits of an overlay by the facts that they change. Raises OverlayStale for a graph that it does not fit."""
    if generation_of(graph) != overlay.generation:
        raise OverlayStale("The overlay was made for another state of the index: its facts are numbered differently.")
    return {position_of(graph, edit): edit for edit in overlay.edits}


@dataclass(frozen=True, kw_only=True, eq=False)
class OverlaidGraph(FactGraph):
    """A graph with the edits of an overlay made, which knows what it was made of."""

    base: FactGraph
    origin: Ints  # fact -> the fact of the base that says the same; -1 for one that was changed


def overlaid(graph: FactGraph, overlay: Overlay, embed: Embed) -> OverlaidGraph:
    """The graph with the edits made, in memory; the graph itself is left as it is.

    What no fact names any more is no entity; a name that no fact has had becomes one. Entities that were merged stay
    so. ``embed`` makes the vectors of relations that are new. Raises OverlayStale for a graph that it does not fit.
    """
    edits = checked(graph, overlay)
    ends, relations, kinds = _Ends(graph), _Coded(graph.relations), _Coded(graph.kinds)
    columns = {name: np.array(getattr(graph, name)) for name in ("heads", "tails", "relation_ids")}
    spelled, labelled = np.array(graph.spelled), np.array(graph.labelled)
    kept, origin = np.ones(len(graph.heads), np.bool_), np.arange(len(graph.heads), dtype=np.int64)
    for position, edit in edits.items():
        if edit.after is None:
            kept[position] = False
            continue
        origin[position] = -1
        known = (int(graph.heads[position]), int(graph.tails[position]))
        head, spelled[position, 0] = ends.of(edit.after.head, edit.after.head_label, known)
        tail, spelled[position, 1] = ends.of(edit.after.tail, edit.after.tail_label, known)
        columns["heads"][position], columns["tails"][position] = head, tail
        columns["relation_ids"][position] = relations.of(_line(edit.after.relation))
        labelled[position] = kinds.of(edit.after.head_label), kinds.of(edit.after.tail_label)
    columns = {name: column[kept] for name, column in columns.items()}
    said, columns["relation_ids"] = relations.used(columns["relation_ids"])
    return OverlaidGraph(
        base=graph,
        origin=origin[kept],
        folder=None,
        alive=np.array(graph.alive),
        numbers=graph.numbers,
        rows=graph.rows[kept],
        spans=graph.spans[kept],
        confidences=graph.confidences[kept],
        relation_ids=columns["relation_ids"],
        spelled=spelled[kept],
        labelled=labelled[kept],
        relation_vectors=_vectors(graph, said, embed),
        relations=Texts.build(said),
        kinds=Texts.build(kinds.texts),
        **_named(graph, ends, columns["heads"], columns["tails"]),
    )


class _Coded:
    """Texts by code, with those that the edits add at the end."""

    def __init__(self, texts: Texts) -> None:
        self.texts = [texts[place] for place in range(len(texts))]
        self._codes = {text: code for code, text in enumerate(self.texts)}

    def of(self, text: str) -> int:
        if text not in self._codes:
            self._codes[text] = len(self.texts)
            self.texts.append(text)
        return self._codes[text]

    def used(self, codes: Ints) -> tuple[list[str], Ints]:
        """Those texts that the codes name, sorted, and the codes for them."""
        found = sorted(np.unique(codes).tolist(), key=lambda code: self.texts[code])
        places = np.zeros(len(self.texts), np.int64)
        places[found] = np.arange(len(found))
        return [self.texts[code] for code in found], places[codes]


class _Ends:
    """The entities of a graph, with the names and spellings that the edits add."""

    def __init__(self, graph: FactGraph) -> None:
        self._graph = graph
        self._new: dict[str, int] = {}  # key -> entity
        self.keys = [graph.keys[place] for place in range(len(graph))]
        self.labels = [graph.labels[place] for place in range(len(graph))]
        self.aliases = [graph.aliases[place].split("\n") for place in range(len(graph))]
        self.reasons = [graph.reasons[place].split("\n") for place in range(len(graph))]

    def of(self, name: str, label: str, known: Sequence[int]) -> tuple[int, int]:
        """The entity that a name names, one of the ``known`` if it is spelled so, and which of its spellings it is."""
        spelling = _line(name)
        own = [entity for entity in known if spelling in self.aliases[entity]]
        found = own[0] if own else self._found(spelling)
        entity = self._added(spelling, label) if found is None else found
        if spelling not in self.aliases[entity]:
            self.aliases[entity].append(spelling)
            self.reasons[entity].append(merging.BY_NAME)
        return entity, self.aliases[entity].index(spelling)

    def _found(self, spelling: str) -> int | None:
        found = self._graph.find(spelling)
        return self._new.get(merging.spelled_key(spelling)) if found is None else found

    def _added(self, spelling: str, label: str) -> int:
        key = merging.spelled_key(spelling)
        self._new[key] = len(self.keys)
        self.keys.append(key)
        self.labels.append(label)
        self.aliases.append([spelling])
        self.reasons.append([""])
        return self._new[key]


def _named(graph: FactGraph, ends: _Ends, heads: Ints, tails: Ints) -> dict[str, Any]:
    """Everything that depends on which entities there are: those that facts still name, in the order of their keys."""
    used = sorted(np.unique(np.concatenate([heads, tails])).tolist(), key=lambda entity: ends.keys[entity])
    places = np.full(len(ends.keys), -1, np.int64)
    places[used] = np.arange(len(used))
    heads, tails = places[heads], places[tails]
    known = zip(range(len(graph.names)), graph.names.values.tolist(), strict=True)
    named = {graph.names.keys[row]: int(places[entity]) for row, entity in known if places[entity] >= 0}
    rows = [(spelling, place) for place, entity in enumerate(used) for spelling in ends.aliases[entity]]
    for of_spelling in (merging.spelled_key, normal):
        for spelling, place in rows:
            named.setdefault(of_spelling(spelling), place)
    facts = np.arange(len(heads), dtype=np.int64)
    pairs = np.concatenate([np.stack([column, facts], axis=1) for column in (heads, tails)])
    return {
        "heads": heads,
        "tails": tails,
        "keys": Texts.build([ends.keys[entity] for entity in used]),
        "labels": Texts.build([ends.labels[entity] for entity in used]),
        "aliases": Texts.build(["\n".join(ends.aliases[entity]) for entity in used]),
        "reasons": Texts.build(["\n".join(ends.reasons[entity]) for entity in used]),
        "names": Names.build(list(named), np.array(list(named.values()), np.int64)),
        "coverage": TokenCoverage.build([row[0] for row in rows], np.array([row[1] for row in rows], np.int64)),
        "around": Adjacency.build(pairs, len(used)),
    }


def _vectors(graph: FactGraph, relations: Sequence[str], embed: Embed) -> Any:
    """A unit vector for each relation; those that the graph has are taken over."""
    known = {graph.relations[place]: place for place in range(len(graph.relations))}
    vectors = np.zeros((len(relations), graph.relation_vectors.shape[1]), np.float32)
    old = [place for place, relation in enumerate(relations) if relation in known]
    new = [place for place, relation in enumerate(relations) if relation not in known]
    vectors[old] = graph.relation_vectors[[known[relations[place]] for place in old]]
    if new:
        vectors[new] = embed([relations[place] for place in new])
    return vectors


def _line(text: str) -> str:
    return " ".join(text.split())

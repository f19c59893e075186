"""Overlays: lists of edits to a fact graph, kept beside it, so that a damaged graph can be asked and none is changed.

The robustness harness of C2RAG (section 4.3) makes them. A fact is named by the number of its passage and its place
among the facts of that passage, and an overlay fits one generation of the facts layer and no other.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polyhop.errors import IndexCorrupt, OverlayStale, StorageFull, UsageError, nearest
from polyhop.indexes.csr import offsets
from polyhop.indexes.names import normal
from polyhop.layers.facts import merging
from polyhop.layers.facts.entities import SpelledEntities
from polyhop.layers.facts.graph import FactGraph, graph_of
from polyhop.layers.facts.stated import StatedFacts, one_line
from polyhop.ports import Embed, Ints
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

    origin: Ints  # fact -> the fact that said the same before; -1 for one that was changed


def overlaid(graph: FactGraph, overlay: Overlay, embed: Embed) -> OverlaidGraph:
    """The graph with the edits made, in memory; the graph itself is left as it is.

    What no fact names any more is no entity; a name that no fact has had becomes one. Entities that were merged stay
    so. ``embed`` makes the vectors of relations. Raises OverlayStale for a graph that it does not fit.
    """
    edits, ends = checked(graph, overlay), _Ends(graph)
    facts: list[tuple[int, Fact]] = []
    named: list[tuple[int, int]] = []  # entities of each
    origin: list[int] = []
    for position in graph.facts.tolist():
        edit, fact = edits.get(position), graph.fact(position)
        head, tail = int(graph.heads[position]), int(graph.tails[position])
        if edit is not None:
            if edit.after is None:
                continue
            fact, known = replace(fact, **edit.after._asdict()), (head, tail)
            head, tail = ends.of(fact.head, fact.head_label, known), ends.of(fact.tail, fact.tail_label, known)
        facts.append((int(graph.rows[position]), fact))
        named.append((head, tail))
        origin.append(position if edit is None else -1)
    stated = StatedFacts.of_rows(graph.numbers.tolist(), facts)
    made = graph_of(stated, ends.spelled(stated, np.array(named, np.int64).reshape(-1, 2)), embed)
    whole = {each.name: getattr(made, each.name) for each in fields(made)}
    return OverlaidGraph(**{**whole, "alive": np.array(graph.alive)}, origin=np.array(origin, np.int64))


class _Ends:
    """The entities of a graph, with the names and spellings that the edits add."""

    def __init__(self, graph: FactGraph) -> None:
        self._graph = graph
        self._new: dict[str, int] = {}  # key -> entity
        self._keys = [graph.keys[place] for place in range(len(graph))]
        self._labels = [graph.labels[place] for place in range(len(graph))]
        self._aliases = [graph.aliases[place].split("\n") for place in range(len(graph))]
        self._reasons = [graph.reasons[place].split("\n") for place in range(len(graph))]

    def of(self, name: str, label: str, known: Sequence[int]) -> int:
        """The entity that a name names, one of the ``known`` if it is spelled so; the name becomes a spelling of it."""
        spelling = one_line(name)
        own = [entity for entity in known if spelling in self._aliases[entity]]
        found = own[0] if own else self._found(spelling)
        entity = self._added(spelling, label) if found is None else found
        if spelling not in self._aliases[entity]:
            self._aliases[entity].append(spelling)
            self._reasons[entity].append(merging.BY_NAME)
        return entity

    def spelled(self, stated: StatedFacts, named: Ints) -> SpelledEntities:
        """The entities that facts name, in the order of their keys; ``named``: those of each fact, shape (m, 2)."""
        order = np.array(sorted(np.unique(named).tolist(), key=self._keys.__getitem__), np.int64)
        places = np.full(len(self._keys), -1)
        places[order] = np.arange(len(order))
        which = [{spelling: at for at, spelling in enumerate(self._aliases[entity])} for entity in order.tolist()]
        ends = places[named]
        said = [[stated.names[name] for name in names.tolist()] for names in (stated.heads, stated.tails)]
        spelled = [which[end][name] for side in (0, 1) for end, name in zip(ends[:, side], said[side], strict=True)]
        spellings = [spelling for entity in order.tolist() for spelling in self._aliases[entity]]
        known = {name: int(places[own]) for name, own in self._graph.names.items() if places[own] >= 0}
        return SpelledEntities(
            keys=[self._keys[entity] for entity in order.tolist()],
            labels=[self._labels[entity] for entity in order.tolist()],
            named={**known, **{self._keys[entity]: place for place, entity in enumerate(order.tolist())}},
            spellings=spellings,
            bases=[normal(spelling) for spelling in spellings],
            reasons=[reason for entity in order.tolist() for reason in self._reasons[entity]],
            starts=offsets([len(self._aliases[entity]) for entity in order.tolist()]),
            ends=ends.T.ravel(),
            spelled=np.array(spelled, np.int64),
        )

    def _found(self, spelling: str) -> int | None:
        found = self._graph.find(spelling)
        return self._new.get(merging.spelled_key(spelling)) if found is None else found

    def _added(self, spelling: str, label: str) -> int:
        key = merging.spelled_key(spelling)
        self._new[key] = len(self._keys)
        self._keys.append(key)
        self._labels.append(label)
        self._aliases.append([spelling])
        self._reasons.append([""])
        return self._new[key]

"""The graph of one question: several fact graphs seen as one, joined where they name the same things.

StepChain, section 3.5: what is extracted on the way is added to the graph. Here nothing is copied: the first part may
be a large graph on disk, and a small one beside it costs only what its own names and facts cost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhop.indexes.adjacency import by_left, once
from polyhop.indexes.csr import offsets
from polyhop.indexes.mentions import Mentions
from polyhop.indexes.names import MISSING, normal
from polyhop.layers.facts import merging
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.linking import Linking, Member
from polyhop.ports import Bools, Floats, Ints
from polyhop.types import Entity, Fact

BLOCK = 512  # relations whose vectors are read in one go, so that they stay in the processor's cache


@dataclass(frozen=True, kw_only=True, eq=False)
class GrownGraph:
    """Entities and facts of all parts by one position each; those of the first part keep the positions that they have.

    A passage that several parts have belongs to the first of them where it was not deleted. The positions of facts that
    are there twice are not used.
    """

    parts: tuple[FactGraph, ...]
    fact_starts: Ints  # the facts of part i begin at fact_starts[i]; one more than there are parts
    shown: tuple[Bools, ...]  # of each part but the first: which of its facts show
    entities: tuple[Ints, ...]  # of each part but the first: its entity -> entity, MISSING where it does not show
    members: dict[int, tuple[Member, ...]]  # entity -> where it is; without those that only the first part has
    size: int  # how many entities there are

    @classmethod
    def of(cls, parts: Iterable[FactGraph]) -> GrownGraph:
        """The union of some graphs, any of which may be empty; a large one belongs before the small ones."""
        filled = tuple(part for part in parts if len(part))
        shown = tuple(_shown(filled[:place], filled[place]) for place in range(1, len(filled)))
        entities, members, size = _placed(filled, shown)
        starts = offsets([len(part.heads) for part in filled])
        return cls(parts=filled, fact_starts=starts, shown=shown, entities=entities, members=members, size=size)

    def __len__(self) -> int:
        return self.size

    @property
    def counts(self) -> dict[str, int]:
        """How many entities and facts there are, for summaries."""
        facts, entities = sum(int(np.count_nonzero(shown)) for shown in self.shown), len(self)
        for part in self.parts[:1]:
            facts, entities = facts + part.live, entities - len(part) + part.counted["entities"]
        return {"entities": entities, "facts": facts}

    def entity(self, position: int) -> Entity:
        """An entity with its spellings in all parts; the part with most facts about it says its name."""
        members = self._members(position)
        if len(members) == 1:
            return self.parts[members[0][0]].entity(members[0][1])
        told = sorted(
            ((len(self.parts[part].around.of(place)), self.parts[part].entity(place)) for part, place in members),
            key=lambda one: (-one[0], one[1].key, one[1].name, one[1].aliases),
        )
        first = told[0][1]
        spellings = dict.fromkeys(spelling for _, one in told for spelling in (one.name, *one.aliases))
        labels: defaultdict[str, int] = defaultdict(int)
        for facts, one in told:
            labels[one.label] += facts
        aliases = tuple(spelling for spelling in spellings if spelling != first.name)
        return Entity(key=first.key, name=first.name, aliases=aliases, label=merging.informative(labels))

    def find(self, name: str) -> int | None:
        """The entity that a name names, if any; where parts disagree, the one that has the name as its key."""
        for key in (merging.spelled_key(name), normal(name)):
            named = {
                one for place, part in enumerate(self.parts) for one in self._unified(place, [part.names.find(key)])
            }
            if named:
                return min(named, key=lambda entity: self._order(entity, key))
        return None

    def named_in(self, text: str, *, careful: bool = True) -> list[int]:
        """The entities whose names occur in a text, in order, once each (see ``Mentions``)."""
        if len(self.parts) == 1:
            return self.parts[0].named_in(text, careful=careful)
        return Mentions(_AllNames(self), self._spellings).named_in(text, careful=careful)

    def _spellings(self, entity: int) -> list[str]:
        """What an entity is called in all parts."""
        members = self._members(entity)
        return [spelling for part, place in members for spelling in self.parts[part].aliases[place].split("\n")]

    def _members(self, entity: int) -> tuple[Member, ...]:
        return self.members.get(entity) or ((0, entity),)

    def _unified(self, place: int, own: Iterable[int | None]) -> Iterator[int]:
        """What entities of a part are here, as far as they show."""
        for entity in own:
            if entity is not None:
                unified = entity if place == 0 else int(self.entities[place - 1][entity])
                if unified != MISSING:
                    yield unified

    def _order(self, entity: int, name: str) -> tuple[bool, str]:
        key = self.entity(entity).key
        return key != name, key

    # Facts.

    def touching(self, entities: Sequence[int]) -> Ints:
        """The facts that have one of the entities as head or tail, ascending; none of deleted passages."""
        return once(self.touching_each(entities)[0])

    def touching_each(self, entities: Sequence[int]) -> tuple[Ints, Ints]:
        """The facts of each entity, ascending, entity after entity; and where those of each begin, and all end."""
        own: list[list[tuple[int, int]]] = [[] for _ in self.parts]
        for place, entity in enumerate(entities):
            for part, member in self._members(entity):
                own[part].append((place, member))
        facts, of = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for part, asked in enumerate(own):
            if asked:
                found, starts = self.parts[part].touching_each([member for _, member in asked])
                places = np.repeat(np.array([place for place, _ in asked], np.int64), np.diff(starts))
                shown = slice(None) if part == 0 else np.flatnonzero(self.shown[part - 1][found])
                facts.append(found[shown] + int(self.fact_starts[part]))
                of.append(places[shown])
        return by_left(np.concatenate(of), np.concatenate(facts), len(entities))

    def facts_of(self, number: int) -> Ints:
        """The facts that a passage states, ascending; none for a passage that is not there."""
        for place, part in enumerate(self.parts):
            facts = part.facts_of(number)
            if len(facts):
                return self._showing(place, facts)
        return np.empty(0, np.int64)

    def _showing(self, place: int, facts: Ints) -> Ints:
        """Facts of a part as facts of the whole, without those that an earlier part has."""
        if place == 0:
            return facts
        return facts[self.shown[place - 1][facts]] + int(self.fact_starts[place])

    def fact(self, position: int) -> Fact:
        """A fact with its ends as its passage spells them."""
        part, own = self._part_of(position)
        return self.parts[part].fact(own)

    def place(self, position: int) -> tuple[int, int, int]:
        """Passage number, and start and end (in the passage) of the evidence of a fact."""
        part, own = self._part_of(position)
        return self.parts[part].place(own)

    def _part_of(self, position: int) -> tuple[int, int]:
        part = int(np.searchsorted(self.fact_starts, position, side="right")) - 1
        return part, position - int(self.fact_starts[part])

    def ends(self, facts: Ints) -> tuple[Ints, Ints]:
        """The heads and the tails of facts, as entities."""
        heads, tails = (self._each(facts, partial(self._entities_at, side), np.int64) for side in ("heads", "tails"))
        return heads, tails

    def _entities_at(self, side: str, place: int, own: Ints) -> Ints:
        found: Ints = getattr(self.parts[place], side)[own]
        return found if place == 0 else self.entities[place - 1][found]

    def confidences(self, facts: Ints) -> Floats:
        """How sure the extractor was of each fact, 0 to 1."""
        return self._each(facts, lambda place, own: self.parts[place].confidences[own], np.float32)

    def similarities(self, vector: Floats) -> Callable[[Ints], Floats]:
        """A function from facts to the cosines of their relations with a unit vector, once for each relation."""
        cosines = [_Cosines.of(part, vector) for part in self.parts]
        return lambda facts: self._each(facts, lambda place, own: cosines[place].of_facts(own), np.float32)

    def _each(self, facts: Ints, column: Callable[[int, Ints], NDArray[Any]], dtype: type) -> NDArray[Any]:
        """One value for each fact, from the part that has it."""
        if len(self.parts) == 1:
            return np.asarray(column(0, facts))
        values: NDArray[Any] = np.empty(len(facts), dtype)
        for place, (start, end) in enumerate(pairwise(self.fact_starts.tolist())):
            here = np.flatnonzero((facts >= start) & (facts < end))
            values[here] = column(place, facts[here] - start)
        return values


@dataclass(frozen=True, eq=False)
class _Cosines:
    """The cosines of one part's relations with a vector, each computed when a fact with it is first asked for."""

    part: FactGraph
    vector: Floats
    values: Floats
    known: Bools

    @classmethod
    def of(cls, part: FactGraph, vector: Floats) -> _Cosines:
        count = len(part.relation_vectors)
        return cls(part, vector, np.zeros(count, np.float32), np.zeros(count, np.bool_))

    def of_facts(self, facts: Ints) -> Floats:
        relations = self.part.relation_ids[facts]
        wanted = np.zeros(len(self.known), np.bool_)
        wanted[relations] = True
        wanted &= ~self.known
        new = np.flatnonzero(wanted)
        vectors = np.empty((min(BLOCK, len(new)), len(self.vector)), np.float32)
        for start in range(0, len(new), BLOCK):
            rows = new[start : start + BLOCK]
            block = vectors[: len(rows)]
            np.take(
                self.part.relation_vectors, rows, axis=0, out=block, mode="clip"
            )  # which copies once, "raise" twice
            self.values[rows] = block @ self.vector
        self.known[new] = True
        return self.values[relations]


@dataclass(frozen=True, eq=False)
class _AllNames:
    """The names of all parts, as ``Mentions`` looks for them."""

    graph: GrownGraph

    def scan(self, text: Sequence[str], longest: int) -> list[tuple[int, int, int]]:
        """As ``Names.scan``; an entity with the name as its key before others that are so called."""
        found = {
            (start, length, entity)
            for place, part in enumerate(self.graph.parts)
            for start, length, own in part.names.scan(text, longest)
            for entity in self.graph._unified(place, [own])
        }
        return sorted(
            found,
            key=lambda one: (one[0], -one[1], self.graph._order(one[2], " ".join(text[one[0] : one[0] + one[1]]))),
        )


def _shown(before: Sequence[FactGraph], part: FactGraph) -> Bools:
    """Which facts of a part show: those of passages that live and that no earlier part has alive."""
    rows = part.alive.copy()
    for earlier in before:
        at = np.minimum(np.searchsorted(earlier.numbers, part.numbers), len(earlier.numbers) - 1)
        rows &= ~((earlier.numbers[at] == part.numbers) & earlier.alive[at])
    return np.asarray(rows[part.rows], np.bool_)


def _placed(
    parts: Sequence[FactGraph], shown: Sequence[Bools]
) -> tuple[tuple[Ints, ...], dict[int, tuple[Member, ...]], int]:
    """For each part but the first its entities here; where entities are; and how many there are."""
    entities = tuple(np.full(len(part), MISSING, np.int64) for part in parts[1:])
    size = len(parts[0]) if parts else 0
    members: dict[int, tuple[Member, ...]] = {}
    for group in Linking.of(parts, shown).groups():
        place, first = group[0]
        unified = first if place == 0 else size
        size += place != 0
        members[unified] = tuple(group)
        for part, own in group:
            if part:
                entities[part - 1][own] = unified
    return entities, members, size

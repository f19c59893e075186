"""What of a graph a change of passages touches: the rest stays as it is, whatever the passages say.

Which entity a name is, and how that is spelled, follows from all that passages say of names with the same normalised
form, and of names that something claims to be other names of these. So a change touches the names that it adds or takes
away, and spreads from them along what is called the same and along claims, but no further.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from polyhop.indexes.csr import spread
from polyhop.indexes.names import normal
from polyhop.indexes.segments import Live, present
from polyhop.indexes.strings import Hashes, hashed
from polyhop.layers.facts.gathered import NAMES, KeptBeside, KeptNames
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.stated import StatedFacts
from polyhop.ports import Bools, Ints


@dataclass(frozen=True, eq=False)
class Before:
    """The generation before a change; the graph is open without the passages that went."""

    graph: FactGraph
    beside: KeptBeside
    names: KeptNames

    @classmethod
    def open(cls, generation: Path, live: Live) -> Self:
        """A generation, not a patched one, without the passages that went. Raises IndexCorrupt."""
        graph = FactGraph.open(generation, live)
        return cls(graph, KeptBeside.open(generation), KeptNames.open(generation / NAMES))

    @cached_property
    def facts_gone(self) -> Ints:
        """The facts of the passages that went, ascending."""
        rows = np.flatnonzero(~self.graph.alive)
        return spread(*(self.graph.rows.searchsorted(rows, side) for side in ("left", "right")))


@dataclass(frozen=True, eq=False)
class Touched:
    """What a change touches, of the generation before."""

    entities: Bools
    titled: Ints  # rows of passages with such a title
    acronyms: Ints  # which of those that passages say speak of such a name

    @classmethod
    def of(cls, before: Before, new: StatedFacts) -> Touched:
        """By passages that went, and by what those state that came."""
        graph, beside, gone = before.graph, before.beside, ~before.graph.alive
        facts = before.facts_gone
        entities = np.zeros(len(graph), np.bool_)
        entities[graph.heads[facts]] = entities[graph.tails[facts]] = True
        titles = map(beside.titles.__getitem__, np.flatnonzero(gone).tolist())
        short = map(beside.acronyms.__getitem__, np.flatnonzero(gone[beside.rows["acronyms"]]).tolist())
        said = (name for both in (*new.acronyms, *short) for name in both.split("\n"))
        names = (*new.names, *new.titles, *titles, *said)
        return _Spreading(before, entities).from_bases(normal(name) for name in names)


class _Spreading:
    """Follows a change until it reaches nothing more."""

    def __init__(self, before: Before, entities: Bools) -> None:
        self.before, self.graph, self.entities = before, before.graph, entities
        self.seen, self.followed = np.zeros((2, len(entities)), np.bool_)

    def from_bases(self, bases: Iterable[str]) -> Touched:
        found: set[str] = set()
        ahead = set(bases)
        while ahead := (ahead | self._bases_of_new()) - found - {""}:
            found |= ahead
            self.entities[[entity for base in ahead for entity in self._named(base)]] = True
            self._follow_claims()
            ahead = self._written_short(_hashes(ahead))
        hashes, names, alive = _hashes(found), self.before.names, self.graph.alive
        acronyms = present(names.acronyms, hashes).any(axis=1) & alive[self.before.beside.rows["acronyms"]]
        return Touched(
            entities=self.entities,
            titled=np.flatnonzero(present(names.titles, hashes) & alive),
            acronyms=np.flatnonzero(acronyms),
        )

    def _bases_of_new(self) -> set[str]:
        """The normalised names of entities that were not looked at before."""
        new = np.flatnonzero(self.entities & ~self.seen).tolist()
        self.seen |= self.entities
        return {normal(name) for entity in new for name in self.graph.aliases[entity].split("\n")}

    def _named(self, base: str) -> Iterator[int]:
        """The entities that have a name with this normalised form, with brackets behind it or without."""
        keys, values = self.graph.names.keys, self.graph.names.values
        for place in range(bisect_left(keys, base), len(keys)):
            key = keys[place]
            if key == base or key.startswith(f"{base} ("):
                yield int(values[place])
            elif key > f"{base} (":  # hardly a name stands between these
                break

    def _follow_claims(self) -> None:
        """Reach what claims link with entities from which they were not followed before."""
        while len(ahead := np.flatnonzero(self.entities & ~self.followed)):
            self.followed[ahead] = True
            facts = self.graph.around.of_many(ahead)
            claims = facts[present(facts, self.before.names.claims)]
            self.entities[self.graph.heads[claims]] = self.entities[self.graph.tails[claims]] = True

    def _written_short(self, hashes: Hashes) -> set[str]:
        """The normalised names and acronyms that passages put beside some, by their hashes."""
        found = np.flatnonzero(present(self.before.names.acronyms, hashes).any(axis=1)).tolist()
        said = (self.before.beside.acronyms[place] for place in found)
        return {normal(name) for both in said for name in both.split("\n")}


def _hashes(bases: Iterable[str]) -> Hashes:
    return np.sort(hashed(bases))

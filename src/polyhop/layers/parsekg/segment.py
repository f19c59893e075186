"""A segment of ParseKG as memory-mapped arrays: what some passages say, in places of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, Self

import numpy as np

from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.csr import spread
from polyhop.indexes.names import MISSING, Names
from polyhop.indexes.segments import Live, alive_among, check_fit, read_arrays
from polyhop.indexes.texts import Texts
from polyhop.layers.parsekg.runs import PARTS, Map
from polyhop.ports import Bools, Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class GraphSegment:
    """Entities are places 0..n in the order of their keys, with a number in the whole graph each; rows are passages."""

    folder: Path  # where what is derived from the segment is kept, too
    numbers: Ints  # passage number of each row, ascending
    alive: Bools  # False for a row whose passage was deleted since
    intact: bool  # whether all rows are alive
    names: Names  # keys -> numbers in the graph
    held: Ints  # these numbers, ascending; empty where each entity has its place as its number
    places: Ints  # the place of each of them
    readings: Texts  # a spelling of an entity and the label that it had
    first: Ints  # the readings of place i are first[i] to before first[i + 1]
    said: Adjacency  # reading -> rows, each as often as it counts
    hyperrelations: Texts
    sentence_rows: Ints
    sentence_spans: Ints
    counts: Ints  # what the segment adds to those of the graph
    out: Adjacency  # place -> sentences that the entity leads
    into: Adjacency  # place -> sentences that lead to it
    mentioned: Adjacency  # place -> rows of passages that mention it
    titled: Adjacency  # place -> rows of passages it is the title of
    contains: Adjacency  # row -> places

    @classmethod
    def open(cls, folder: Path, live: Live) -> Self:
        """A segment that was written, with only these passages alive. Raises IndexCorrupt."""
        places = read_arrays(folder / "places", ("numbers", "sentence_rows", "sentence_spans", "counts"))
        alive = alive_among(places["numbers"], live)
        names = Names.open(folder / "names")
        ids = read_arrays(folder / "ids", ("held", "places"))
        check_fit(folder, len(ids["held"]) in (0, len(names)))
        return cls(
            folder=folder,
            alive=alive,
            intact=bool(alive.all()),
            names=names,
            readings=Texts.open(folder / "readings"),
            first=read_arrays(folder / "readings", ("first",))["first"],
            said=Adjacency.open(folder / "said"),
            hyperrelations=Texts.open(folder / "hyperrelations"),
            out=Adjacency.open(folder / "out"),
            into=Adjacency.open(folder / "into"),
            mentioned=Adjacency.open(folder / "mentioned"),
            titled=Adjacency.open(folder / "titled"),
            contains=Adjacency.open(folder / "contains"),
            **places,
            **ids,
        )

    @property
    def known(self) -> int:
        """One more than the largest number of an entity."""
        return int(self.held[-1]) + 1 if len(self.held) else len(self.names)

    def places_of(self, ids: Ints) -> Ints:
        """The places of entities by their numbers in the graph; MISSING for those that are not here."""
        if not len(self.held):
            return np.where(ids < len(self.names), ids, MISSING)
        found = np.minimum(np.searchsorted(self.held, ids), len(self.held) - 1)
        return np.where(self.held[found] == ids, self.places[found], MISSING)

    def place_of(self, entity: int) -> int | None:
        """The place of an entity by its number in the graph, if it is here."""
        if not len(self.held):
            return entity if entity < len(self.names) else None
        found = int(np.searchsorted(self.held, entity))
        return int(self.places[found]) if found < len(self.held) and self.held[found] == entity else None

    def sentences_of(self, kind: Literal["out", "into"], place: int) -> Ints:
        """The live sentences that an entity leads or that lead to it."""
        found: Ints = getattr(self, kind).of(place)
        return found if self.intact else found[self.alive[self.sentence_rows[found]]]

    def rows_of(self, kind: Literal["mentioned", "titled"], place: int) -> Ints:
        """The live rows that mention an entity, or that it is the title of."""
        found: Ints = getattr(self, kind).of(place)
        return found if self.intact else found[self.alive[found]]

    def ever_spelled(self, place: int) -> list[str]:
        """The spellings of an entity, be the passages that have them alive or not."""
        here = range(int(self.first[place]), int(self.first[place + 1]))
        return list(dict.fromkeys(self.readings[reading].rpartition(PARTS)[0] for reading in here))

    def readings_of(self, place: int) -> list[tuple[str, str, int]]:
        """The spellings of an entity, each with a label that it had, and how often in live passages."""
        found = []
        for reading in range(int(self.first[place]), int(self.first[place + 1])):
            rows = self.said.of(reading)
            count = len(rows) if self.intact else int(np.count_nonzero(self.alive[rows]))
            if count:
                spelling, _, label = self.readings[reading].rpartition(PARTS)
                found.append((spelling, label, count))
        return found

    @cached_property
    def heads(self) -> Adjacency:
        """Sentence -> places of the entities that lead it."""
        return self.out.reverse(len(self.hyperrelations))

    @cached_property
    def tails(self) -> Adjacency:
        """Sentence -> places of the entities it leads to."""
        return self.into.reverse(len(self.hyperrelations))

    def lost(self) -> tuple[Ints, Ints]:
        """The places of the entities that dead passages mention, and by how much these take down ``counts``.

        Which entities are gone altogether is not told: other segments may have them.
        """
        dead = np.flatnonzero(~self.alive)
        places = self.contains.of_many(dead)
        first, end = (np.searchsorted(self.sentence_rows, dead, side=side) for side in ("left", "right"))
        sentences = int((end - first).sum())
        led, leads = (self._dead_links(links, places) for links in (self.out, self.into))
        return places, np.array([sentences, sentences - len(np.unique(led)), 0, 0, len(led), len(leads)])

    def _dead_links(self, links: Adjacency, places: Ints) -> Ints:
        """The dead sentences that some entities are linked with, once for each of them."""
        found = links.rights[spread(links.starts[places], links.starts[places + 1])]
        return found[~self.alive[self.sentence_rows[found]]]

    def counted(self, kind: Map, places: Ints) -> Ints:
        """How many live sentences or rows each of some entities is linked with; 0 for MISSING."""
        if not len(self.names):
            return np.zeros(len(places), np.int64)
        links: Adjacency = getattr(self, kind)
        here = np.maximum(places, 0)
        lengths = np.where(places == MISSING, 0, links.starts[here + 1] - links.starts[here])
        if self.intact:
            return lengths
        found = links.rights[spread(links.starts[here], links.starts[here] + lengths)]
        alive = self.alive[self.sentence_rows[found] if kind in ("out", "into") else found]
        whose = np.repeat(np.arange(len(places)), lengths)
        return np.bincount(whose[alive], minlength=len(places))

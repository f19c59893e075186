"""ParseKG as memory-mapped arrays: which sentences an entity leads into, which lead into it, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.mentions import Mentions
from polyhop.indexes.names import Names, normal
from polyhop.indexes.segments import read_arrays
from polyhop.indexes.texts import Texts
from polyhop.ports import Bools, Ints
from polyhop.types import Entity

FORMAT_VERSION = 2
MASK = "##"  # stands for an entity in a hyperrelation
# Appendix F.2: entities of these types never lead a hyperrelation.
NEVER_HEADS = frozenset({"DATE", "QUANTITY", "PERCENT", "TIME", "LANGUAGE", "MONEY", "ORDINAL", "NORP", "CARDINAL"})


@dataclass(frozen=True)
class ParseKG:
    """The graph: entities are positions 0..n in key order, sentences positions in passage order."""

    folder: Path
    numbers: Ints  # passage number of each row, ascending
    alive: Bools  # False for a row whose passage was deleted since
    names: Names
    aliases: Texts
    labels: Texts
    hyperrelations: Texts
    sentence_rows: Ints
    sentence_spans: Ints
    out: Adjacency  # entity -> sentences it leads
    into: Adjacency  # entity -> sentences that lead to it
    mentioned: Adjacency  # entity -> rows of passages that mention it (or have it as title)
    titled: Adjacency  # entity -> rows of passages it is the title of
    contains: Adjacency  # row -> entities

    @classmethod
    def open(cls, folder: Path, live: Ints) -> ParseKG:
        """A generation that was written, without passages that are not live any more. Raises IndexCorrupt."""
        places = read_arrays(folder / "places", ("numbers", "sentence_rows", "sentence_spans"))
        mentioned = Adjacency.open(folder / "mentioned")
        inside = folder / "contains"  # earlier versions did not write it
        return cls(
            folder=folder,
            alive=np.isin(places["numbers"], live),
            names=Names.open(folder / "names"),
            aliases=Texts.open(folder / "aliases"),
            labels=Texts.open(folder / "labels"),
            hyperrelations=Texts.open(folder / "hyperrelations"),
            out=Adjacency.open(folder / "out"),
            into=Adjacency.open(folder / "into"),
            mentioned=mentioned,
            titled=Adjacency.open(folder / "titled"),
            contains=Adjacency.open(inside) if inside.is_dir() else mentioned.reverse(len(places["numbers"])),
            **places,
        )

    def __len__(self) -> int:
        return len(self.aliases)

    def entity(self, position: int) -> Entity:
        """An entity with all its spellings, the most frequent first."""
        name, *aliases = self.aliases[position].split("\n")
        return Entity(key=normal(name), name=name, aliases=tuple(aliases), label=self.labels[position])

    def may_lead(self, entity: int) -> bool:
        """Whether an entity may lead a sentence: "American" and "1931" are no way to what else they are said of."""
        return self.labels[entity] not in NEVER_HEADS

    def find(self, name: str) -> int | None:
        """The entity that a name names, if any."""
        return self.names.find(normal(name))

    def named_in(self, text: str, *, careful: bool = False) -> list[int]:
        """The entities whose names occur in a text, in order, once each (see ``Mentions``)."""
        return Mentions(self.names, self.aliases).named_in(text, careful=careful)

    def passages_titled(self, entity: int) -> list[int]:
        """Numbers of the passages whose title is the entity."""
        return self._numbers(self.titled.of(entity))

    def passages_mentioning(self, entity: int) -> list[int]:
        """Numbers of the passages that mention the entity or have it as title."""
        return self._numbers(self.mentioned.of(entity))

    def passages_led_by(self, entity: int) -> list[int]:
        """Numbers of the passages in which the entity leads a sentence."""
        return self._numbers(np.unique(self.sentence_rows[self.out.of(entity)]))

    def frequency(self, entity: int) -> int:
        """In how many passages the entity is mentioned."""
        return len(self.mentioned.of(entity))

    def entities_of(self, number: int) -> Ints:
        """The entities of a passage."""
        row = int(np.searchsorted(self.numbers, number))
        if row < len(self.numbers) and self.numbers[row] == number:
            return self.contains.of(row)
        return np.empty(0, np.int64)

    @cached_property
    def heads(self) -> Adjacency:
        """Sentence -> the entities that lead it."""
        return self.out.reverse(len(self.hyperrelations))

    @cached_property
    def tails(self) -> Adjacency:
        """Sentence -> the entities it leads to."""
        return self.into.reverse(len(self.hyperrelations))

    def place(self, sentence: int) -> tuple[int, int, int]:
        """Passage number, start and end (in the passage) of a sentence."""
        start, end = self.sentence_spans[sentence]
        return int(self.numbers[self.sentence_rows[sentence]]), int(start), int(end)

    def passages_of(self, sentences: Ints) -> list[int]:
        """Numbers of the passages that hold any of the sentences."""
        return self._numbers(np.unique(self.sentence_rows[sentences]))

    def _numbers(self, rows: Ints) -> list[int]:
        numbers: list[int] = self.numbers[rows[self.alive[rows]]].tolist()
        return numbers

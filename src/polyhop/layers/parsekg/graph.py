"""ParseKG as memory-mapped arrays: which sentences an entity leads into, which lead into it, and where they stand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.mentions import Mentions
from polyhop.indexes.names import Names, normal
from polyhop.indexes.segments import read_arrays, write_arrays
from polyhop.indexes.texts import Texts
from polyhop.ports import Bools, Ints
from polyhop.types import Entity, Passage, Sentence

FORMAT_VERSION = 1
# Appendix F.2: entities of these types never lead a hyperrelation.
NEVER_HEADS = frozenset({"DATE", "QUANTITY", "PERCENT", "TIME", "LANGUAGE", "MONEY", "ORDINAL", "NORP", "CARDINAL"})


@dataclass
class _Gathered:
    """What one pass over all sentences collects, by entity key and by sentence position."""

    numbers: list[int] = field(default_factory=list)
    spellings: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    labels: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    sentences: list[tuple[int, int, int]] = field(default_factory=list)  # passage row, start, end
    hyperrelations: list[str] = field(default_factory=list)
    out: list[tuple[str, int]] = field(default_factory=list)
    into: list[tuple[str, int]] = field(default_factory=list)
    mentioned: list[tuple[str, int]] = field(default_factory=list)
    titled: list[tuple[str, int]] = field(default_factory=list)

    def add(self, number: int, passage: Passage, sentences: Sequence[Sentence]) -> None:
        row = len(self.numbers)
        self.numbers.append(number)
        title = normal(passage.title)
        if title:
            self.titled.append((title, row))
            self.spellings[title][passage.title] += 1
            self.labels[title]["TITLE"] += 1
        for sentence in sentences:
            position = len(self.sentences)
            self.sentences.append((row, sentence.start, sentence.end))
            self.hyperrelations.append(sentence.hyperrelation)
            for mention in sentence.mentions:
                (self.out if mention.head else self.into).append((mention.key, position))
                self.mentioned.append((mention.key, row))
                if mention.label != "TITLE":
                    self.spellings[mention.key][mention.name] += 1
                    self.labels[mention.key][mention.label] += 1


def write(folder: Path, passages: Iterable[tuple[int, Passage, Sequence[Sentence]]]) -> dict[str, int]:
    """Gather all sentences into a folder. Returns the counts that summaries show (Table 5)."""
    gathered = _Gathered()
    for number, passage, sentences in passages:
        gathered.add(number, passage, sentences)
    keys = sorted(gathered.spellings)
    ids = {key: position for position, key in enumerate(keys)}
    spellings = (sorted(gathered.spellings[key].items(), key=lambda item: (-item[1], item[0])) for key in keys)
    aliases = ["\n".join(" ".join(name.split()) for name, _ in items) for items in spellings]
    labels = [min(gathered.labels[key].items(), key=lambda item: (-item[1], item[0]))[0] for key in keys]
    Names.build(keys, np.arange(len(keys))).save(folder / "names")
    Texts.build(aliases).save(folder / "aliases")
    Texts.build(labels).save(folder / "labels")
    Texts.build(gathered.hyperrelations).save(folder / "hyperrelations")
    for name in ("out", "into", "mentioned", "titled"):
        pairs = np.array([(ids[key], right) for key, right in getattr(gathered, name)], np.int64).reshape(-1, 2)
        Adjacency.build(pairs, len(keys)).save(folder / name)
    places = np.array(gathered.sentences, np.int64).reshape(-1, 3)
    numbers = np.array(gathered.numbers, np.int64)
    arrays = {"numbers": numbers, "sentence_rows": places[:, 0], "sentence_spans": places[:, 1:]}
    write_arrays(folder / "places", arrays)  # last: its presence says that all is there
    return {
        "hyperrelations": len(gathered.sentences),
        "headless": len(gathered.sentences) - len({position for _, position in gathered.out}),
        "entities": len(keys),
        "entry entities": len({key for key, _ in gathered.out}),
        "head links": len(set(gathered.out)),
        "tail links": len(set(gathered.into)),
    }


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
            contains=mentioned.reverse(len(places["numbers"])),
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

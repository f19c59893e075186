"""ParseKG, over any number of segments: which sentences an entity leads into, which lead into it, where they stand.

Entities have numbers that all segments share, and sentences those of the segments laid end to end. What was deleted is
not there: its sentences are not, nor what only it said of a name. So which segments there are never changes a result.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from heapq import merge
from itertools import accumulate, groupby
from pathlib import Path
from typing import Literal, NamedTuple, Self
from weakref import proxy

import numpy as np

from polyhop.indexes.mentions import Mentions
from polyhop.indexes.names import MISSING, Phrases, key_hashes, normal
from polyhop.indexes.segments import Live
from polyhop.layers.parsekg.segment import GraphSegment
from polyhop.ports import Bools, Ints
from polyhop.types import Entity

FORMAT_VERSION = 3
MASK = "##"  # stands for an entity in a hyperrelation
# Appendix F.2: entities of these types never lead a hyperrelation.
NEVER_HEADS = frozenset({"DATE", "QUANTITY", "PERCENT", "TIME", "LANGUAGE", "MONEY", "ORDINAL", "NORP", "CARDINAL"})
COUNTS = ("hyperrelations", "headless", "entities", "entry entities", "head links", "tail links")  # Table 5
REMEMBERED = 1 << 14  # entities, by a graph that is open


class _Told(NamedTuple):
    """What live passages call an entity: the most frequent spelling first, and the most frequent label."""

    key: str
    spellings: tuple[str, ...]
    label: str


@dataclass(frozen=True, eq=False)
class ParseKG:
    """The graph of all live passages."""

    folder: Path  # named after all that determines it
    segments: tuple[GraphSegment, ...]

    @classmethod
    def open(cls, folder: Path, segments: Sequence[Path], live: Live) -> Self:
        """Open segments for the passages in ``live``. Raises IndexCorrupt."""
        return cls(folder, tuple(GraphSegment.open(segment, live) for segment in segments))

    @property
    def known(self) -> int:
        """How many numbers of entities are taken, be they alive or not."""
        return max((segment.known for segment in self.segments), default=0)

    def entities(self) -> Iterator[int]:
        """The entities in the order of their keys."""
        tables = (zip(_keys(segment), segment.names.values.tolist(), strict=True) for segment in self.segments)
        return (entity for (_, entity), _ in groupby(merge(*tables)) if self._is_there(entity))

    def entity(self, entity: int) -> Entity:
        """An entity with all its spellings, the most frequent first."""
        told = self._told(entity)
        name, *aliases = told.spellings
        return Entity(key=told.key, name=name, aliases=tuple(aliases), label=told.label)

    def spellings(self, entity: int) -> Sequence[str]:
        """What an entity is called, the most frequent first."""
        return self._told(entity).spellings

    def ever_spelled(self, entity: int) -> list[str]:
        """What an entity was ever called, be the passages that do so there or not."""
        found = (segment.ever_spelled(place) for segment, place in self._standing(entity))
        return list(dict.fromkeys(name for part in found for name in part))

    def may_lead(self, entity: int) -> bool:
        """Whether an entity may lead a sentence: "American" and "1931" are no way to what else they are said of."""
        return self._told(entity).label not in NEVER_HEADS

    def find(self, name: str) -> int | None:
        """The entity that a name names, if any."""
        (found,) = self.ids_of([normal(name)]).tolist()
        return found if found != MISSING and self._is_there(found) else None

    def ids_of(self, keys: Sequence[str]) -> Ints:
        """The numbers of entities by their keys, be they alive or not; MISSING for those that were never there."""
        found, hashes = np.full(len(keys), MISSING, np.int64), key_hashes(keys)
        for segment in self.segments:
            left = np.flatnonzero(found == MISSING)
            found[left] = segment.names.found([keys[place] for place in left.tolist()], hashes[left])
        return found

    def named_in(self, text: str, *, careful: bool = False) -> list[int]:
        """The entities whose names occur in a text, in order, once each (see ``Mentions``)."""
        return Mentions(self, self.spellings).named_in(text, careful=careful)

    def scan(self, text: Sequence[str], longest: int) -> list[tuple[int, int, int]]:
        """What ``Names.scan`` finds, of all entities that are there."""
        phrases = Phrases.of(text, longest)
        found = {match for segment in self.segments for match in segment.names.among(phrases)}
        return sorted((one for one in found if self._is_there(one[2])), key=lambda match: (match[0], -match[1]))

    def passages_titled(self, entity: int) -> list[int]:
        """Numbers of the passages whose title is the entity, ascending."""
        return self._numbers("titled", entity)

    def passages_mentioning(self, entity: int) -> list[int]:
        """Numbers of the passages that mention the entity or have it as title, ascending."""
        return self._numbers("mentioned", entity)

    def passages_led_by(self, entity: int) -> list[int]:
        """Numbers of the passages in which the entity leads a sentence, ascending."""
        return self.passages_of(self.out.of(entity))

    def frequency(self, entity: int) -> int:
        """In how many passages the entity is mentioned."""
        return sum(len(segment.rows_of("mentioned", place)) for segment, place in self._standing(entity))

    def entities_of(self, number: int) -> list[int]:
        """The entities of a passage, in the order of their keys."""
        for segment in self.segments:
            row = int(np.searchsorted(segment.numbers, number))
            if row < len(segment.numbers) and segment.numbers[row] == number and segment.alive[row]:
                found: list[int] = segment.names.values[segment.contains.of(row)].tolist()
                return found
        return []

    @property
    def out(self) -> SentencesOf:
        """Entity -> the sentences that it leads."""
        return SentencesOf(self, "out")

    @property
    def into(self) -> SentencesOf:
        """Entity -> the sentences that lead to it."""
        return SentencesOf(self, "into")

    @property
    def heads(self) -> EntitiesOf:
        """Sentence -> the entities that lead it."""
        return EntitiesOf(self, "heads")

    @property
    def tails(self) -> EntitiesOf:
        """Sentence -> the entities it leads to."""
        return EntitiesOf(self, "tails")

    @cached_property
    def firsts(self) -> list[int]:
        """The number of the first sentence of each segment, and how many there are in all."""
        return [*accumulate((len(segment.hyperrelations) for segment in self.segments), initial=0)]

    def standing(self, sentence: int) -> tuple[GraphSegment, int]:
        """Where a sentence stands: its segment, and its place there."""
        at = bisect_right(self.firsts, sentence, hi=len(self.segments)) - 1
        return self.segments[at], sentence - self.firsts[at]

    def sentences(self) -> Iterator[int]:
        """The sentences of live passages."""
        for first, segment in zip(self.firsts, self.segments, strict=False):
            yield from (first + np.flatnonzero(segment.alive[segment.sentence_rows])).tolist()

    def hyperrelation(self, sentence: int) -> str:
        """A sentence with its entities masked."""
        segment, place = self.standing(sentence)
        return segment.hyperrelations[place]

    def place(self, sentence: int) -> tuple[int, int, int]:
        """Passage number, start and end (in the passage) of a sentence."""
        segment, place = self.standing(sentence)
        start, end = segment.sentence_spans[place]
        return int(segment.numbers[segment.sentence_rows[place]]), int(start), int(end)

    def passages_of(self, sentences: Ints) -> list[int]:
        """Numbers of the passages that hold any of the sentences, ascending."""
        found: set[int] = set()
        for first, end, segment in zip(self.firsts, self.firsts[1:], self.segments, strict=False):
            here = sentences[(sentences >= first) & (sentences < end)] - first
            found.update(segment.numbers[np.unique(segment.sentence_rows[here])].tolist())
        return sorted(found)

    def leading(self, ids: Ints) -> Bools:
        """Which of some entities ever led a sentence."""
        found = np.zeros(len(ids), np.bool_)
        for segment in self.segments:
            if not len(segment.names):
                continue  # its passages name nothing
            places = segment.places_of(ids)
            here = np.maximum(places, 0)
            found |= (places != MISSING) & (segment.out.starts[here + 1] > segment.out.starts[here])
        return found

    def touched(self) -> Ints:
        """The entities that passages mention which are gone, ascending."""
        found = [segment.names.values[segment.lost()[0]] for segment in self.segments if not segment.intact]
        return np.unique(np.concatenate([np.empty(0, np.int64), *found]))

    def counts(self) -> dict[str, int]:
        """What summaries show, by COUNTS; in time for what is dead, and not for what is there."""
        total = sum((segment.counts for segment in self.segments), np.zeros(len(COUNTS), np.int64))
        touched = [np.empty(0, np.int64)]
        for segment in self.segments:
            if not segment.intact:
                places, lost = segment.lost()
                touched.append(segment.names.values[places])
                total = total - lost
        ids = np.unique(np.concatenate(touched))
        total[COUNTS.index("entities")] -= np.count_nonzero(self._linked("mentioned", ids) == 0)
        total[COUNTS.index("entry entities")] -= np.count_nonzero(self.leading(ids) & (self._linked("out", ids) == 0))
        return dict(zip(COUNTS, total.tolist(), strict=True))

    def _linked(self, kind: Literal["out", "mentioned"], ids: Ints) -> Ints:
        """With how many live sentences or passages each of some entities is linked."""
        found = (segment.counted(kind, segment.places_of(ids)) for segment in self.segments)
        return sum(found, np.zeros(len(ids), np.int64))

    def _standing(self, entity: int) -> Iterator[tuple[GraphSegment, int]]:
        for segment in self.segments:
            place = segment.place_of(entity)
            if place is not None:
                yield segment, place

    def _is_there(self, entity: int) -> bool:
        """Whether a live passage mentions an entity."""
        return any(segment.intact or len(segment.rows_of("mentioned", at)) for segment, at in self._standing(entity))

    @cached_property
    def _told(self) -> Callable[[int], _Told]:
        tell = partial(ParseKG._tell, proxy(self))  # which keeps no graph, and no file of one, that nobody else keeps
        return lru_cache(REMEMBERED)(tell)

    def _tell(self, entity: int) -> _Told:
        spellings: Counter[str] = Counter()
        labels: Counter[str] = Counter()
        key = ""
        for segment, place in self._standing(entity):
            key = segment.names.keys[place]
            for spelling, label, count in segment.readings_of(place):
                spellings[spelling] += count
                labels[label] += count
        ordered, kinds = _most_frequent(spellings), _most_frequent(labels)
        return _Told(key, ordered or (key,), kinds[0] if kinds else "")

    def _numbers(self, kind: Literal["mentioned", "titled"], entity: int) -> list[int]:
        found = [segment.numbers[segment.rows_of(kind, place)].tolist() for segment, place in self._standing(entity)]
        return sorted(number for part in found for number in part)


@dataclass(frozen=True, eq=False)
class SentencesOf:
    """Which sentences of live passages entities are linked with."""

    graph: ParseKG
    kind: Literal["out", "into"]

    def of(self, entity: int) -> Ints:
        """Those of one entity, ascending."""
        found = [np.empty(0, np.int64)]
        for first, segment in zip(self.graph.firsts, self.graph.segments, strict=False):
            place = segment.place_of(entity)
            if place is not None:
                found.append(first + segment.sentences_of(self.kind, place))
        return np.concatenate(found) if len(found) != 2 else found[1]


@dataclass(frozen=True, eq=False)
class EntitiesOf:
    """Which entities sentences are linked with."""

    graph: ParseKG
    kind: Literal["heads", "tails"]

    def of(self, sentence: int) -> list[int]:
        """Those of one sentence, in the order of their keys."""
        segment, place = self.graph.standing(sentence)
        ends = segment.heads if self.kind == "heads" else segment.tails
        found: list[int] = segment.names.values[ends.of(place)].tolist()  # places are in the order of their keys
        return found

    def of_many(self, sentences: Ints) -> list[int]:
        """Those of any of these sentences, in the order of their keys, once each."""
        found = {entity for sentence in sentences.tolist() for entity in self.of(sentence)}
        return sorted(found, key=lambda entity: self.graph.entity(entity).key)


def _keys(segment: GraphSegment) -> Iterator[str]:
    return (segment.names.keys[place] for place in range(len(segment.names)))


def _most_frequent(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])))

"""Runs: what passages that follow one another say of ParseKG, sorted, on the disk.

A run is collected in memory until it takes as much as it may, and then written; whatever is in it counts its rows,
sentences and entities from 0. All runs together hold what ``merging`` makes the graph of.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt
from polyhop.indexes import digests
from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.csr import offsets
from polyhop.indexes.names import normal
from polyhop.indexes.run_merging import ListsOfRun
from polyhop.indexes.segments import write_arrays
from polyhop.indexes.streamed import ArrayReader, texts_of
from polyhop.ports import Ints
from polyhop.types import Passage, Sentence

Map = Literal["out", "into", "mentioned", "titled"]
MAPS: Final[tuple[Map, ...]] = get_args(Map)
PARTS = "\0"  # of a reading: the key of its entity, a spelling, and the label that it had
NAMES = (
    *("numbers", "sentence_rows", "sentence_spans", "hyperrelations", "hyperrelation_lengths", "headless"),
    *("readings", "reading_lengths", "readings_each", "said_each", "said_rights"),
    *(f"{name}_{part}" for name in MAPS for part in ("each", "rights")),
)

# Bytes that these take while a run is collected and sorted, about: measured, and rounded up.
_AN_ENTITY, _A_READING, _A_LINK, _A_SENTENCE = 360, 420, 90, 130


def _ints() -> array[int]:
    return array("i")


@dataclass
class _Links:
    """Pairs of an entity and what it is linked with, in the order in which they come."""

    entities: array[int] = field(default_factory=_ints)
    rights: array[int] = field(default_factory=_ints)

    def add(self, entity: int, right: int) -> None:
        self.entities.append(entity)
        self.rights.append(right)

    def sorted(self, rank: Ints, *, once: bool = True) -> tuple[Ints, Ints]:
        """How many pairs each entity has, by its rank, and what they link it with; of equal pairs one, or all."""
        lefts, rights = rank[_array(self.entities)], _array(self.rights)
        if once:
            made = Adjacency.build(np.stack([lefts, rights], axis=1), len(rank))
            return made.degrees(), made.rights
        return np.bincount(lefts, minlength=len(rank)), rights[np.argsort(lefts, kind="stable")]


@dataclass
class RunDraft:
    """A run that is being collected."""

    numbers: list[int] = field(default_factory=list)
    held: int = 0  # bytes, about
    _ids: dict[str, int] = field(default_factory=dict)
    _readings: dict[str, int] = field(default_factory=dict)  # key, spelling and label
    _said: _Links = field(default_factory=_Links)  # a reading with a row, each time that one counts
    _maps: dict[str, _Links] = field(default_factory=lambda: {name: _Links() for name in MAPS})
    _places: array[int] = field(default_factory=_ints)  # row, start and end of each sentence
    _hyperrelations: list[bytes] = field(default_factory=list)

    def add(self, number: int, passage: Passage, sentences: Sequence[Sentence]) -> None:
        """Take in what a passage says."""
        row = len(self.numbers)
        self.numbers.append(number)
        if title := normal(passage.title):
            self._count(title, passage.title, "TITLE", row)
            self._link("titled", self._entity(title), row)
            self._link("mentioned", self._entity(title), row)
        for sentence in sentences:
            place = len(self._hyperrelations)
            self._places.extend((row, sentence.start, sentence.end))
            self._hyperrelations.append(sentence.hyperrelation.encode("utf-8", "replace"))
            self.held += _A_SENTENCE + 2 * len(self._hyperrelations[-1])
            for mention in sentence.mentions:
                entity = self._entity(mention.key)
                self._link("out" if mention.head else "into", entity, place)
                self._link("mentioned", entity, row)
                if mention.label != "TITLE":
                    self._count(mention.key, mention.name, mention.label, row)

    def _entity(self, key: str) -> int:
        found = self._ids.setdefault(key, len(self._ids))
        if found + 1 == len(self._ids):
            self.held += _AN_ENTITY + 2 * len(key)
        return found

    def _count(self, key: str, name: str, label: str, row: int) -> None:
        shown = " ".join(name.split()).encode("utf-8", "replace").decode()
        reading = f"{key}{PARTS}{shown}{PARTS}{label}"
        self._entity(key)
        found = self._readings.setdefault(reading, len(self._readings))
        self._said.add(found, row)
        self.held += _A_LINK
        if found + 1 == len(self._readings):
            self.held += _A_READING + 2 * len(reading)

    def _link(self, kind: str, entity: int, right: int) -> None:
        self._maps[kind].add(entity, right)
        self.held += _A_LINK

    def save(self, folder: Path) -> None:
        """Write the run, its entities in the order of their keys. Raises StorageFull."""
        rank = _ranks(self._ids)
        arrays: dict[str, NDArray[Any]] = {"numbers": np.array(self.numbers, np.int64)}
        for name, links in self._maps.items():
            arrays |= _listed(name, links.sorted(rank))
        places = _array(self._places).reshape(-1, 3)
        headed = len(np.unique(arrays["out_rights"]))
        readings = sorted(self._readings)
        said = self._said.sorted(_ranks(self._readings), once=False)
        whose = np.fromiter((rank[self._ids[key_of(reading)]] for reading in readings), np.int64, len(readings))
        arrays |= {
            "sentence_rows": places[:, 0],
            "sentence_spans": places[:, 1:],
            "headless": np.array([len(places) - headed], np.int64),
            "readings_each": np.bincount(whose, minlength=len(rank)).astype(np.int32),
            **_laid("hyperrelation", self._hyperrelations),
            **_laid("reading", [reading.encode("utf-8", "surrogatepass") for reading in readings]),
            **_listed("said", said),
        }
        write_arrays(folder, arrays)


def key_of(reading: str) -> str:
    """The key of the entity that a reading is of."""
    return reading.partition(PARTS)[0]


def _ranks(ids: dict[str, int]) -> Ints:
    """For each id the place of its name among all names, sorted."""
    rank = np.empty(len(ids), np.int64)
    rank[[ids[name] for name in sorted(ids)]] = np.arange(len(ids))
    return rank


def _listed(name: str, lists: tuple[Ints, Ints]) -> dict[str, NDArray[Any]]:
    each, rights = lists
    return {f"{name}_each": each.astype(np.int32), f"{name}_rights": rights.astype(np.int32)}


def _array(values: array[int]) -> Ints:
    return np.frombuffer(values, np.intc).astype(np.int64)


def _laid(name: str, texts: Sequence[bytes]) -> dict[str, NDArray[Any]]:
    return {
        f"{name}s": np.frombuffer(b"".join(texts), np.uint8),
        f"{name}_lengths": np.fromiter(map(len, texts), np.int32, len(texts)),
    }


@dataclass(frozen=True)
class SortedRun:
    """A run that was written, read a stretch at a time."""

    arrays: dict[str, ArrayReader]

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Raises IndexCorrupt where it is not as it was written."""
        if not digests.is_sealed(folder) or any(digests.faults(folder, deep=True)):
            raise IndexCorrupt(f"{folder} is damaged.")
        return cls({name: ArrayReader.open(folder / f"{name}.npy") for name in NAMES})

    @cached_property
    def rows(self) -> int:
        """How many passages it has."""
        return len(self.arrays["numbers"])

    @cached_property
    def sentences(self) -> int:
        """How many sentences it has."""
        return len(self.arrays["sentence_rows"])

    @cached_property
    def headless(self) -> int:
        """How many of them nothing leads."""
        return int(self.arrays["headless"].read()[0])

    def lists(self, name: str, places: NDArray[np.intc], base: int) -> ListsOfRun:
        """One of the maps (or ``said``), by what its entities are in all runs, and at which number its own begin."""
        return ListsOfRun(places, self.arrays[f"{name}_each"], self.arrays[f"{name}_rights"], base)

    def contains(self) -> Adjacency:
        """The entities of each passage, both as the run counts them."""
        starts, rights = offsets(self.arrays["mentioned_each"].read()), self.arrays["mentioned_rights"].read()
        return Adjacency(starts=starts, rights=rights.astype(np.int64)).reverse(self.rows)

    def readings(self, most: int) -> Iterator[bytes]:
        """The readings in UTF-8, in order; so many of them are read at a time."""
        return texts_of(self.arrays["readings"], self.arrays["reading_lengths"], most)

    def first_readings(self) -> Ints:
        """The first reading of each entity."""
        return offsets(self.arrays["readings_each"].read())[:-1]

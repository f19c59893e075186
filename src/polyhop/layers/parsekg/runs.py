"""Runs: what passages that follow one another say of ParseKG, sorted, on the disk.

A run is collected in memory until it takes as much as it may, and then written; whatever is in it counts its rows,
sentences and entities from 0. All runs together hold what ``merging`` makes the graph of.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt
from polyhop.indexes import digests
from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.csr import offsets
from polyhop.indexes.names import normal
from polyhop.indexes.run_merging import ListsOfRun
from polyhop.indexes.segments import write_arrays
from polyhop.indexes.streamed import ArrayReader, Onward, OnwardTexts
from polyhop.ports import Ints
from polyhop.types import Passage, Sentence

MAPS = ("out", "into", "mentioned", "titled")
NAMES = (
    *("numbers", "sentence_rows", "sentence_spans", "hyperrelations", "hyperrelation_lengths", "headless"),
    *("keys", "key_lengths", "spellings", "spelling_lengths", "spelling_counts", "spellings_each"),
    *("labels", "label_lengths", "label_kinds", "label_counts", "labels_each"),
    *(f"{name}_{part}" for name in MAPS for part in ("each", "rights")),
)

_BESIDE = ("spellings_each", "spelling_counts", "labels_each", "label_kinds", "label_counts")

# Bytes that these take while a run is collected and sorted, about: measured, and rounded up.
_AN_ENTITY, _A_SPELLING, _A_LINK, _A_SENTENCE = 360, 330, 90, 130


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

    def sorted(self, rank: Ints) -> Adjacency:
        """The same pairs by rank of the entity, once each."""
        lefts, rights = rank[_array(self.entities)], _array(self.rights)
        return Adjacency.build(np.stack([lefts, rights], axis=1), len(rank))


@dataclass
class RunDraft:
    """A run that is being collected."""

    numbers: list[int] = field(default_factory=list)
    held: int = 0  # bytes, about
    _ids: dict[str, int] = field(default_factory=dict)
    _spelled: dict[tuple[int, str], int] = field(default_factory=dict)
    _said: array[int] = field(default_factory=_ints)  # a spelling for each time that one counts
    _kinds: dict[str, int] = field(default_factory=dict)
    _labelled: _Links = field(default_factory=_Links)
    _maps: dict[str, _Links] = field(default_factory=lambda: {name: _Links() for name in MAPS})
    _places: array[int] = field(default_factory=_ints)  # row, start and end of each sentence
    _hyperrelations: list[bytes] = field(default_factory=list)

    def add(self, number: int, passage: Passage, sentences: Sequence[Sentence]) -> None:
        """Take in what a passage says."""
        row = len(self.numbers)
        self.numbers.append(number)
        if title := normal(passage.title):
            self._count(self._entity(title), passage.title, "TITLE")
            self._link("titled", self._entity(title), row)
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
                    self._count(entity, mention.name, mention.label)

    def _entity(self, key: str) -> int:
        found = self._ids.setdefault(key, len(self._ids))
        if found + 1 == len(self._ids):
            self.held += _AN_ENTITY + 2 * len(key)
        return found

    def _count(self, entity: int, name: str, label: str) -> None:
        spelled = self._spelled.setdefault((entity, name), len(self._spelled))
        self._said.append(spelled)
        self._labelled.add(entity, self._kinds.setdefault(label, len(self._kinds)))
        self.held += _A_LINK
        if spelled + 1 == len(self._spelled):
            self.held += _A_SPELLING + 2 * len(name)

    def _link(self, kind: str, entity: int, right: int) -> None:
        self._maps[kind].add(entity, right)
        self.held += _A_LINK

    def save(self, folder: Path) -> None:
        """Write the run, its entities in the order of their keys. Raises StorageFull."""
        keys = sorted(self._ids)
        rank = np.empty(len(keys), np.int64)
        rank[[self._ids[key] for key in keys]] = np.arange(len(keys))
        arrays: dict[str, NDArray[Any]] = {"numbers": np.array(self.numbers, np.int64)}
        for name, links in self._maps.items():
            made = links.sorted(rank)
            arrays[f"{name}_each"] = made.degrees().astype(np.int32)
            arrays[f"{name}_rights"] = made.rights.astype(np.int32)
        places = _array(self._places).reshape(-1, 3)
        headed = len(np.unique(arrays["out_rights"]))
        arrays |= {
            "sentence_rows": places[:, 0],
            "sentence_spans": places[:, 1:],
            "headless": np.array([len(places) - headed], np.int64),
            **_laid("hyperrelation", self._hyperrelations),
            **_laid("key", [key.encode("utf-8", "surrogatepass") for key in keys]),
            **self._names(rank),
            **self._labels(rank),
        }
        write_arrays(folder, arrays)

    def _names(self, rank: Ints) -> dict[str, NDArray[Any]]:
        """The spellings of each entity, and how often each counts."""
        counts = np.bincount(_array(self._said), minlength=len(self._spelled))
        whose = rank[[entity for entity, _ in self._spelled]] if self._spelled else rank[:0]
        order = np.argsort(whose, kind="stable")
        names = [name for _, name in self._spelled]
        return {
            **_laid("spelling", [names[place].encode("utf-8", "surrogatepass") for place in order.tolist()]),
            "spelling_counts": counts[order].astype(np.int32),
            "spellings_each": np.bincount(whose, minlength=len(rank)).astype(np.int32),
        }

    def _labels(self, rank: Ints) -> dict[str, NDArray[Any]]:
        """The labels of each entity by their place among all labels, and how often each counts."""
        kinds = max(1, len(self._kinds))
        said = rank[_array(self._labelled.entities)] * kinds + _array(self._labelled.rights)
        pairs, counts = np.unique(said, return_counts=True)
        return {
            **_laid("label", [kind.encode("utf-8", "surrogatepass") for kind in self._kinds]),
            "label_kinds": (pairs % kinds).astype(np.int32),
            "label_counts": counts.astype(np.int32),
            "labels_each": np.bincount(pairs // kinds, minlength=len(rank)).astype(np.int32),
        }


def _array(values: array[int]) -> Ints:
    return np.frombuffer(values, np.intc).astype(np.int64)


def _laid(name: str, texts: Sequence[bytes]) -> dict[str, NDArray[Any]]:
    return {
        f"{name}s": np.frombuffer(b"".join(texts), np.uint8),
        f"{name}_lengths": np.fromiter(map(len, texts), np.int32, len(texts)),
    }


class EntityOfRun(NamedTuple):
    """An entity as a run has it: its spellings in UTF-8, and its labels, with how often each counts."""

    spellings: list[tuple[bytes, int]]
    labels: list[tuple[str, int]]


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
        """One of the maps, whose entities are these of all runs, and whose rows or sentences begin at a number."""
        return ListsOfRun(places, partial(Onward, self.arrays[f"{name}_each"]), self.arrays[f"{name}_rights"], base)

    def contains(self) -> Adjacency:
        """The entities of each passage, both as the run counts them."""
        starts, rights = offsets(self.arrays["mentioned_each"].read()), self.arrays["mentioned_rights"].read()
        return Adjacency(starts=starts, rights=rights.astype(np.int64)).reverse(self.rows)

    def entities(self, most: int) -> Iterator[tuple[bytes, EntityOfRun]]:
        """The entities by key (in UTF-8), in its order; so many of them are read at a time."""
        keys = OnwardTexts(self.arrays["keys"], self.arrays["key_lengths"])
        names = OnwardTexts(self.arrays["spellings"], self.arrays["spelling_lengths"])
        kinds = [kind.decode("utf-8", "surrogatepass") for kind in self._kinds()]
        of = {name: Onward(self.arrays[name]) for name in _BESIDE}
        while block := keys.next(most):
            spelled, labelled = of["spellings_each"].next(most), of["labels_each"].next(most)
            total, labels = int(spelled.sum()), int(labelled.sum())
            spellings = zip(names.next(total), of["spelling_counts"].next(total).tolist(), strict=True)
            which = zip(of["label_kinds"].next(labels).tolist(), of["label_counts"].next(labels).tolist(), strict=True)
            said = ((kinds[kind], count) for kind, count in which)
            for key, number, more in zip(block, spelled.tolist(), labelled.tolist(), strict=True):
                yield key, EntityOfRun(list(islice(spellings, number)), list(islice(said, more)))

    def _kinds(self) -> list[bytes]:
        """All labels."""
        lengths = self.arrays["label_lengths"]
        return OnwardTexts(self.arrays["labels"], lengths).next(len(lengths))

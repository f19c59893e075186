"""Merging lists that lie in sorted runs on the disk, a stretch at a time.

A run has lists of numbers by name, its names in order. Where runs follow one another, so that every number of a later
one is larger, the merged list of a name is what each run has of it, one after the other: nothing is sorted again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import groupby, repeat
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhop.indexes.csr import spread
from polyhop.indexes.streamed import ArrayReader, ArrayWriter, Onward
from polyhop.ports import Ints

AT_ONCE = 1 << 19  # numbers that are read and written together


@dataclass(frozen=True)
class ListsOfRun:
    """The lists of a run: which of the merged lists each belongs to, ascending; how long they are; and their numbers.

    ``base`` is added to each number.
    """

    places: NDArray[np.intc]
    lengths: ArrayReader
    numbers: ArrayReader
    base: int


class NamesOfRuns:
    """The names of several runs as one, in order, each once."""

    def __init__(self, runs: Sequence[Iterable[bytes]]) -> None:
        self.count = 0
        self._runs = runs
        self._places = [array("i") for _ in runs]

    def __iter__(self) -> Iterator[bytes]:
        streams = [zip(run, repeat(number)) for number, run in enumerate(self._runs)]
        for name, same in groupby(merge(*streams), itemgetter(0)):
            for _, number in same:
                self._places[number].append(self.count)
            self.count += 1
            yield name

    def places(self) -> list[NDArray[np.intc]]:
        """For each run, which of the merged names each of its names is; once all of them were told."""
        return [np.frombuffer(places, np.intc) for places in self._places]


def starts_of(runs: Sequence[ListsOfRun], count: int) -> Ints:
    """Where each of so many merged lists starts, and where the last one ends."""
    counts = np.zeros(count + 1, np.int64)
    for run in runs:
        at = 0
        for piece in run.lengths.pieces(AT_ONCE):
            counts[run.places[at : at + len(piece)] + 1] += piece
            at += len(piece)
    return np.cumsum(counts, out=counts)


def write_lists(runs: Sequence[ListsOfRun], starts: Ints, written: ArrayWriter) -> None:
    """Write the merged lists; each run is read once, always as far as the lists go that are being written."""
    lengths, numbers = [Onward(run.lengths) for run in runs], [Onward(run.numbers) for run in runs]
    read = [0] * len(runs)
    first = 0
    while first < len(starts) - 1:
        behind = max(first + 1, int(np.searchsorted(starts, starts[first] + AT_ONCE, side="right")) - 1)
        room = np.empty(starts[behind] - starts[first], np.int64)
        free = starts[first:behind] - starts[first]
        for at, run in enumerate(runs):
            until = int(np.searchsorted(run.places, behind))
            which, here = run.places[read[at] : until] - first, lengths[at].next(until - read[at])
            read[at] = until
            begin = free[which]
            free[which] += here
            room[spread(begin, begin + here)] = numbers[at].next(int(here.sum(dtype=np.int64))) + run.base
        written.add(room)
        first = behind


def write_in_pieces(writer: ArrayWriter, rows: NDArray[Any], order: Ints | None = None) -> None:
    """Write rows that are in memory, in another order where one is given, without a copy of all of them."""
    for start in range(0, len(rows), AT_ONCE):
        piece = slice(start, start + AT_ONCE)
        writer.add(rows[piece] if order is None else rows[order[piece]])

"""Posting lists of one segment: which passages hold a term and how often, read from the side of either."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyhop.indexes.segments import Arrays
from polyhop.indexes.strings import STRING_ARRAYS, Strings
from polyhop.ports import Ints

_DENSE = 8  # looking a row up takes as long as reading about so many postings


@dataclass(frozen=True, kw_only=True, eq=False)
class Segment:
    """The postings of one segment; ``places`` says where its rows stand among the live passages."""

    vocabulary: Strings
    starts: Ints
    documents: NDArray[np.int32]  # rows, ascending within a term
    frequencies: NDArray[np.int32]
    places: Ints  # -1 for dead rows, the rest ascending
    shift: int | None  # every row stands this much further on; None: some do not
    whole: bool  # no row is dead

    @classmethod
    def of(cls, part: Arrays, places: Ints) -> Self:
        """The segment that arrays hold whose rows stand at some places among the live passages."""
        first = int(places[0]) if len(places) else 0
        return cls(
            vocabulary=Strings(**{name: part[name] for name in STRING_ARRAYS}),
            starts=part["starts"],
            documents=part["documents"],
            frequencies=part["frequencies"],
            places=places,
            shift=first if first >= 0 and np.array_equal(places, np.arange(first, first + len(places))) else None,
            whole=bool((places >= 0).all()),
        )

    def postings(self, term: int) -> tuple[Ints, NDArray[np.int32]]:
        """Places of the live passages that hold a term, ascending, and how often they do."""
        here = slice(int(self.starts[term]), int(self.starts[term + 1]))
        documents, frequencies = self.documents[here], self.frequencies[here]
        if self.shift is not None:
            moved = documents.astype(np.int64)
            return moved + self.shift if self.shift else moved, frequencies
        places = self.places[documents]
        if self.whole or not _shared(documents, self._dead):
            return places, frequencies
        alive = places >= 0
        return places[alive], frequencies[alive]

    def holding(self, term: int) -> int:
        """How many live passages hold a term."""
        documents = self.documents[self.starts[term] : self.starts[term + 1]]
        return len(documents) - (0 if self.whole else _shared(documents, self._dead))

    @cached_property
    def _dead(self) -> NDArray[np.int32]:
        """The rows that are dead, ascending."""
        return np.flatnonzero(self.places < 0).astype(np.int32)

    def among(self, places: Ints) -> slice:
        """Where, among some places, ascending, those begin and end between which all of this segment are."""
        if self.shift is not None:
            first, last = self.shift, self.shift + len(self.places) - 1
        else:
            held = self._alive[1]
            first, last = (int(held[0]), int(held[-1])) if len(held) else (0, -1)
        return slice(int(places.searchsorted(first)), int(places.searchsorted(last, side="right")))

    def rows_at(self, places: Ints) -> Ints:
        """The rows that stand at some places, which are ``among`` these; -1 for places of other segments."""
        if self.shift is not None:
            return places - self.shift
        rows, held = self._alive
        if int(held[-1]) - int(held[0]) == len(held) - 1:  # no passage of another segment stands between them
            there: Ints = rows[places - held[0]]
            return there
        found = np.minimum(np.searchsorted(held, places), len(held) - 1)
        return np.where(held[found] == places, rows[found], -1)

    @cached_property
    def _alive(self) -> tuple[Ints, Ints]:
        rows = np.flatnonzero(self.places >= 0)
        return rows, self.places[rows]

    def frequencies_in(self, term: int, rows: Ints) -> NDArray[np.int32]:
        """How often each of some rows, ascending, holds a term."""
        here = slice(int(self.starts[term]), int(self.starts[term + 1]))
        documents, frequencies = self.documents[here], self.frequencies[here]
        if len(documents) < _DENSE * len(rows):
            every = np.zeros(int(documents[-1]) + 2, np.int32)  # the last one is of rows that are not in the list
            every[documents] = frequencies
            return every[np.where(rows < len(every), rows, -1)]
        found = np.minimum(np.searchsorted(documents, rows.astype(np.int32)), len(documents) - 1)
        counts: NDArray[np.int32] = np.where(documents[found] == rows, frequencies[found], np.int32(0))
        return counts


def _shared(some: NDArray[np.int32], others: NDArray[np.int32]) -> int:
    """How many rows are in both lists, which are ascending; in time for the shorter one."""
    few, many = (some, others) if len(some) < len(others) else (others, some)
    if not len(few):
        return 0
    found = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return int(np.count_nonzero(many[found] == few))

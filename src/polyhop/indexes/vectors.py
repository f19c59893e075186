"""Exact nearest neighbours among unit vectors: a scan over memory-mapped rows, no approximation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt, ModelMismatch, StoreError
from polyhop.indexes.ranking import Ranked, best, nothing
from polyhop.indexes.segments import Arrays, Live, read_arrays, standing
from polyhop.ports import Floats, Ints

_GATHER = 4  # rows picked one by one cost about this many scanned ones
_BLOCK = 1 << 24  # scores held at once by search_many: 64 MiB
_ROWS = 1024  # whose products in double precision are held at once by scores: 3 MiB


def build(numbers: Ints, vectors: NDArray[Any]) -> Arrays:
    """The arrays of one segment: float32 rows in ascending order of passage number.

    ``vectors`` has shape (len(numbers), dimensions), float32 or float16, with rows of length 1.
    """
    order = np.argsort(numbers, kind="stable")
    return {"numbers": numbers[order].astype(np.int64), "vectors": np.asarray(vectors, np.float32)[order]}


@dataclass(frozen=True, kw_only=True, eq=False)
class Vectors:
    """The vectors of all live passages, over any number of segments; which segments never changes a result.

    A fast dot product may be rounded differently depending on where its row stands and what stands beside it, so the
    scores that decide and are returned are computed again, for the few best rows, one by one in double precision.
    """

    numbers: Ints  # the live passages, ascending
    rows: Ints  # where each stands in the segments laid end to end
    segments: tuple[Floats, ...]

    @classmethod
    def open(cls, folders: Sequence[Path], live: Live) -> Self:
        """Open segments for the passages in ``live``; rows of other passages are never found.

        Raises IndexCorrupt, and ModelMismatch where segments hold vectors of different lengths.
        """
        parts = [read_arrays(folder, ("numbers", "vectors")) for folder in folders]
        if any(part["vectors"].shape[:1] != part["numbers"].shape for part in parts):
            raise IndexCorrupt("A segment of vectors does not have one row a passage.")
        if len({part["vectors"].shape[1] for part in parts}) > 1:
            raise ModelMismatch("The index holds vectors of different lengths.", remedy="Index the documents again.")
        numbers, rows = standing([part["numbers"] for part in parts], live)
        return cls(numbers=numbers, rows=rows, segments=tuple(part["vectors"] for part in parts))

    def __len__(self) -> int:
        return len(self.numbers)

    def search(self, query: Floats, k: int, among: Ints | None = None) -> Ranked:
        """The ``k`` passages nearest to a query of shape (dimensions,), best first, ties by lower number.

        ``among`` restricts the search to some passages; those that have no vector are ignored.
        Raises ModelMismatch for a query of another length.
        """
        if not len(self.numbers):
            return nothing()
        self._check(query)
        if among is None:
            return self._refined(query, self._scan(query), np.arange(len(self.numbers)), k)
        places = self._places(np.unique(among))
        places = places[places >= 0]
        if len(places) * _GATHER < len(self.numbers):
            return self._refined(query, np.vecdot(self._gather(places), query), places, k)
        return self._refined(query, self._scan(query)[places], places, k)

    def search_many(self, queries: Floats, k: int) -> list[Ranked]:
        """``search`` for each row of queries of shape (n, dimensions)."""
        if not len(self.numbers) or not len(queries):
            return [nothing() for _ in queries]
        self._check(queries[0])
        everywhere = np.arange(len(self.numbers))
        step = max(1, _BLOCK // len(self.numbers))
        found = []
        for start in range(0, len(queries), step):
            block = queries[start : start + step]
            scores = np.concatenate([block @ segment.T for segment in self.segments], axis=1)
            found += [
                self._refined(query, row[self.rows], everywhere, k) for query, row in zip(block, scores, strict=True)
            ]
        return found

    def scores(self, query: Floats) -> Floats:
        """The scores of all live passages, float32 of shape (len(self),), in the order of ``numbers``.

        Those that ``search`` gives, bit for bit. Raises ModelMismatch for a query of another length.
        """
        if not len(self.numbers):
            return np.empty(0, np.float32)
        self._check(query)
        blocks = (segment[at : at + _ROWS] for segment in self.segments for at in range(0, len(segment), _ROWS))
        return np.concatenate([_exact(block, query) for block in blocks])[self.rows]

    def of(self, numbers: Ints) -> Floats:
        """The vectors of passages, one row a number, in the order given. Raises StoreError for one without a vector."""
        places = self._places(numbers)
        if (places < 0).any():
            unknown = int(numbers[places < 0][0])
            raise StoreError(f"Passage number {unknown} has no vector.", remedy="Index the documents again.")
        return self._gather(places)

    def _check(self, query: Floats) -> None:
        dimensions = self.segments[0].shape[1]
        if query.shape != (dimensions,):
            raise ModelMismatch(
                f"The index holds vectors of length {dimensions}, the question's has shape {query.shape}.",
                remedy="Ask with the embedder the index was made with, or index the documents again.",
            )

    def _places(self, numbers: Ints) -> Ints:
        """Where passages stand among the live ones; -1 for those that do not."""
        if not len(self.numbers):
            return np.full(len(numbers), -1, np.int64)
        places = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        return np.where(self.numbers[places] == numbers, places, -1)

    def _scan(self, query: Floats) -> Floats:
        """Scores of the live passages: row by row in one thread, which on busy cores is faster than BLAS in several."""
        scores = np.concatenate([np.vecdot(segment, query) for segment in self.segments])
        return scores[self.rows]

    def _gather(self, places: Ints) -> Floats:
        rows = self.rows[places]
        if len(self.segments) == 1:
            return self.segments[0][rows]
        gathered = np.empty((len(rows), self.segments[0].shape[1] if self.segments else 0), np.float32)
        for first, segment in self._laid_out():
            here = (rows >= first) & (rows < first + len(segment))
            gathered[here] = segment[rows[here] - first]
        return gathered

    def _laid_out(self) -> Iterator[tuple[int, Floats]]:
        first = 0
        for segment in self.segments:
            yield first, segment
            first += len(segment)

    def _refined(self, query: Floats, scores: Floats, places: Ints, k: int) -> Ranked:
        """The best of ``places``, whose ``scores`` are off by a rounding error of at most ``slack``."""
        if k <= 0:
            return nothing()
        if k < len(scores):
            slack = 2 * len(query) * float(np.finfo(np.float32).eps) * max(1.0, float(np.linalg.norm(query)))
            near = np.flatnonzero(scores >= np.partition(scores, -k)[-k] - 2 * slack)
            places = places[near]
        exact = _exact(self._gather(places), query)
        order = best(exact, k)
        return self.numbers[places[order]], exact[order]


def _exact(rows: Floats, query: Floats) -> Floats:
    """Dot products in double precision, each row for itself."""
    products: Floats = (rows.astype(np.float64) * query.astype(np.float64)).sum(axis=1).astype(np.float32)
    return products

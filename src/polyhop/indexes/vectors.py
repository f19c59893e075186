"""Nearest neighbours among unit vectors: a scan over memory-mapped rows, of very many over the signs of these.

Up to ``exact`` vectors nothing is missed. Of more, their signs put forward ``candidates`` (``polyhop.indexes.signs``),
and exact products rank those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt, ModelMismatch, StoreError
from polyhop.indexes.ranking import Ranked, best, kth_highest, nothing
from polyhop.indexes.segments import REBUILD, Arrays, Live, has_array, read_arrays, standing
from polyhop.indexes.signs import CANDIDATES, EXACT, Planes, put_forward, signs_of, words_of
from polyhop.indexes.streamed import ArrayWriter, FolderWriter
from polyhop.ports import Bools, Floats, Ints

_GATHER = 4  # rows picked one by one cost about this many scanned ones
_BLOCK = 2048  # rows that are multiplied with one query after another: so few stay in the cache
_MANY = 8  # queries that BLAS multiplies faster, in one thread, too
_PRODUCTS = 1 << 24  # of several queries that are held at once: 64 MiB
_PICKED = 256  # rows that are copied at once to be multiplied: so few stay in the cache
_ROWS = 1024  # whose products in double precision are held at once: 3 MiB


def build(numbers: Ints, vectors: NDArray[Any], *, signed: bool = False) -> Arrays:
    """The arrays of one segment, or of a part of one: float32 rows in ascending order of passage number.

    ``vectors`` has shape (len(numbers), dimensions), float32 or float16, with rows of length 1. ``signed``: with their
    signs, word by word, which segments have that are searched by them; of smaller ones they are taken when needed.
    """
    order = np.argsort(numbers, kind="stable")
    rows = np.asarray(vectors, np.float32)[order]
    signs = dict(zip(sign_names(rows.shape[1]), signs_of(rows), strict=True)) if signed else {}
    return {"numbers": numbers[order].astype(np.int64), "vectors": rows, **signs}


def sign_names(dimensions: int) -> list[str]:
    """What the arrays with the words of the signs are called in a segment."""
    return [f"signs{word}" for word in range(words_of(dimensions))]


class VectorsWriter:
    """Writes what ``build`` makes, some rows at a time: into a folder that is being written."""

    def __init__(self, folder: FolderWriter, *, signed: bool = False) -> None:
        self._folder, self._signed = folder, signed
        self._arrays: dict[str, ArrayWriter] = {}

    def add(self, numbers: Ints, vectors: NDArray[Any]) -> None:
        """Write further rows, or none; their numbers are above those before them."""
        for name, array in build(numbers, vectors, signed=self._signed).items():
            if name not in self._arrays:
                self._arrays[name] = self._folder.array(name, array.dtype, array.shape[1:])
            self._arrays[name].add(array)


@dataclass(frozen=True, kw_only=True, eq=False)
class Vectors:
    """The vectors of all live passages, over any number of segments; which segments never changes a result.

    A fast dot product may be rounded differently depending on where its row stands and what stands beside it, so the
    scores that decide and are returned are computed again, for the few best rows, one by one in double precision.
    """

    numbers: Ints  # the live passages, ascending
    rows: Ints  # where each stands in the segments laid end to end
    segments: tuple[Floats, ...]
    signs: tuple[Planes | None, ...] = ()  # of each segment; None, or missing: taken from its vectors when needed
    exact: int = EXACT
    candidates: int = CANDIDATES

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
        vectors = tuple(part["vectors"] for part in parts)
        signs = tuple(_stored_signs(folder, rows) for folder, rows in zip(folders, vectors, strict=True))
        return cls(numbers=numbers, rows=rows, segments=vectors, signs=signs)

    @classmethod
    def of_all(cls, numbers: Ints, vectors: Floats) -> Self:
        """Of vectors in memory, one a number, ascending."""
        signs = (list(signs_of(vectors)),) if len(vectors) > EXACT else ()
        return cls(numbers=numbers, rows=np.arange(len(numbers)), segments=(vectors,), signs=signs)

    def __len__(self) -> int:
        return len(self.numbers)

    def search(self, query: Floats, k: int, among: Ints | None = None) -> Ranked:
        """The ``k`` passages nearest to a query of shape (dimensions,), best first, ties by lower number.

        ``among`` restricts the search to some passages, which are all compared; those that have no vector are ignored.
        Raises ModelMismatch for a query of another length.
        """
        return self.search_each(query[None], k, among=among)[0]

    def search_each(
        self, queries: Floats, k: int, candidates: int | None = None, among: Ints | None = None
    ) -> list[Ranked]:
        """What ``search`` finds for each of some queries of shape (n, dimensions), which are compared together.

        Of very many queries some at a time, so that memory stays bounded. ``candidates``: where not as many as usual
        are to be ranked exactly. Raises ModelMismatch for queries of another length.
        """
        if not len(self.numbers):
            return [nothing() for _ in queries]
        if len(queries):
            self._check(queries[0])
        if among is not None:
            return self._among(queries, k, among)
        found: list[Ranked] = []
        at_once = max(1, _PRODUCTS // sum(map(len, self.segments)))
        for start in range(0, len(queries), at_once):
            some = queries[start : start + at_once]
            if len(self.numbers) > self.exact:
                found += self._among_candidates(some, k, candidates or self.candidates)
            else:
                places = np.arange(len(self.numbers))
                pairs = zip(some, self._products(some), strict=True)
                found += [self._refined(query, scores, places, k) for query, scores in pairs]
        return found

    def _among(self, queries: Floats, k: int, among: Ints) -> list[Ranked]:
        """For each query the nearest of some passages, whose vectors are copied once where they are few."""
        places = self._places(np.unique(among))
        places = places[places >= 0]
        if len(places) * _GATHER < len(self.numbers):
            block = self._gather(places)
            return [self._refined(query, np.vecdot(block, query), places, k) for query in queries]
        return [self._refined(query, self._products(query[None])[0, places], places, k) for query in queries]

    def only(self, some: Bools) -> Vectors:
        """Of these passages alone, one truth value for each of ``numbers``."""
        return replace(self, numbers=self.numbers[some], rows=self.rows[some])

    def scores(self, query: Floats) -> Floats:
        """The scores of all live passages, float32 of shape (len(self),), in the order of ``numbers``.

        Those that ``search`` gives, bit for bit, and those of all that it passes over.
        Raises ModelMismatch for a query of another length.
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

    def _products(self, queries: Floats) -> Floats:
        """Scores of the live passages by each query: fast, and off by a rounding error.

        Of few queries row by row in one thread, which on busy cores is faster than BLAS in several.
        """
        products = np.empty((len(queries), sum(map(len, self.segments))), np.float32)
        first = 0
        for segment in self.segments:
            for at in range(0, len(segment), _BLOCK):
                block = segment[at : at + _BLOCK]
                here = products[:, first : first + len(block)]
                if len(queries) >= _MANY:
                    here[:] = queries @ block.T
                else:
                    for of_query, query in zip(here, queries, strict=True):
                        np.vecdot(block, query, out=of_query)
                first += len(block)
        return products if self._untouched else products.take(self.rows, axis=1)

    def _among_candidates(self, queries: Floats, k: int, candidates: int) -> Iterator[Ranked]:
        """For each query the nearest of those that their signs put forward, which many queries share in part."""
        forward = put_forward(self._planes, queries, max(k, candidates), self._dead)
        each = (found if self._untouched else self._places_of_rows[found] for found in forward)
        if len(queries) < _MANY:
            for query, places in zip(queries, each, strict=True):
                yield self._refined(query, self._picked(places, query), places, k)
            return
        of_queries = list(each)
        wanted = np.zeros(len(self.numbers), np.bool_)
        wanted[np.concatenate(of_queries)] = True
        every = np.flatnonzero(wanted)
        order = np.empty(len(self.numbers), np.int32)
        order[every] = np.arange(len(every))
        products = self._picked(every, queries)
        for place, (query, places) in enumerate(zip(queries, of_queries, strict=True)):
            yield self._refined(query, products[order[places], place], places, k)

    def _picked(self, places: Ints, asked: Floats) -> Floats:
        """Scores of some live passages by a query, or by several in columns, for which vectors are copied once."""
        products = np.empty((len(places), *asked.shape[:-1]), np.float32)
        for segment, here, rows in self._by_segment(places):
            for at in range(0, len(rows), _PICKED):
                some = rows[at : at + _PICKED]
                segment[some, 0]  # so that memory is waited for once for all rows, and not row by row
                block = segment.take(some, axis=0)
                products[here[at : at + _PICKED]] = np.vecdot(block, asked) if asked.ndim == 1 else block @ asked.T
        return products

    @cached_property
    def _dead(self) -> Ints:
        """The rows of the segments that are no live passages."""
        return np.empty(0, np.int64) if self._untouched else np.flatnonzero(self._places_of_rows < 0)

    @cached_property
    def _places_of_rows(self) -> Ints:
        """For each row of the segments, where its passage stands among the live ones; -1 for one that is none."""
        places = np.full(sum(map(len, self.segments)), -1, np.int64)
        places[self.rows] = np.arange(len(self.rows))
        return places

    @cached_property
    def _planes(self) -> list[Planes]:
        """The signs of each segment; of small ones, and of those that an earlier version wrote, they are taken here."""
        known = self.signs or (None,) * len(self.segments)
        return [
            list(signs_of(segment)) if signs is None else signs
            for segment, signs in zip(self.segments, known, strict=True)
        ]

    @cached_property
    def _untouched(self) -> bool:
        """Whether the rows of the segments are the live passages as they stand."""
        return bool(len(self.rows) == sum(map(len, self.segments)) and (self.rows == np.arange(len(self.rows))).all())

    def _gather(self, places: Ints) -> Floats:
        if len(self.segments) == 1:
            return self.segments[0][self.rows[places]]
        gathered = np.empty((len(places), self.segments[0].shape[1] if self.segments else 0), np.float32)
        for segment, here, rows in self._by_segment(places):
            gathered[here] = segment[rows]
        return gathered

    def _by_segment(self, places: Ints) -> Iterator[tuple[Floats, Ints, Ints]]:
        """Each segment with which of some passages stand in it, by their place among these, and their rows there."""
        rows, first = self.rows[places], 0
        for segment in self.segments:
            here = np.flatnonzero((rows >= first) & (rows < first + len(segment)))
            yield segment, here, rows[here] - first
            first += len(segment)

    def _refined(self, query: Floats, scores: Floats, places: Ints, k: int) -> Ranked:
        """The best of ``places``, whose ``scores`` are off by a rounding error of at most ``slack``."""
        if k <= 0:
            return nothing()
        if k < len(scores):
            slack = 2 * len(query) * float(np.finfo(np.float32).eps) * max(1.0, float(np.linalg.norm(query)))
            places = places[scores >= kth_highest(scores, k) - 2 * slack]
        places = np.sort(places)  # of equals the one with the lower number comes first
        # Very many may be equal: they are copied block by block.
        blocks = (self._gather(places[at : at + _ROWS]) for at in range(0, len(places), _ROWS))
        exact = np.concatenate([np.empty(0, np.float32), *(_exact(block, query) for block in blocks)])
        order = best(exact, k)
        return self.numbers[places[order]], exact[order]


def _stored_signs(folder: Path, rows: Floats) -> Planes | None:
    """The signs that were written with the vectors of a segment, if any. Raises IndexCorrupt."""
    names = sign_names(rows.shape[1])
    if names and not has_array(folder, names[0]):
        return None
    planes = list(read_arrays(folder, names).values())
    if any(plane.shape != rows.shape[:1] for plane in planes):
        raise IndexCorrupt(f"{folder} does not have the signs of each of its vectors.", remedy=REBUILD)
    return planes


def _exact(rows: Floats, query: Floats) -> Floats:
    """Dot products in double precision, each row for itself."""
    products: Floats = (rows.astype(np.float64) * query.astype(np.float64)).sum(axis=1).astype(np.float32)
    return products

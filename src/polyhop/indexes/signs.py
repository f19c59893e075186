"""The signs of vectors' coordinates, one bit each: two vectors are about as near as their bits agree (Charikar 2002).

The bits of a vector depend on it alone, so that nothing is learned, and no insertion or deletion ever shows. A query
has more than its bits: where a coordinate of it is large, a different sign says more. So only the half of the signs
counts where the query is strongest (after Dong, Charikar and Li 2008, "Asymmetric distance estimation with sketches").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from polyhop.ports import Floats, Ints

EXACT: Final = 150_000  # up to so many vectors, all are scanned
CANDIDATES: Final = 15_000  # that are ranked exactly; fewer take less time and lose recall
WORD: Final = 64  # bits
_BLOCK: Final = 1 << 15  # signs compared at once, so that what is written between the steps stays in the cache
_SAMPLED: Final = 64  # one vector of so many says about how far the candidates go
_BATCH: Final = 1 << 14  # vectors whose signs are taken at once: 6 MiB

Distances = NDArray[np.uint8] | NDArray[np.uint16]  # signs that differ; of what is dead the largest number there is
Planes = Sequence[NDArray[np.uint64]]  # word w of all vectors, for each w; bits past the last coordinate are 0


def words_of(dimensions: int) -> int:
    """How many words hold a bit for each coordinate."""
    return -(-dimensions // WORD)


def signs_of(vectors: Floats) -> NDArray[np.uint64]:
    """Whether each coordinate is positive: shape (words, n), of vectors of shape (n, dimensions)."""
    planes = np.zeros((words_of(vectors.shape[1]), len(vectors)), np.uint64)
    for start in range(0, len(vectors), _BATCH):
        planes[:, start : start + _BATCH] = _packed(vectors[start : start + _BATCH]).T
    return planes


def put_forward(segments: Sequence[Planes], queries: Floats, most: int, dead: Ints) -> Iterator[Ints]:
    """For each query the rows that are probably nearest to it, ascending: at least ``most``, where there are as many.

    Rows are those of the segments laid end to end, without the ``dead``. All queries are compared with a stretch of the
    signs before the next one is read, which a single query waits for a third of its time.
    """
    dimensions = queries.shape[1]
    counted = np.stack([_ranks(np.abs(query)) >= dimensions // 2 for query in queries])
    total = sum(len(planes[0]) for planes in segments)
    few = dimensions - dimensions // 2 < np.iinfo(np.uint8).max  # signs that count
    distances = np.empty((len(queries), total), np.uint8 if few else np.uint16)
    first, signs, some = 0, _packed(queries), _packed(counted)
    for planes in segments:
        _count_differing(planes, signs, some, distances[:, first : first + len(planes[0])])
        first += len(planes[0])
    if len(dead):
        gone = np.zeros(total, distances.dtype)
        gone[dead] = np.iinfo(distances.dtype).max
        np.maximum(distances, gone, out=distances)
    for of_query in distances:
        yield _least(of_query, min(most, total - len(dead)))


def _count_differing(planes: Planes, signs: NDArray[np.uint64], counted: NDArray[np.uint64], found: Distances) -> None:
    """Write into ``found``, of shape (queries, vectors), in how many of the signs that count each vector differs.

    A word of some vectors is compared with every query before the next word is: so it stays in the cache.
    """
    words, counts = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint8)
    for start in range(0, found.shape[1], _BLOCK):
        here = found[:, start : start + _BLOCK]
        differing, count = words[: here.shape[1]], counts[: here.shape[1]]
        here[:] = 0
        for place, plane in enumerate(planes):
            block = plane[start : start + _BLOCK]
            for of_query, sign, some in zip(here, signs[:, place], counted[:, place], strict=True):
                np.bitwise_xor(block, sign, out=differing)
                np.bitwise_and(differing, some, out=differing)
                np.bitwise_count(differing, out=count)
                np.add(of_query, count, out=of_query)


def _least(distances: Distances, most: int) -> Ints:
    """The rows with the least distances, ascending: at least ``most``, with all that are as near."""
    likely = _enough(distances[::_SAMPLED], 3 * most // (2 * _SAMPLED))
    for below in (likely, np.iinfo(distances.dtype).max):  # most are too far to count
        rows = np.flatnonzero(distances <= below)
        if len(rows) >= most:
            break
    near = distances.take(rows)
    return rows[near <= _enough(near, most)]


def _ranks(values: Floats) -> Ints:
    """How many are smaller than each, or as large and before it."""
    ranks = np.empty(len(values), np.int64)
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    return ranks


def _enough(distances: Distances, most: int) -> int:
    """The least distance that at least ``most`` of some stay below or have; the largest where there are fewer."""
    return int(np.searchsorted(np.cumsum(np.bincount(distances)), most))


def _packed(vectors: NDArray[Any]) -> NDArray[np.uint64]:
    """What is positive in each row, packed into words: shape (len(vectors), words)."""
    packed = np.packbits(vectors > 0, axis=1)
    whole = np.zeros((len(vectors), words_of(vectors.shape[1]) * (WORD // 8)), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return whole.view("<u8").astype(np.uint64, copy=False)

"""The signs of vectors' coordinates, one bit each: two vectors are about as near as their bits agree (Charikar 2002).

The bits of a vector depend on it alone, so that nothing is learned, and no insertion or deletion ever shows. A query
has more than its bits: where a coordinate of it is large, a different sign says more. So all vectors are compared by
the half of their signs where the query is strongest, and the best of them by all signs, each with a weight (Dong,
Charikar and Li 2008, "Asymmetric distance estimation with sketches").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from polyhop.ports import Floats, Ints

EXACT: Final = 150_000  # up to so many vectors, scanning them all takes no longer than scanning signs
CANDIDATES: Final = 10_000  # that are ranked exactly; fewer take less time and lose recall
WORD: Final = 64  # bits
_ROUGHLY: Final = 5  # times as many are chosen by half of their signs
_BITS: Final = 3  # of the weight of a sign: 0 to 7
_BLOCK: Final = 1 << 15  # signs compared at once, so that what is written between the steps stays in the cache
_TOGETHER: Final = 3  # words whose bits are counted in 8 bits, which takes less time than in 16
_SAMPLED: Final = 16  # one vector of so many says about how far the candidates go
_BATCH: Final = 1 << 14  # vectors whose signs are taken at once: 6 MiB

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


def put_forward(
    segments: Sequence[Planes],
    query: Floats,
    most: int,
    in_order: Callable[[NDArray[np.uint16]], NDArray[np.uint16]],
    words: Callable[[Ints], NDArray[np.uint64]],
) -> Ints:
    """The rows that are probably nearest to a query: at least ``most``, where there are as many.

    ``in_order`` gives of what the segments have, laid end to end, that of the rows that are meant, in their order;
    ``words`` the signs of some of these rows, of shape (words, rows).
    """
    signs, strength = _packed(query[None])[0], _ranks(np.abs(query)) / len(query)
    half = _packed((strength >= 0.5)[None])[0]
    distances = in_order(np.concatenate([_differing(planes, signs, half) for planes in segments]))
    rows = _least(distances, _ROUGHLY * most)
    differing = words(rows) ^ signs[:, None]
    weights = (strength * 2**_BITS).astype(np.int64)
    weighted = np.zeros(len(rows), np.uint16)
    for bit in range(_BITS):
        counted = _packed((weights >> bit & 1 > 0)[None])[0]
        weighted += np.bitwise_count(differing & counted[:, None]).sum(axis=0, dtype=np.uint16) << np.uint16(bit)
    return rows[weighted <= _enough(weighted, most)]


def _differing(planes: Planes, signs: NDArray[np.uint64], counted: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """In how many of the signs that count each vector differs."""
    total = len(planes[0])
    found = np.zeros(total, np.uint16)
    words, counts, some = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint8), np.empty(_BLOCK, np.uint8)
    for start in range(0, total, _BLOCK):
        here = found[start : start + _BLOCK]
        width = len(here)
        for first in range(0, len(signs), _TOGETHER):
            some[:width] = 0
            for word in range(first, min(first + _TOGETHER, len(signs))):
                np.bitwise_xor(planes[word][start : start + width], signs[word], out=words[:width])
                np.bitwise_and(words[:width], counted[word], out=words[:width])
                np.bitwise_count(words[:width], out=counts[:width])
                np.add(some[:width], counts[:width], out=some[:width])
            np.add(here, some[:width], out=here)
    return found


def _least(distances: NDArray[np.uint16], most: int) -> Ints:
    """The rows with the least distances: at least ``most``, with all that are as near."""
    likely = _enough(distances[::_SAMPLED], 2 * most // _SAMPLED)
    for below in (likely, np.iinfo(np.uint16).max):  # most are too far to count
        rows = np.flatnonzero(distances <= below)
        if len(rows) >= most:
            break
    return rows[distances[rows] <= _enough(distances[rows], most)]


def _ranks(values: Floats) -> Ints:
    """How many are smaller than each, or as large and before it."""
    ranks = np.empty(len(values), np.int64)
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    return ranks


def _enough(distances: NDArray[np.uint16], most: int) -> int:
    """The least distance that at least ``most`` of some stay below or have; the largest where there are fewer."""
    return int(np.searchsorted(np.cumsum(np.bincount(distances)), most))


def _packed(vectors: NDArray[Any]) -> NDArray[np.uint64]:
    """What is positive in each row, packed into words: shape (len(vectors), words)."""
    packed = np.packbits(vectors > 0, axis=1)
    whole = np.zeros((len(vectors), words_of(vectors.shape[1]) * (WORD // 8)), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return whole.view("<u8").astype(np.uint64, copy=False)

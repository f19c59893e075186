"""Search over very many unit vectors: the signs of their coordinates find candidates, exact products rank these."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt, ModelMismatch
from polyhop.indexes.ranking import Ranked, nothing
from polyhop.indexes.segments import REBUILD, read_arrays, write_arrays
from polyhop.indexes.vectors import Vectors
from polyhop.ports import Bools, Floats, Ints

EXACT: Final = 150_000  # up to so many vectors, scanning them all takes no longer than scanning codes
CANDIDATES: Final = 10_000  # that are ranked exactly; fewer take less time and lose recall
_WORD: Final = 64  # bits
_BLOCK: Final = 1 << 15  # codes compared at once, so that what is written between the steps stays in the cache
_TOGETHER: Final = 3  # words whose bits are counted in 8 bits, which takes less time than in 16
_SAMPLED: Final = 16  # one code of so many says about how far the candidates go
_ROWS: Final = 512  # vectors copied at once: 0.75 MiB, which stays in the cache
_BATCH: Final = 1 << 14  # vectors encoded at once: 6 MiB of signs


@dataclass(frozen=True, kw_only=True, eq=False)
class SignCodes:
    """One bit a coordinate: whether it is positive. Two vectors are about as near as their bits agree (Charikar 2002).

    A code depends on its vector alone, so that nothing is learned, and no insertion or deletion ever shows.
    """

    planes: NDArray[np.uint64]  # (words, n): word w of all codes lies together; bits past the last coordinate are 0
    exact: int = EXACT
    candidates: int = CANDIDATES

    @classmethod
    def build(cls, vectors: Floats, *, exact: int = EXACT, candidates: int = CANDIDATES) -> Self:
        """The codes of vectors of shape (n, dimensions): 48 bytes a vector of 384 dimensions.

        A search over more than ``exact`` vectors ranks only about ``candidates`` of them.
        """
        planes = np.zeros((-(-vectors.shape[1] // _WORD), len(vectors)), np.uint64)
        for start in range(0, len(vectors), _BATCH):
            planes[:, start : start + _BATCH] = _codes(vectors[start : start + _BATCH]).T
        return cls(planes=planes, exact=exact, candidates=candidates)

    def save(self, folder: Path) -> None:
        """Write the codes as a folder. Raises StorageFull."""
        write_arrays(folder, {"planes": self.planes})

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Map saved codes into memory. Raises IndexCorrupt."""
        arrays: dict[str, Any] = read_arrays(folder, ("planes",))
        if arrays["planes"].ndim != 2 or arrays["planes"].dtype != np.uint64:
            raise IndexCorrupt(
                f"{folder} does not hold codes.",
                remedy=REBUILD,
            )
        return cls(**arrays)

    def __len__(self) -> int:
        return int(self.planes.shape[1])

    def search(self, query: Floats, k: int, vectors: Floats, allowed: Bools | None = None) -> Ranked:
        """The rows of the ``k`` vectors nearest to a unit vector, with their cosines, best first, ties by lower row.

        ``vectors`` are those that were encoded, and ``allowed`` (one for each) says which may be found. Up to
        ``exact`` allowed ones nothing is missed; of more, what the codes put behind ``candidates`` others is.
        Raises ModelMismatch for vectors of another shape.
        """
        shape = (len(self), *query.shape)
        if vectors.shape != shape or -(-query.shape[0] // _WORD) != len(self.planes):
            raise ModelMismatch(
                f"There are {len(self)} codes of {len(self.planes)} words, for a question of shape {query.shape} "
                f"and vectors of shape {vectors.shape}.",
                remedy="Ask with the embedder the index was made with, or index the documents again.",
            )
        if not len(self) or k <= 0:
            return nothing()
        most = len(self) if allowed is None else int(np.count_nonzero(allowed))
        if most > self.exact:
            rows = self._nearest(query, max(k, self.candidates), allowed)
            rows = rows[_best(query, k, vectors, rows)]
            return Vectors(numbers=rows, rows=np.arange(len(rows)), segments=(vectors[rows],)).search(query, k)
        rows = np.arange(len(self)) if allowed is None else np.flatnonzero(allowed)
        return Vectors(numbers=np.arange(len(self)), rows=np.arange(len(self)), segments=(vectors,)).search(
            query, k, rows
        )

    def _nearest(self, query: Floats, most: int, allowed: Bools | None) -> Ints:
        """The rows whose codes differ least from the query's: at least ``most``, with all that differ as little."""
        differing = self._differing(query)
        sample = differing[::_SAMPLED] if allowed is None else differing[::_SAMPLED][allowed[::_SAMPLED]]
        for below in (_enough(sample, 2 * most // _SAMPLED), len(self.planes) * _WORD):  # most are too far to count
            near = differing <= below
            rows = np.flatnonzero(near if allowed is None else near & allowed)
            if len(rows) >= most:
                break
        distances = differing[rows]
        return rows[distances <= _enough(distances, most)]

    def _differing(self, query: Floats) -> NDArray[np.uint16]:
        """In how many bits each code differs from the query's."""
        code = _codes(query[None])[0]
        differing = np.zeros(len(self), np.uint16)
        words, counts, some = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint8), np.empty(_BLOCK, np.uint8)
        for start in range(0, len(self), _BLOCK):
            block = self.planes[:, start : start + _BLOCK]
            width = block.shape[1]
            here = differing[start : start + width]
            for first in range(0, len(code), _TOGETHER):
                some[:width] = 0
                for plane, word in zip(block[first : first + _TOGETHER], code[first : first + _TOGETHER], strict=True):
                    np.bitwise_xor(plane, word, out=words[:width])
                    np.bitwise_count(words[:width], out=counts[:width])
                    np.add(some[:width], counts[:width], out=some[:width])
                np.add(here, some[:width], out=here)
        return differing


def _enough(distances: NDArray[np.uint16], most: int) -> int:
    """The least distance that at least ``most`` of some stay below or have; the largest where there are fewer."""
    return int(np.searchsorted(np.cumsum(np.bincount(distances)), most))


def _best(query: Floats, k: int, vectors: Floats, rows: Ints) -> Ints:
    """Which of some rows may be among the k nearest: fast products are off by a rounding error of at most ``slack``."""
    blocks = (vectors[rows[start : start + _ROWS]] for start in range(0, len(rows), _ROWS))
    scores = np.concatenate([np.vecdot(block, query) for block in blocks])
    if k >= len(scores):
        return np.arange(len(rows))
    slack = 2 * len(query) * float(np.finfo(np.float32).eps) * max(1.0, float(np.linalg.norm(query)))
    return np.flatnonzero(scores >= np.partition(scores, -k)[-k] - 2 * slack)


def _codes(vectors: Floats) -> NDArray[np.uint64]:
    """The signs of each row, packed into words: uint64 of shape (len(vectors), words)."""
    packed = np.packbits(vectors > 0, axis=1)
    whole = np.zeros((len(vectors), -(-vectors.shape[1] // _WORD) * (_WORD // 8)), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return whole.view("<u8").astype(np.uint64, copy=False)

"""Search over very many unit vectors: the signs of their coordinates find candidates, exact products rank these."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt, ModelMismatch
from polyhop.indexes.ranking import Ranked, nothing
from polyhop.indexes.segments import REBUILD, read_arrays, write_arrays
from polyhop.indexes.signs import CANDIDATES, EXACT, signs_of, words_of
from polyhop.indexes.vectors import Vectors
from polyhop.ports import Bools, Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class SignCodes:
    """One bit a coordinate of each vector, and the search by them."""

    planes: NDArray[np.uint64]  # (words, n): word w of all codes lies together; bits past the last coordinate are 0
    exact: int = EXACT
    candidates: int = CANDIDATES

    @classmethod
    def build(cls, vectors: Floats, *, exact: int = EXACT, candidates: int = CANDIDATES) -> Self:
        """The codes of vectors of shape (n, dimensions): 48 bytes a vector of 384 dimensions.

        A search over more than ``exact`` vectors ranks only about ``candidates`` of them.
        """
        return cls(planes=signs_of(vectors), exact=exact, candidates=candidates)

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
        if vectors.shape != shape or words_of(query.shape[0]) != len(self.planes):
            raise ModelMismatch(
                f"There are {len(self)} codes of {len(self.planes)} words, for a question of shape {query.shape} "
                f"and vectors of shape {vectors.shape}.",
                remedy="Ask with the embedder the index was made with, or index the documents again.",
            )
        if not len(self) or k <= 0:
            return nothing()
        everything = np.arange(len(self))
        rows = everything if allowed is None else np.flatnonzero(allowed)
        if len(rows) <= self.exact:
            whole = Vectors(numbers=everything, rows=everything, segments=(vectors,), exact=len(self))
            return whole.search(query, k, None if allowed is None else rows)
        some = Vectors(
            numbers=rows,
            rows=rows,
            segments=(vectors,),
            signs=(list(self.planes),),
            exact=self.exact,
            candidates=self.candidates,
        )
        return some.search(query, k)

"""Texts by position, kept as one blob and read when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt
from polyhop.indexes.csr import offsets
from polyhop.indexes.segments import KeptArrays
from polyhop.indexes.splicing import Splice
from polyhop.ports import Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class Texts(KeptArrays):
    """A list of texts in UTF-8."""

    blob: NDArray[np.uint8]
    bounds: Ints  # text i is blob[bounds[i]:bounds[i + 1]]

    @classmethod
    def build(cls, texts: Sequence[str]) -> Self:
        """The texts in the order given."""
        written = [encoded(text) for text in texts]
        return cls(blob=np.frombuffer(b"".join(written), np.uint8), bounds=offsets(map(len, written)))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def all(self) -> list[str]:
        """All of them in order. Raises IndexCorrupt."""
        return self.stretch(0, len(self))

    def __getitem__(self, position: int) -> str:
        """A text. Raises IndexCorrupt where its bytes were overwritten, which their number does not show."""
        return _decoded(self.blob[self.bounds[position] : self.bounds[position + 1]].tobytes())

    def stretch(self, start: int, end: int) -> list[str]:
        """The texts from one to before another, read at once. Raises IndexCorrupt."""
        bounds = self.bounds[start : end + 1].tolist()
        written = self.blob[bounds[0] : bounds[-1]].tobytes()
        return [_decoded(written[at - bounds[0] : to - bounds[0]]) for at, to in pairwise(bounds)]

    def spliced(self, splice: Splice, more: Texts) -> Self:
        """Those that stay, and others between them."""
        blob, bounds = splice.laid((self.blob, self.bounds), (more.blob, more.bounds))
        return type(self)(blob=blob, bounds=bounds)


def _decoded(written: bytes) -> str:
    try:
        return written.decode("utf-8")
    except UnicodeDecodeError as error:
        raise IndexCorrupt(
            f"A text of the index is damaged: {error}.",
            remedy="Texts are derived: remove the folder 'generations' in the index and index the same documents "
            "again. Nothing is extracted anew.",
        ) from error


def encoded(text: str) -> bytes:
    """A text as it is kept; half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace")

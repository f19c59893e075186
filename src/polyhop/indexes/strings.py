"""A table of strings that is searched on disk: one blob of UTF-8, and the hashes of its strings in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyhop.indexes.csr import offsets
from polyhop.indexes.segments import Arrays, KeptArrays, read_arrays
from polyhop.indexes.splicing import Splice
from polyhop.ports import Ints

Hashes = NDArray[np.uint64]
STRING_ARRAYS = ("blob", "bounds", "hashes", "order")


def hashed(words: Iterable[str]) -> Hashes:
    """A hash of 64 bits for each word, the same on every machine."""
    return np.frombuffer(b"".join(blake2b(_bytes(word), digest_size=8).digest() for word in words), "<u8")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # broken input has lone surrogates, and they are text to us


@dataclass(frozen=True, kw_only=True, eq=False)
class Strings(KeptArrays):
    """Strings by place, and places by hash. Nothing is loaded until it is looked at."""

    blob: NDArray[np.uint8]
    bounds: Ints  # string i is blob[bounds[i]:bounds[i + 1]]
    hashes: Hashes  # ascending
    order: Ints  # the string that each hash belongs to

    @classmethod
    def build(cls, texts: Sequence[str], hashes: Hashes) -> Self:
        """A table of texts, with the hash that each will be looked up by."""
        encoded = [_bytes(text) for text in texts]
        order = np.argsort(hashes, kind="stable")
        return cls(
            blob=np.frombuffer(b"".join(encoded), np.uint8),
            bounds=offsets(map(len, encoded)),
            hashes=hashes[order],
            order=order,
        )

    def spliced(self, splice: Splice, more: Strings) -> Self:
        """The strings that stay, and others between them."""
        came = splice.came[more.order]
        first, last = (self.hashes.searchsorted(more.hashes, side) for side in ("left", "right"))
        for at in np.flatnonzero(first < last).tolist():  # strings with one hash stand in their order
            same = splice.placed[self.order[first[at] : last[at]]]
            first[at] += np.searchsorted(same, came[at])
        by_hash = Splice(splice.stays[self.order], first)
        blob, bounds = splice.laid((self.blob, self.bounds), (more.blob, more.bounds))
        return type(self)(
            blob=blob,
            bounds=bounds,
            hashes=by_hash.rows(self.hashes, more.hashes),
            order=by_hash.rows(splice.placed[self.order], came),
        )

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, place: int) -> str:
        return self.blob[self.bounds[place] : self.bounds[place + 1]].tobytes().decode("utf-8", "surrogatepass")

    def candidates(self, hashes: Hashes) -> list[tuple[int, int]]:
        """Pairs (i, place) where the string at ``place`` has ``hashes[i]``; the caller compares the strings."""
        if not len(self.hashes) or not len(hashes):
            return []
        first = self.hashes.searchsorted(hashes)
        hits = np.flatnonzero(self.hashes.take(first, mode="clip") == hashes)
        ends = self.hashes.searchsorted(hashes[hits], side="right")
        runs = zip(hits.tolist(), first[hits].tolist(), ends.tolist(), strict=True)
        return [(i, place) for i, begin, end in runs for place in self.order[begin:end].tolist()]


class KeptWithStrings(KeptArrays):
    """What dataclasses share that are a table of strings, the first of their fields, and arrays besides."""

    def arrays(self) -> Arrays:
        """Its arrays by name, and those of the strings."""
        strings, *others = self.__annotations__
        return {**{name: getattr(self, name) for name in others}, **getattr(self, strings).arrays()}

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Map those of a folder into memory. Raises IndexCorrupt."""
        strings, *others = cls.__annotations__
        arrays = read_arrays(folder, (*others, *STRING_ARRAYS))
        table = Strings(**{name: arrays.pop(name) for name in STRING_ARRAYS})
        return cls(**{strings: table}, **arrays)

"""Arrays as they are after a few of their rows went and others came: what stays is copied in long stretches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.indexes.csr import offsets
from polyhop.ports import Bools, Ints

Laid = tuple[NDArray[Any], Ints]  # rows of different lengths, laid end to end, and where each begins


class Ordered(Protocol):
    """Texts in their order, each of which is read when it is looked at."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> str: ...


@dataclass(frozen=True, eq=False)
class Splice:
    """Which rows of a list stay, and where others come between them."""

    stays: Bools
    before: Ints  # for each row that comes the one before which it stands, ascending; their number for the end

    @cached_property
    def placed(self) -> Ints:
        """Where each row that stays is afterwards; ascending, and of no meaning for a row that goes."""
        ahead = np.bincount(self.before, minlength=len(self.stays) + 1)[: len(self.stays)]
        ahead[1:] += self.stays[:-1]
        return np.cumsum(ahead)

    @cached_property
    def came(self) -> Ints:
        """Where each row that comes is afterwards, ascending."""
        return offsets(self.stays)[self.before] + np.arange(len(self.before))

    def rows(self, old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        """The rows that stay and those that come, in order."""
        parts = ((new if comes else old)[start:end] for comes, start, end in self._stretches)
        return np.concatenate([old[:0], *parts])

    def laid(self, old: Laid, new: Laid) -> Laid:
        """The same of rows that have different lengths."""
        (kept, bounds), (more, ends) = old, new
        parts = [
            more[ends[start] : ends[end]] if comes else kept[bounds[start] : bounds[end]]
            for comes, start, end in self._stretches
        ]
        return np.concatenate([kept[:0], *parts]), offsets(self.rows(np.diff(bounds), np.diff(ends)))

    @cached_property
    def _stretches(self) -> list[tuple[bool, int, int]]:
        return list(self._in_stretches())

    def _in_stretches(self) -> Iterator[tuple[bool, int, int]]:
        """From where to where rows that come, or that stay, stand next to each other."""
        turns = np.flatnonzero(self.stays[1:] != self.stays[:-1]) + 1
        edges = np.unique(np.concatenate([turns, self.before, np.array([0, len(self.stays)])]))
        starts, ends = (np.searchsorted(self.before, edges, side).tolist() for side in ("left", "right"))
        kept = [*pairwise(edges.tolist()), (len(self.stays), len(self.stays))]
        for (edge, after), start, end in zip(kept, starts, ends, strict=False):
            if start < end:
                yield True, start, end
            if edge < after and self.stays[edge]:
                yield False, edge, after


def places_in(ordered: Ordered, texts: Iterable[str]) -> Ints:
    """Before which of some texts others stand in their order; both are sorted."""
    found = [0]
    for text in texts:
        found.append(bisect_left(ordered, text, lo=found[-1]))
    return np.array(found[1:], np.int64)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Sorted texts of which those in use stay, joined with others, sorted, that may be among them."""

    splice: Splice
    at: Ints  # of each of the others the place in the old order
    new: Bools  # which of the others were not there

    @classmethod
    def of(cls, ordered: Ordered, used: Bools, more: Sequence[str]) -> Self:
        """``used``: which texts stay though none of the others is the same."""
        at = places_in(ordered, more)
        there = [place < len(ordered) and ordered[place] == text for place, text in zip(at.tolist(), more, strict=True)]
        new, stays = ~np.array(there, np.bool_), used.copy()
        stays[at[~new]] = True
        return cls(Splice(stays, at[new]), at, new)

    @cached_property
    def places(self) -> Ints:
        """Where each of the others is then."""
        places = np.empty(len(self.at), np.int64)
        places[~self.new], places[self.new] = self.splice.placed[self.at[~self.new]], self.splice.came
        return places

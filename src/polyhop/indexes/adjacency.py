"""Who is next to whom: a compressed map from small integers to sets of small integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from polyhop.errors import UsageError
from polyhop.indexes.csr import offsets, spread
from polyhop.indexes.segments import KeptArrays
from polyhop.ports import Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class Adjacency(KeptArrays):
    """For each id on the left (0 to n - 1), the ids on its right, sorted and without repetition."""

    starts: Ints  # the neighbours of i are rights[starts[i]:starts[i + 1]]
    rights: Ints

    @classmethod
    def build(cls, pairs: Ints, n_left: int) -> Self:
        """From pairs of shape (n, 2), left and right, in any order; repeated ones count once.

        Raises UsageError for a left id outside 0 to n_left - 1.
        """
        lefts, rights = pairs.reshape(-1, 2).astype(np.int64, copy=False).T  # so that pairs fit into one number each
        if len(lefts) and not 0 <= lefts.min() <= lefts.max() < n_left:
            raise UsageError(f"Left ids must be 0 to {n_left - 1}; these go from {lefts.min()} to {lefts.max()}.")
        rights, starts = by_left(lefts, rights, n_left)
        return cls(starts=starts, rights=rights)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, left: int) -> Ints:
        """The neighbours of one id, ascending; a view, nothing is copied."""
        return self.rights[self.starts[left] : self.starts[left + 1]]

    def of_many(self, lefts: Ints) -> Ints:
        """The neighbours of any of these ids, ascending, without repetition."""
        return once(self.of_each(lefts)[0])

    def of_each(self, lefts: Ints) -> tuple[Ints, Ints]:
        """The neighbours of each of these ids, ascending, id after id; and where those of each begin, and all end."""
        starts, ends = self.starts[lefts], self.starts[lefts + 1]
        return self.rights[spread(starts, ends)], offsets(ends - starts)

    def degrees(self) -> Ints:
        """How many neighbours each id has."""
        return np.diff(self.starts)

    def reverse(self, n_right: int) -> Self:
        """The same pairs from the right. Raises UsageError for a right id outside 0 to n_right - 1."""
        lefts = np.repeat(np.arange(len(self)), self.degrees())
        return type(self).build(np.stack([self.rights, lefts], axis=1), n_right)


def once(ids: Ints) -> Ints:
    """Ids ascending, without repetition."""
    found = np.sort(ids, kind="stable")
    fresh = np.ones(len(found), np.bool_)  # np.unique would hash them all; stretches that are sorted merge at once
    fresh[1:] = found[1:] != found[:-1]
    return found[fresh]


def by_left(lefts: Ints, rights: Ints, count: int) -> tuple[Ints, Ints]:
    """Of pairs in any order the rights, ascending and once, left after left; where those of each begin, and all end.

    Lefts are 0 to ``count`` - 1. Stretches of pairs that are in order merge at once.
    """
    width = int(rights.max(initial=0)) + 1
    pairs = once(lefts * width + rights)
    firsts = np.arange(count + 1) * width
    starts = np.searchsorted(pairs, firsts)
    return pairs - np.repeat(firsts[:-1], np.diff(starts)), starts

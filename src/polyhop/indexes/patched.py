"""Structures that stay as they are, seen with what a change made of them: what it touched is kept beside, once.

Each structure tells things by their ids, 0 to n - 1. A patch hides some of these and says for itself what they are now,
unless they are gone, and what others with higher ids are. So to patch a structure takes time for what changed only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Self

import numpy as np

from polyhop.indexes.adjacency import Adjacency, by_left
from polyhop.indexes.coverage import Covered, TokenCoverage
from polyhop.indexes.names import MISSING, Names, Phrases
from polyhop.indexes.segments import present
from polyhop.indexes.strings import Hashes
from polyhop.indexes.texts import Texts
from polyhop.ports import Bools, Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class Patch:
    """Which ids a patch says something of."""

    hidden: Bools  # of those that were there: what was said of them does not hold any more
    ids: Ints  # of those that the patch tells of, in their order
    before: Ints  # for each of these the id that was there before which it stands in that order; ascending

    @classmethod
    def adding(cls, there: int, more: int) -> Self:
        """One that only adds, behind those that were there."""
        ends = np.full(more, there, np.int64)
        return cls(hidden=np.zeros(there, np.bool_), ids=there + np.arange(more, dtype=np.int64), before=ends)

    @cached_property
    def places(self) -> dict[int, int]:
        """Id -> its place in the patch."""
        return {own: place for place, own in enumerate(self.ids.tolist())}

    @cached_property
    def size(self) -> int:
        """How many ids there are."""
        return max(len(self.hidden), int(self.ids.max(initial=-1)) + 1)

    @cached_property
    def in_order(self) -> Ints:
        """All ids that are not gone, in their order."""
        there = np.flatnonzero(~self.hidden)
        return np.insert(there, np.searchsorted(there, self.before), self.ids)

    def rank(self, one: int) -> tuple[int, bool, int]:
        """Sorts ids in their order."""
        place = self.places.get(one)
        return (one, True, 0) if place is None else (int(self.before[place]), False, place)


@dataclass(frozen=True, kw_only=True, eq=False)
class PatchedTexts(Texts):
    """Texts by id; those of ids that are gone are empty."""

    patch: Patch
    own: Texts  # of the ids of the patch

    @classmethod
    def over(cls, base: Texts, patch: Patch, own: Texts) -> Self:
        """Texts with those of a patch."""
        return cls(blob=base.blob, bounds=base.bounds, patch=patch, own=own)

    def __len__(self) -> int:
        return self.patch.size

    def __getitem__(self, position: int) -> str:
        """A text. Raises IndexCorrupt where its bytes were overwritten, which their number does not show."""
        place = self.patch.places.get(position)
        if place is not None:
            return self.own[place]
        return "" if self.patch.hidden[position] else super().__getitem__(position)

    def stretch(self, start: int, end: int) -> list[str]:
        """The texts from one to before another. Raises IndexCorrupt."""
        return [self[position] for position in range(start, end)]


@dataclass(frozen=True, kw_only=True, eq=False)
class PatchedNames(Names):
    """Names of ids."""

    patch: Patch
    own: Names  # those of ids that are in the patch

    @classmethod
    def over(cls, base: Names, patch: Patch, own: Names) -> Self:
        """Names with those of a patch, none of which an id has that is not in it."""
        return cls(keys=base.keys, values=base.values, patch=patch, own=own)

    def found(self, keys: Sequence[str], hashes: Hashes) -> Ints:
        """Like ``find_many``, for who looks names up in several tables."""
        found, own = super().found(keys, hashes), self.own.found(keys, hashes)
        there = np.flatnonzero(found != MISSING)
        found[there[self.patch.hidden[found[there]]]] = MISSING
        return np.where(own == MISSING, found, own)

    def items(self) -> Iterator[tuple[str, int]]:
        """All names with their ids."""
        staying = ((name, one) for name, one in super().items() if not self.patch.hidden[one])
        return chain(staying, self.own.items())

    def among(self, phrases: Phrases) -> list[tuple[int, int, int]]:
        """What ``scan`` finds, for who looks up the phrases of a text in several tables."""
        staying = [match for match in super().among(phrases) if not self.patch.hidden[match[2]]]
        return sorted(
            [*staying, *self.own.among(phrases)], key=lambda match: (match[0], -match[1], self.patch.rank(match[2]))
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class PatchedCoverage(TokenCoverage):
    """Names of ids, found by their words."""

    patch: Patch
    own: TokenCoverage  # of places in the patch

    @classmethod
    def over(cls, base: TokenCoverage, patch: Patch, own: TokenCoverage) -> Self:
        """Names with those of a patch."""
        arrays = {name: getattr(base, name) for name in ("tokens", "starts", "rows", "lengths", "values")}
        return cls(**arrays, patch=patch, own=own)

    @cached_property
    def _shown(self) -> Bools:
        return ~self.patch.hidden

    def best(self, surface: str, k: int, *, ties: int = 0, among: Bools | None = None) -> list[Covered]:
        """As of names that are not patched: each part has its own best, and the best of all are among these."""
        ids, there = self.patch.ids, len(self.patch.hidden)
        staying = self._shown if among is None else self._shown & among[:there]
        found = super().best(surface, k, ties=ties, among=staying)
        own = self.own.best(surface, k, ties=ties, among=None if among is None else among[ids])
        if own:
            found += [one._replace(value=int(ids[one.value])) for one in own]
            found.sort(key=lambda one: (-one.coverage, one.extra, self.patch.rank(one.value)))
        sure = found[:k]
        return sure + [one for one in found[k : k + ties] if one[1:] == sure[-1][1:]]


@dataclass(frozen=True, kw_only=True, eq=False)
class PatchedAdjacency(Adjacency):
    """Who is next to whom, by ids on the left."""

    size: int  # how many ids there are on the left
    emptied: Bools  # of ids that were there: whose neighbours the patch says in full
    lefts: Ints  # the ids of which the patch says neighbours, ascending
    own: Adjacency  # of these; behind those that were there

    @classmethod
    def over(cls, base: Adjacency, size: int, emptied: Bools, lefts: Ints, own: Adjacency) -> Self:
        """Neighbours with those of a patch."""
        return cls(starts=base.starts, rights=base.rights, size=size, emptied=emptied, lefts=lefts, own=own)

    def __len__(self) -> int:
        return self.size

    def of(self, left: int) -> Ints:
        """The neighbours of one id, ascending."""
        return self.of_many(np.array([left], np.int64))

    def of_each(self, lefts: Ints) -> tuple[Ints, Ints]:
        """The neighbours of each of these ids, ascending, id after id; and where those of each begin, and all end."""
        there = np.flatnonzero(lefts < len(self.emptied))
        there = there[~self.emptied[lefts[there]]]
        own = np.flatnonzero(present(lefts, self.lefts))
        found, starts = super().of_each(lefts[there])
        more, more_starts = self.own.of_each(self.lefts.searchsorted(lefts[own]))
        lefts_of = [np.repeat(there, np.diff(starts)), np.repeat(own, np.diff(more_starts))]
        return by_left(np.concatenate(lefts_of), np.concatenate([found, more]), len(lefts))

    def degrees(self) -> Ints:
        """How many neighbours each id has."""
        found = np.zeros(self.size, np.int64)
        found[: len(self.emptied)] = np.where(self.emptied, 0, super().degrees())
        found[self.lefts] += self.own.degrees()
        return found

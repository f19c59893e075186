"""Which pairs of very many nodes are compared: those of which one has its home in a cell that the other reaches.

Some nodes are pivots: those whose keys have the lowest hashes. The home of a node is the cell of the pivot nearest to
it, and it reaches the cells of all pivots that are hardly farther from it than its nearest few are, as inverted files
are probed (Sivic and Zisserman 2003), but from both sides. All of this follows from which nodes there are. Where one
comes or goes, only those change that have a pivot among their nearest which was not there or is no longer.

Whether a cell is reached must not depend on rounding. So vectors are rounded to whole numbers here, so small that their
dot products, and all sums on the way, are whole numbers that single precision holds exactly, in whatever order they are
added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt, sqrt
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.ports import Bools, Floats, Ints

Positions = NDArray[np.int32]

NEAREST: Final = 8  # pivots of a node that say how far it reaches
_FARTHER: Final = (6, 5)  # so many times their distance, which is 1 less the cosine
_DENSITY: Final = 16  # pivots are the root of so many times the nodes
_PRODUCTS: Final = 1 << 22  # held at once: 16 MiB
_GROUP: Final = 16  # pivots of which the nearest alone is looked at first
_STRIP, _STRETCH = 128, 1 << 18  # cells and nodes of which it is noted at once who reaches which: 32 MiB


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells:
    """The pivots of some nodes, and those that are nearest to each node."""

    pivots: Ints  # (m,): rows, by the hashes of their keys
    nearest: Positions  # (n, NEAREST): positions among the pivots, the nearest first and equals by position
    edges: Floats  # (n,): whole product with the last of these

    @classmethod
    def build(cls, vectors: Floats, keys: Ints) -> Self:
        """The cells of unit vectors of shape (n, dimensions), each with a key; in time n to the power of 1.5."""
        pivots = _pivots(keys)
        nearest, edges = _nearest(vectors, np.arange(len(vectors)), pivots)
        return cls(pivots=pivots, nearest=nearest, edges=edges)

    def fits(self, count: int) -> bool:
        """Whether the parts belong together, and to so many nodes."""
        shapes = self.nearest.shape == (count, NEAREST) and self.edges.shape == (count,) and self.pivots.ndim == 1
        return shapes and all(
            0 <= int(part.min()) <= int(part.max()) < below
            for part, below in ((self.pivots, count), (self.nearest, len(self.pivots)))
            if part.size
        )

    @property
    def homes(self) -> Ints:
        """The cell of each node, as a position among the pivots."""
        return self.nearest[:, 0].astype(np.int64)

    def reaches(self, dimensions: int) -> Floats:
        """The whole product with a pivot from which on each node reaches the cell of it."""
        top = _scale(dimensions) ** 2
        more, than = _FARTHER
        away = np.maximum(top - self.edges.astype(np.int64), 0) * more // than
        reaches: Floats = (top - away).astype(np.float32)
        return reaches

    def compared(self, vectors: Floats, left: Ints, right: Ints) -> Bools:
        """Which of some pairs of nodes are compared."""
        homes, reaches = self.homes, self.reaches(vectors.shape[1])
        compared: Bools = homes[left] == homes[right]
        for one, other in ((left, right), (right, left)):
            open_ = np.flatnonzero(~compared)
            for start in range(0, len(open_), _STRIP * 8):
                some = open_[start : start + _STRIP * 8]
                nodes, pivots = one[some], self.pivots[homes[other[some]]]
                products = (_whole(vectors[nodes]) * _whole(vectors[pivots])).sum(axis=1)
                compared[some] = products >= reaches[nodes]
        return compared

    def groups(self, vectors: Floats, change: CellChange) -> Iterator[tuple[Ints, Ints]]:
        """The pairs that are compared and were not before: all those of the first and the second nodes of each group.

        A pair may come several times, also as (b, a), and a node with itself.
        """
        order = np.argsort(self.homes, kind="stable")
        inside = np.split(order, np.cumsum(np.bincount(self.homes, minlength=len(self.pivots)))[:-1])
        cells, everything = np.arange(len(self.pivots)), np.arange(len(vectors))
        reaches, before = self.reaches(vectors.shape[1]), change.before
        farther = np.flatnonzero(before > reaches)
        anew = bool(np.isinf(before).all())
        if anew and len(self.pivots) >= NEAREST:
            yield from self._nearest_groups(inside)
            before = np.minimum(before, self.edges + 1)  # those that are as near as the last come once more
        for cell, rows in self._reaching(vectors, farther, cells, reaches, before):
            yield rows, inside[cell]
        if not anew:
            moved = np.flatnonzero(change.moved)
            for cell, rows in self._reaching(vectors, everything, np.unique(self.homes[moved]), reaches, None):
                yield rows, moved[self.homes[moved] == cell]

    def _nearest_groups(self, inside: list[Ints]) -> Iterator[tuple[Ints, Ints]]:
        """Nodes with those of their own cell, then of the others that are nearest: most of what is near is there."""
        yield from ((own, own) for own in inside)
        around = self.nearest[:, 1:].ravel()
        order = np.argsort(around, kind="stable")
        counts = np.bincount(around, minlength=len(inside))
        for cell, rows in enumerate(np.split(order // (NEAREST - 1), np.cumsum(counts)[:-1])):
            yield rows, inside[cell]

    def _reaching(
        self, vectors: Floats, rows: Ints, cells: Ints, reaches: Floats, before: Floats | None
    ) -> Iterator[tuple[int, Ints]]:
        """Each cell with those of the rows that reach it; with ``before``, only those that then did not."""
        for start in range(0, len(rows), _STRETCH):
            stretch = rows[start : start + _STRETCH]
            for first in range(0, len(cells), _STRIP):
                strip = cells[first : first + _STRIP]
                reached = np.empty((len(strip), len(stretch)), np.bool_)
                for block, products in _products(vectors, stretch, self.pivots[strip]):
                    some = stretch[block]
                    within = products >= reaches[some, None]
                    if before is not None:
                        within &= products < before[some, None]
                    reached[:, block] = within.T
                yield from ((int(cell), stretch[who]) for cell, who in zip(strip, reached, strict=True) if who.any())


@dataclass(frozen=True, kw_only=True, eq=False)
class CellChange:
    """What is different about cells since some pairs were compared."""

    before: Floats  # (n,): from which whole product on a node reached the cell of a pivot; infinite: it was not there
    moved: Bools  # (n,): whether a node has its home in another cell, or is new
    shaken: Bools  # (n,): whether it may no longer be compared with a node that it was compared with

    @classmethod
    def of_all(cls, count: int) -> Self:
        """Nothing was compared."""
        return cls(
            before=np.full(count, np.inf, np.float32), moved=np.ones(count, np.bool_), shaken=np.ones(count, np.bool_)
        )

    @classmethod
    def from_everything(cls, there: Ints, cells: Cells, dimensions: int) -> Self:
        """Those that were ``there`` were compared with each other, each with each."""
        new = np.ones(len(cells.edges), np.bool_)
        new[there] = False
        return cls(before=np.where(new, np.float32(np.inf), cells.reaches(dimensions)), moved=new, shaken=~new)

    def with_again(self, rows: Ints) -> CellChange:
        """The same, and some nodes are compared again with all they have to be compared with."""
        before, moved = self.before.copy(), self.moved.copy()
        before[rows], moved[rows] = np.inf, True
        return CellChange(before=before, moved=moved, shaken=self.shaken)


def carried(
    before: Cells, passed: Ints, kept: Ints, there: Ints, vectors: Floats, keys: Ints
) -> tuple[Cells, CellChange]:
    """The cells of ``vectors`` with ``keys``, from those of other nodes, and what that changes.

    ``passed``: the keys of those; ``kept``: which of them are still there, and ``there``: as which rows. Equal to cells
    that are built anew. Takes time in n for each pivot that comes, and in m for each node that it concerns.
    """
    pivots = _pivots(keys)
    if min(len(pivots), len(before.pivots)) < NEAREST:
        return Cells.build(vectors, keys), CellChange.of_all(len(vectors))
    now, come = _positions(passed[before.pivots], keys[pivots])
    nearest = np.full((len(vectors), NEAREST), -1, before.nearest.dtype)
    edges = np.zeros(len(vectors), np.float32)
    nearest[there], edges[there] = now[before.nearest[kept]], before.edges[kept]
    open_: Bools = np.any(nearest < 0, axis=1)
    open_[there] |= _nearer(vectors, there, pivots[come], edges[there])
    again = np.flatnonzero(open_)
    home = nearest[:, 0].copy()
    nearest[again], edges[again] = _nearest(vectors, again, pivots)
    cells = Cells(pivots=pivots, nearest=nearest, edges=edges)
    earlier = np.full(len(vectors), np.inf, np.float32)
    earlier[there] = before.reaches(vectors.shape[1])[kept]
    moved = home != cells.homes
    return cells, CellChange(before=earlier, moved=moved, shaken=moved | (cells.reaches(vectors.shape[1]) > earlier))


def _pivots(keys: Ints) -> Ints:
    """The rows whose keys have the lowest hashes, in the order of these."""
    hashes = _mixed(keys)
    most = min(len(keys), isqrt(_DENSITY * len(keys)))
    lowest = np.argpartition(hashes, most - 1)[:most] if most else np.empty(0, np.int64)
    return lowest[np.argsort(hashes[lowest])]


def _mixed(keys: Ints) -> NDArray[np.uint64]:
    """A hash of each key, different for different keys: the finalizer of SplitMix64 (Steele, Lea and Flood 2014)."""
    mixed = keys.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def _positions(before: Ints, after: Ints) -> tuple[Ints, Ints]:
    """Where keys of pivots stand among those that came after them, -1 where they do not; and which of these are new."""
    order = np.argsort(after)
    places = np.minimum(np.searchsorted(after[order], before), len(after) - 1)
    now = np.where(after[order][places] == before, order[places], -1)
    return now, np.setdiff1d(np.arange(len(after)), now)


def _scale(dimensions: int) -> int:
    """The length of a whole vector: its dot products with others of its kind stay below 2 to the power of 24."""
    return int(4096 - sqrt(dimensions) / 2) - 1  # rounding lengthens a vector by half the root at most


def _whole(vectors: Floats) -> Floats:
    whole: Floats = np.rint(vectors * np.float32(_scale(vectors.shape[1])))
    return whole


def _products(vectors: Floats, rows: Ints, pivots: Ints) -> Iterator[tuple[slice, Floats]]:
    """Whole products of rows with pivots, block by block of the rows."""
    others = _whole(vectors[pivots]).T
    size = max(1, min(4096, _PRODUCTS // max(1, len(pivots))))
    for start in range(0, len(rows), size):
        block = slice(start, min(start + size, len(rows)))
        yield block, _whole(vectors[rows[block]]) @ others


def _nearest(vectors: Floats, rows: Ints, pivots: Ints) -> tuple[Positions, Floats]:
    """The positions of the pivots that are nearest to each row, and the whole product with the last of them.

    Where there are fewer than NEAREST, the last comes again.
    """
    nearest = np.empty((len(rows), NEAREST), np.int32)
    edges = np.empty(len(rows), np.float32)
    width = min(NEAREST, len(pivots))
    for block, products in _products(vectors, rows, pivots):
        left, right = np.nonzero(products >= _floors(products, width)[:, None])
        order = np.lexsort((right, -products[left, right], left))
        starts = np.searchsorted(left, np.arange(len(products)))  # np.nonzero goes row by row
        chosen = right[order][starts[:, None] + np.minimum(np.arange(NEAREST), width - 1)]
        nearest[block] = chosen
        edges[block] = products[np.arange(len(products)), chosen[:, -1]]
    return nearest, edges


def _floors(products: Floats, width: int) -> Floats:
    """For each row a number that at least ``width`` of its products reach, and hardly more."""
    groups = max(width, products.shape[1] // _GROUP)
    deals = products.shape[1] // groups
    best = products[:, : deals * groups].reshape(len(products), deals, groups).max(axis=1)
    floors: Floats = np.partition(best, -width, axis=1)[:, -width]
    return floors


def _nearer(vectors: Floats, rows: Ints, pivots: Ints, edges: Floats) -> Bools:
    """Which rows may have one of these pivots among their nearest; a few that have not are among them."""
    nearer = np.zeros(len(rows), np.bool_)
    if not len(pivots):
        return nearer
    others = vectors[pivots].T
    scale, dimensions = _scale(vectors.shape[1]), vectors.shape[1]
    least = edges / np.float32(scale**2) - np.float32(1.5 * sqrt(dimensions) / scale)  # more than rounding changes
    for start in range(0, len(rows), 4096):
        block = slice(start, start + 4096)
        nearer[block] = (vectors[rows[block]] @ others).max(axis=1) >= least[block]
    return nearer

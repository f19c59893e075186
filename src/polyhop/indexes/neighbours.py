"""The graph of nearest neighbours among unit vectors: after insertions and deletions it equals a rebuild.

It is exact up to some number of nodes. Of more, pairs are compared where cells that they share say so (``cells``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

import numpy as np

from polyhop.errors import IndexCorrupt, UsageError
from polyhop.indexes.cells import CellChange, Cells, carried
from polyhop.indexes.nearest_lists import NearestLists
from polyhop.indexes.ranking import Ranked
from polyhop.indexes.segments import REBUILD, Arrays, read_arrays, write_arrays
from polyhop.ports import Floats, Ints

SPARE: Final = 6  # kept beyond the promised ones: deletions eat these first, and only then is there a search
EXACT: Final = 150_000  # up to so many nodes all pairs are compared
_ARRAYS: Final = ("keys", "lists", "scores", "promised")
_CELLS: Final = ("pivots", "nearest", "edges")  # there, too, where there are more


@dataclass(frozen=True, kw_only=True, eq=False)
class NeighbourGraph:
    """The nearest other nodes of each node, the highest cosine first, equal ones by the lower key.

    Node i is row i of an array of unit vectors that the caller keeps, and knows its key. Cosines are dot products in
    double precision, rounded once to single precision; these rounded ones decide. So neither the number of threads
    nor the order of insertions and deletions ever shows, if keys do not depend on it either.

    Of more than ``exact`` nodes only those are in a list that were compared, which follows from what nodes there are.
    A list may hold more than ``k`` nodes, how many depends on history; what there is, is always what comes first.
    """

    keys: Ints  # (n,), all different
    lists: Ints  # (n, at least k): rows of the nearest other nodes, best first, -1 where the list is shorter
    scores: Floats  # (n, at least k): their cosines, 0 where the list is shorter
    k: int  # how many of each list are promised; all others where there are fewer nodes
    cells: Cells | None = None  # where not all pairs were compared
    exact: int = EXACT

    @classmethod
    def build(
        cls, vectors: Floats, k: int, keys: Ints | None = None, *, spare: int = SPARE, exact: int = EXACT
    ) -> Self:
        """The graph of unit vectors of shape (n, dimensions), float32, each with a key; without keys, its row is one.

        Takes time in n * n up to ``exact`` nodes, and far less for more; memory in n. Raises UsageError for a k below 1
        and for keys that are not one a row, all different.
        """
        if k < 1 or spare < 0:
            raise UsageError(f"A graph of neighbours needs at least 1 a node, not {k} and {spare} spare ones.")
        keys = _checked(np.arange(len(vectors)) if keys is None else keys, len(vectors))
        found = NearestLists.empty(vectors, keys, k + spare)
        cells = Cells.build(vectors, keys) if len(vectors) > exact else None
        if cells is None:
            found.compare_all()
        else:
            found.compare_groups(cells.groups(vectors, CellChange.of_all(len(vectors))))
        return cls(keys=keys, lists=found.lists, scores=found.scores, k=k, cells=cells, exact=exact)

    def extended(self, vectors: Floats, new: Ints, keys: Ints | None = None) -> Self:
        """The graph with more nodes: ``vectors`` are those of all nodes, and ``new`` the rows that were not there.

        Nodes that were there keep their order. ``keys`` are those of the new nodes, in the order of their rows; without
        them, new nodes must stand last. Takes time in n * len(new). Raises UsageError for what does not fit together.
        """
        new = np.unique(new)
        there = np.setdiff1d(np.arange(len(vectors)), new)
        if len(there) != len(self) or (len(new) and not 0 <= new[0] <= new[-1] < len(vectors)):
            raise UsageError(f"{len(self)} nodes and {len(new)} new ones do not make {len(vectors)}.")
        if keys is None:
            if len(new) and new[0] < len(self):
                raise UsageError("New nodes that do not stand last need keys.")
            keys = (int(self.keys.max()) + 1 if len(self) else 0) + np.arange(len(new))
        every = np.empty(len(vectors), np.int64)
        every[there], every[new] = self.keys, _checked(keys, len(new))
        width = self.lists.shape[1]
        if 2 * len(new) > len(vectors):  # comparing each of them with all takes longer than each pair once
            return self._anew(vectors, every)
        if len(vectors) > self.exact:
            return self._carried(np.arange(len(self)), there, vectors, _checked(every, len(vectors)))
        found = NearestLists.empty(vectors, _checked(every, len(vectors)), width)
        found.take_over(there, _renumbered(self.lists, there), self.scores)
        found.compare_new(new)
        return replace(self, keys=found.keys, lists=found.lists, scores=found.scores)

    def without(self, rows: Ints, vectors: Floats) -> Self:
        """The graph without some nodes; ``vectors`` are those of the nodes that stay, which keep their order.

        Nodes whose list would be shorter than ``k`` are searched again: time in n for each of them.
        Raises UsageError for rows that are not there and for vectors that do not fit.
        """
        rows = np.unique(rows)
        if len(rows) and not 0 <= rows[0] <= rows[-1] < len(self):
            raise UsageError(f"Rows must be 0 to {len(self) - 1}; these go from {rows[0]} to {rows[-1]}.")
        stay = np.ones(len(self), np.bool_)
        stay[rows] = False
        if len(vectors) != stay.sum():
            raise UsageError(f"{stay.sum()} nodes stay, but there are {len(vectors)} vectors.")
        if len(vectors) > self.exact:
            return self._carried(np.flatnonzero(stay), np.arange(len(vectors)), vectors, self.keys[stay])
        if self.cells is not None:
            return self._anew(vectors, self.keys[stay])
        numbers = np.where(stay, np.cumsum(stay) - 1, -1)
        lists, scores = _closed_up(_renumbered(self.lists[stay], numbers), self.scores[stay])
        found = NearestLists.empty(vectors, self.keys[stay], lists.shape[1])
        found.take_over(np.arange(len(vectors)), lists, scores)
        short = (lists >= 0).sum(axis=1) < min(self.k, len(vectors) - 1)
        found.search_again(np.flatnonzero(short))
        return replace(self, keys=found.keys, lists=found.lists, scores=found.scores)

    def _anew(self, vectors: Floats, keys: Ints) -> Self:
        return type(self).build(vectors, self.k, keys, spare=self.lists.shape[1] - self.k, exact=self.exact)

    def _carried(self, kept: Ints, there: Ints, vectors: Floats, keys: Ints) -> Self:
        """The graph of ``vectors``, too many to compare all pairs; its rows ``there`` are those that are ``kept``."""
        if self.cells is None:
            cells = Cells.build(vectors, keys)
            change = CellChange.from_everything(there, cells, vectors.shape[1])
        else:
            cells, change = carried(self.cells, self.keys, kept, there, vectors, keys)
        numbers = np.full(len(self), -1, np.int64)
        numbers[kept] = there
        lists = _renumbered(self.lists[kept], numbers)
        places, nth = np.nonzero((lists >= 0) & (change.shaken[there][:, None] | change.shaken[lists]))
        lost = ~cells.compared(vectors, there[places], lists[places, nth])
        lists[places[lost], nth[lost]] = -1
        lists, scores = _closed_up(lists, self.scores[kept])
        short = there[(lists >= 0).sum(axis=1) < min(self.k, len(vectors) - 1)]
        found = NearestLists.empty(vectors, keys, lists.shape[1])
        found.take_over(there, lists, scores)
        found.forget(short)
        found.compare_groups(cells.groups(vectors, change.with_again(short)))
        return replace(self, keys=found.keys, lists=found.lists, scores=found.scores, cells=cells)

    @property
    def neighbours(self) -> Ints:
        """The promised neighbours, int64 of shape (n, k), best first, -1 where there are fewer other nodes."""
        return self.lists[:, : self.k]

    @property
    def cosines(self) -> Floats:
        """Their cosines, float32 of shape (n, k), 0 where there are fewer."""
        return self.scores[:, : self.k]

    def of(self, node: int, most: int | None = None) -> Ranked:
        """The promised neighbours of one node, or the first of them, and their cosines."""
        width = self.k if most is None else min(most, self.k)
        rows = self.lists[node, :width]
        return rows[rows >= 0], self.scores[node, :width][rows >= 0]

    def __len__(self) -> int:
        return len(self.keys)

    def save(self, folder: Path) -> None:
        """Write the graph as a folder. Raises StorageFull."""
        promised = [self.k] if self.cells is None else [self.k, len(self.cells.pivots)]
        arrays: Arrays = {"keys": self.keys, "lists": self.lists, "scores": self.scores, "promised": np.array(promised)}
        if self.cells is not None:
            arrays |= {name: getattr(self.cells, name) for name in _CELLS}
        write_arrays(folder, arrays)

    @classmethod
    def open(cls, folder: Path, *, exact: int = EXACT) -> Self:
        """Map a saved graph into memory. Raises IndexCorrupt."""
        arrays = read_arrays(folder, _ARRAYS)
        k, *pivots = arrays["promised"].tolist() or [0]
        keys, lists, scores = arrays["keys"], arrays["lists"], arrays["scores"]
        cells = Cells(**read_arrays(folder, _CELLS)) if pivots else None
        whole = lists.ndim == 2 and lists.shape == scores.shape and len(lists) == len(keys)
        inside = not lists.size or -1 <= lists.min() <= lists.max() < len(lists)
        fits = cells is None or (pivots == [len(cells.pivots)] and cells.fits(len(keys)))
        if not (whole and inside and fits and 1 <= k <= lists.shape[1]):
            raise IndexCorrupt(
                f"{folder} is damaged: its parts do not belong together.",
                remedy=REBUILD,
            )
        return cls(keys=keys, lists=lists, scores=scores, k=k, cells=cells, exact=exact)


def _checked(keys: Ints, count: int) -> Ints:
    if keys.shape != (count,) or len(np.unique(keys)) != count:
        raise UsageError(f"{count} nodes need as many keys, all different; these are {len(np.unique(keys))} different.")
    return keys.astype(np.int64)


def _renumbered(lists: Ints, numbers: Ints) -> Ints:
    """Lists with ``numbers[row]`` in place of each row."""
    if not len(numbers):
        return np.full(lists.shape, -1, np.int64)
    return np.where(lists >= 0, numbers[lists], -1)


def _closed_up(lists: Ints, scores: Floats) -> tuple[Ints, Floats]:
    """Lists without holes: what is -1 comes last, the rest keeps its order."""
    holes = np.flatnonzero((np.diff((lists >= 0).astype(np.int8), axis=1) > 0).any(axis=1) | (lists[:, -1] < 0))
    order = np.argsort(lists[holes] < 0, axis=1, kind="stable")
    lists[holes] = np.take_along_axis(lists[holes], order, axis=1)
    scores[holes] = np.where(lists[holes] >= 0, np.take_along_axis(scores[holes], order, axis=1), np.float32(0))
    return lists, scores

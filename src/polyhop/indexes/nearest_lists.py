"""Lists of nearest nodes while they are being filled: blocks of fast products find, exact products decide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.ports import Bools, Floats, Ints

ROWS = 1024  # products of so many rows with
COLUMNS = 4096  # so many columns are held at once: 16 MiB
PENDING = 1 << 20  # pairs that are held before exact products cut them down: 20 MiB
_PAIRS = 512  # exact products at once: 3 MiB
_MERGED = 1 << 16  # pairs that enter lists at once: at most 16 MiB of these at a width of 16
OFTEN: Final = 4  # that a pair may come, where groups are compared
_NOWHERE: Final = np.uint64(2**64 - 1)  # behind all places in a list
_LOW: Final = np.uint64(2**32 - 1)
_POSITIVE: Final = np.uint32(2**31 - 1)
_UNSET: Final = np.float32(np.finfo(np.float32).min)  # below all cosines, and above the -inf of what is not compared


@dataclass(kw_only=True, eq=False)
class NearestLists:
    """For each node the nearest others so far, and from which cosine on another one would change its list.

    Fast products are off by at most ``slack``. Pairs that reach a floor by them are computed again in double
    precision, and only these products enter a list.
    """

    vectors: Floats
    keys: Ints
    lists: Ints  # (n, width), -1 where shorter
    scores: Floats  # (n, width), 0 where shorter
    limits: Floats  # (n,): the last place of a list that must not grow at its end, because nodes behind are unknown
    limit_keys: Ints  # (n,)
    floors: Floats  # (n,): fast products below it cannot change the list
    slack: float
    in_order: Ints  # (n,): the nodes by their keys
    ranks: NDArray[np.uint64]  # (n,): where each stands among these
    times: int = 1  # that a pair may come
    pending: list[tuple[Ints, Ints, Floats]] = field(default_factory=list)  # node, other, fast product
    held: int = 0

    @classmethod
    def empty(cls, vectors: Floats, keys: Ints, width: int) -> Self:
        """Lists of up to ``width`` nodes, with nothing in them yet."""
        count, dimensions = vectors.shape
        in_order = np.argsort(keys)
        ranks = np.empty(count, np.uint64)
        ranks[in_order] = np.arange(count, dtype=np.uint64)
        return cls(
            vectors=vectors,
            keys=keys,
            lists=np.full((count, width), -1, np.int64),
            scores=np.zeros((count, width), np.float32),
            limits=np.full(count, _UNSET),
            limit_keys=np.zeros(count, np.int64),
            floors=np.full(count, _UNSET),
            in_order=in_order,
            ranks=ranks,
            slack=(dimensions + 2) * float(np.finfo(np.float32).eps),  # twice the bound for vectors of length 1
        )

    def take_over(self, rows: Ints, lists: Ints, scores: Floats) -> None:
        """Begin with lists that hold what comes first among those of the nodes ``rows`` that were compared."""
        self.lists[rows], self.scores[rows] = lists, scores
        lengths = (lists >= 0).sum(axis=1)
        open_ended = (lengths > 0) & (lengths < len(rows) - 1)  # others hold all nodes that there were
        ended, last = rows[open_ended], lengths[open_ended] - 1
        self.limits[ended] = self.scores[ended, last]
        self.limit_keys[ended] = self.keys[self.lists[ended, last]]
        self.floors[ended] = self.limits[ended] - np.float32(2 * self.slack)

    def compare_all(self) -> None:
        """Fill all lists: each pair is compared once, tile by tile of the upper triangle."""
        count = len(self.vectors)
        for start in range(0, count, ROWS):
            rows = np.arange(start, min(start + ROWS, count))
            near = self._strip(start)
            self._raise_floors(rows, self._products(rows, near, near + COLUMNS))
        for start in range(0, count, ROWS):
            rows = np.arange(start, min(start + ROWS, count))
            for first in range(start, count, COLUMNS):
                products = self._products(rows, first, first + COLUMNS)
                if first < start + ROWS:
                    columns = np.arange(first, first + products.shape[1])
                    products[rows[:, None] >= columns] = -np.inf
                others = np.arange(first, first + products.shape[1])
                self._offer(rows, others, products)
                self._offer(rows, others, products, self.floors[others])
        self._settle()

    def compare_groups(self, groups: Iterable[tuple[Ints, Ints]]) -> None:
        """Compare all first nodes of each group with all second ones, both ascending.

        A pair may come OFTEN times; where both are the same array, it is not offered the other way round.
        """
        self.times = OFTEN
        for rows, columns in groups:
            for first in range(0, len(columns), ROWS):
                others = columns[first : first + ROWS]
                block = self.vectors[others].T
                for start in range(0, len(rows), COLUMNS):
                    some = rows[start : start + COLUMNS]
                    products = self.vectors[some] @ block
                    places = np.minimum(np.searchsorted(others, some), len(others) - 1)
                    own = np.flatnonzero(others[places] == some)
                    products[own, places[own]] = -np.inf
                    if rows is columns:
                        self._raise_floors(some, products)
                    else:
                        self._offer(some, others, products, self.floors[others])
                    self._offer(some, others, products)
        self._settle()

    def compare_new(self, new: Ints) -> None:
        """Fill the lists of new nodes, and enter these into the lists of the others."""
        shut = np.zeros(len(self.vectors), np.bool_)
        shut[new] = True  # a pair of new nodes is met twice, once in the row of each
        self._search(new, shut)

    def search_again(self, rows: Ints) -> None:
        """Fill the lists of some nodes anew."""
        self.forget(rows)
        self._search(rows, None)

    def forget(self, rows: Ints) -> None:
        """Empty the lists of some nodes."""
        self.lists[rows], self.scores[rows] = -1, 0
        self.limits[rows] = self.floors[rows] = _UNSET

    def _search(self, wanted: Ints, shut: Bools | None) -> None:
        for start in range(0, len(wanted), ROWS):
            rows = wanted[start : start + ROWS]
            near = self._strip(int(rows[0]))
            self._raise_floors(rows, self._products(rows, near, near + COLUMNS))
            step = COLUMNS * max(1, ROWS // len(rows))
            for first in range(0, len(self.vectors), step):
                products = self._products(rows, first, first + step)
                others = np.arange(first, first + products.shape[1])
                self._offer(rows, others, products)
                if shut is not None:
                    floors = np.where(shut[others], np.float32(np.inf), self.floors[others])
                    self._offer(rows, others, products, floors)
        self._settle()

    def _strip(self, row: int) -> int:
        """Where the columns about a row begin: nodes that stand close are often alike, and make high floors."""
        return max(0, min(row - COLUMNS // 2, len(self.vectors) - COLUMNS))

    def _products(self, rows: Ints, first: int, end: int) -> Floats:
        """Fast products of rows with the columns from ``first`` on; -inf for a node with itself."""
        block = self.vectors[first:end]
        products: Floats = self.vectors[rows] @ block.T
        own = (rows >= first) & (rows < first + len(block))
        products[np.flatnonzero(own), rows[own] - first] = -np.inf
        return products

    def _raise_floors(self, rows: Ints, products: Floats) -> None:
        """Floors from some products: columns are dealt to groups, and each group's best is a node of its own."""
        width = self.lists.shape[1]
        groups = 4 * width
        deals = products.shape[1] // groups
        if deals:
            dealt = products[:, : deals * groups].reshape(len(rows), deals, groups).max(axis=1)
            floors = np.partition(dealt, -width, axis=1)[:, -width] - np.float32(2 * self.slack)
            self.floors[rows] = np.maximum(self.floors[rows], floors)

    def _offer(self, rows: Ints, columns: Ints, products: Floats, floors: Floats | None = None) -> None:
        """Note the pairs that reach the floors of their rows or, where these are given, of their columns."""
        reached = products >= (self.floors[rows][:, None] if floors is None else floors)
        places = np.flatnonzero(reached)
        if not len(places):
            return
        left, right = np.divmod(places, products.shape[1])
        nodes, others = (rows[left], columns[right]) if floors is None else (columns[right], rows[left])
        self.pending.append((nodes, others, products.ravel()[places]))
        self.held += len(places)
        if self.held >= PENDING:
            self._settle()

    def _settle(self) -> None:
        """Enter what is pending into the lists."""
        if not self.held:
            return
        nodes, others, products = (np.concatenate(part) for part in zip(*self.pending, strict=True))
        self.pending.clear()
        self.held = 0
        nodes, others = self._cut(nodes, others, products)
        exact = self._exact(nodes, others)
        limits = self.limits[nodes]
        fits = (exact > limits) | ((exact == limits) & (self.keys[others] < self.limit_keys[nodes]))
        self._merge(nodes[fits], others[fits], exact[fits])

    def _cut(self, nodes: Ints, others: Ints, products: Floats) -> tuple[Ints, Ints]:
        """By node, and without pairs that by their fast products alone cannot be among the best of it."""
        kept = np.flatnonzero(products >= self.floors[nodes])
        kept = kept[np.argsort(nodes[kept].astype(np.uint64) << np.uint64(32) | _descending(products[kept]))]
        nodes, others, products = nodes[kept], others[kept], products[kept]
        most = self.times * self.lists.shape[1]
        starts = np.searchsorted(nodes, np.arange(len(self.keys) + 1))
        last = np.minimum(starts[nodes] + most, starts[nodes + 1]) - 1
        enough = starts[nodes + 1] - starts[nodes] >= most
        kept = np.flatnonzero(~enough | (products >= products[last] - np.float32(2 * self.slack)))
        return nodes[kept], others[kept]

    def _exact(self, nodes: Ints, others: Ints) -> Floats:
        """Dot products in double precision, rounded once; the same for a pair both ways round."""
        exact = np.empty(len(nodes), np.float32)
        for start in range(0, len(nodes), _PAIRS):
            span = slice(start, start + _PAIRS)
            left, right = self.vectors[nodes[span]].astype(np.float64), self.vectors[others[span]].astype(np.float64)
            exact[span] = (left * right).sum(axis=1)
        return exact

    def _merge(self, nodes: Ints, others: Ints, scores: Floats) -> None:
        """Put pairs, ascending by node, into the lists of their nodes."""
        width = self.lists.shape[1]
        starts = np.flatnonzero(np.diff(nodes, prepend=-1))
        nth = np.arange(len(nodes)) - np.repeat(starts, np.diff(starts, append=len(nodes)))
        places = self._places(others, scores)
        for first in range(0, int(nth.max(initial=-1)) + 1, width):
            some = np.flatnonzero((first <= nth) & (nth < first + width))
            for start in range(0, len(some), _MERGED):
                part = some[start : start + _MERGED]
                touched, rows = np.unique(nodes[part], return_inverse=True)
                self._enter(touched, rows, nth[part] - first, places[part])

    def _enter(self, touched: Ints, rows: Ints, nth: Ints, places: NDArray[np.uint64]) -> None:
        """Sort new places into some lists, and raise the floors of those that are full."""
        width = self.lists.shape[1]
        line = np.full((len(touched), 2 * width), _NOWHERE)
        line[:, :width] = self._places(self.lists[touched], self.scores[touched])
        line[rows, width + nth] = places
        line.sort(axis=1)
        again = np.zeros(line.shape, np.bool_)
        again[:, 1:] = line[:, 1:] == line[:, :-1]  # the same pair, which has come before
        line[again] = _NOWHERE
        twice = np.flatnonzero(again.any(axis=1))
        line[twice] = np.sort(line[twice], axis=1)
        best = line[:, :width]
        lists = self.in_order[np.minimum(best & _LOW, len(self.keys) - 1)]
        self.lists[touched] = np.where(best == _NOWHERE, -1, lists)
        self.scores[touched] = np.where(best == _NOWHERE, np.float32(0), _ascending(best >> np.uint64(32)))
        full = touched[best[:, -1] != _NOWHERE]
        self.floors[full] = np.maximum(self.floors[full], self.scores[full, -1] - np.float32(2 * self.slack))

    def _places(self, others: Ints, scores: Floats) -> NDArray[np.uint64]:
        """Numbers in the order in which nodes stand in a list: the highest score first, equal ones by the lower key."""
        places = _descending(scores) << np.uint64(32) | self.ranks[others]
        return np.where(others < 0, _NOWHERE, places)


def _descending(scores: Floats) -> NDArray[np.uint64]:
    """Numbers below 2 to the power of 32, the lower the higher the score."""
    bits = (scores + np.float32(0)).view(np.uint32)  # of 0 and -0, which are equal, that is 0
    return np.where(bits >> np.uint32(31), bits, ~bits & _POSITIVE).astype(np.uint64)


def _ascending(numbers: NDArray[np.uint64]) -> Floats:
    """The scores of such numbers."""
    bits = numbers.astype(np.uint32)
    return np.where(bits >> np.uint32(31), bits, ~bits & _POSITIVE).view(np.float32)

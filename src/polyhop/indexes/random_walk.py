"""Personalised PageRank over an undirected weighted graph: where a walk is found that keeps going back to its seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from polyhop.errors import UsageError
from polyhop.indexes.csr import Doubles, offsets, simple_edges
from polyhop.ports import Ints

TOLERANCE = 1e-6  # of all scores together


class WalkScores(NamedTuple):
    """Where the walk is found: shares of the nodes, which add up to 1 (or are all 0 without seeds)."""

    scores: Doubles  # of shape (nodes,)
    steps: int  # of the iteration


@dataclass(frozen=True, kw_only=True, eq=False)
class RandomWalk:
    """A graph over nodes 0 to n - 1 in compressed rows; from a node the walk takes an edge in proportion to its weight.

    Scores are sums over float64, so that they do not depend on how well single precision happens to round.
    """

    nodes: int
    rows: Ints  # the nodes that have an edge, ascending
    starts: Ints  # the neighbours of rows[i] begin at neighbours[starts[i]]
    neighbours: Ints
    shares: Doubles  # per entry: what share of the neighbour's walks comes this way, above 0, at most 1

    @classmethod
    def build(cls, pairs: Ints, weights: Doubles, nodes: int) -> Self:
        """From edges of shape (m, 2), each way round, and their weights above 0, float64 of shape (m,).

        The weights of repeated edges add up; edges from a node to itself are left out. Raises UsageError.
        """
        low, high, sums = simple_edges(pairs, weights, nodes)
        lefts, rights = np.concatenate([low, high]), np.concatenate([high, low])
        order = np.lexsort((rights, lefts))
        lefts, rights, both = lefts[order], rights[order], np.concatenate([sums, sums])[order]
        strengths = np.bincount(lefts, weights=both, minlength=nodes)
        degrees = np.bincount(lefts, minlength=nodes)
        rows = np.flatnonzero(degrees)
        starts = offsets(degrees[rows])[:-1]
        return cls(nodes=nodes, rows=rows, starts=starts, neighbours=rights, shares=both / strengths[rights])

    @property
    def edges(self) -> int:
        """How many pairs of nodes are joined."""
        return len(self.neighbours) // 2

    def personalised(self, seeds: Doubles, *, damping: float = 0.5, most: int = 200) -> WalkScores:
        """The share of time that a walk spends at each node if it goes on with probability ``damping``.

        Otherwise, and where a node has no edge, it begins again at a seed, chosen in proportion to ``seeds`` (0 or
        more, of shape (nodes,)). It is done when what further steps would change, summed over all nodes, is about
        TOLERANCE at most, or after ``most`` steps. Raises UsageError.
        """
        if not 0 <= damping < 1:
            raise UsageError(f"The damping must be at least 0 and below 1, not {damping}.")
        if seeds.shape != (self.nodes,) or not np.all((seeds >= 0) & np.isfinite(seeds)):
            raise UsageError(f"Seeds must be {self.nodes} weights of 0 or more.")
        total = float(seeds.sum())
        if total == 0:
            return WalkScores(np.zeros(self.nodes), 0)
        scores, steps = self._solved((1 - damping) / total * seeds, damping, most)
        # Walks that were stuck begin again where all others do: that makes all scores larger by the same factor.
        return WalkScores(scores / scores.sum(), steps)

    def _solved(self, restart: Doubles, damping: float, most: int) -> tuple[Doubles, int]:
        """The x with x = damping * flow(x) + restart, by the Chebyshev semi-iteration.

        The flow of an undirected graph has real eigenvalues between -1 and 1, which is all that the method needs; it
        takes about half the steps of plain iteration.
        """
        before, scores = np.zeros_like(restart), restart
        carried, flow = np.empty_like(self.shares), np.zeros_like(restart)
        omega = 2.0
        rate = damping / (1 + math.sqrt(1 - damping**2))  # by which, in the long run, a step makes the error smaller
        for step in range(1, most + 1):
            np.take(scores, self.neighbours, out=carried, mode="clip")
            carried *= self.shares
            if len(self.rows):
                flow[self.rows] = np.add.reduceat(carried, self.starts)
            following = damping * flow
            following += restart
            if step > 1:  # the first step is a plain one
                omega = 1 / (1 - damping**2 * omega / 4)
                following -= before
                following *= omega
                following += before
            change = float(np.abs(following - scores).sum())
            before, scores = scores, following
            # What is still to come is a geometric series; and the scores will be divided by their sum.
            if change * rate <= TOLERANCE * (1 - rate) * float(scores.sum()):
                break
        return np.maximum(scores, 0.0), step

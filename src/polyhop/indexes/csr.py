"""The moves that compressed sparse rows and graphs need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import UsageError
from polyhop.ports import Ints

Doubles = NDArray[np.float64]
Small = NDArray[np.signedinteger[Any]]
"""Whole numbers in as few bytes as they need, as they lie on a disk."""


def offsets(lengths: Iterable[int] | Ints) -> Ints:
    """Where rows of these lengths begin when laid end to end, and where the last one ends: one more than lengths."""
    ends = np.cumsum(lengths if isinstance(lengths, np.ndarray) else np.fromiter(lengths, np.int64), dtype=np.int64)
    return np.concatenate([np.zeros(1, np.int64), ends])


def spread(starts: Small, ends: Small) -> Ints:
    """The numbers of the half-open ranges from ``starts[i]`` to ``ends[i]``, one range after the other."""
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()), dtype=np.int64)


def flat(rows: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Rows laid end to end, and their offsets."""
    bounds = offsets(map(len, rows))
    return np.fromiter(chain.from_iterable(rows), np.int64, int(bounds[-1])), bounds


def small(numbers: Ints) -> Small:
    """The same numbers in four bytes each, where they fit; they are signed, so that differences may be taken."""
    return numbers.astype(np.int32) if int(numbers.max(initial=0)) <= np.iinfo(np.int32).max else numbers


def simple_edges(pairs: Ints, weights: Doubles, nodes: int) -> tuple[Ints, Ints, Doubles]:
    """The ends of each edge, the lower first, and its weight, once and ascending; always the same for the same graph.

    From edges of shape (m, 2), each way round, and their weights above 0. Repeated ones add up, and edges from a node
    to itself are left out. Raises UsageError.
    """
    pairs = pairs.reshape(-1, 2)
    if len(pairs) and not 0 <= pairs.min() <= pairs.max() < nodes:
        raise UsageError(f"Nodes must be 0 to {nodes - 1}; these go from {pairs.min()} to {pairs.max()}.")
    if len(pairs) != len(weights) or not np.all((weights > 0) & np.isfinite(weights)):
        raise UsageError("Every edge needs a weight above 0.")
    proper = pairs[:, 0] != pairs[:, 1]
    low, high = pairs[proper].min(axis=1, initial=nodes), pairs[proper].max(axis=1, initial=0)
    edges, places = np.unique(low * nodes + high, return_inverse=True)
    sums: Doubles = np.bincount(places, weights=weights[proper], minlength=len(edges)).astype(np.float64)
    lows, highs = np.divmod(edges, max(nodes, 1))
    return lows, highs, sums

"""Picks the best of many scores, always the same ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhop.ports import Floats, Ints

Ranked = tuple[Ints, Floats]  # numbers of passages and their scores, best first


def best(scores: Floats, k: int) -> Ints:
    """Positions of the ``k`` highest scores, best first; equal scores keep the order they stand in."""
    if k <= 0:
        return np.empty(0, np.int64)
    floor = kth_highest(scores, k) if k < len(scores) else -np.inf
    positions = np.flatnonzero(scores >= floor)
    return positions[np.argsort(-scores[positions], kind="stable")][:k]


def kth_highest(scores: NDArray[np.floating[Any]], k: int) -> float:
    """The ``k``-th highest of at least ``k`` scores, of which ``k`` must be 1 or more.

    Found from the other end: where most scores are the least there is, as zeros are, numpy's partition takes thirty
    times as long to find the highest ones as to find the lowest.
    """
    return -float(np.partition(-scores, k - 1)[k - 1])


def nothing() -> Ranked:
    """No passages."""
    return np.empty(0, np.int64), np.empty(0, np.float32)

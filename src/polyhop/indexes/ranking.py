"""Picks the best of many scores, always the same ones."""

from __future__ import annotations

import numpy as np

from polyhop.ports import Floats, Ints

Ranked = tuple[Ints, Floats]  # numbers of passages and their scores, best first


def best(scores: Floats, k: int) -> Ints:
    """Positions of the ``k`` highest scores, best first; equal scores keep the order they stand in."""
    if k <= 0:
        return np.empty(0, np.int64)
    floor = np.partition(scores, -k)[-k] if k < len(scores) else -np.inf
    positions = np.flatnonzero(scores >= floor)
    return positions[np.argsort(-scores[positions], kind="stable")][:k]


def nothing() -> Ranked:
    """No passages."""
    return np.empty(0, np.int64), np.empty(0, np.float32)

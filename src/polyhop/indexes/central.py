"""Picks from many vectors the few that stand for all: near to the middle, and not near to each other."""

from __future__ import annotations

import numpy as np

from polyhop.ports import Floats, Ints

BALANCE = 0.7  # how much nearness to the middle counts, against nearness to what was picked before
SAME = 0.95  # cosine from which two vectors say the same
_DIGITS = 5  # that scores are compared by: beyond them sums depend on the machine


def central(vectors: Floats, k: int) -> Ints:
    """The rows of at most k vectors that stand for all of them, best first; equals in the order they stand in.

    ``vectors``: unit, of shape (n, d). Each pick is the vector with the highest BALANCE * cosine with the mean, less
    (1 - BALANCE) * highest cosine with an earlier pick (maximal marginal relevance, Carbonell and Goldstein 1998). None
    is picked whose cosine with an earlier one is SAME or more: there may be fewer than k.
    """
    middle = vectors.sum(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(middle))
    relevance = vectors @ (middle / length) if length > 0 else np.zeros(len(vectors))
    nearest = np.zeros(len(vectors))  # cosine with the nearest earlier pick
    free = np.ones(len(vectors), np.bool_)
    picks: list[int] = []
    while len(picks) < k and free.any():
        scores = np.round(BALANCE * relevance - (1 - BALANCE) * nearest, _DIGITS)
        pick = int(np.argmax(np.where(free, scores, -np.inf)))
        picks.append(pick)
        cosines = (vectors @ vectors[pick]).astype(np.float64)
        nearest = np.maximum(nearest, cosines) if len(picks) > 1 else cosines
        free &= cosines < SAME
        free[pick] = False
    return np.array(picks, np.int64)

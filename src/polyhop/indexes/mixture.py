"""Soft clusters of vectors: principal components, Gaussian mixtures by expectation maximisation, their number by BIC.

RAPTOR, section 3, without UMAP. What comes out depends on the rows and their order alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from polyhop.indexes.csr import Doubles
from polyhop.indexes.ranking import best
from polyhop.ports import Floats, Ints

MOST = 50  # components of one mixture
POINTS = 3  # at least so many for each component, on average
PATIENCE = 4  # numbers of components tried in a row without a better BIC
ROUNDS = 100  # of expectation and maximisation, at most
ENOUGH = 1e-3  # gain in mean log-likelihood a point below which nothing more is expected
STEPS = 10  # of the hard clusters that a mixture begins with
ROWS_A_DIMENSION = 4  # at least so many points for each principal component that is kept
POWERS = 6  # rounds of subspace iteration
SPARE = 10  # directions more than are kept, so that those converge
_FLOOR = 0.05  # of a component's variance, as a share of that of all points: no component is a single point
_BLOCK = 4096  # rows compared with all centres at once


@dataclass(frozen=True, kw_only=True, eq=False)
class Mixture:
    """A mixture of Gaussians, each as wide in all directions, fitted to points of shape (n, d)."""

    weights: Doubles  # shape (k,), sum 1
    means: Doubles  # shape (k, d)
    variances: Doubles  # of one coordinate, shape (k,), above 0
    likelihood: float  # natural logarithm of the density of all points it was fitted to

    @classmethod
    def fit(cls, points: Doubles, k: int) -> Self:
        """A mixture of k components, from hard clusters on until the likelihood hardly grows."""
        count = len(points)
        floor = _FLOOR * float(points.var(axis=0).mean()) + 1e-12
        shares = np.zeros((count, k))
        shares[np.arange(count), _hard(points, k)] = 1.0
        before = -np.inf
        for _ in range(ROUNDS):
            weights, means, variances = _maximised(points, shares, floor)
            logs = _log_densities(points, weights, means, variances)
            each = _log_sum(logs)
            shares = np.exp(logs - each[:, None])
            now = float(each.mean())
            if now - before < ENOUGH:
                break
            before = now
        return cls(weights=weights, means=means, variances=variances, likelihood=now * count)

    def shares(self, points: Doubles) -> Doubles:
        """With what probability each point belongs to each component, shape (n, k); rows sum to 1."""
        logs = _log_densities(points, self.weights, self.means, self.variances)
        return np.exp(logs - _log_sum(logs)[:, None])

    def bic(self, count: int) -> float:
        """The Bayesian information criterion over the points it was fitted to; lower is better."""
        components, dimensions = self.means.shape
        free = components * (dimensions + 2) - 1
        return float(free * np.log(count) - 2 * self.likelihood)


def best_mixture(points: Doubles, *, least: int = 1, most: int = MOST) -> Mixture:
    """The mixture with the lowest BIC among those of ``least``, ``least`` + 1, ... components, ``most`` at most.

    The search ends when ``PATIENCE`` numbers in a row brought nothing. Of equals the smaller one is taken.
    """
    chosen = Mixture.fit(points, min(least, len(points)))
    lowest, waited = chosen.bic(len(points)), 0
    for k in range(least + 1, min(most, len(points) // POINTS) + 1):
        fitted = Mixture.fit(points, k)
        bic = fitted.bic(len(points))
        if bic < lowest:
            chosen, lowest, waited = fitted, bic, 0
        else:
            waited += 1
        if waited == PATIENCE:
            break
    return chosen


def reduced(vectors: Floats, dimensions: int) -> Doubles:
    """The rows in the directions in which they differ most (PCA), float64 of shape (n, at most ``dimensions``).

    By subspace iteration (Halko, Martinsson and Tropp, 2011): a whole decomposition takes most of the time, and in
    several threads on busy cores many times that. Of few rows fewer directions are kept: there are
    ``ROWS_A_DIMENSION`` rows for each.
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    kept = max(1, min(dimensions, len(vectors) // ROWS_A_DIMENSION, vectors.shape[1]))
    draw = np.random.default_rng(0)
    basis = draw.standard_normal((vectors.shape[1], min(kept + SPARE, *vectors.shape)))
    for _ in range(POWERS):
        basis, _ = np.linalg.qr(centred.T @ (centred @ basis))
    projected = centred @ basis
    _, directions = np.linalg.eigh(projected.T @ projected)
    result: Doubles = projected @ directions[:, ::-1][:, :kept]
    return result


def soft_clusters(
    vectors: Floats, *, dimensions: int, threshold: float, least: int = 1, most: int = MOST
) -> list[Ints]:
    """Rows that belong together, ascending within each; a row may be in several.

    A row is in each component that it belongs to with a probability above ``threshold``, and always in its likeliest.
    """
    if len(vectors) <= least:
        return [np.array([row], np.int64) for row in range(len(vectors))]
    points = reduced(vectors, dimensions)
    shares = best_mixture(points, least=least, most=most).shares(points)
    inside = shares > threshold
    inside[np.arange(len(points)), shares.argmax(axis=1)] = True
    members = (np.flatnonzero(column) for column in inside.T)
    return [rows for rows in members if len(rows)]


def groups(vectors: Floats, size: int) -> list[Ints]:
    """Every row in exactly one group, of at most twice ``size`` rows, ascending; near rows mostly together.

    The first rows are the centres, one for ``size`` rows, moved once to the middle of what is nearest to them; what is
    still too large is divided likewise. So a row that is added, where the order of the others stays, changes few
    groups, which it would not if centres were sought until they rest.
    """
    return _divided(vectors, np.arange(len(vectors)), size)


def _divided(vectors: Floats, rows: Ints, size: int) -> list[Ints]:
    if len(rows) <= 2 * size:
        return [rows] if len(rows) else []
    here = vectors[rows]
    centres = here[: -(-len(rows) // size)]
    centres = np.stack([here[own].mean(axis=0) for own in _nearest(here, centres)])
    centres = (centres / np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)).astype(np.float32)
    parts = _nearest(here, centres)
    if len(parts) == 1:  # all rows are alike: any cut is as good
        parts = np.array_split(np.arange(len(rows)), -(-len(rows) // size))
    return [group for part in parts for group in _divided(vectors, rows[part], size)]


def _nearest(vectors: Floats, centres: Floats) -> Sequence[Ints]:
    """The rows nearest to each centre by their dot product, without centres that have none."""
    blocks = (vectors[start : start + _BLOCK] @ centres.T for start in range(0, len(vectors), _BLOCK))
    chosen = np.concatenate([block.argmax(axis=1) for block in blocks])
    order = np.argsort(chosen, kind="stable")
    parts = np.split(order, np.searchsorted(chosen[order], np.arange(1, len(centres))))
    return [part for part in parts if len(part)]


def _hard(points: Doubles, k: int) -> Ints:
    """Which of k hard clusters each point is in (k-means from centres that lie far apart); none is empty.

    Arthur and Vassilvitskii, k-means++, 2007.
    """
    draw = np.random.default_rng(0)
    centres = points[[int(draw.integers(len(points)))]]
    distances = _squared(points, centres)[:, 0]
    while len(centres) < k:
        total = np.cumsum(distances)
        place = np.searchsorted(total, draw.random() * total[-1], side="right") if total[-1] > 0 else len(centres)
        centres = np.concatenate([centres, points[[min(int(place), len(points) - 1)]]])
        distances = np.minimum(distances, _squared(points, centres[-1:])[:, 0])
    chosen = _squared(points, centres).argmin(axis=1)
    for _ in range(STEPS):
        counts = np.bincount(chosen, minlength=k)
        sums = (chosen == np.arange(k)[:, None]).astype(np.float64) @ points
        centres = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
        before, chosen = chosen, _squared(points, centres).argmin(axis=1)
        if (before == chosen).all():
            break
    for empty in np.flatnonzero(np.bincount(chosen, minlength=k) == 0).tolist():
        crowded = np.flatnonzero(np.bincount(chosen, minlength=k)[chosen] > 1)
        far = _squared(points[crowded], centres)[np.arange(len(crowded)), chosen[crowded]]
        chosen[crowded[best(far.astype(np.float32), 1)]] = empty
    result: Ints = chosen.astype(np.int64)
    return result


def _squared(points: Doubles, centres: Doubles) -> Doubles:
    """Squared distances, shape (n, k), never below 0."""
    products: Doubles = points @ centres.T
    distances = (points**2).sum(axis=1)[:, None] - 2 * products + (centres**2).sum(axis=1)
    result: Doubles = np.maximum(distances, 0.0)
    return result


def _maximised(points: Doubles, shares: Doubles, floor: float) -> tuple[Doubles, Doubles, Doubles]:
    counts = shares.sum(axis=0) + 1e-12
    means = (shares.T @ points) / counts[:, None]
    squares = (shares.T @ (points**2).sum(axis=1)) / counts - (means**2).sum(axis=1)
    return counts / counts.sum(), means, np.maximum(squares / points.shape[1], floor)


def _log_densities(points: Doubles, weights: Doubles, means: Doubles, variances: Doubles) -> Doubles:
    """The logarithm of weight times density of each point under each component, shape (n, k)."""
    scale = points.shape[1] * np.log(2 * np.pi * variances)
    result: Doubles = np.log(weights) - 0.5 * (scale + _squared(points, means) / variances)
    return result


def _log_sum(logs: Doubles) -> Doubles:
    """The logarithm of the sum of exponentials of each row."""
    highest = logs.max(axis=1)
    result: Doubles = highest + np.log(np.exp(logs - highest[:, None]).sum(axis=1))
    return result

"""Which nodes of a level are summed up together (RAPTOR, section 3): near ones, softly, no more than can be read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polyhop.indexes.mixture import groups, reduced, soft_clusters
from polyhop.ports import Floats, Ints


@dataclass(frozen=True, kw_only=True)
class TreeShape:
    """What clusters may look like."""

    threshold: float  # probability above which a node is in a cluster
    context: int  # estimated tokens of a cluster's texts, at most, where it has more than two members
    dimensions: int = 10  # that vectors are reduced to
    group: int = 300  # nodes that a mixture is fitted to, about


def clusters_of(vectors: Floats, tokens: Ints, shape: TreeShape) -> list[tuple[int, ...]]:
    """Clusters of at least two rows, without repetition; a row may be in several, or, where it is alone, in none.

    ``tokens``: the size of each row's text. First groups that share no row, then in each of them clusters, as in the
    paper once in all and then once more in each, and a cluster that is too long for a summariser again.
    """
    found: dict[tuple[int, ...], None] = {}
    for group in groups(vectors, shape.group):
        parts = [part for whole in _divided(vectors, group, shape) for part in _divided(vectors, whole, shape)]
        fitting = [piece for part in parts for piece in _fitting(vectors, tokens, part, shape)]
        for rows in _accompanied(vectors, fitting):
            found[tuple(rows.tolist())] = None
    return list(found)


def _divided(vectors: Floats, rows: Ints, shape: TreeShape) -> list[Ints]:
    """The clusters of some rows; all of them where they are too few to tell clusters apart."""
    if len(rows) <= shape.dimensions + 1:
        return [rows]
    clusters = soft_clusters(vectors[rows], dimensions=shape.dimensions, threshold=shape.threshold)
    return [rows[cluster] for cluster in clusters]


def _fitting(vectors: Floats, tokens: Ints, rows: Ints, shape: TreeShape) -> list[Ints]:
    """The rows if their texts can be read at once, else clusters of them that can."""
    if len(rows) <= 2 or int(tokens[rows].sum()) <= shape.context:
        return [rows]
    parts = [rows]
    if len(rows) > shape.dimensions + 1:
        found = soft_clusters(vectors[rows], dimensions=shape.dimensions, threshold=shape.threshold, least=2)
        parts = [rows[part] for part in found]
    if sum(map(len, parts)) > 1.5 * len(rows) or max(map(len, parts)) > 0.9 * len(rows):
        parts = _halved(vectors, rows)  # all too alike: soft clusters would repeat most rows, again and again
    return [piece for part in parts for piece in _fitting(vectors, tokens, part, shape)]


def _halved(vectors: Floats, rows: Ints) -> list[Ints]:
    """Two halves of some rows, along the direction in which they differ most."""
    order = np.argsort(reduced(vectors[rows], 1)[:, 0], kind="stable")
    middle = len(rows) // 2
    return [np.sort(rows[order[:middle]]), np.sort(rows[order[middle:]])]


def _accompanied(vectors: Floats, clusters: list[Ints]) -> list[Ints]:
    """Clusters without those of one row, which joins the nearest other cluster unless it is in one already."""
    several = [rows for rows in clusters if len(rows) > 1]
    if not several:
        alone = np.unique(np.concatenate(clusters)) if clusters else np.empty(0, np.int64)
        return [alone] if len(alone) > 1 else []
    covered = set(np.concatenate(several).tolist())
    middles = np.stack([vectors[rows].mean(axis=0) for rows in several])
    for row in sorted({int(rows[0]) for rows in clusters if len(rows) == 1} - covered):
        nearest = int((middles @ vectors[row]).argmax())
        several[nearest] = np.unique(np.append(several[nearest], row))
    return several

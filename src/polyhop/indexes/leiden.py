"""Communities of an undirected weighted graph: groups with more inside than chance would have (the Leiden algorithm).

Traag, Waltman and van Eck 2019; StepChain, Eq. 5. The algorithm itself is that of graspologic-native.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polyhop.errors import UsageError
from polyhop.indexes.csr import Doubles, simple_edges
from polyhop.ports import Ints

SEED = 20_190_326  # any number; with it the same graph has the same communities in every run
ITERATIONS = 10  # of the whole algorithm, each beginning with what the last one found
_RANDOMNESS = 0.001  # of the refinement: the library's own default


@dataclass(frozen=True, kw_only=True, eq=False)
class Clusters:
    """Which group each node is in; groups are 0 to n - 1 in the order of their lowest nodes."""

    labels: Ints  # node -> group
    levels: Ints  # group -> how many times a group that was too large was cut until this one was left

    def __len__(self) -> int:
        return len(self.levels)

    def members(self) -> list[Ints]:
        """The nodes of each group, ascending."""
        order = np.argsort(self.labels, kind="stable")
        bounds = np.searchsorted(self.labels[order], np.arange(1, len(self)))
        return np.split(order, bounds) if len(self) else []


def leiden(pairs: Ints, weights: Doubles, nodes: int, *, largest: int | None = None, seed: int = SEED) -> Clusters:
    """Groups of the nodes 0 to ``nodes`` - 1 that make the modularity of the graph high.

    ``pairs``: edges of shape (m, 2), each way round; ``weights``: above 0, float64 of shape (m,). Repeated edges add
    up, edges from a node to itself are left out, and a node without edges is a group of its own. ``largest``: a group
    of more nodes is cut again by itself, until none is larger that has parts; a hub with its leaves has none.
    Raises UsageError.
    """
    lows, highs, sums = simple_edges(pairs, weights, nodes)
    if largest is not None and largest < 1:
        raise UsageError("The largest group must be at least 1.")
    labels, levels = np.arange(nodes, dtype=np.int64), np.zeros(nodes, np.int64)
    if len(lows):
        columns = (lows.tolist(), highs.tolist(), sums.tolist())
        edges = [(str(low), str(high), weight) for low, high, weight in zip(*columns, strict=True)]
        found = _found(edges, largest if largest is not None else nodes, seed)
        for node, label, level in found:
            labels[node], levels[node] = nodes + label, level  # beyond the labels of nodes without edges
    return _ordered(labels, levels)


def _found(edges: list[tuple[str, str, float]], largest: int, seed: int) -> list[tuple[int, int, int]]:
    """Node, group and level of every node that has an edge."""
    from graspologic_native import hierarchical_leiden  # imported when used: start-up time

    entries = hierarchical_leiden(
        edges,
        starting_communities=None,
        resolution=1.0,
        randomness=_RANDOMNESS,
        iterations=ITERATIONS,
        use_modularity=True,
        max_cluster_size=largest,
        seed=seed,
    )
    return [(int(entry.node), int(entry.cluster), int(entry.level)) for entry in entries if entry.is_final_cluster]


def _ordered(labels: Ints, levels: Ints) -> Clusters:
    """The groups numbered by their lowest nodes."""
    _, firsts, places = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return Clusters(labels=ranks[places.reshape(-1)], levels=levels[firsts[order]])

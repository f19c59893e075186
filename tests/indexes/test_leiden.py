"""Communities of graphs: as good as those of another implementation, whole, connected, and the same in every run."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence

import igraph
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import UsageError
from polyhop.indexes.csr import Doubles
from polyhop.indexes.leiden import leiden
from polyhop.ports import Ints

Edges = Sequence[tuple[int, int]]


def pairs_of(edges: Edges) -> Ints:
    return np.array(edges, np.int64).reshape(-1, 2)


def labels_of(edges: Edges, nodes: int, **settings: int) -> list[int]:
    """The groups where all edges weigh the same."""
    labels: list[int] = leiden(pairs_of(edges), np.ones(len(edges)), nodes, **settings).labels.tolist()
    return labels


def clique(nodes: Sequence[int]) -> list[tuple[int, int]]:
    return [(low, high) for low in nodes for high in nodes if low < high]


def planted(nodes: int, groups: int, inner: int, outer: int) -> tuple[Ints, Doubles]:
    """A graph whose nodes have about so many edges within their group, and across, with weights."""
    rng = np.random.default_rng(nodes)
    within = rng.integers(0, nodes // groups, (nodes * inner // 2, 2)) * groups
    within += rng.integers(0, groups, (len(within), 1))
    pairs = np.concatenate([within, rng.integers(0, nodes, (nodes * outer // 2, 2))])
    return pairs, rng.uniform(0.5, 2.0, len(pairs))


def graphs() -> Iterator[tuple[str, Ints, Doubles, int]]:
    """Random graphs of several kinds."""
    random.seed(7)
    grown = igraph.Graph.Barabasi(1500, 2).get_edgelist()
    tree = igraph.Graph.Tree_Game(600).get_edgelist()
    chance = igraph.Graph.Erdos_Renyi(400, m=1600).get_edgelist()
    club = igraph.Graph.Famous("Zachary").get_edgelist()
    yield "clear groups", *planted(900, 30, 8, 2), 900
    yield "blurred groups", *planted(900, 10, 6, 6), 900
    yield "hubs", pairs_of(grown), np.ones(len(grown)), 1500
    yield "tree", pairs_of(tree), np.ones(len(tree)), 600
    yield "chance", pairs_of(chance), np.ones(len(chance)), 400
    yield "club", pairs_of(club), np.ones(len(club)), 34


@pytest.mark.parametrize(("pairs", "weights", "nodes"), [each[1:] for each in graphs()], ids=[g[0] for g in graphs()])
def test_modularity_is_that_of_another_implementation(pairs: Ints, weights: Doubles, nodes: int) -> None:
    """At least 98 percent of what igraph reaches, both as igraph measures it."""
    random.seed(7)
    graph = igraph.Graph(nodes, pairs.tolist())
    graph.es["weight"] = weights.tolist()
    graph.simplify(combine_edges="sum")
    theirs = graph.community_leiden("modularity", weights="weight", n_iterations=10).membership
    ours = leiden(pairs, weights, nodes).labels.tolist()
    assert graph.modularity(ours, weights="weight") >= 0.98 * graph.modularity(theirs, weights="weight")


@pytest.mark.parametrize(
    ("edges", "nodes", "expected"),
    [
        ([], 0, []),
        ([], 1, [0]),
        ([], 3, [0, 1, 2]),
        ([(0, 0)], 1, [0]),
        ([(1, 1), (0, 2)], 3, [0, 1, 0]),
        ([(2, 1), (1, 2), (1, 2)], 3, [0, 1, 1]),
        ([*clique(range(4)), *clique(range(4, 8)), (3, 4)], 8, [0, 0, 0, 0, 1, 1, 1, 1]),
        ([*clique(range(1, 4)), *clique(range(4, 7))], 8, [0, 1, 1, 1, 2, 2, 2, 3]),
    ],
    ids=["nothing", "one", "no edges", "loop", "loop and pair", "repeated", "two that touch", "two and two alone"],
)
def test_small_graphs(edges: Edges, nodes: int, expected: list[int]) -> None:
    """What has no edge is a group of its own; groups are numbered by their lowest nodes."""
    assert labels_of(edges, nodes) == expected


def test_weights_decide() -> None:
    """Of a square, the heavy sides stay together."""
    square = pairs_of([(0, 1), (1, 2), (2, 3), (3, 0)])
    assert leiden(square, np.array([5.0, 1, 5, 1]), 4).labels.tolist() == [0, 0, 1, 1]
    assert leiden(square, np.array([1.0, 5, 1, 5]), 4).labels.tolist() == [0, 1, 1, 0]


def test_a_large_group_is_cut() -> None:
    """Into parts that are no larger than is allowed, each at a deeper level."""
    ring = [(node, (node + 1) % 400) for node in range(400)]
    whole = leiden(pairs_of(ring), np.ones(400), 400)
    cut = leiden(pairs_of(ring), np.ones(400), 400, largest=8)
    assert max(map(len, whole.members())) > 8 >= max(map(len, cut.members()))
    assert set(whole.levels.tolist()) == {0}
    assert cut.levels.max() >= 1


def test_what_has_no_parts_stays_whole() -> None:
    """A hub with its leaves, or a clique, is larger than allowed rather than torn."""
    assert set(labels_of([(0, leaf) for leaf in range(1, 60)], 60, largest=10)) == {0}
    assert set(labels_of(clique(range(30)), 30, largest=10)) == {0}


edge_lists = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=40)


@settings(max_examples=60, deadline=None)
@given(edges=edge_lists, largest=st.integers(1, 20), seed=st.integers(0, 2**16), shuffler=st.randoms())
def test_groups_are_a_connected_partition(
    edges: list[tuple[int, int]], largest: int, seed: int, shuffler: random.Random
) -> None:
    """Whatever the graph, and however its edges are ordered and directed."""
    found = leiden(pairs_of(edges), np.ones(len(edges)), 15, largest=largest, seed=seed)
    members = found.members()
    assert sorted(node for group in members for node in group.tolist()) == list(range(15))
    assert [group[0] for group in members] == sorted(group[0] for group in members)
    graph = igraph.Graph(15, edges)
    assert all(graph.subgraph(group.tolist()).is_connected() for group in members)
    other = [pair if shuffler.random() < 0.5 else pair[::-1] for pair in edges if pair[0] != pair[1]]
    shuffler.shuffle(other)
    again = leiden(pairs_of(other), np.ones(len(other)), 15, largest=largest, seed=seed)
    assert again.labels.tolist() == found.labels.tolist()
    assert again.levels.tolist() == found.levels.tolist()


def test_processes_agree() -> None:
    """Though their hashes of strings differ."""
    code = (
        "import numpy as np; from polyhop.indexes.leiden import leiden;"
        "pairs = np.random.default_rng(3).integers(0, 300, (900, 2));"
        "print(leiden(pairs, np.ones(900), 300, largest=12).labels.tolist())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("edges", "weights", "changes"),
    [
        ([(0, 3)], [1.0], {}),
        ([(-1, 0)], [1.0], {}),
        ([(0, 1)], [0.0], {}),
        ([(0, 1)], [float("nan")], {}),
        ([(0, 1)], [], {}),
        ([(0, 1)], [1.0], {"largest": 0}),
    ],
)
def test_what_makes_no_sense_is_refused(edges: Edges, weights: list[float], changes: dict[str, float]) -> None:
    """Before the library sees it, which would panic."""
    with pytest.raises(UsageError):
        leiden(pairs_of(edges), np.array(weights), 3, **changes)  # type: ignore[arg-type]

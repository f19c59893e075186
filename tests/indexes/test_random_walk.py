"""Personalised PageRank is what igraph computes, on any undirected weighted graph."""

from __future__ import annotations

import igraph
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import UsageError
from polyhop.indexes.csr import Doubles
from polyhop.indexes.random_walk import RandomWalk

NODES = 9
edges = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.floats(0.01, 50.0)), max_size=30)
seeds = st.lists(st.one_of(st.just(0.0), st.floats(0.001, 10.0)), min_size=NODES, max_size=NODES)


def walk_of(rows: list[tuple[int, int, float]], nodes: int = NODES) -> RandomWalk:
    pairs = np.array([row[:2] for row in rows], np.int64).reshape(-1, 2)
    return RandomWalk.build(pairs, np.array([row[2] for row in rows], np.float64), nodes)


def by_igraph(rows: list[tuple[int, int, float]], weights: list[float], damping: float) -> list[float]:
    graph = igraph.Graph(n=len(weights), edges=[row[:2] for row in rows if row[0] != row[1]])
    graph.es["weight"] = [row[2] for row in rows if row[0] != row[1]]
    scores: list[float] = graph.personalized_pagerank(
        directed=False, damping=damping, reset=weights, weights="weight", implementation="prpack"
    )
    return scores


@settings(max_examples=200, deadline=None)
@given(edges, seeds.filter(any), st.sampled_from([0.0, 0.15, 0.5, 0.85, 0.95]))
def test_scores_equal_those_of_igraph(rows: list[tuple[int, int, float]], weights: list[float], damping: float) -> None:
    """Also where nodes dangle, where parts are not connected, and where an edge comes twice."""
    walked = walk_of(rows).personalised(np.array(weights), damping=damping)
    np.testing.assert_allclose(walked.scores, by_igraph(rows, weights, damping), atol=1e-5)
    assert walked.scores.sum() == pytest.approx(1)
    assert (walked.scores >= 0).all()


def test_a_large_graph_with_hubs_equals_igraph_in_few_steps() -> None:
    random = np.random.default_rng(5)
    hubs = (random.pareto(1.0, 9000) * 20).astype(np.int64) % 3000
    rows = list(zip(hubs.tolist(), random.integers(0, 3000, 9000).tolist(), random.random(9000) + 0.1, strict=True))
    weights = np.where(random.random(3000) < 0.01, random.random(3000), 0.0)
    walked = walk_of(rows, 3000).personalised(weights)
    np.testing.assert_allclose(walked.scores, by_igraph(rows, weights.tolist(), 0.5), atol=1e-6)
    assert walked.steps <= 14


@given(edges, seeds.filter(any))
def test_a_walk_never_leaves_the_parts_of_its_seeds(rows: list[tuple[int, int, float]], weights: list[float]) -> None:
    graph = igraph.Graph(n=NODES, edges=[row[:2] for row in rows])
    reached = {node for part in graph.connected_components() if any(weights[i] for i in part) for node in part}
    scores = walk_of(rows).personalised(np.array(weights)).scores
    assert set(np.flatnonzero(scores).tolist()) <= reached


@given(edges, seeds.filter(any))
def test_the_scale_of_seeds_and_of_weights_does_not_matter(
    rows: list[tuple[int, int, float]], weights: list[float]
) -> None:
    scores = walk_of(rows).personalised(np.array(weights)).scores
    larger = walk_of([(a, b, 3 * weight) for a, b, weight in rows]).personalised(7 * np.array(weights)).scores
    np.testing.assert_allclose(larger, scores, atol=1e-9)


def test_repeated_edges_add_up_and_loops_are_left_out() -> None:
    once = walk_of([(0, 1, 3.0), (1, 2, 1.0)], 3)
    again = walk_of([(1, 0, 1.0), (0, 1, 2.0), (2, 1, 1.0), (2, 2, 9.0)], 3)
    assert once.edges == again.edges == 2
    start = np.array([0.0, 1.0, 0.0])
    assert once.personalised(start).scores.tolist() == again.personalised(start).scores.tolist()
    assert once.personalised(start).scores[0] == pytest.approx(3 * once.personalised(start).scores[2])


def test_without_seeds_a_walk_is_nowhere() -> None:
    walked = walk_of([(0, 1, 1.0)]).personalised(np.zeros(NODES))
    assert walked.scores.tolist() == [0.0] * NODES
    assert walked.steps == 0


def test_without_edges_a_walk_stays_at_its_seeds() -> None:
    assert walk_of([], 4).personalised(np.array([1.0, 0.0, 3.0, 0.0])).scores.tolist() == [0.25, 0.0, 0.75, 0.0]
    assert walk_of([], 0).personalised(np.zeros(0)).scores.tolist() == []


def test_the_number_of_steps_is_bounded() -> None:
    line = [(node, node + 1, 1.0) for node in range(NODES - 1)]
    start = np.eye(NODES)[0]
    assert walk_of(line).personalised(start, damping=0.99, most=3).steps == 3
    assert walk_of(line).personalised(start, damping=0.99).steps > 3


@pytest.mark.parametrize("bad", [np.zeros(3), np.full(NODES, -1.0), np.full(NODES, np.nan)])
def test_seeds_that_make_no_sense_are_refused(bad: Doubles) -> None:
    with pytest.raises(UsageError, match="Seeds"):
        walk_of([(0, 1, 1.0)]).personalised(bad)


def test_graphs_that_make_no_sense_are_refused() -> None:
    for row in ((0, NODES, 1.0), (-1, 0, 1.0), (0, 1, 0.0), (0, 1, float("nan"))):
        with pytest.raises(UsageError):
            walk_of([row])
    for damping in (-0.1, 1.0):
        with pytest.raises(UsageError, match="damping"):
            walk_of([]).personalised(np.ones(NODES), damping=damping)

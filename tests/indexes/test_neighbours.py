"""The graph of nearest neighbours: no matter by which insertions and deletions it came about; exact unless large."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import IndexCorrupt, UsageError
from polyhop.indexes import cells, nearest_lists
from polyhop.indexes.neighbours import NeighbourGraph
from polyhop.indexes.segments import Arrays, write_arrays
from polyhop.ports import Floats, Ints


@pytest.fixture(autouse=True, scope="module")
def small_tiles() -> Iterator[None]:
    """Tiles so small that a graph of a few dozen nodes has many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_lists, "ROWS", 8)
        patch.setattr(nearest_lists, "COLUMNS", 40)
        patch.setattr(nearest_lists, "PENDING", 50)
        patch.setattr(nearest_lists, "_MERGED", 20)
        patch.setattr(cells, "_STRIP", 5)
        patch.setattr(cells, "_STRETCH", 30)
        patch.setattr(cells, "_PRODUCTS", 200)
        yield


def unit_rows(count: int, seed: int, dimensions: int = 6) -> Floats:
    """Unit vectors, some of them equal and some nearly so, so that there are ties."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(count, dimensions))
    rows[1::3] = rows[: len(rows[1::3])]
    rows[2::7] = rows[: len(rows[2::7])] + 1e-8
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def keys_of(count: int, seed: int) -> Ints:
    """Keys in an order of their own, as hashes have."""
    return np.random.default_rng(seed).permutation(count * 10)[:count].astype(np.int64)


def naive(vectors: Floats, k: int, keys: Ints) -> list[list[tuple[int, float]]]:
    """Every pair in double precision, then a full sort."""
    found = []
    for i, vector in enumerate(vectors.astype(np.float64)):
        scores = (vectors.astype(np.float64) * vector).sum(axis=1).astype(np.float32)
        order = sorted((j for j in range(len(vectors)) if j != i), key=lambda j: (-scores[j], keys[j]))
        found.append([(j, float(scores[j])) for j in order[:k]])
    return found


def listed(graph: NeighbourGraph) -> list[list[tuple[int, float]]]:
    pairs = [graph.of(node) for node in range(len(graph))]
    return [list(zip(nodes.tolist(), cosines.tolist(), strict=True)) for nodes, cosines in pairs]


def same(graph: NeighbourGraph, other: NeighbourGraph) -> bool:
    """Whether what is promised is the same, bit for bit, and the cells by which it was found."""
    return (
        graph.neighbours.tobytes() == other.neighbours.tobytes()
        and graph.cosines.tobytes() == other.cosines.tobytes()
        and parts(graph.cells) == parts(other.cells)
    )


def parts(found: cells.Cells | None) -> list[bytes]:
    return [] if found is None else [found.pivots.tobytes(), found.nearest.tobytes(), found.edges.tobytes()]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 120), st.integers(1, 5), st.integers(0, 3), st.integers(0, 9999))
def test_a_graph_equals_scoring_all_pairs_and_sorting(count: int, k: int, spare: int, seed: int) -> None:
    vectors, keys = unit_rows(count, seed), keys_of(count, seed)
    graph = NeighbourGraph.build(vectors, k, keys, spare=spare)
    assert listed(graph) == naive(vectors, k, keys)
    assert graph.neighbours.shape == graph.cosines.shape == (count, k)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 4), st.integers(0, 4), st.integers(0, 9999), st.data())
def test_any_insertions_and_deletions_equal_a_rebuild(k: int, spare: int, seed: int, data: st.DataObject) -> None:
    """Nodes come and go in any order and stand anywhere; only who is there in the end shows.

    Also where they become too many to compare all pairs, and few again.
    """
    vectors, keys = unit_rows(90, seed), keys_of(90, seed)
    exact = data.draw(st.sampled_from([0, 20, 45, 70, 90]))
    there = np.array(sorted(data.draw(st.sets(st.integers(0, 89)))), np.int64)
    graph = NeighbourGraph.build(vectors[there], k, keys[there], spare=spare, exact=exact)
    for _ in range(data.draw(st.integers(1, 5))):
        chosen = np.array(sorted(data.draw(st.sets(st.integers(0, 89), max_size=40))), np.int64)
        if data.draw(st.booleans()):
            gone = np.flatnonzero(np.isin(there, chosen))
            there = np.setdiff1d(there, chosen)
            graph = graph.without(gone, vectors[there])
        else:
            added = np.setdiff1d(chosen, there)
            there = np.union1d(there, added)
            graph = graph.extended(vectors[there], np.searchsorted(there, added), keys[added])
        assert same(graph, NeighbourGraph.build(vectors[there], k, keys[there], exact=exact))
    if len(there) <= exact:
        assert listed(graph) == naive(vectors[there], k, keys[there])


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 90), st.integers(1, 4), st.integers(0, 9999))
def test_a_large_graph_has_the_nearest_of_those_that_are_compared(count: int, k: int, seed: int) -> None:
    vectors, keys = unit_rows(count, seed), keys_of(count, seed)
    graph = NeighbourGraph.build(vectors, k, keys, exact=0)
    assert graph.cells is not None
    rows = np.arange(count)
    for node, best in enumerate(naive(vectors, count, keys)):
        compared = graph.cells.compared(vectors, np.full(count, node), rows)
        assert listed(graph)[node] == [(other, cosine) for other, cosine in best if compared[other]][:k]


def test_a_graph_that_compared_all_pairs_goes_on_as_a_large_one() -> None:
    """As graphs do that an earlier version stored."""
    vectors, keys = unit_rows(90, 8), keys_of(90, 8)
    before = replace(NeighbourGraph.build(vectors[:80], 3, keys[:80]), exact=50)
    assert before.cells is None
    more = before.extended(vectors, np.arange(80, 90), keys[80:])
    assert same(more, NeighbourGraph.build(vectors, 3, keys, exact=50))
    less = before.without(np.arange(9), vectors[9:80])
    assert same(less, NeighbourGraph.build(vectors[9:80], 3, keys[9:80], exact=50))


def test_a_large_graph_is_saved_with_its_cells_and_changes_as_before(tmp_path: Path) -> None:
    vectors, keys = unit_rows(90, 9), keys_of(90, 9)
    NeighbourGraph.build(vectors[:80], 3, keys[:80], exact=50).save(tmp_path / "graph")
    opened = NeighbourGraph.open(tmp_path / "graph", exact=50)
    assert same(opened, NeighbourGraph.build(vectors[:80], 3, keys[:80], exact=50))
    more = opened.extended(vectors, np.arange(80, 90), keys[80:])
    assert same(more, NeighbourGraph.build(vectors, 3, keys, exact=50))


def test_damaged_cells_are_refused(tmp_path: Path) -> None:
    graph = NeighbourGraph.build(unit_rows(40, 4), 3, exact=0)
    assert graph.cells is not None
    for name, damaged in (
        ("pivots", replace(graph.cells, pivots=graph.cells.pivots[1:])),
        ("nearest", replace(graph.cells, nearest=graph.cells.nearest - np.int32(1))),
        ("edges", replace(graph.cells, edges=graph.cells.edges[1:])),
    ):
        replace(graph, cells=damaged).save(tmp_path / name)
        with pytest.raises(IndexCorrupt):
            NeighbourGraph.open(tmp_path / name)


def test_ties_go_to_the_lower_key_wherever_nodes_stand() -> None:
    vectors = np.tile(np.array([[0.6, 0.8]], np.float32), (6, 1))
    keys = np.array([50, 10, 40, 20, 60, 30])
    graph = NeighbourGraph.build(vectors, 3, keys)
    assert graph.neighbours[4].tolist() == [1, 3, 5]
    assert graph.neighbours[1].tolist() == [3, 5, 2]


def test_without_keys_new_nodes_come_after_those_that_were_there() -> None:
    vectors = unit_rows(40, 3)
    graph = NeighbourGraph.build(vectors[:20], 3).without(np.array([19]), vectors[:19])
    graph = graph.extended(vectors, np.arange(19, 40))
    assert same(graph, NeighbourGraph.build(vectors, 3))


def test_fewer_nodes_than_neighbours_leave_lists_short() -> None:
    graph = NeighbourGraph.build(unit_rows(3, 1), 5)
    assert (graph.neighbours >= 0).sum(axis=1).tolist() == [2, 2, 2]
    assert graph.neighbours[:, 2:].max() == -1
    assert graph.cosines[:, 2:].max() == 0
    nobody = graph.without(np.arange(3), np.empty((0, 6), np.float32))
    assert len(nobody) == 0
    assert same(nobody.extended(unit_rows(3, 1), np.arange(3)), graph)


def test_of_gives_the_first_of_what_is_promised() -> None:
    graph = NeighbourGraph.build(unit_rows(30, 2), 4, spare=5)
    assert graph.of(7, most=2)[0].tolist() == graph.neighbours[7, :2].tolist()
    assert graph.of(7, most=9)[0].tolist() == graph.neighbours[7].tolist()


def test_the_number_of_rows_compared_at_once_never_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fast products are rounded differently from tile to tile; they only find."""
    vectors = unit_rows(300, 5, dimensions=96)
    graph = NeighbourGraph.build(vectors, 5)
    for rows, columns, pending in ((1, 64, 1), (300, 300, 10**6), (7, 113, 500)):
        monkeypatch.setattr(nearest_lists, "ROWS", rows)
        monkeypatch.setattr(nearest_lists, "COLUMNS", columns)
        monkeypatch.setattr(nearest_lists, "PENDING", pending)
        assert same(NeighbourGraph.build(vectors, 5), graph)


def test_a_saved_graph_is_opened_and_grows_as_before(tmp_path: Path) -> None:
    vectors = unit_rows(50, 4)
    graph = NeighbourGraph.build(vectors[:40], 3)
    graph.save(tmp_path / "graph")
    opened = NeighbourGraph.open(tmp_path / "graph")
    assert same(opened, graph)
    assert same(opened.extended(vectors, np.arange(40, 50)), NeighbourGraph.build(vectors, 3))
    assert same(opened.without(np.arange(5), vectors[5:40]), NeighbourGraph.build(vectors[5:40], 3))


def test_a_damaged_graph_is_refused(tmp_path: Path) -> None:
    graph = NeighbourGraph.build(unit_rows(20, 4), 3)
    arrays: Arrays = {"keys": graph.keys, "lists": graph.lists, "scores": graph.scores, "promised": np.array([3])}
    for name, damaged in (
        ("keys", graph.keys[1:]),
        ("lists", graph.lists + 1),
        ("scores", graph.scores[:, 1:]),
        ("promised", np.array([0])),
    ):
        write_arrays(tmp_path / name, arrays | {name: damaged})
        with pytest.raises(IndexCorrupt):
            NeighbourGraph.open(tmp_path / name)


def test_what_does_not_fit_together_is_refused() -> None:
    vectors = unit_rows(10, 1)
    graph = NeighbourGraph.build(vectors, 2, keys_of(10, 1))
    with pytest.raises(UsageError):
        NeighbourGraph.build(vectors, 0)
    with pytest.raises(UsageError, match="all different"):
        NeighbourGraph.build(vectors, 2, np.zeros(10, np.int64))
    with pytest.raises(UsageError, match="do not make"):
        graph.extended(vectors, np.array([3]))
    with pytest.raises(UsageError, match="need keys"):
        graph.extended(unit_rows(11, 1), np.array([0]))
    with pytest.raises(UsageError, match="Rows must be"):
        graph.without(np.array([10]), vectors)
    with pytest.raises(UsageError, match="9 nodes stay"):
        graph.without(np.array([1]), vectors)

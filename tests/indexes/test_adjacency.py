"""Adjacency is a map from ids to sets of ids."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import UsageError
from polyhop.indexes.adjacency import Adjacency, by_left

some_pairs = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 6)))


@given(some_pairs, st.lists(st.integers(0, 8)))
def test_neighbours_equal_a_map_of_sets(pairs: list[tuple[int, int]], lefts: list[int]) -> None:
    adjacency = Adjacency.build(np.array(pairs, np.int64), 9)
    expected = [{right for left, right in pairs if left == i} for i in range(9)]
    assert [adjacency.of(i).tolist() for i in range(9)] == [sorted(found) for found in expected]
    assert adjacency.degrees().tolist() == [len(found) for found in expected]
    many = adjacency.of_many(np.array(lefts, np.int64))
    assert many.tolist() == sorted(set().union(*(expected[left] for left in lefts)))
    each, starts = adjacency.of_each(np.array(lefts, np.int64))
    assert [part.tolist() for part in np.split(each, starts[1:-1])][: len(lefts)] == [
        sorted(expected[i]) for i in lefts
    ]
    assert (starts[0], starts[-1]) == (0, len(each))


@given(some_pairs)
def test_pairs_are_laid_left_after_left(pairs: list[tuple[int, int]]) -> None:
    lefts, rights = np.array(pairs, np.int64).reshape(-1, 2).T
    adjacency = Adjacency.build(np.array(pairs, np.int64), 9)
    found, starts = by_left(lefts, rights, 9)
    assert (found.tolist(), starts.tolist()) == (adjacency.rights.tolist(), adjacency.starts.tolist())


@given(some_pairs)
def test_the_reverse_of_the_reverse_is_the_same(pairs: list[tuple[int, int]]) -> None:
    adjacency = Adjacency.build(np.array(pairs, np.int64), 9)
    reverse = adjacency.reverse(7)
    assert [reverse.of(i).tolist() for i in range(7)] == [sorted({a for a, b in pairs if b == i}) for i in range(7)]
    again = reverse.reverse(9)
    assert (again.starts.tolist(), again.rights.tolist()) == (adjacency.starts.tolist(), adjacency.rights.tolist())


def test_a_saved_map_is_the_same(tmp_path: Path) -> None:
    Adjacency.build(np.array([[1, 5], [0, 2], [1, 3]]), 3).save(tmp_path / "links")
    adjacency = Adjacency.open(tmp_path / "links")
    assert len(adjacency) == 3
    assert [adjacency.of(i).tolist() for i in range(3)] == [[2], [3, 5], []]


def test_ids_out_of_range_are_refused() -> None:
    for pair in ([3, 0], [-1, 0]):
        with pytest.raises(UsageError):
            Adjacency.build(np.array([pair]), 3)
    with pytest.raises(UsageError):
        Adjacency.build(np.array([[0, 4]]), 1).reverse(4)

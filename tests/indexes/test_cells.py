"""Cells say which pairs of very many nodes are compared; that depends on the nodes alone, and on no rounding."""

from collections import Counter
from math import isqrt

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.indexes.cells import NEAREST, CellChange, Cells, _whole, carried
from polyhop.indexes.nearest_lists import OFTEN
from polyhop.ports import Floats, Ints


def unit_rows(count: int, seed: int, dimensions: int = 8) -> Floats:
    """Unit vectors about a few directions, some of them equal."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(5, dimensions))[random.integers(5, size=count)]
    rows += 0.3 * random.normal(size=(count, dimensions))
    rows[1::5] = rows[: len(rows[1::5])]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def keys_of(count: int, seed: int) -> Ints:
    return np.random.default_rng(seed).permutation(count * 10)[:count].astype(np.int64)


def mixed(key: int) -> int:
    """SplitMix64 in Python's own numbers."""
    z = (key + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def naive(vectors: Floats, keys: Ints) -> set[tuple[int, int]]:
    """The pairs that are compared, from whole numbers, one after the other."""
    scale = int(4096 - vectors.shape[1] ** 0.5 / 2) - 1
    whole = [[int(np.rint(value * np.float32(scale))) for value in row] for row in vectors]
    count = len(whole)
    pivots = sorted(range(count), key=lambda row: mixed(int(keys[row])))[: min(count, isqrt(16 * count))]
    away = [[scale**2 - sum(x * y for x, y in zip(row, whole[p], strict=True)) for p in pivots] for row in whole]
    homes = [min(range(len(pivots)), key=row.__getitem__) for row in away]
    reaches = [max(sorted(row)[:NEAREST][-1], 0) * 6 // 5 for row in away]
    return {
        (a, b)
        for a in range(count)
        for b in range(count)
        if away[a][homes[b]] <= reaches[a] or away[b][homes[a]] <= reaches[b]
    }


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 70), st.integers(0, 9999))
def test_the_pairs_that_are_compared_are_those_of_a_naive_loop(count: int, seed: int) -> None:
    vectors, keys = unit_rows(count, seed), keys_of(count, seed)
    cells = Cells.build(vectors, keys)
    expected = naive(vectors, keys)
    grid = np.array([(a, b) for a in range(count) for b in range(count)])
    compared = cells.compared(vectors, grid[:, 0], grid[:, 1])
    assert {(a, b) for a, b in grid[compared].tolist()} == expected
    met = Counter(
        pair
        for rows, columns in cells.groups(vectors, CellChange.of_all(count))
        for a in rows.tolist()
        for b in columns.tolist()
        for pair in ([(a, b)] if rows is columns else [(a, b), (b, a)])
    )
    assert set(met) == expected
    assert all(times <= OFTEN for (a, b), times in met.items() if a != b)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 9999), st.sets(st.integers(0, 79)), st.sets(st.integers(0, 79)))
def test_cells_that_changed_equal_those_built_anew_and_miss_no_new_pair(
    seed: int, first: set[int], then: set[int]
) -> None:
    vectors, keys = unit_rows(80, seed), keys_of(80, seed)
    before, after = np.array(sorted(first), np.int64), np.array(sorted(then), np.int64)
    kept, there = np.flatnonzero(np.isin(before, after)), np.flatnonzero(np.isin(after, before))
    cells = Cells.build(vectors[before], keys[before])
    now, change = carried(cells, keys[before], kept, there, vectors[after], keys[after])
    anew = Cells.build(vectors[after], keys[after])
    for part in ("pivots", "nearest", "edges"):
        np.testing.assert_array_equal(getattr(now, part), getattr(anew, part))
    old = {(int(before[a]), int(before[b])) for a, b in naive(vectors[before], keys[before])}
    new = {(int(after[a]), int(after[b])) for a, b in naive(vectors[after], keys[after])}
    met = Counter(
        pair
        for rows, columns in now.groups(vectors[after], change)
        for a in after[rows].tolist()
        for b in after[columns].tolist()
        for pair in ([(a, b)] if rows is columns else [(a, b), (b, a)])
    )
    assert new - old <= set(met) <= new
    assert all(times <= OFTEN for (a, b), times in met.items() if a != b)
    lost = {pair for pair in old - new if set(pair) <= then}
    shaken = set(after[change.shaken].tolist())
    assert all(a in shaken or b in shaken for a, b in lost)


@given(st.integers(0, 9999), st.sampled_from([1, 3, 384, 1024, 4096]))
def test_whole_numbers_are_so_small_that_no_sum_of_their_products_is_rounded(seed: int, dimensions: int) -> None:
    vectors = unit_rows(6, seed, dimensions)
    whole = np.abs(_whole(vectors).astype(np.float64))
    assert (whole @ whole.T).max() < 2**24

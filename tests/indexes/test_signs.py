"""Signs put the vectors forward that are likely to be near: the same as comparing them one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.indexes.signs import put_forward, signs_of
from polyhop.ports import Floats


def rows_of(count: int, dimensions: int, seed: int) -> Floats:
    return np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)


def naive(vectors: Floats, query: Floats, most: int, live: list[int]) -> list[int]:
    """The live rows whose signs differ in the fewest of the larger half of a query's coordinates, with all ties."""
    largest = np.argsort(np.abs(query), kind="stable")[len(query) // 2 :]
    differing = {row: int(((vectors[row] > 0) != (query > 0))[largest].sum()) for row in live}
    far = sorted(differing.values())[min(most, len(live)) - 1]
    return [row for row in live if differing[row] <= far]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 300),
    st.sampled_from([1, 2, 3, 24, 64, 65, 508, 509, 510, 600]),
    st.integers(1, 400),
    st.integers(1, 4),
    st.integers(0, 9999),
    st.data(),
)
def test_the_rows_put_forward_are_those_that_counting_finds(
    count: int, dimensions: int, most: int, cuts: int, seed: int, data: st.DataObject
) -> None:
    """Whatever the segments and the dead, each query by itself or with others; of more than 508 coordinates, too."""
    vectors, queries = rows_of(count, dimensions, seed), rows_of(3, dimensions, seed + 1)
    live = sorted(data.draw(st.sets(st.integers(0, count - 1), min_size=1)))
    dead = np.setdiff1d(np.arange(count), live)
    segments = [list(signs_of(part)) for part in np.array_split(vectors, cuts)]
    together = list(put_forward(segments, queries, most, dead))
    for query, found in zip(queries, together, strict=True):
        [alone] = put_forward(segments, query[None], most, dead)
        assert found.tolist() == alone.tolist() == naive(vectors, query, most, live)


def test_rows_beyond_the_first_block_are_compared_with_every_query(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, queries = rows_of(500, 70, 1), rows_of(4, 70, 2)
    whole = list(put_forward([list(signs_of(vectors))], queries, 40, np.empty(0, np.int64)))
    monkeypatch.setattr("polyhop.indexes.signs._BLOCK", 64)
    pieces = list(put_forward([list(signs_of(vectors))], queries, 40, np.empty(0, np.int64)))
    assert [found.tolist() for found in pieces] == [found.tolist() for found in whole]

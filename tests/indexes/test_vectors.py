"""Vector search is exact, and how the rows are spread over segments never shows."""

import tracemalloc
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import IndexCorrupt, ModelMismatch, StoreError
from polyhop.indexes import vectors as module
from polyhop.indexes.ranking import Ranked
from polyhop.indexes.segments import write_arrays
from polyhop.indexes.vectors import Vectors, build
from polyhop.ports import Floats, Ints


def unit_rows(count: int, dimensions: int, seed: int) -> Floats:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    rows[1::3] = rows[: len(rows[1::3])]  # equal vectors, so that there are ties
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def opened(folder: Path, parts: list[Ints], vectors: Floats, live: Ints) -> Vectors:
    """An index of some rows of ``vectors``, one segment a part."""
    for i, part in enumerate(parts):
        write_arrays(folder / str(i), build(part, vectors[part], signed=True))
    return Vectors.open([folder / str(i) for i in range(len(parts))], live)


def naive(vectors: Floats, query: Floats, k: int, among: Ints) -> tuple[list[int], Floats]:
    """Every score in double precision, then a full sort."""
    scores = (vectors[among].astype(np.float64) @ query.astype(np.float64)).astype(np.float32)
    order = sorted(range(len(among)), key=lambda i: (-scores[i], among[i]))[:k]
    return among[order].tolist(), scores[order]


def same(one: Ranked, other: Ranked) -> bool:
    """Whether two rankings are the same, bit for bit."""
    return one[0].tobytes() == other[0].tobytes() and one[1].tobytes() == other[1].tobytes()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 4), st.integers(0, 70), st.integers(0, 9999), st.data())
def test_search_equals_scoring_everything_and_sorting(
    count: int, cuts: int, k: int, seed: int, data: st.DataObject
) -> None:
    """Whatever the segments, the dead rows and the candidates; by signs, too, where these put all forward."""
    vectors = unit_rows(count, 24, seed)
    query = unit_rows(1, 24, seed + 1)[0]
    live = np.array(sorted(data.draw(st.sets(st.integers(0, count - 1)))), np.int64)
    by_signs = data.draw(st.booleans())
    among = np.array(data.draw(st.lists(st.integers(-3, count + 3))), np.int64)
    with TemporaryDirectory() as folder:
        parts = np.array_split(np.random.default_rng(seed).permutation(count), cuts)
        index = opened(Path(folder), parts, vectors, live)
        index = replace(index, exact=0, candidates=count) if by_signs else index
        for candidates, allowed in ((None, live), (among, np.intersect1d(among, live))):
            numbers, scores = index.search(query, k, candidates)
            expected, expected_scores = naive(vectors, query, k, allowed)
            np.testing.assert_allclose(scores, expected_scores, atol=1e-6)
            assert numbers.tolist() == expected
        del index


def test_scores_are_the_same_bit_for_bit_however_the_index_grew(tmp_path: Path) -> None:
    """Alone, in pieces, with removed neighbours, as a candidate: one passage, one score."""
    vectors, queries = unit_rows(400, 96, 1), unit_rows(5, 96, 2)
    live = np.arange(0, 400, 3)
    whole = opened(tmp_path / "whole", [live], vectors, live)
    grown = opened(tmp_path / "grown", np.array_split(np.arange(400), 7), vectors, live)
    for query in queries:
        numbers, scores = whole.search(query, 20)
        for other in (grown.search(query, 20), grown.search(query, 20, live)):
            assert other[0].tolist() == numbers.tolist()
            assert other[1].tobytes() == scores.tobytes()
        alone, score = grown.search(query, 1, numbers[4:5])
        assert alone.tolist() == [numbers[4]]
        assert score.tobytes() == scores[4:5].tobytes()


def test_signs_put_the_same_passages_forward_however_the_index_grew(tmp_path: Path) -> None:
    """In one segment, in pieces with removed rows, and in segments too small to have signs of their own."""
    vectors, queries = unit_rows(600, 100, 8), unit_rows(9, 100, 9)
    live = np.arange(0, 600, 2)
    whole = opened(tmp_path / "whole", [live], vectors, live)
    pieces = opened(tmp_path / "pieces", np.array_split(np.arange(600), 5), vectors, live)
    for number, part in enumerate((live[:40], live[40:])):
        write_arrays(tmp_path / "unsigned" / str(number), build(part, vectors[part]))
    unsigned = Vectors.open([tmp_path / "unsigned" / str(number) for number in range(2)], live)
    found = [
        [replace(index, exact=100, candidates=30).search(query, 8) for query in queries]
        for index in (whole, pieces, unsigned)
    ]
    for one, other, third in zip(*found, strict=True):
        assert one[0].tolist() == other[0].tolist() == third[0].tolist()
        assert one[1].tobytes() == other[1].tobytes() == third[1].tobytes()
    exact = [whole.search(query, 8)[0].tolist() for query in queries]
    assert sum(len({*one[0].tolist()} & {*other}) for one, other in zip(found[0], exact, strict=True)) < 8 * len(
        queries
    )


@pytest.mark.parametrize("exact", [600, 100])
def test_several_searches_at_once_find_what_each_finds(
    exact: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bit for bit; by their signs, too, and whatever the blocks."""
    monkeypatch.setattr(module, "_BLOCK", 64)
    vectors, queries = unit_rows(600, 100, 8), unit_rows(9, 100, 9)
    live = np.arange(0, 600, 2)
    index = opened(tmp_path, np.array_split(np.random.default_rng(0).permutation(600), 4), vectors, live)
    index = replace(index, exact=exact, candidates=60)
    together = index.search_each(queries, 7)
    assert all(same(found, index.search(query, 7)) for query, found in zip(queries, together, strict=True))
    assert index.search_each(queries[:0], 7) == []
    with pytest.raises(ModelMismatch):
        index.search_each(queries[:, 1:], 7)
    assert [len(found) for found, _ in Vectors.open([], live).search_each(queries, 7)] == [0] * 9


def test_very_many_searches_at_once_take_bounded_memory() -> None:
    """As a question takes them that walks far: all its products would take 300 MB."""
    index, queries = Vectors.of_all(np.arange(50_000), unit_rows(50_000, 8, 1)), unit_rows(1_500, 8, 2)
    tracemalloc.start()
    found = index.search_each(queries, 2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 150e6
    assert all(same(found[place], index.search(queries[place], 2)) for place in (0, 334, 335, 336, 1499))


def test_very_many_equal_vectors_take_bounded_memory() -> None:
    """As questions have that forms answer, each in the same words; equals go by their numbers."""
    index = Vectors.of_all(np.arange(40_000), np.repeat(unit_rows(2, 384, 1), 20_000, axis=0))
    tracemalloc.start()
    numbers, _ = index.search(index.segments[0][0], 3)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert numbers.tolist() == [0, 1, 2]
    assert peak < 30e6


@pytest.mark.parametrize("exact", [600, 100])
def test_some_alone_are_searched_as_if_there_were_no_others(exact: int, tmp_path: Path) -> None:
    vectors, queries = unit_rows(600, 100, 8), unit_rows(9, 100, 9)
    every = np.arange(600)
    index = replace(opened(tmp_path / "a", np.array_split(every, 3), vectors, every), exact=exact, candidates=60)
    some = np.random.default_rng(1).random(600) < 0.6
    alone = replace(opened(tmp_path / "b", [every[some]], vectors, every), exact=exact, candidates=60)
    for query in queries:
        assert same(index.only(some).search(query, 9), alone.search(query, 9))


@pytest.mark.parametrize("exact", [300, 100])
def test_vectors_in_memory_are_searched_as_those_on_disk(
    exact: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EXACT", exact)
    vectors, numbers = unit_rows(300, 70, 3), np.arange(5, 305)
    write_arrays(tmp_path / "0", build(numbers, vectors, signed=True))
    stored = replace(Vectors.open([tmp_path / "0"], numbers), exact=exact, candidates=40)
    held = replace(Vectors.of_all(numbers, vectors), exact=exact, candidates=40)
    assert bool(held.signs) == (exact < 300)
    for query in unit_rows(5, 70, 4):
        assert same(held.search(query, 9), stored.search(query, 9))


def test_few_candidates_hold_most_of_the_nearest(tmp_path: Path) -> None:
    """Of vectors around some centres, as those of texts are."""
    random = np.random.default_rng(1)
    centres = random.normal(size=(40, 384))
    around = centres[random.integers(40, size=6030)] + 0.8 * random.normal(size=(6030, 384))
    rows = np.asarray(around / np.linalg.norm(around, axis=1, keepdims=True), np.float32)
    vectors, queries, every = rows[30:], rows[:30], np.arange(6000)
    index = replace(opened(tmp_path, [every], vectors, every), exact=0, candidates=300)
    wanted = [naive(vectors, query, 15, every)[0] for query in queries]
    found = [index.search(query, 15)[0].tolist() for query in queries]
    assert sum(len({*one} & {*other}) for one, other in zip(found, wanted, strict=True)) > 0.97 * 15 * len(queries)


def test_signs_of_other_vectors_are_refused(tmp_path: Path) -> None:
    vectors = unit_rows(9, 70, 1)
    write_arrays(tmp_path / "0", build(np.arange(9), vectors, signed=True) | {"signs1": np.zeros(8, np.uint64)})
    with pytest.raises(IndexCorrupt):
        Vectors.open([tmp_path / "0"], np.arange(9))


def test_all_scores_are_those_of_search_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the live numbers, whatever the segments and the blocks."""
    vectors, query = unit_rows(400, 96, 6), unit_rows(1, 96, 7)[0]
    live = np.arange(0, 400, 3)
    index = opened(tmp_path, np.array_split(np.random.default_rng(0).permutation(400), 5), vectors, live)
    numbers, scores = index.search(query, len(live))
    expected = scores[np.argsort(numbers)]
    for rows in (1024, 7):
        monkeypatch.setattr(module, "_ROWS", rows)
        assert index.scores(query).tobytes() == expected.tobytes()
    with pytest.raises(ModelMismatch):
        index.scores(query[1:])
    assert Vectors.open([], live).scores(query).shape == (0,)


def test_equal_scores_are_ordered_by_number(tmp_path: Path) -> None:
    vectors = np.tile(np.array([[0.6, 0.8]], np.float32), (9, 1))
    index = opened(tmp_path, [np.arange(9)], vectors, np.arange(9))
    assert index.search(vectors[0], 4)[0].tolist() == [0, 1, 2, 3]


def test_an_empty_index_finds_nothing() -> None:
    index = Vectors.open([], np.arange(5))
    query = np.ones(3, np.float32)
    assert len(index) == 0
    assert index.search(query, 5)[0].tolist() == []
    assert index.search(query, 5, np.arange(3))[0].tolist() == []
    assert index.of(np.empty(0, np.int64)).shape[0] == 0


def test_of_gives_rows_in_the_order_asked(tmp_path: Path) -> None:
    vectors = unit_rows(30, 8, 3)
    index = opened(tmp_path, np.array_split(np.arange(30), 3), vectors, np.arange(29))
    asked = np.array([28, 0, 11, 11])
    np.testing.assert_array_equal(index.of(asked), vectors[asked])
    with pytest.raises(StoreError, match="29"):
        index.of(np.array([3, 29]))


def test_half_precision_is_accepted_and_numbers_are_put_in_order(tmp_path: Path) -> None:
    write_arrays(tmp_path / "0", build(np.array([7, 2]), np.array([[1, 0], [0, 1]], np.float16)))
    index = Vectors.open([tmp_path / "0"], np.array([2, 7]))
    assert index.search(np.array([1, 0], np.float32), 2)[0].tolist() == [7, 2]
    assert index.of(np.array([2])).dtype == np.float32


def test_a_query_of_another_length_is_refused(tmp_path: Path) -> None:
    index = opened(tmp_path, [np.arange(4)], unit_rows(4, 8, 5), np.arange(4))
    with pytest.raises(ModelMismatch) as caught:
        index.search(np.ones(9, np.float32), 1)
    assert caught.value.remedy


def test_segments_of_different_lengths_are_refused(tmp_path: Path) -> None:
    write_arrays(tmp_path / "0", build(np.array([0]), unit_rows(1, 8, 1)))
    write_arrays(tmp_path / "1", build(np.array([1]), unit_rows(1, 9, 1)))
    with pytest.raises(ModelMismatch):
        Vectors.open([tmp_path / "0", tmp_path / "1"], np.arange(2))

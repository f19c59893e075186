"""What one question looks up is embedded, searched for and read once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from polyhop.indexes.vectors import Vectors
from polyhop.layers import looked_up
from polyhop.layers.looked_up import LookedUp
from polyhop.ports import Floats, Ints
from polyhop.types import Passage


class NotedVectors(Vectors):
    """Vectors that note how many queries shared each pass."""

    passes: list[int]

    def search_each(
        self, queries: Floats, k: int, candidates: int | None = None, among: Ints | None = None
    ) -> list[tuple[Ints, Floats]]:
        """The same, noted."""
        self.__dict__.setdefault("passes", []).append(len(queries))
        return super().search_each(queries, k, candidates, among)


def directions(count: int, seed: int) -> Floats:
    """Random unit vectors."""
    rows = np.random.default_rng(seed).standard_normal((count, 8))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@pytest.fixture
def vectors() -> NotedVectors:
    """Fifty vectors, some of them equal."""
    rows = directions(50, 1)
    rows[40:] = rows[30:40]
    return NotedVectors.of_all(np.arange(50), rows)


def test_what_was_searched_for_before_is_found_without_a_search(vectors: NotedVectors) -> None:
    """Fewer are the best of more, bit for bit; where more are wanted they are searched for."""
    queries, known = directions(4, 2), LookedUp()
    known.nearest(queries[:3], 20, vectors)
    for k in (5, 20, 30):
        for (numbers, scores), query in zip(known.nearest(queries, k, vectors), queries, strict=True):
            expected, exactly = vectors.search(query, k)
            assert numbers.tolist() == expected.tolist()
            assert scores.tobytes() == exactly.tobytes()
    searched = [count for count in vectors.passes if count > 1]
    assert searched == [3, 4], "of the fourth five were wanted first, then more than were known of any"


def test_equal_queries_are_searched_for_once(vectors: NotedVectors) -> None:
    query = directions(1, 2)
    first, second = LookedUp().nearest(np.concatenate([query, query]), 3, vectors)
    assert first[0].tolist() == second[0].tolist()
    assert vectors.passes == [1]


def test_texts_are_embedded_once_and_those_that_lack_together() -> None:
    embedded: list[list[str]] = []

    def embed(texts: Sequence[str]) -> Floats:
        embedded.append(list(texts))
        return np.array([[len(text)] for text in texts], np.float32)

    known = LookedUp()
    known.embedded(["a", "bb"], embed)
    assert known.embedded(["ccc", "bb", "ccc", "dddd"], embed).tolist() == [[3], [2], [3], [4]]
    assert embedded == [["a", "bb"], ["ccc", "dddd"]]


def test_passages_are_read_once_and_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looked_up, "MOST_READ", 2)
    read: list[list[int]] = []

    def passages(numbers: Sequence[int]) -> list[Passage]:
        read.append(list(numbers))
        return [
            Passage(id=str(number), document_id="d", ordinal=number, start=0, end=1, title="", text="a")
            for number in numbers
        ]

    known = LookedUp()
    for numbers in ([1, 2], [2, 3, 1, 3], [3], [1]):
        assert [passage.id for passage in known.passages(numbers, passages)] == list(map(str, numbers))
    assert read == [[1, 2], [3], [3]]

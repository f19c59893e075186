"""What is seen through a patch is what a structure would be that is built of all of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import IndexCorrupt
from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.coverage import TokenCoverage
from polyhop.indexes.names import Names
from polyhop.indexes.patched import Patch, PatchedAdjacency, PatchedCoverage, PatchedNames, PatchedTexts
from polyhop.indexes.segments import Arrays, write_each
from polyhop.indexes.streamed import read_with_room, room_in
from polyhop.indexes.texts import Texts

WORDS = ("ada", "oar", "korr", "tarn")
some_names = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), unique=True, max_size=12)


def laid(before: list[str], now: list[str]) -> Patch:
    """The patch that makes one list of sorted names another; of names in both, it says those of even length again."""
    again = {name for name in before if name in now and len(name) % 2 == 0}
    own = [name for name in now if name in again or name not in before]
    more = iter(range(len(before), len(before) + len(now)))
    return Patch(
        hidden=np.array([name not in now or name in again for name in before], np.bool_),
        ids=np.array([before.index(name) if name in again else next(more) for name in own], np.int64),
        before=np.searchsorted(np.array(before, object), np.array(own, object)).astype(np.int64),
    )


def built(names: list[str]) -> tuple[Texts, Names, TokenCoverage]:
    """What is patched, of names whose ids are their places."""
    ids = np.arange(len(names))
    return Texts.build(names), Names.build(names, ids), TokenCoverage.build(names, ids)


@given(some_names.map(sorted), some_names.map(sorted), st.sampled_from(WORDS), st.integers(1, 4), st.integers(0, 4))
def test_names_through_a_patch_are_the_names_there_are(
    before: list[str], now: list[str], word: str, k: int, ties: int
) -> None:
    patch = laid(before, now)
    own = [now[place] for place in range(len(now)) if now[place] not in before or len(now[place]) % 2 == 0]
    texts, names, coverage = built(before)
    own_texts, own_names, own_coverage = built(own)
    seen = PatchedTexts.over(texts, patch, own_texts)
    assert [seen[one] for one in patch.in_order.tolist()] == now
    named = PatchedNames.over(names, patch, Names(keys=own_names.keys, values=patch.ids[own_names.values]))
    assert [None if row is None else seen[row] for row in map(named.find, before + now)] == [
        name if name in now else None for name in before + now
    ]
    assert sorted((name, seen[one]) for name, one in named.items()) == [(name, name) for name in now]
    said = f"ada {word} korr".split()
    whole = built(now)
    assert [(start, length, seen[one]) for start, length, one in named.scan(said)] == [
        (start, length, now[one]) for start, length, one in whole[1].scan(said)
    ]
    found = PatchedCoverage.over(coverage, patch, own_coverage).best(" ".join(said), k, ties=ties)
    assert [(seen[one.value], *one[1:]) for one in found] == [
        (now[one.value], *one[1:]) for one in whole[2].best(" ".join(said), k, ties=ties)
    ]


some_pairs = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 9)))


@given(some_pairs, st.sets(st.integers(0, 3)), some_pairs)
def test_neighbours_through_a_patch(there: set[tuple[int, int]], emptied: set[int], more: set[tuple[int, int]]) -> None:
    """Of ids 0 to 3 some have other neighbours now; 4 and 5 came."""
    there = {(left, right) for left, right in there if left < 4}
    lefts = sorted({left for left, _ in more})
    seen = PatchedAdjacency.over(
        adjacent(there, 4),
        6,
        np.array([left in emptied for left in range(4)], np.bool_),
        np.array(lefts, np.int64),
        adjacent({(lefts.index(left), right) for left, right in more}, len(lefts)),
    )
    now = {pair for pair in there if pair[0] not in emptied} | more
    for left in range(6):
        assert seen.of(left).tolist() == sorted(right for own, right in now if own == left)
    assert seen.of_many(np.array([1, 4, 2])).tolist() == sorted({right for left, right in now if left in (1, 2, 4)})
    each, starts = seen.of_each(np.array([5, 1, 4, 2, 1]))
    parts = [part.tolist() for part in np.split(each, starts[1:-1])]
    assert parts == [seen.of(left).tolist() for left in (5, 1, 4, 2, 1)]
    assert len(seen) == 6


def adjacent(pairs: set[tuple[int, int]], lefts: int) -> Adjacency:
    """Neighbours of so many ids."""
    return Adjacency.build(np.array(sorted(pairs), np.int64).reshape(-1, 2), lefts)


def test_arrays_have_room_behind_them(tmp_path: Path) -> None:
    """What is written there stays with who wrote it, and whoever asks for more than there is is told so."""
    arrays: Arrays = {"plain": np.arange(8), "rows": np.ones((4, 3), np.float32)}
    write_each(tmp_path / "arrays", arrays.items(), room=1 / 2)
    assert room_in(tmp_path / "arrays", arrays) == {"plain": 4, "rows": 2}
    for _ in range(2):
        found = read_with_room(tmp_path / "arrays", {"plain": 3, "rows": 0})
        assert found["plain"].tolist() == [*range(8), 0, 0, 0]
        assert found["rows"].tolist() == arrays["rows"].tolist()
        found["plain"][2:] = 7
    with pytest.raises(IndexCorrupt, match="no room for 5 rows"):
        read_with_room(tmp_path / "arrays", {"plain": 5})

"""What stays of an index and what comes make, byte for byte, the index of all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyhop.indexes.coverage import TokenCoverage
from polyhop.indexes.names import MISSING, Names
from polyhop.indexes.splicing import Splice, places_in
from polyhop.indexes.texts import Texts

KEYS = ("ada", "ada (ship)", "ada ship", "korr", "korr oar", "町", "町 oar", "zed")  # two pairs have one hash
NAMES = ("Ada", "ada", "Ada Korr", "Korr Ada", "Oar", "The Oar", "町 Oar", "…", "")

some_rows = st.lists(st.tuples(st.booleans(), st.booleans(), st.text(max_size=3)), max_size=12)


def splice_of(rows: Sequence[tuple[bool, bool, str]]) -> tuple[list[str], list[str], list[str], Splice]:
    """Rows that were there and those that come, those there are then, and how; of each row: was it, is it, what."""
    old = [text for was, _, text in rows if was]
    new = [text for was, now, text in rows if now and not was]
    stays = np.array([now for was, now, _ in rows if was], np.bool_)
    before = [sum(was for was, _, _ in rows[:at]) for at, (was, now, _) in enumerate(rows) if now and not was]
    return old, new, [text for _, now, text in rows if now], Splice(stays, np.array(before, np.int64))


def same(left: Any, right: Any) -> bool:
    """Whether all arrays are the same, with their types."""
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right)
    return all(same(getattr(left, each.name), getattr(right, each.name)) for each in fields(left))


@given(some_rows)
def test_rows_and_texts_are_spliced(rows: list[tuple[bool, bool, str]]) -> None:
    old, new, now, splice = splice_of(rows)
    assert same(Texts.build(old).spliced(splice, Texts.build(new)), Texts.build(now))
    lengths = splice.rows(np.array(list(map(len, old)), np.int64), np.array(list(map(len, new)), np.int64))
    assert lengths.tolist() == list(map(len, now))


@given(some_rows)
def test_a_splice_says_where_rows_are(rows: list[tuple[bool, bool, str]]) -> None:
    old, new, now, splice = splice_of(rows)
    placed = splice.placed
    assert (np.diff(placed) >= 0).all()
    assert [now[place] for place in placed[splice.stays].tolist()] == np.array(old, object)[splice.stays].tolist()
    assert [now[place] for place in splice.came.tolist()] == new


@given(st.lists(st.sampled_from(KEYS), unique=True), st.lists(st.sampled_from(KEYS), unique=True))
def test_texts_stand_in_their_order(some: list[str], others: list[str]) -> None:
    ordered = sorted(some)
    found = places_in(ordered, sorted(others))
    assert found.tolist() == [sum(one < other for one in ordered) for other in sorted(others)]


ENTITIES = st.dictionaries(st.sampled_from(KEYS), st.tuples(st.booleans(), st.booleans()))


@given(ENTITIES)
def test_names_are_spliced(keys: dict[str, tuple[bool, bool]]) -> None:
    """Each key has a row of its own; it was there, is there, or both."""
    order = sorted(keys)
    old = [key for key in order if keys[key][0]]
    now = [key for key in order if keys[key][1]]
    new = [key for key in now if key not in old]
    rows = np.array([now.index(key) if key in now else MISSING for key in old], np.int64)
    places = np.array([now.index(key) for key in new], np.int64)
    names = Names.build(old, np.arange(len(old))).spliced(rows, Names.build(new, places))
    assert same(names, Names.build(now, np.arange(len(now))))


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.lists(st.sampled_from(NAMES), max_size=3)), max_size=8))
def test_coverage_is_spliced(rows: list[tuple[bool, bool, list[str]]]) -> None:
    """Each value has some names; it was there, is there, or both."""
    now = {place: number for number, place in enumerate(at for at, (_, is_, _) in enumerate(rows) if is_)}
    was = [at for at, (there, _, _) in enumerate(rows) if there]
    came = [at for at in now if at not in was]

    def built(places: Sequence[int], value: dict[int, int]) -> TokenCoverage:
        said = [(name, value[place]) for place in places for name in rows[place][2]]
        return TokenCoverage.build([name for name, _ in said], np.array([whose for _, whose in said], np.int64))

    values = np.array([now.get(place, MISSING) for place in was], np.int64)
    before = built(was, {place: number for number, place in enumerate(was)})
    assert same(before.spliced(values, built(came, now)), built(list(now), now))

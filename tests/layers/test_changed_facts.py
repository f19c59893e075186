"""A graph that is made of the one before is, byte for byte, the graph that is gathered whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.layers.facts.changed_graph import changed_graph, write_changed
from polyhop.layers.facts.gathered import GatheredFacts
from polyhop.layers.facts.merges import keep_apart
from polyhop.layers.facts.touched import Before
from polyhop.store.record import Record
from tests.worlds.stated_facts import (
    APART,
    DAYS,
    LAYER,
    MODELS,
    NEW,
    REACHED,
    Told,
    arrays_in,
    at_once,
    decoded,
    drop,
    gather,
    kill_at_each_step,
    killed_in_a_process,
    lengths,
    some_passage,
    store,
    whole,
)


def changed(
    folder: Path, earlier: Path, stay: Iterable[int], new: Mapping[int, Told], apart: Iterable[tuple[str, str]] = ()
) -> dict[str, bytes]:
    """A generation that is made of another one."""
    numbers = np.array(sorted(stay), np.int64)
    came = GatheredFacts.of(decoded(new))
    write_changed(folder, changed_graph(Before.open(earlier, numbers), came.stated, apart), came, lengths)
    return arrays_in(folder)


@pytest.mark.parametrize("reached", REACHED)
def test_a_change_reaches_what_it_decides(reached: str, tmp_path: Path) -> None:
    """One passage comes, and goes again."""
    others, one = REACHED[reached]
    for at in (0, 9):  # before the others, and behind them
        place, there = tmp_path / str(at), dict(enumerate(others, 1))
        both = dict(sorted({**there, at: one}.items()))
        without, within = whole(place / "without", there), whole(place / "with", both)
        assert changed(place / "come", place / "without", there, {at: one}) == within
        assert changed(place / "gone", place / "with", there, {}) == without


@settings(max_examples=60)  # of three generations each
@given(
    st.dictionaries(st.integers(1, 9), some_passage),
    st.dictionaries(st.integers(1, 12), some_passage, max_size=4),
    st.sets(st.integers(1, 9)),
    st.sampled_from([(), APART]),
)
def test_changed_is_whole(
    there: dict[int, Told], come: dict[int, Told], gone: set[int], apart: Sequence[tuple[str, str]]
) -> None:
    stay = {number: told for number, told in there.items() if number not in gone}
    new = {number: told for number, told in come.items() if number not in there}
    with TemporaryDirectory() as place:
        whole(Path(place) / "before", there, apart)
        now = changed(Path(place) / "now", Path(place) / "before", stay, new, apart)
        assert now == whole(Path(place) / "whole", dict(sorted({**stay, **new}.items())), apart)


@settings(max_examples=20)
@given(st.lists(st.tuples(some_passage, st.sets(st.integers(0, 8))), min_size=1, max_size=6))
def test_what_comes_and_goes_again_was_never_there(changes: list[tuple[Told, set[int]]]) -> None:
    """One passage comes with each change, and some go; in the end those that are left are all there is."""
    with TemporaryDirectory() as place:
        folders = (Path(place) / str(step) for step in count())
        earlier, there = next(folders), dict[int, Told]()
        whole(earlier, there)
        for number, (told, gone) in enumerate(changes, 1):
            there = {one: each for one, each in there.items() if one not in gone}
            folder = next(folders)
            changed(folder, earlier, there, {number: told})
            earlier, there = folder, {**there, number: told}
        assert arrays_in(earlier) == whole(next(folders), there)


@settings(max_examples=20)
@given(st.dictionaries(st.integers(1, 9), some_passage), st.dictionaries(st.integers(10, 14), some_passage, max_size=3))
def test_passages_that_come_and_go_leave_no_trace(there: dict[int, Told], come: dict[int, Told]) -> None:
    with TemporaryDirectory() as place:
        before = whole(Path(place) / "before", dict(sorted(there.items())))
        changed(Path(place) / "more", Path(place) / "before", there, come)
        assert changed(Path(place) / "less", Path(place) / "more", there, {}) == before


# The layer: which way it takes, and what a kill leaves.


def test_a_change_gives_what_gathering_at_once_gives(tmp_path: Path) -> None:
    store(tmp_path / "index", DAYS)
    before = gather(tmp_path / "index")
    store(tmp_path / "index", NEW)
    drop(tmp_path / "index", "Day 7")
    assert gather(tmp_path / "index") == at_once(tmp_path / "index") != before


@pytest.mark.parametrize("damage", ["of an earlier version", "damaged"])
def test_a_generation_that_cannot_be_built_upon_is_gathered_again(tmp_path: Path, damage: str) -> None:
    """One of an earlier version does not say what a change touches; facts are not extracted again for it."""
    store(tmp_path / "index", DAYS)
    gather(tmp_path / "index")
    (folder,) = (tmp_path / "index" / "generations" / "facts").iterdir()
    if damage == "damaged":
        (folder / "gathered/names" / "claims.npy").write_bytes(b"")
    else:
        shutil.rmtree(folder / "gathered/names")
    store(tmp_path / "index", NEW)
    assert "gathered/names/claims.npy" in (now := gather(tmp_path / "index"))
    assert now == at_once(tmp_path / "index")


def test_what_was_kept_apart_is_kept_apart_in_changes(tmp_path: Path) -> None:
    index = tmp_path / "index"
    store(index, [*DAYS, *NEW])
    together = gather(index)
    with Record.create_or_open(index) as record:
        graph = LAYER.open(record, index / "generations" / "facts", MODELS)
        assert keep_apart(record, graph, ["Old Oar"])
    assert gather(index) != together
    drop(index, "Day 2")
    assert gather(index) == at_once(index)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_killed_at_any_step_and_resumed_is_never_killed(tmp_path: Path) -> None:
    killed_in_a_process(tmp_path, kill_at_each_step, 1)

"""A patch that is outgrown is merged into one graph, beside all else, and nothing that changes meanwhile is lost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyhop.errors import StorageFull
from polyhop.indexes.segments import write_arrays
from polyhop.indexing.run import IndexRun
from polyhop.layers.facts import gathering, graph_parts, patch
from polyhop.layers.facts.changed_graph import write_changed
from polyhop.layers.facts.merges import keep_apart
from polyhop.layers.facts.patch import PatchedGraph
from polyhop.layers.layer import fingerprint
from polyhop.settings import Settings
from polyhop.store.record import Record
from tests.worlds.patched_facts import OUTGROWN, assert_is_merged, assert_reads_as_at_once, opened, segments_of
from tests.worlds.stated_facts import (
    DAYS,
    LAYER,
    MODELS,
    NEW,
    drop,
    gather,
    kill_at_each_step,
    killed_in_a_process,
    merge,
    merge_and_gather,
    store,
)

pytestmark = pytest.mark.usefixtures("of_any_size")


def test_changes_become_one_patch_and_then_a_graph(index: Path) -> None:
    """Each patch takes the place of the one before; merged is one of more than the square root of twelve passages."""
    (base,) = segments_of(index)
    for few in (NEW[:1], NEW[1:]):
        store(index, few)
        gather(index)
        merge(index)
        assert segments_of(index)[0] == base
        assert len(list((index / "generations" / "facts").iterdir())) == len(segments_of(index)) == 2
        assert_reads_as_at_once(index)
    drop(index, "Day 7", "Day 8")
    gather(index)
    assert isinstance(opened(index), PatchedGraph)
    assert_reads_as_at_once(index)
    merge(index)
    assert_is_merged(index)


@pytest.mark.parametrize("meanwhile", ["nothing", "some come", "some go", "one goes that came", "it goes back"])
def test_what_changes_while_a_graph_is_merged_is_found_and_stays(
    meanwhile: str, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer need not wait, and nothing that it does is lost when the merged graph is taken over."""
    store(index, OUTGROWN)
    gather(index)
    changes = {
        "nothing": lambda: None,
        "some come": lambda: store(index, NEW),
        "some go": lambda: drop(index, "Day 7", "Day 8"),
        "one goes that came": lambda: drop(index, "Night 2"),
        "it goes back": lambda: drop(index, *(title for title, *_ in OUTGROWN)),
    }

    def written(*given: Any) -> None:
        changes[meanwhile]()
        gather(index)
        assert_reads_as_at_once(index)
        write_changed(*given)

    monkeypatch.setattr(gathering, "write_changed", written)
    merge(index)
    assert_reads_as_at_once(index)
    monkeypatch.undo()
    gather(index)
    assert_reads_as_at_once(index)


def test_passages_that_went_since_a_graph_was_gathered_are_not_merged(index: Path) -> None:
    """Also where they came with the change that is merged: nothing is left in the record of what they state."""
    store(index, OUTGROWN)
    drop(index, "Day 5")
    gather(index)
    drop(index, "Night 2", "Day 7")
    merge(index)
    assert_is_merged(index)


def test_what_a_killed_merge_left_goes_with_who_writes_next(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where so few passages are left of the change that there is nothing to merge any more."""
    store(index, OUTGROWN)
    gather(index)

    def killed(target: Path, *_: object) -> None:
        write_arrays(target / "keys", {"blob": np.zeros(9)})
        raise KeyboardInterrupt

    monkeypatch.setattr(gathering, "write_changed", killed)
    with pytest.raises(KeyboardInterrupt):
        merge(index)
    assert (index / "generations" / ".merged-facts").is_dir()
    drop(index, *(title for title, *_ in OUTGROWN[1:]))
    gather(index)
    merge(index)
    assert [each.name for each in (index / "generations").iterdir()] == ["facts"]
    assert_reads_as_at_once(index)


def test_who_waits_for_a_merge_is_told_that_nothing_else_does(tmp_path: Path) -> None:
    """Once, and not where there is nothing to write."""
    index, told = tmp_path / "index", list[str]()
    run = IndexRun(
        path=index, settings=Settings(), models=MODELS, layers=(), progress=lambda step: told.append(step.stage)
    )
    store(index, DAYS)
    gather(index)
    run.merge()
    assert told == []
    store(index, OUTGROWN)
    gather(index)
    run.merge()
    assert told == ["merging facts: all changes can be asked already"]
    assert_is_merged(index)


def test_a_merged_graph_of_other_content_is_not_taken_over(index: Path) -> None:
    """Whoever was killed before the switch leaves it; then somebody kept two names apart."""
    store(index, [*NEW, *OUTGROWN])
    gather(index)
    with Record.open(index) as record:
        assert LAYER.merge(record, index / "generations" / "facts", fingerprint(LAYER, MODELS), MODELS, lambda: None)
    with Record.create_or_open(index) as record:
        graph = LAYER.open(record, index / "generations" / "facts", MODELS)
        assert keep_apart(record, graph, ["Old Oar"])
    gather(index)
    merge(index)
    assert_is_merged(index)


def test_a_graph_that_is_served_is_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What came goes again after it was merged: the graph before it stays, and the merged one is of no use."""
    index = tmp_path / "index"
    store(index, DAYS)
    before = gather(index)
    store(index, OUTGROWN)
    gather(index)
    with Record.open(index) as record:
        assert LAYER.merge(record, index / "generations" / "facts", fingerprint(LAYER, MODELS), MODELS, lambda: None)
    drop(index, *(title for title, *_ in OUTGROWN))

    def full(*_: object) -> None:
        raise StorageFull("No space is left.")

    with monkeypatch.context() as writing:
        for name in ("write_whole", "write_changed", "write_patch"):
            writing.setattr(gathering, name, full)
        assert gather(index) == before
    merge(index)
    assert_is_merged(index)


def merging_while_killed(place: Path) -> None:
    """The same of a patch that is outgrown."""
    patch.LEAST, graph_parts.ROOM, gathering.SHARE = 0, 30, 1  # type: ignore[misc]
    store(place / "index", OUTGROWN)
    gather(place / "index")
    kill_at_each_step(place, 1, merge_and_gather, 24)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_killed_at_any_step_of_merging_and_resumed_is_never_killed(tmp_path: Path) -> None:
    killed_in_a_process(tmp_path, merging_while_killed)

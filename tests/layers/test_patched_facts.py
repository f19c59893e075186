"""A change that is laid over a graph reads as the graph that is gathered whole; only positions differ."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.indexes import digests
from polyhop.indexes.segments import AllBut
from polyhop.layers.facts import graph_parts, patch
from polyhop.layers.facts.changed_graph import changed_graph
from polyhop.layers.facts.gathered import GatheredFacts, GraphCounts
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.merges import keep_apart
from polyhop.layers.facts.overlay import Overlay, overlaid
from polyhop.layers.facts.passage_graph import PassageGraph, Synonyms
from polyhop.layers.facts.patch import counts_of, numbers_in, open_graph, write_patch
from polyhop.layers.facts.touched import Before
from polyhop.store.record import Record
from tests.worlds.patched_facts import NONE, assert_reads_as_at_once, opened, said, segments_of
from tests.worlds.stated_facts import (
    APART,
    DAYS,
    LAYER,
    MODELS,
    NAMES,
    NEW,
    REACHED,
    Told,
    at_once,
    decoded,
    drop,
    fact,
    gather,
    kill_at_each_step,
    killed_in_a_process,
    lengths,
    some_passage,
    store,
    whole,
)

pytestmark = pytest.mark.usefixtures("of_any_size")


FIRST: Told = ("…", "…", [fact("Old Oar", "is", "Oar")], {})  # of a passage that stays: without a fact there is no room


def patched(
    folder: Path, base: Path, stay: Iterable[int], new: Mapping[int, Told], apart: Iterable[tuple[str, str]] = ()
) -> FactGraph:
    """A graph of which some passages went, and others came."""
    live, came = np.array(sorted(stay), np.int64), GatheredFacts.of(decoded(new))
    changed = changed_graph(Before.open(base, live), came.stated, apart)
    write_patch(folder, base, changed, came, lengths, GraphCounts.of(base))
    return open_graph(folder, NONE)


@pytest.mark.parametrize("reached", REACHED)
def test_a_patch_reaches_what_a_change_decides(reached: str, tmp_path: Path) -> None:
    """One passage comes, and goes again."""
    others, one = REACHED[reached]
    there = dict(enumerate(others, 1))
    whole(tmp_path / "without", there)
    whole(tmp_path / "with", both := {**there, 9: one})
    come = patched(tmp_path / "come", tmp_path / "without", there, {9: one})
    gone = patched(tmp_path / "gone", tmp_path / "with", there, {})
    assert said(come) == said(FactGraph.open(tmp_path / "with", NONE))
    assert said(gone) == said(FactGraph.open(tmp_path / "without", NONE))
    assert numbers_in(tmp_path / "come").tolist() == sorted(both)
    assert numbers_in(tmp_path / "gone").tolist() == sorted(there)


@settings(max_examples=60)
@given(
    st.dictionaries(st.integers(1, 9), some_passage),
    st.dictionaries(st.integers(10, 14), some_passage, max_size=4),
    st.sets(st.integers(1, 9)),
    st.sets(st.integers(1, 14)),
    st.sampled_from([(), APART]),
)
def test_patched_is_whole(
    there: dict[int, Told],
    come: dict[int, Told],
    gone: set[int],
    later: set[int],
    apart: Sequence[tuple[str, str]],
) -> None:
    """Also of its passages that go ``later``, before anything is gathered again."""
    there = {0: FIRST, **there}
    stay = {number: told for number, told in there.items() if number not in gone}
    now = dict(sorted({**stay, **come}.items()))
    with TemporaryDirectory() as folder:
        place = Path(folder)
        whole(place / "base", dict(sorted(there.items())), apart)
        whole(place / "whole", now, apart)
        graph = patched(place / "patch", place / "base", stay, dict(sorted(come.items())), apart)
        assert said(graph) == said(FactGraph.open(place / "whole", NONE))
        assert counts_of(place / "patch") == GraphCounts.of(place / "whole")
        left = AllBut(np.array(sorted(later), np.int64))
        fewer, those = open_graph(place / "patch", left), FactGraph.open(place / "whole", left)
        for name in NAMES:
            assert anchored(fewer, name) == anchored(those, name)


def anchored(graph: FactGraph, name: str) -> list[object]:
    """What a name may mean, with the facts of it that are left."""
    found = graph.anchors(name, 5)
    return [(graph.keys[entity], share, graph.passages_of(graph.touching([entity]))) for entity, share in found]


@settings(max_examples=20)
@given(
    st.dictionaries(st.integers(1, 9), some_passage),
    st.dictionaries(st.integers(10, 14), some_passage, max_size=3),
    st.sets(st.integers(1, 9)),
)
def test_who_walks_or_edits_a_patched_graph_finds_what_a_whole_one_has(
    there: dict[int, Told], come: dict[int, Told], gone: set[int]
) -> None:
    """A walk ranks passages alike, and an overlay that edits nothing gives the graph again."""
    there = {0: FIRST, **there}
    stay = {number: told for number, told in there.items() if number not in gone}
    with TemporaryDirectory() as folder:
        place = Path(folder)
        whole(place / "base", dict(sorted(there.items())))
        whole(place / "whole", dict(sorted({**stay, **come}.items())))
        one = patched(place / "patch", place / "base", stay, dict(sorted(come.items())))
        other = FactGraph.open(place / "whole", NONE)
        np.testing.assert_allclose(walked(one), walked(other), atol=1e-12)
        edited = [overlaid(graph, unedited(graph), lengths) for graph in (one, other)]
        assert [edited[0].entity(each) for each in range(len(edited[0]))] == [
            edited[1].entity(each) for each in range(len(edited[1]))
        ]
        assert list(map(edited[0].fact, range(len(edited[0].heads)))) == list(
            map(edited[1].fact, range(len(edited[1].heads)))
        )


def walked(graph: FactGraph) -> list[float]:
    """Where a walk from the ends of the first fact is found, of all passages."""
    walk = PassageGraph.of(graph, np.arange(1, 15), Synonyms.none())
    start = np.zeros(walk.walk.nodes)
    start[walk.entities :] = 0.01
    for ends in (graph.heads, graph.tails):
        start[ends[graph.facts[:1]]] = 1
    scores, _ = walk.walk.personalised(start, damping=0.5)
    reached: list[float] = scores[walk.entities :].tolist()
    return reached


def unedited(graph: FactGraph) -> Overlay:
    """An overlay without edits."""
    assert graph.folder is not None
    return Overlay(kind="random", ratio=0.0, seed=0, generation=graph.folder.name, pool=0, edits=())


def test_what_comes_and_goes_again_leaves_the_graph_as_it_was(tmp_path: Path) -> None:
    index = tmp_path / "index"
    store(index, DAYS)
    before = gather(index)
    store(index, NEW)
    gather(index)
    drop(index, *(title for title, *_ in NEW))
    assert gather(index) == before
    assert len(list((index / "generations" / "facts").iterdir())) == 1


@pytest.mark.parametrize("damaged", ["the patch", "the graph", "names"])
def test_a_damaged_part_is_written_again(index: Path, damaged: str) -> None:
    store(index, NEW)
    gather(index)
    base, own = (index / "generations" / "facts" / name for name in segments_of(index))
    place = {"the patch": own / "patch" / digests.PACKED, "the graph": base / "facts/heads.npy"}
    place.get(damaged, base / "gathered/names/claims.npy").write_bytes(b"")
    gather(index)
    assert_reads_as_at_once(index)


def test_what_is_kept_apart_is_gathered_whole(index: Path) -> None:
    store(index, NEW)
    gather(index)
    with Record.create_or_open(index) as record:
        graph = LAYER.open(record, index / "generations" / "facts", MODELS)
        assert keep_apart(record, graph, ["Old Oar"])
    assert gather(index) == at_once(index)


def test_a_graph_of_an_earlier_version_is_written_anew_before_it_is_patched(tmp_path: Path) -> None:
    """It has no room behind its arrays, and its generation says less."""
    index = tmp_path / "index"
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr(graph_parts, "ROOM", 0)
        store(index, DAYS)
        gather(index)
    with Record.create_or_open(index) as record:
        current = record.generation("facts")
        assert current is not None
        less = {
            name: told for name, told in current.description.items() if name not in ("segments", "whole", "covered")
        }
        record.set_generation("facts", current.name, less)
    assert opened(index).counts["passages"] == 12
    store(index, NEW[:1])
    assert gather(index) == at_once(index)
    store(index, NEW[1:])
    gather(index)
    assert len(segments_of(index)) == 2


def patching_while_killed(place: Path) -> None:
    """For a process of its own: however small the graph is, its change is a patch."""
    patch.LEAST, graph_parts.ROOM = 0, 30  # type: ignore[misc]
    kill_at_each_step(place, 2)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_killed_at_any_step_and_resumed_is_never_killed(tmp_path: Path) -> None:
    killed_in_a_process(tmp_path, patching_while_killed)

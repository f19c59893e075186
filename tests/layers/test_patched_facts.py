"""A change that is laid over a graph reads as the graph that is gathered whole; only positions differ."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import StorageFull
from polyhop.indexes import digests
from polyhop.indexes.segments import AllBut, write_arrays
from polyhop.indexing.run import IndexRun
from polyhop.layers.facts import gathering, graph_parts, patch
from polyhop.layers.facts.changed_graph import changed_graph, write_changed
from polyhop.layers.facts.gathered import GatheredFacts, GraphCounts
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.grown_graph import GrownGraph
from polyhop.layers.facts.merges import keep_apart
from polyhop.layers.facts.overlay import Overlay, overlaid
from polyhop.layers.facts.passage_graph import PassageGraph, Synonyms
from polyhop.layers.facts.patch import PatchedGraph, counts_of, numbers_in, open_graph, write_patch
from polyhop.layers.facts.touched import Before
from polyhop.layers.layer import fingerprint
from polyhop.ports import Ints
from polyhop.settings import Settings
from polyhop.store.record import Record
from tests.worlds.stated_facts import (
    APART,
    DAYS,
    LAYER,
    MODELS,
    NAMES,
    NEW,
    REACHED,
    TEXTS,
    TITLES,
    Told,
    at_once,
    decoded,
    drop,
    fact,
    gather,
    kill_at_each_step,
    killed_in_a_process,
    lengths,
    merge,
    merge_and_gather,
    some_passage,
    store,
    whole,
)

FIRST: Told = ("…", "…", [fact("Old Oar", "is", "Oar")], {})  # of a passage that stays: without a fact there is no room
NONE = AllBut(np.empty(0, np.int64))


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs, too, are patched, however much of them changes, and have room for it."""
    monkeypatch.setattr(patch, "LEAST", 0)
    monkeypatch.setattr(graph_parts, "ROOM", 30)
    monkeypatch.setattr(gathering, "SHARE", 1)


def patched(
    folder: Path, base: Path, stay: Iterable[int], new: Mapping[int, Told], apart: Iterable[tuple[str, str]] = ()
) -> FactGraph:
    """A graph of which some passages went, and others came."""
    live, came = np.array(sorted(stay), np.int64), GatheredFacts.of(decoded(new))
    changed = changed_graph(Before.open(base, live), came.stated, apart)
    write_patch(folder, base, changed, came, lengths, GraphCounts.of(base))
    return open_graph(folder, NONE)


def said(graph: FactGraph) -> dict[str, Any]:
    """All that a graph tells, by names and places and not by its positions."""

    def facts(positions: Ints) -> list[object]:
        return [(graph.place(position), graph.fact(position)) for position in positions.tolist()]

    def keys(entities: Iterable[int | None]) -> list[str | None]:
        return [None if entity is None else graph.keys[entity] for entity in entities]

    entities, stated = graph.entities.tolist(), graph.facts
    anchors = {
        (name, k): [(graph.keys[entity], share) for entity, share in graph.anchors(name, k)]
        for name in (*NAMES, "the Old Korr of Ada Oar")
        for k in (1, 2, 5)
    }
    running = (*NAMES, *TEXTS, "Ada Brisk, the Korr ship and the Tarn Rowing Club (TRC) of Old Oar and korr (film).")
    return {
        "facts": facts(stated),
        "vectors": graph.relation_vectors[graph.relation_ids[stated]].tolist(),
        "entities": [(graph.entity(entity), graph.reasons[entity]) for entity in entities],
        "ends": [keys(ends[stated].tolist()) for ends in (graph.heads, graph.tails)],
        "touching": [facts(graph.touching([entity])) for entity in entities],
        "around": [len(graph.around.of(entity)) for entity in entities],
        "degrees": graph.around.degrees()[entities].tolist(),
        "titled": [graph.passages_titled(entity) for entity in entities],
        "of passages": {number: facts(graph.facts_of(number)) for number in range(20)},
        "found": keys(map(graph.find, (*NAMES, *TITLES, "nobody"))),
        "named": [keys(graph.named_in(text, careful=careful)) for text in running for careful in (True, False)],
        "names": sorted((name, graph.keys[entity]) for name, entity in graph.names.items()),
        "anchors": anchors,
        "counts": graph.counts,
        "grown": GrownGraph.of([graph]).counts,
    }


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


# The layer.


def segments_of(index: Path) -> list[str]:
    """What the generation of an index is made of."""
    with Record.open(index) as record:
        current = record.generation("facts")
        assert current is not None
        names: list[str] = current.description["segments"]
        return names


def opened(index: Path) -> FactGraph:
    """The graph of an index."""
    with Record.open(index) as record:
        return LAYER.open(record, index / "generations" / "facts", MODELS)


def test_changes_become_one_patch_and_then_a_graph(tmp_path: Path) -> None:
    """Each patch takes the place of the one before; merged is one of more than the square root of twelve passages."""
    index = tmp_path / "index"
    store(index, DAYS)
    gather(index)
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


def assert_is_merged(index: Path) -> None:
    """An index has one graph, that which is gathered at once, and nothing else."""
    assert gather(index) == at_once(index)
    shutil.rmtree(index.with_name(f"{index.name}-whole"))
    assert_reads_as_at_once(index)
    assert len(segments_of(index)) == len(list((index / "generations" / "facts").iterdir())) == 1
    assert [each.name for each in (index / "generations").iterdir()] == ["facts"]


OUTGROWN: list[Told] = [(f"Night {day}", "…", [fact(f"Night {day}", "follows", f"Day {day}")], {}) for day in range(4)]


@pytest.mark.parametrize("meanwhile", ["nothing", "some come", "some go", "one goes that came", "it goes back"])
def test_what_changes_while_a_graph_is_merged_is_found_and_stays(
    meanwhile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer need not wait, and nothing that it does is lost when the merged graph is taken over."""
    index = tmp_path / "index"
    store(index, DAYS)
    gather(index)
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


def test_passages_that_went_since_a_graph_was_gathered_are_not_merged(tmp_path: Path) -> None:
    """Also where they came with the change that is merged: nothing is left in the record of what they state."""
    index = tmp_path / "index"
    store(index, DAYS)
    gather(index)
    store(index, OUTGROWN)
    drop(index, "Day 5")
    gather(index)
    drop(index, "Night 2", "Day 7")
    merge(index)
    assert_is_merged(index)


def test_what_a_killed_merge_left_goes_with_who_writes_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where so few passages are left of the change that there is nothing to merge any more."""
    index = tmp_path / "index"
    store(index, DAYS)
    gather(index)
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


def test_a_merged_graph_of_other_content_is_not_taken_over(tmp_path: Path) -> None:
    """Whoever was killed before the switch leaves it; then somebody kept two names apart."""
    index = tmp_path / "index"
    store(index, DAYS)
    gather(index)
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


def assert_reads_as_at_once(index: Path) -> None:
    """An index tells what one does that was gathered at once."""
    at_once(index)
    copy = index.with_name(f"{index.name}-whole")
    assert said(opened(index)) == said(opened(copy))
    assert told_of(index) == told_of(copy)
    shutil.rmtree(copy)


def told_of(index: Path) -> dict[str, Any]:
    """What the description of a generation counts."""
    with Record.open(index) as record:
        current = record.generation("facts")
        assert current is not None
        return {name: current.description[name] for name in ("facts", "entities", "relations", "rejected", "of")}


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
def test_a_damaged_part_is_written_again(tmp_path: Path, damaged: str) -> None:
    index = tmp_path / "index"
    store(index, DAYS)
    gather(index)
    store(index, NEW)
    gather(index)
    base, own = (index / "generations" / "facts" / name for name in segments_of(index))
    place = {"the patch": own / "patch" / digests.PACKED, "the graph": base / "facts/heads.npy"}
    place.get(damaged, base / "gathered/names/claims.npy").write_bytes(b"")
    gather(index)
    assert_reads_as_at_once(index)


def test_what_is_kept_apart_is_gathered_whole(tmp_path: Path) -> None:
    index = tmp_path / "index"
    store(index, DAYS)
    gather(index)
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


def merging_while_killed(place: Path) -> None:
    """The same of a patch that is outgrown."""
    patch.LEAST, graph_parts.ROOM, gathering.SHARE = 0, 30, 1  # type: ignore[misc]
    store(place / "index", OUTGROWN)
    gather(place / "index")
    kill_at_each_step(place, 1, merge_and_gather, 24)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_killed_at_any_step_and_resumed_is_never_killed(tmp_path: Path) -> None:
    killed_in_a_process(tmp_path, patching_while_killed)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_killed_at_any_step_of_merging_and_resumed_is_never_killed(tmp_path: Path) -> None:
    killed_in_a_process(tmp_path, merging_while_killed)

"""Facts that have grown beside the whole layer, and how others make it: no question replaces what was paid for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing
from polyhop.exports.linked import LinkedGraph
from polyhop.indexing import remembered as making
from polyhop.indexing.remembered import GrownFacts
from polyhop.layers.facts import growth as module
from polyhop.layers.facts.growth import Manner
from polyhop.layers.read_graph import GraphLayer
from polyhop.settings import Settings
from polyhop.store.record import Record
from tests.worlds.documents import write
from tests.worlds.endpoint import says
from tests.worlds.growing_facts import ROWS, Logbook, pull, recent, status_of, stored, watched
from tests.worlds.logbook import knowing
from tests.worlds.machine import needs
from tests.worlds.settings import QUICK


def test_a_grown_layer_is_left_alone_until_it_is_named(
    engine: Polyhop, harbour: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull(engine, [1, 2])
    seen = watched(monkeypatch)
    assert engine.asking("text") == ()
    assert [layer.name for layer in engine.index(harbour, dry_run=True).layers] == ["text", "parsekg"]
    assert [layer.name for layer in engine.index(harbour).layers] == ["text", "parsekg"]
    assert (status_of(engine).whole, status_of(engine).done, status_of(engine).missing) == (False, 2, 2)
    facts = engine.index(harbour, layers=["facts"]).layers[-1]
    assert (facts.name, facts.extracted, facts.reused) == ("facts", 2, 2)
    assert len(seen) == 2
    assert status_of(engine).whole
    write(harbour, {"new.txt": "Otto Finch was born in Fennick."})
    assert [layer.name for layer in engine.index(harbour).layers] == ["text", "parsekg", "facts"]


def exported(engine: Polyhop, layer: GraphLayer) -> LinkedGraph:
    """The graph of a layer, as it is exported."""
    with engine.view() as view:
        return LinkedGraph.of(view, layer)


def test_a_layer_that_is_not_whole_is_no_layer_of_a_view(
    engine: Polyhop, harbour: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LEAST", 1)
    pull(engine, [1, 2, 3])
    with engine.view() as view:
        assert sorted(view.layers) == ["text"]
        assert view.growth.shared().gathered is not None
    for refused in (
        lambda: engine.search("Who built the lighthouse?", strategy="c2rag"),
        engine.merges,
        lambda: engine.keep_apart("Ada Brisk"),
        lambda: exported(engine, "facts"),
    ):
        with pytest.raises(
            LayerMissing, match="no whole facts layer: 3 of 4 passages were read for it so far"
        ) as caught:
            refused()
        assert caught.value.remedy.endswith("--layers text,facts")
    engine.index(harbour, layers=["text", "facts"])
    with engine.view() as view:
        assert sorted(view.layers) == ["facts", "text"], "although its generation stayed the same"


def test_a_document_that_goes_takes_its_facts_with_it(
    engine: Polyhop, harbour: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LEAST", 1)
    pull(engine, [1, 2, 3, 4])
    for step, (name, go) in enumerate((("fennick.txt", engine.remove), ("ada_brisk.txt", None)), 1):
        if go is not None:
            go(name)
        else:
            (harbour / name).unlink()
            (harbour / "fennick.txt").unlink()
            engine.index(harbour, layers=["text"])
        with engine.view() as view:
            shared = view.growth.shared()
            assert shared.gathered is not None
            assert len(shared.gathered.numbers) == len(stored(engine)) == 4 - step
            assert shared.recent == ()


def test_what_a_whole_layer_lacks_may_grow(logbook: Logbook) -> None:
    """A cap had ended the run that made it."""
    with logbook.engine("language_model.call_cap=2") as engine:
        assert engine.index(logbook.folder / "logbook.jsonl", layers=["facts"]).stopped
    with logbook.engine() as engine:
        assert pull(engine, [8, 9]).extracted == 1
        assert (status_of(engine).whole, status_of(engine).done) == (True, 9)


def test_an_index_that_does_not_remember_that_its_layers_are_whole(engine: Polyhop, harbour: Path) -> None:
    """One that was made before layers could grow, or before anything was remembered."""
    engine.index(harbour, layers=["facts"])
    for remembered in (True, False):
        with Record.create_or_open(engine.path) as record:
            known = json.loads(record.meta("layers") or "")
            record.set_meta("layers", json.dumps({name: strip(known[name]) for name in known if remembered}))
        assert status_of(engine).whole
        assert (pull(engine, [1, 2]).extracted, len(pull(engine, [1, 2]).facts)) == (0, 2)
        with engine.view() as view:
            gathered = view.growth.shared().gathered
            assert gathered is not None
            assert len(gathered.numbers) == 4


def strip(made: Mapping[str, object]) -> dict[str, object]:
    """How a layer was made, as it was noted before."""
    return {key: value for key, value in made.items() if key != "whole"}


@pytest.mark.parametrize(
    ("whole", "otherwise"),
    [
        (False, "language_model.model=oracle"),
        (False, "layers.facts.extractor=syntax"),
        (True, "layers.facts.extractor=syntax"),
        (True, "layers.facts.passages_a_call=2"),
    ],
)
def test_no_question_replaces_what_was_paid_for(logbook: Logbook, whole: bool, otherwise: str) -> None:
    with logbook.engine() as engine:
        engine.index(logbook.folder / "logbook.jsonl", layers=["facts"] if whole else [])
        pull(engine, [1, 2])
        before = stored(engine)
    logbook.index(rows=ROWS + 1)
    with logbook.engine(otherwise) as engine:
        rows = stored(engine)
        out = pull(engine, [1, 2, 3, ROWS + 1])
        assert (out.extracted, stored(engine)) == (0, rows)
        assert {1, 2} <= set(out.facts) <= set(rows)
        assert set(out.left) == {1, 2, 3, ROWS + 1} - set(rows)
        assert bool(out.note) == bool(out.left)
    assert before.items() <= rows.items()


def test_what_cost_nothing_grows_again_when_it_is_made_otherwise(engine: Polyhop) -> None:
    needs("spacy-md")
    pull(engine, [1, 2, 3])
    with Polyhop(engine.path, settings=replace(QUICK, models=replace(QUICK.models, parser="spacy-md"))) as other:
        out = pull(other, [1])
        assert (out.extracted, status_of(other).done, status_of(other).stale) == (1, 1, 2)


def test_how_facts_are_made_is_worked_out_once(engine: Polyhop, harbour: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the index remembers something else, because facts grew for the first time, or somebody made a layer."""
    worked_out: list[str | None] = []

    def noting(record: Record, chosen: Settings) -> Settings:
        worked_out.append(record.meta(making.META))
        return in_force(record, chosen)

    in_force = making.in_force
    monkeypatch.setattr(making, "in_force", noting)
    pull(engine, [1])
    assert len(worked_out) == len(set(worked_out)) == 1
    for numbers in ([2], [1, 2], [3]):
        pull(engine, numbers)
        recent(engine)
    assert len(worked_out) == len(set(worked_out)) == 2
    with Polyhop(engine.path, settings=Settings.read(None, ["layers.facts.merge_similar=0.9"])) as other:
        other.index(harbour, layers=["facts"])
    pull(engine, [4])
    pull(engine, [1, 2])
    assert len(worked_out) == len(set(worked_out)) == 3


def test_an_open_engine_sees_how_others_make_facts(logbook: Logbook) -> None:
    """What it keeps in mind is what it would work out now, also where nothing but failures is there at first."""
    with logbook.engine("layers.facts.extractor=syntax") as early, logbook.engine() as paying:
        kept = GrownFacts(early.settings, early.models)

        def manner() -> Manner:
            with Record.open(early.path) as record:
                now = kept.manner(record)
                assert now == kept.manner(record) == GrownFacts(early.settings, early.models).manner(record)
                return now

        assert not manner().obstacle
        logbook.server.script = lambda request: says("no idea")
        assert list(pull(paying, [1]).failed) == [1]
        assert not manner().obstacle
        logbook.server.script = knowing
        assert pull(paying, [2]).extracted == 1
        assert "no question adds to it" in manner().obstacle
        assert (pull(early, [2, 3]).extracted, list(stored(early))) == (0, [2])
        early.index(logbook.folder / "logbook.jsonl", layers=["facts"])
        assert not manner().obstacle
        assert pull(paying, [1, 2]).extracted == 0

"""Facts that grow: extracted when a question first pulls a passage in, once, and kept like those of the whole layer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing
from polyhop.layers.facts import growth as module
from polyhop.layers.facts.growth import Growth
from polyhop.layers.view import View
from tests.worlds.commands import Run
from tests.worlds.documents import write
from tests.worlds.growing_facts import ROWS, Logbook, pull, status_of, stored, watched
from tests.worlds.settings import QUICK


def test_a_passage_is_extracted_when_it_is_first_pulled(engine: Polyhop, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watched(monkeypatch)
    first = pull(engine, [2, 1, 2])
    assert (first.extracted, sorted(first.facts), first.failed, first.left, first.note) == (2, [1, 2], {}, (), "")
    assert any(fact.tail == "Fennick" for facts in first.facts.values() for fact in facts)
    assert replace(pull(engine, [2, 1]), extracted=2) == first
    assert pull(engine, [1, 4]).extracted == 1
    with Polyhop(engine.path, settings=QUICK) as later:
        assert pull(later, [1, 2, 4]).extracted == 0
    assert len(seen) == len(set(seen)) == 3


@pytest.mark.parametrize("parsed", [False, True])
def test_pulled_rows_are_those_of_the_whole_layer(engine: Polyhop, harbour: Path, parsed: bool) -> None:
    if parsed:
        engine.index(harbour, layers=["text", "parsekg"])
    pull(engine, [3])
    pull(engine, [4, 1, 2])
    with Polyhop(harbour.parent / "whole.index", settings=QUICK) as whole:
        whole.index(harbour, layers=["facts"])
        assert stored(engine) == stored(whole)
        assert status_of(engine).fingerprint == status_of(whole).fingerprint


def test_a_language_model_gives_the_rows_of_the_whole_layer(logbook: Logbook) -> None:
    with logbook.engine() as engine:
        out = pull(engine, range(ROWS, 0, -1))
        assert (out.extracted, len(logbook.server.requests), status_of(engine).cost.llm_calls) == (ROWS, 6, 6)
        grown = stored(engine)
        engine.close()
        (logbook.folder / "an.index").rename(logbook.folder / "grown.index")
        logbook.index("facts")
        assert stored(engine) == grown


def test_passages_that_are_gone_are_passed_over(engine: Polyhop) -> None:
    with engine.view() as view:
        engine.remove("fennick.txt")
        gone = next(n for n in view.record.numbers().tolist() if "Fennick is" in view.passages([n])[0].text)
        out = view.growth.pull([1, 2, 3, 4, 99])
    assert (out.extracted, out.failed, out.left) == (3, {}, ())
    assert gone not in out.facts


def test_an_empty_index_has_nothing_to_pull(tmp_path: Path) -> None:
    with Polyhop(tmp_path / "an.index") as engine:
        engine.index(write(tmp_path / "nothing", {}), layers=["text"])
        out = pull(engine, [1])
        assert (out.facts, out.left) == ({}, ())
        with engine.view() as view:
            assert view.growth.shared() == (None, ())


def test_a_view_without_an_engine_says_so(engine: Polyhop) -> None:
    with engine.view() as view, pytest.raises(LayerMissing, match="cannot be extracted on demand"):
        _ = View(record=view.record, models=view.models, layers={}).growth


def test_what_grew_is_shared_and_read_once(engine: Polyhop) -> None:
    with engine.view() as view:
        pull(engine, [2])
        recent = view.growth.shared().recent
        assert [(number, passage.text) for number, passage, _ in recent] == [(2, view.passages([2])[0].text)]
        assert view.growth.shared().recent is recent
        pull(engine, [2])
        assert view.growth.shared().recent is recent
        pull(engine, [1])
        assert [number for number, _, _ in view.growth.shared().recent] == [1, 2]
        assert view.growth.shared().recent[1] is recent[0]
        with Polyhop(engine.path, settings=QUICK) as other:
            pull(other, [4])
        assert [number for number, _, _ in view.growth.shared().recent] == [1, 2, 4]


def test_what_grew_is_gathered_now_and_then(engine: Polyhop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST", 2)
    with engine.view() as view:
        growth: Growth = view.growth
        pull(engine, [1, 2])
        assert (growth.shared().gathered, len(growth.shared().recent)) == (None, 2)
        pull(engine, [3])
        gathered = growth.shared().gathered
        assert gathered is not None
        assert (gathered.numbers.tolist(), growth.shared().recent) == ([1, 2, 3], ())
        pull(engine, [4])
        assert (growth.shared().gathered, len(growth.shared().recent)) == (gathered, 1), "one is not worth it"
        assert not status_of(engine).whole


def test_status_says_what_has_grown(engine: Polyhop, harbour: Path, run: Run) -> None:
    pull(engine, [1, 2, 3])
    said = run("status", "--index", engine.path).out
    assert "layer facts: grown on demand, 3 of 4 passages so far, 0 failed\n" in said
    assert "Bring it up to date" not in said
    report = run("status", "--json", "--index", engine.path).json()
    assert {layer["name"]: layer["whole"] for layer in report["layers"]} == {"facts": False, "text": True}
    engine.index(harbour, layers=["facts"])
    said = run("status", "--index", engine.path).out
    assert "layer facts: 4 done, 0 missing, 0 stale, 0 failed\n" in said


def test_status_says_what_growing_cost(logbook: Logbook, run: Run) -> None:
    with logbook.engine() as engine:
        pull(engine, [1, 2, 3, 4, 5])
    said = run("status", "--index", engine.path, "--set", "models.language_model=none").out
    assert f"grown on demand, 5 of {ROWS} passages so far, 0 failed; so far 2 calls, 2,000 tokens\n" in said

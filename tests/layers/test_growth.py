"""Facts that grow: extracted when a question first pulls a passage in, once, and kept like those of the whole layer."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from polyhop.cli.main import main
from polyhop.engine import Polyhop
from polyhop.errors import BudgetExceeded, EndpointError, IndexMissing, LayerMissing
from polyhop.exports.linked import LinkedGraph
from polyhop.indexing import remembered as making
from polyhop.indexing.remembered import GrownFacts
from polyhop.layers.facts import growth as module
from polyhop.layers.facts.growth import Growth, Manner, Pulled
from polyhop.layers.facts.layer import FactsLayer
from polyhop.layers.read_graph import GraphLayer
from polyhop.layers.view import View
from polyhop.ports import Below, Completion, LanguageModel, Message, Rows
from polyhop.reports import LayerStatus
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.types import Passage
from tests.worlds.documents import write
from tests.worlds.endpoint import EndpointServer, Played, refuses, says, serving
from tests.worlds.logbook import knowing, shown_in
from tests.worlds.machine import may_mount, needs, posix, small_disk
from tests.worlds.settings import QUICK

ROWS = 24  # passages of the logbook: six calls of four each, two at once


@pytest.fixture
def engine(harbour: Path) -> Iterator[Polyhop]:
    """The harbour with its texts only: four passages, numbers 1 to 4."""
    with Polyhop(harbour.parent / "harbour.index", settings=QUICK) as engine:
        engine.index(harbour, layers=["text"])
        yield engine


@dataclass
class Logbook:
    """Documents that are stored and nothing else, and an endpoint that extracts their facts."""

    folder: Path
    server: EndpointServer

    def engine(self, *changes: str, cache: str = "cache") -> Polyhop:
        """The index, as somebody opens it who has an endpoint."""
        mine = (
            "models.language_model=openai",
            f"language_model.base_url={self.server.url}",
            "language_model.model=sage",
            f"language_model.cache={self.folder / cache}",
            "language_model.concurrency=2",
            "language_model.attempts=1",
            "layers.facts.extractor=language_model",
        )
        return Polyhop(self.folder / "an.index", settings=Settings.read(None, [*mine, *changes]))

    @property
    def asked(self) -> list[str]:
        """The titles that the endpoint was shown, sorted."""
        return sorted(title for request in self.server.requests for _, title, _ in shown_in(request))

    def index(self, *layers: str, rows: int = ROWS) -> None:
        """Store the first rows of the logbook, and make layers of them."""
        documents = self.folder / "logbook.jsonl"
        with documents.open("w", encoding="utf-8") as file:
            for number in range(rows):
                text = f"{('Ada Brisk', 'Piet Rook')[number % 2]} landed at Quillmouth on day {number}."
                file.write(json.dumps({"id": f"r{number}", "title": f"Entry {number}", "text": text}) + "\n")
        with self.engine() as engine:
            engine.index(documents, layers=layers)


@pytest.fixture
def logbook(tmp_path: Path) -> Iterator[Logbook]:
    """The logbook, stored."""
    with serving(knowing) as server:
        logbook = Logbook(tmp_path, server)
        logbook.index()
        yield logbook


def pull(engine: Polyhop, numbers: Sequence[int], **more: LanguageModel) -> Pulled:
    """What a strategy does during a question."""
    with engine.view() as view:
        return view.growth.pull(numbers, **more)


def recent(engine: Polyhop) -> list[int]:
    """The passages that were pulled since facts were last gathered."""
    with engine.view() as view:
        return [number for number, _, _ in view.growth.shared().recent]


def stored(engine: Polyhop) -> dict[int, bytes]:
    """The rows of the facts layer."""
    with Record.open(engine.path) as record:
        return dict(record.payloads("facts"))


def status_of(engine: Polyhop) -> LayerStatus:
    """What ``polyhop status`` says of the facts."""
    return next(layer for layer in engine.status().layers if layer.name == "facts")


class Limited:
    """The configured model, which may be asked so many times during one question."""

    concurrency = 1

    def __init__(self, model: LanguageModel | None, calls: int) -> None:
        assert model is not None
        self.model, self.calls, self.name = model, calls, model.name

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """An answer, or BudgetExceeded."""
        if not self.calls:
            raise BudgetExceeded("No calls are left.", remedy="Allow more.")
        self.calls -= 1
        return self.model.complete(messages, max_tokens=max_tokens, schema=schema)


# --- pulling ----------------------------------------------------------------------------------------------------------


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


def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of all passages that are extracted from now on."""
    seen: list[str] = []
    extract = FactsLayer.extract

    def noting(layer: FactsLayer, passages: Sequence[Passage], models: Any, below: Below) -> Sequence[Rows]:
        seen.extend(passage.id for passage in passages)
        return extract(layer, passages, models, below)

    monkeypatch.setattr(FactsLayer, "extract", noting)
    return seen


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


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_a_passage_that_fails_is_marked_and_the_others_come_through(logbook: Logbook) -> None:
    def stubborn(request: dict[str, Any]) -> Played:
        return says("no idea") if "day 2." in str(request["messages"][1]) else knowing(request)

    logbook.server.script = stubborn
    with logbook.engine() as engine:
        out = pull(engine, [1, 2, 3, 4, 5])
        assert (out.extracted, sorted(out.facts), list(out.failed), out.left) == (4, [1, 2, 4, 5], [3], ())
        assert "no JSON that fits" in out.failed[3]
        calls = len(logbook.server.requests)
        again = pull(engine, [3, 4])
        assert (again.extracted, again.failed, list(again.facts)) == (0, out.failed, [4])
        assert (len(logbook.server.requests), status_of(engine).failed) == (calls, 1)


def test_where_nothing_more_may_be_asked_the_rest_is_left(logbook: Logbook) -> None:
    with logbook.engine() as engine:
        out = pull(engine, range(1, ROWS + 1), model=Limited(engine.models.language_model, 3))
        assert (out.extracted, out.left) == (12, tuple(range(13, ROWS + 1)))
        assert out.note == "No calls are left. Allow more."
        assert (len(logbook.server.requests), status_of(engine).cost.llm_calls) == (3, 3)
        assert len(stored(engine)) == 12
        assert pull(engine, [1, 12], model=Limited(engine.models.language_model, 0)).left == ()
        nothing = pull(engine, [1, 20], model=Limited(engine.models.language_model, 0))
        assert (sorted(nothing.facts), nothing.left) == ([1], (20,))
        rest = pull(engine, range(1, ROWS + 1))
        assert (rest.extracted, rest.left, rest.note) == (12, (), "")
    assert len(logbook.asked) == ROWS


def test_what_was_answered_before_a_cap_inside_a_chunk_is_kept(logbook: Logbook) -> None:
    """A chunk is two calls here, and the cap falls between them."""
    with logbook.engine("language_model.call_cap=3") as engine:
        out = pull(engine, range(1, ROWS + 1))
        assert (out.extracted, len(stored(engine)), len(out.left)) == (12, 12, 12)
        assert "Raise the cap on calls" in out.note


def test_what_was_answered_before_a_cap_is_looked_for_once(logbook: Logbook, monkeypatch: pytest.MonkeyPatch) -> None:
    """Call by call, and then passage by passage, however many calls ran side by side."""
    asked, extract = list[int](), FactsLayer.extract

    def counted(self: FactsLayer, passages: Sequence[Passage], *given: Any) -> Sequence[Rows]:
        asked.append(len(passages))
        return extract(self, passages, *given)

    monkeypatch.setattr(FactsLayer, "extract", counted)
    with logbook.engine("language_model.concurrency=6", "language_model.call_cap=3") as engine:
        out = pull(engine, range(1, ROWS + 1))
        assert (out.extracted, len(stored(engine)), len(out.left)) == (12, 12, 12)
    assert asked == [ROWS, *[4] * 6, *[1] * 12]


def test_what_was_answered_passage_by_passage_before_a_cap_is_kept(logbook: Logbook) -> None:
    """An answer for several that stays broken is asked for again for each of them."""
    logbook.server.script = lambda request: knowing(request) if len(shown_in(request)) == 1 else says("What?")
    with logbook.engine("language_model.call_cap=4", "language_model.concurrency=1") as engine:
        out = pull(engine, [1, 2, 3, 4])
        assert (sorted(stored(engine)), out.left, status_of(engine).cost.llm_calls) == ([1, 2], (3, 4), 4)


def test_trouble_with_the_endpoint_is_an_error_once_what_was_answered_is_stored(logbook: Logbook) -> None:
    calls = iter(range(99))
    logbook.server.script = lambda request: knowing(request) if next(calls) < 2 else refuses(401, "no such key")
    with logbook.engine() as engine:
        with pytest.raises(EndpointError, match="401"):
            pull(engine, range(1, ROWS + 1))
        assert (len(stored(engine)), status_of(engine).failed) == (8, 0)


def test_without_an_endpoint_nothing_is_extracted(logbook: Logbook) -> None:
    with logbook.engine() as engine:
        pull(engine, [1, 2])
    with logbook.engine("models.language_model=none") as engine:
        out = pull(engine, [1, 2, 3])
        assert (sorted(out.facts), out.extracted, out.left) == ([1, 2], 0, (3,))
        assert "none is configured" in out.note


# --- several at once --------------------------------------------------------------------------------------------------


def test_threads_that_want_the_same_passages_extract_each_once(logbook: Logbook) -> None:
    logbook.server.script = lambda request: replace(knowing(request), delay=0.02)
    wanted = [range(1, 17), range(8, ROWS + 1), range(ROWS, 0, -1)]
    found: list[Pulled] = []
    with logbook.engine(f"language_model.cache={logbook.folder / 'none'}") as engine:
        threads = [threading.Thread(target=lambda own=own: found.append(pull(engine, own))) for own in wanted]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(out.extracted for out in found) == ROWS
        assert sorted(len(out.facts) for out in found) == [16, 17, ROWS]
        assert len(logbook.server.requests) == status_of(engine).cost.llm_calls
    assert len(logbook.asked) == len(set(logbook.asked)) == ROWS


PROGRAM = """
import sys
from polyhop.engine import Polyhop
from polyhop.settings import Settings
with Polyhop(sys.argv[1], settings=Settings.read(None, sys.argv[3:])) as engine, engine.view() as view:
    print(view.growth.pull([int(number) for number in sys.argv[2].split(",")]).extracted)
"""


def started(engine: Polyhop, numbers: Sequence[int], *changes: str) -> subprocess.Popen[str]:
    """Another process that pulls."""
    listed = ",".join(map(str, numbers))
    tree = engine.settings.to_mapping()
    own = [f"{section}.{key}={tree[section][key]}" for section in ("language_model",) for key in tree[section]]
    own += ["models.language_model=openai", "layers.facts.extractor=language_model", *changes]
    command = [sys.executable, "-c", PROGRAM, str(engine.path), listed, *own]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_that_want_the_same_passages_extract_each_once(logbook: Logbook) -> None:
    """They have a cache each, so that only the locks keep them from asking twice."""
    logbook.server.script = lambda request: replace(knowing(request), delay=0.1)
    with logbook.engine() as engine:
        numbers = range(1, ROWS + 1)
        caches = [f"language_model.cache={logbook.folder / name}" for name in ("a", "b")]
        both = [started(engine, numbers, cache) for cache in caches]
        counts = [int(process.communicate(timeout=60)[0]) for process in both]
        assert sum(counts) == ROWS
        assert len(stored(engine)) == ROWS
    assert len(logbook.asked) == len(set(logbook.asked)) == ROWS


@posix
def test_a_process_that_is_killed_loses_nothing_that_was_committed(logbook: Logbook) -> None:
    hanging, calls = threading.Event(), iter(range(99))

    def slow(request: dict[str, Any]) -> Played:
        if next(calls) < 2:
            return knowing(request)
        hanging.set()
        return replace(knowing(request), delay=5.0)

    logbook.server.script = slow
    with logbook.engine() as engine:
        with started(engine, range(1, ROWS + 1)) as process:
            assert hanging.wait(60)
            process.kill()
        assert sorted(stored(engine)) == list(range(1, 9))
        logbook.server.script = knowing
        paid = status_of(engine).cost.llm_calls
        rest = pull(engine, range(1, ROWS + 1))
        assert (rest.extracted, len(rest.facts), status_of(engine).cost.llm_calls - paid) == (ROWS - 8, ROWS, 4)


def test_beside_another_writer_facts_stay_in_memory(
    engine: Polyhop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    with Polyhop(engine.path, settings=QUICK) as asking:
        with Record.create_or_open(engine.path), caplog.at_level(logging.WARNING):
            first = pull(asking, [1, 2])
            assert (first.extracted, pull(asking, [2, 1]).extracted) == (2, 0)
            assert pull(asking, [1, 2]).facts == first.facts
            assert pull(asking, [3]).extracted == 1
            assert recent(asking) == [1, 2, 3]
            assert stored(engine) == {}
        assert caplog.text.count("stay in memory") == 1
        assert pull(asking, [4]).extracted == 1
        assert sorted(stored(engine)) == [1, 2, 3, 4]


def test_what_could_not_be_stored_is_stored_when_the_engine_closes(
    engine: Polyhop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    with Polyhop(engine.path, settings=QUICK) as asking, Record.create_or_open(engine.path) as writer:
        pull(asking, [1])
        writer.close()
    assert sorted(stored(engine)) == [1]


@posix
def test_an_engine_goes_on_where_facts_were_kept_for_an_index_that_is_gone(
    engine: Polyhop, harbour: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """They are lost with it, and the index that is made under its name can be asked."""
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    with Polyhop(engine.path, settings=QUICK) as asking:
        with Record.create_or_open(engine.path):
            pull(asking, [1])
        shutil.rmtree(engine.path)
        with pytest.raises(IndexMissing):
            pull(asking, [1])
        assert "Facts are lost" in caplog.text
        with Polyhop(engine.path, settings=QUICK) as anew:
            anew.index(harbour, layers=["text"])
        assert pull(asking, [1]).extracted == 1


@may_mount
def test_a_read_only_index_can_be_asked(tmp_path: Path, harbour: Path) -> None:
    with small_disk(tmp_path / "disk", kibibytes=8192) as disk:
        with Polyhop(disk / "an.index", settings=QUICK) as engine:
            engine.index(harbour, layers=["text"])
            pull(engine, [1])
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with Polyhop(disk / "an.index", settings=QUICK) as engine:
            assert pull(engine, [1, 2]).extracted == 1
            assert pull(engine, [1, 2]).extracted == 0
            assert recent(engine) == [1, 2]
            assert status_of(engine).done == 1


# --- beside the whole layer -------------------------------------------------------------------------------------------


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


# --- how facts are made -----------------------------------------------------------------------------------------------


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


# --- what all questions share -----------------------------------------------------------------------------------------


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


# --- on the command line ----------------------------------------------------------------------------------------------


def test_status_says_what_has_grown(
    engine: Polyhop, harbour: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pull(engine, [1, 2, 3])
    said = typed(capsys, monkeypatch, "status", "--index", str(engine.path))
    assert "layer facts: grown on demand, 3 of 4 passages so far, 0 failed\n" in said
    assert "Bring it up to date" not in said
    report = json.loads(typed(capsys, monkeypatch, "status", "--json", "--index", str(engine.path)))
    assert {layer["name"]: layer["whole"] for layer in report["layers"]} == {"facts": False, "text": True}
    engine.index(harbour, layers=["facts"])
    said = typed(capsys, monkeypatch, "status", "--index", str(engine.path))
    assert "layer facts: 4 done, 0 missing, 0 stale, 0 failed\n" in said


def test_status_says_what_growing_cost(
    logbook: Logbook, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with logbook.engine() as engine:
        pull(engine, [1, 2, 3, 4, 5])
    said = typed(capsys, monkeypatch, "status", "--index", str(engine.path), "--set", "models.language_model=none")
    assert f"grown on demand, 5 of {ROWS} passages so far, 0 failed; so far 2 calls, 2,000 tokens\n" in said


def typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """What ``polyhop`` prints."""
    with pytest.raises(SystemExit):
        main(list(arguments))
    return capsys.readouterr().out

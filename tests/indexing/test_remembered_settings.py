"""An index remembers how its layers were made: what was paid for stays in view, whatever a later command leaves out."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.cli.main import main
from polyhop.engine import Polyhop
from polyhop.errors import ModelMismatch, ModelMissing
from polyhop.reports import IndexReport, LayerReport, LayerStatus
from polyhop.settings import Settings
from polyhop.store.record import Record
from tests.worlds.endpoint import EndpointServer, serving
from tests.worlds.logbook import ROWS, knowing
from tests.worlds.machine import needs

BY_MODEL = ("layers.facts.extractor=language_model",)
BY_SYNTAX = ("layers.facts.extractor=syntax",)
QUESTION = "Who landed at Quillmouth on day 7?"


class Logbook:
    """Documents, their index, and an endpoint that may be configured or not."""

    def __init__(self, folder: Path, server: EndpointServer) -> None:
        self.folder, self.server = folder, server
        self.path, self.documents = folder / "an.index", folder / "logbook.jsonl"
        self.endpoint = [
            "models.language_model=openai",
            f"language_model.base_url={server.url}",
            "language_model.model=sage",
            f"language_model.cache={folder / 'cache'}",
            "language_model.concurrency=2",
        ]
        self.write(ROWS)

    def write(self, rows: int) -> None:
        """A file of so many rows, each a passage."""
        people, places = ("Ada Brisk", "Piet Rook", "Nan Soller"), ("Quillmouth", "Fennick", "Tarn Bay", "Low Ness")
        with self.documents.open("w", encoding="utf-8") as file:
            for number in range(rows):
                text = f"{people[number % 3]} landed at {places[number % 4]} on day {number}."
                file.write(json.dumps({"id": f"r{number}", "title": f"Entry {number}", "text": text}) + "\n")

    def engine(self, *changes: str, endpoint: bool = True) -> Polyhop:
        """The index as a command with these ``--set`` opens it, with or without an endpoint."""
        return Polyhop(self.path, settings=Settings.read(None, [*(self.endpoint if endpoint else ()), *changes]))

    def index(
        self, *changes: str, endpoint: bool = True, layers: Sequence[str] = ("facts",), dry_run: bool = False
    ) -> IndexReport:
        """One run over the documents."""
        with self.engine(*changes, endpoint=endpoint) as engine:
            return engine.index(self.documents, layers=layers, dry_run=dry_run)

    def status(self, *changes: str, endpoint: bool = True) -> LayerStatus:
        """What ``polyhop status`` says of the facts."""
        with self.engine(*changes, endpoint=endpoint) as engine:
            return next(layer for layer in engine.status().layers if layer.name == "facts")

    @property
    def rows(self) -> dict[int, bytes]:
        """What the layer holds."""
        with Record.open(self.path) as record:
            return dict(record.payloads("facts"))

    @property
    def calls(self) -> int:
        """How often the endpoint was asked."""
        return len(self.server.requests)


@pytest.fixture
def logbook(tmp_path: Path) -> Iterator[Logbook]:
    """A logbook that is not indexed yet."""
    with serving(knowing) as server:
        yield Logbook(tmp_path, server)


def facts(report: IndexReport) -> LayerReport:
    """What a run made of the facts."""
    return next(layer for layer in report.layers if layer.name == "facts")


# --- settings on top of remembered ones -------------------------------------------------------------------------------

sections = st.dictionaries(
    st.sampled_from(["layers.facts", "layers.parsekg", "reader"]),
    st.dictionaries(st.sampled_from(["titles", "extractor", "overlay"]), st.booleans() | st.text(max_size=3)),
)


@given(sections, sections)
def test_what_the_user_says_lies_above_what_is_remembered(
    chosen: Mapping[str, Mapping[str, object]], remembered: Mapping[str, Mapping[str, object]]
) -> None:
    settings = Settings(components=chosen)
    merged = settings.above(remembered)
    for section in {*chosen, *remembered}:
        assert merged.of(section) == {**remembered.get(section, {}), **chosen.get(section, {})}
    assert merged.above(remembered) == merged
    assert settings.above({}) == settings
    assert (merged.models, merged.chunking, merged.budget) == (settings.models, settings.chunking, settings.budget)


# --- what was paid for stays in view ----------------------------------------------------------------------------------


def test_facts_that_were_paid_for_stay_when_a_later_run_does_not_say_how(logbook: Logbook) -> None:
    paid = logbook.index(*BY_MODEL)
    rows, calls = logbook.rows, logbook.calls
    assert (facts(paid).extracted, calls) == (ROWS, 10)
    assert (logbook.status().done, logbook.status().stale) == (ROWS, 0)
    again = logbook.index()
    assert (facts(again).extracted, facts(again).reused) == (0, ROWS)
    assert (logbook.rows, logbook.calls) == (rows, calls)


def test_new_documents_are_done_in_the_same_way(logbook: Logbook) -> None:
    """Foreseen, paid for, and without a word about it in the command."""
    logbook.index(*BY_MODEL)
    logbook.write(ROWS + 4)
    assert facts(logbook.index(dry_run=True)).cost.llm_calls == 1
    with logbook.engine() as engine:
        assert engine.asking("facts") == ("facts",)
    report = logbook.index(layers=["text"])
    assert [(layer.name, layer.extracted) for layer in report.layers] == [("text", ROWS + 4), ("facts", 4)]
    assert report.cost.llm_calls == 1


def test_a_run_that_a_cap_stopped_goes_on_in_the_same_way(logbook: Logbook) -> None:
    """It is remembered from the start, not at the end."""
    assert logbook.index(*BY_MODEL, "language_model.call_cap=5").stopped
    rest = logbook.index()
    assert (facts(rest).extracted, facts(rest).left, rest.cost.llm_calls) == (24, 0, 5)


def test_a_run_that_is_refused_leaves_nothing_to_remember(logbook: Logbook) -> None:
    logbook.index()
    rows = logbook.rows
    with pytest.raises(ModelMissing):
        logbook.index(*BY_MODEL, endpoint=False)
    assert logbook.index(*BY_MODEL, dry_run=True).cost.llm_calls == 10
    assert (logbook.status().stale, logbook.rows, logbook.calls) == (0, rows, 0)


def test_a_remembered_setting_is_changed_by_saying_so(logbook: Logbook) -> None:
    logbook.index(*BY_MODEL)
    assert logbook.status(*BY_SYNTAX).stale == ROWS
    assert facts(logbook.index(*BY_SYNTAX)).extracted == ROWS
    assert (logbook.status().done, logbook.status().stale) == (ROWS, 0)
    assert facts(logbook.index()).extracted == 0
    assert logbook.calls == 10


def test_an_engine_that_was_open_before_follows(logbook: Logbook) -> None:
    with logbook.engine() as early:
        early.index(logbook.documents, layers=["facts"])
        logbook.index(*BY_MODEL)
        (layer,) = early.status().layers
        assert (layer.done, layer.stale) == (ROWS, 0)
        assert facts(early.index(logbook.documents, layers=["facts"])).extracted == 0


def test_settings_of_gathering_are_remembered_by_whatever_gathers_again(logbook: Logbook) -> None:
    """Removing a document and keeping names apart gather the layer, too."""
    logbook.index("layers.facts.merge_similar=0.9")
    with logbook.engine() as engine, engine.view() as view:
        before = view.record.generation("facts")
        engine.remove("nothing of that name")
        assert view.record.generation("facts") == before
        assert facts(engine.index(logbook.documents, layers=["facts"])).extracted == 0
    with Record.open(logbook.path) as record:
        assert record.generation("facts") == before


def test_an_answer_says_which_settings_were_in_force(logbook: Logbook) -> None:
    logbook.index(*BY_MODEL, layers=["text", "facts"])
    with logbook.engine("models.language_model=none", endpoint=False) as engine:
        manifest = engine.ask(QUESTION, strategy="bm25").manifest
    assert "'extractor': 'language_model'" in manifest["settings"]


def test_an_answer_tells_no_key_and_nothing_that_changes_no_answer(logbook: Logbook) -> None:
    logbook.index(layers=["text"])
    changes = ("language_model.api_key=sesame", "language_model.model=sage", "index.cluster=head.example:6379")
    with logbook.engine("models.language_model=none", *changes, endpoint=False) as engine:
        told = engine.ask(QUESTION, strategy="bm25").manifest["settings"]
    assert "'model': 'sage'" in told
    assert not [word for word in ("sesame", "head.example") if word in told]


def test_how_one_looks_at_a_layer_is_not_remembered(logbook: Logbook) -> None:
    logbook.index(*BY_SYNTAX, "layers.facts.overlay=noisy", layers=["text", "facts"])
    with logbook.engine(endpoint=False) as engine:
        assert engine.search(QUESTION, strategy="c2rag").passages, "there is no such overlay, and nobody looks for it"


# --- without a model --------------------------------------------------------------------------------------------------


def test_without_an_endpoint_everything_but_making_facts_works(logbook: Logbook) -> None:
    logbook.index(*BY_MODEL, layers=["text", "facts"])
    rows = logbook.rows
    status = logbook.status(endpoint=False)
    assert (status.done, status.stale, status.missing) == (ROWS, 0, 0)
    assert status.cost.llm_calls == 10
    with logbook.engine(endpoint=False) as engine:
        assert "Quillmouth" in engine.search(QUESTION, strategy="c2rag").passages[0].text
        assert engine.ask(QUESTION, strategy="c2rag").evidence.passages
    for dry_run in (True, False):
        report = logbook.index(endpoint=False, layers=["text", "facts"], dry_run=dry_run)
        assert [(layer.extracted, layer.reused) for layer in report.layers] == [(0, ROWS), (0, ROWS)]
    with logbook.engine(endpoint=False) as engine:
        assert engine.remove("r0").passages == 0
    assert logbook.rows == rows


def test_without_an_endpoint_new_documents_say_what_is_missing_and_lose_nothing(logbook: Logbook) -> None:
    logbook.index(*BY_MODEL, layers=["text", "facts"])
    rows = logbook.rows
    logbook.write(ROWS + 3)
    for dry_run in (True, False):
        with pytest.raises(ModelMissing, match="none is configured") as caught:
            logbook.index(endpoint=False, layers=["text"], dry_run=dry_run)
        assert "3 passages lack the layer facts; what was made before stays as it is." in str(caught.value)
        assert "POLYHOP_BASE_URL" in caught.value.remedy
        assert "set layers.facts.extractor to syntax" in caught.value.remedy
        assert logbook.rows == rows
    status = logbook.status(endpoint=False)
    assert (status.done, status.stale, status.missing) == (ROWS, 0, 3)
    with logbook.engine(endpoint=False) as engine:
        found = engine.search(f"Who landed on day {ROWS + 1}?", strategy="bm25").passages
        assert found[0].text.endswith(f"day {ROWS + 1}."), "the other layers are up to date"
    rest = logbook.index()
    assert (facts(rest).extracted, facts(rest).reused, rest.cost.llm_calls) == (3, ROWS, 1)


def test_a_removed_document_needs_no_model(logbook: Logbook) -> None:
    logbook.index(*BY_MODEL)
    logbook.write(ROWS - 4)
    report = logbook.index(endpoint=False)
    assert (report.removed, facts(report).extracted, facts(report).reused) == (4, 0, ROWS - 4)
    with logbook.engine(endpoint=False) as engine, engine.view() as view:
        assert len(view.restricted(("facts",)).facts.numbers) == ROWS - 4


def test_status_works_for_an_index_that_remembers_nothing(logbook: Logbook) -> None:
    """One that was made before indexes remembered: by the fingerprint that its facts are gathered under."""
    logbook.index(*BY_MODEL)
    forget(logbook)
    status = logbook.status(*BY_MODEL, endpoint=False)
    assert (status.done, status.stale) == (ROWS, 0)
    assert (logbook.status().done, logbook.status().stale) == (0, ROWS), "as it was before"


# --- another model ----------------------------------------------------------------------------------------------------


def test_another_model_is_not_paid_unless_that_is_said(logbook: Logbook) -> None:
    """The model that answers questions may be another one than the one that extracted facts."""
    logbook.index(*BY_MODEL)
    rows, oracle = logbook.rows, "language_model.model=oracle"
    assert (logbook.status(oracle).done, logbook.status(oracle).stale) == (ROWS, 0)
    assert facts(logbook.index(oracle)).reused == ROWS
    logbook.write(ROWS + 1)
    for dry_run in (True, False):
        with pytest.raises(ModelMismatch, match="was made, and paid for, with another language model") as caught:
            logbook.index(oracle, "layers.facts.max_tokens=6000", dry_run=dry_run)
        assert "than oracle@" in str(caught.value)
        assert "1 passage lacks the layer facts; what was made before stays as it is." in str(caught.value)
        assert "--set layers.facts.extractor=language_model" in caught.value.remedy
    assert (logbook.rows, logbook.calls) == (rows, 10)
    assert logbook.index().cost.llm_calls == 1
    assert logbook.status(oracle, *BY_MODEL).stale == ROWS + 1
    assert facts(logbook.index(oracle, *BY_MODEL)).extracted == ROWS + 1
    assert facts(logbook.index(oracle)).extracted == 0


def test_what_cost_nothing_is_made_again_without_a_question(logbook: Logbook) -> None:
    needs("spacy-md")
    logbook.index(*BY_SYNTAX)
    assert logbook.status("models.parser=spacy-md").stale == ROWS
    assert facts(logbook.index("models.parser=spacy-md", dry_run=True)).extracted == ROWS


# --- settings from another version ------------------------------------------------------------------------------------


def forget(logbook: Logbook, content: Mapping[str, object] | None = None) -> None:
    """Put something else in the place of what the index remembers."""
    with Record.create_or_open(logbook.path) as record:
        record.set_meta("layers", json.dumps(content or {}))


def test_a_setting_that_no_longer_exists_is_passed_over(logbook: Logbook, caplog: pytest.LogCaptureFixture) -> None:
    logbook.index(*BY_MODEL)
    with Record.open(logbook.path) as record:
        known = json.loads(record.meta("layers") or "")
    known["facts"]["settings"]["flavour"] = "plain"
    forget(logbook, {**known, "no such layer": {"settings": {"a": 1}, "fingerprint": "f"}})
    with caplog.at_level(logging.WARNING):
        assert facts(logbook.index()).extracted == 0
    assert "no setting 'flavour'" in caplog.text
    assert logbook.status(endpoint=False).done == ROWS
    assert facts(logbook.index(endpoint=False)).reused == ROWS


# --- on the command line ----------------------------------------------------------------------------------------------

Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(logbook: Logbook, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Runs ``polyhop`` in the logbook's folder: exit code, standard output, standard error."""
    monkeypatch.chdir(logbook.folder)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main([*arguments, "--index", "an.index"])
        captured = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, captured.out, captured.err

    return run


def test_a_person_pays_once_and_types_less(typed: Typed, logbook: Logbook, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journey: facts by an endpoint of the environment, then commands that do not mention it."""
    monkeypatch.setenv("POLYHOP_BASE_URL", logbook.server.url)
    monkeypatch.setenv("POLYHOP_MODEL", "sage")
    cache = ("--set", f"language_model.cache={logbook.folder / 'cache'}")
    code, out, _ = typed("index", "logbook.jsonl", "--layers", "text,facts", "--set", BY_MODEL[0], *cache)
    assert (code, "Layer facts: 40 passages done" in out) == (0, True)

    monkeypatch.delenv("POLYHOP_BASE_URL")
    monkeypatch.delenv("POLYHOP_MODEL")
    code, out, _ = typed("status")
    assert code == 0
    assert "layer facts: 40 done, 0 missing, 0 stale, 0 failed; so far 10 calls" in out
    code, out, _ = typed("index", "logbook.jsonl", "--layers", "text")
    assert (code, "Layer facts: 0 passages done, 40 up to date" in out) == (0, True)
    code, out, _ = typed("search", QUESTION, "--strategy", "c2rag")
    assert (code, "Quillmouth" in out) == (0, True)

    logbook.write(ROWS + 2)
    code, _, err = typed("index", "logbook.jsonl", "--layers", "text")
    assert code == 8
    assert "2 passages lack the layer facts" in err
    assert "POLYHOP_BASE_URL" in err


def test_a_settings_file_lies_above_what_is_remembered_and_below_the_command_line(
    typed: Typed, logbook: Logbook
) -> None:
    endpoint = [part for change in logbook.endpoint for part in ("--set", change)]
    typed("index", "logbook.jsonl", "--layers", "facts", "--set", BY_MODEL[0], *endpoint)
    (logbook.folder / "polyhop.toml").write_text('[layers.facts]\nextractor = "syntax"\n')
    assert "layer facts: 0 done, 0 missing, 40 stale" in typed("status", *endpoint)[1]
    assert "layer facts: 40 done, 0 missing, 0 stale" in typed("status", "--set", BY_MODEL[0], *endpoint)[1]

"""Indexing with a language model that is paid for: foreseen, capped, and never paid for twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.cli.main import main
from polyhop.engine import Polyhop
from polyhop.errors import EndpointError, ModelMissing
from polyhop.indexing.build import Asking, asked_by
from polyhop.layers.facts.layer import FactsLayer
from polyhop.layers.layer import words_of
from polyhop.layers.text.layer import TextLayer
from polyhop.models.accounting import estimated_tokens
from polyhop.models.choice import load_models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import Message
from polyhop.reports import IndexReport, LayerReport
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.store.spending import spent_on
from polyhop.types import Cost, Passage
from tests.worlds.endpoint import EndpointServer, Played, Script, refuses, serving
from tests.worlds.logbook import ROWS, knowing, shown_in
from tests.worlds.machine import posix

PEOPLE = ("Ada Brisk", "Piet Rook", "Nan Soller", "Ivo Tull", "Mira Dane")
PLACES = ("Quillmouth", "Fennick", "Tarn Bay", "Grebe Marsh", "Oar Falls", "Asper Point", "Low Ness")


def failing_from(call: int, trouble: Played) -> Script:
    """An endpoint that answers calls before that one, and all others with trouble."""
    calls = iter(range(1, 10_000))
    return lambda request: knowing(request) if next(calls) < call else trouble


@dataclass
class Place:
    """Documents, an index of them, and an endpoint with its settings."""

    folder: Path
    server: EndpointServer
    changes: dict[str, object]

    def tree(self, more: Mapping[str, object] = {}) -> list[str]:
        """The settings as ``section.key=value``."""
        return [f"{key}={value}" for key, value in {**self.changes, **more}.items()]

    @property
    def documents(self) -> Path:
        """The file."""
        return self.folder / "logbook.jsonl"

    def write(self, rows: int) -> None:
        """A file of so many rows, each a passage."""
        with self.documents.open("w", encoding="utf-8") as file:
            for number in range(rows):
                text = f"{PEOPLE[number % 5]} landed at {PLACES[number % 7]} on day {number}."
                file.write(json.dumps({"id": f"r{number}", "title": f"Entry {number}", "text": text}) + "\n")

    def engine(self, index: str = "an.index", **more: object) -> Polyhop:
        """The index, with these settings of the language model."""
        named = {f"language_model.{key}": value for key, value in more.items()}
        return Polyhop(self.folder / index, settings=Settings.read(None, self.tree(named)))

    def index(self, index: str = "an.index", *, dry_run: bool = False, **more: object) -> IndexReport:
        """One run over the documents."""
        with self.engine(index, **more) as engine:
            return engine.index(self.documents, layers=["facts"], dry_run=dry_run)

    def rows(self, index: str = "an.index") -> dict[int, bytes]:
        """What the layer holds."""
        with Record.open(self.folder / index) as record:
            return dict(record.payloads("facts"))

    def arguments(self, *more: str) -> list[str]:
        """A run as it is typed."""
        sets = [part for change in self.tree() for part in ("--set", change)]
        index = str(self.folder / "an.index")
        return ["index", str(self.documents), "--layers", "facts", "--index", index, *sets, *more]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A logbook and an endpoint that knows what it says."""
    with serving(knowing) as server:
        changes: dict[str, object] = {
            "models.language_model": "openai",
            "language_model.base_url": server.url,
            "language_model.model": "sage",
            "language_model.cache": tmp_path / "cache",
            "language_model.concurrency": 2,
            "language_model.attempts": 2,
            "language_model.first_wait": 0.001,
            "language_model.longest_wait": 0.002,
            "layers.facts.extractor": "language_model",
        }
        here = Place(tmp_path, server, changes)
        here.write(ROWS)
        yield here


def facts(report: IndexReport) -> LayerReport:
    (layer,) = report.layers
    return layer


PRICES: dict[str, Any] = {"prompt_price": 1.0, "completion_price": 4.0}  # a call costs 0.0022


# --- what a run costs -------------------------------------------------------------------------------------------------


def test_a_run_says_what_it_cost_and_the_index_remembers(place: Place) -> None:
    report = place.index(**PRICES)
    assert (facts(report).extracted, facts(report).failed, facts(report).left) == (ROWS, 0, 0)
    assert (report.cost.llm_calls, report.cost.tokens) == (10, 10_000)
    assert report.cost.money == pytest.approx(0.022)
    assert report.cost == facts(report).cost
    assert not report.stopped
    with place.engine(**PRICES) as engine:
        again = engine.index(place.documents, layers=["facts"])
        assert (facts(again).extracted, again.cost) == (0, Cost())
        assert [layer.cost for layer in engine.status().layers] == [report.cost]
    place.write(ROWS + 4)
    assert place.index(**PRICES).cost.llm_calls == 1
    with place.engine() as engine:
        assert engine.status().layers[0].cost.tokens == 11_000


def test_what_a_call_took_is_noted_before_the_next_so_that_no_kill_hides_it(place: Place) -> None:
    noted: list[int] = []

    def looking(request: dict[str, Any]) -> Played:
        with Record.open(place.folder / "an.index") as record:
            noted.append(spent_on(record, "facts").llm_calls)
        return knowing(request)

    place.server.script = looking
    place.changes |= {"layers.facts.tokens_a_call": 1, "language_model.concurrency": 1}
    place.index()
    assert noted == list(range(ROWS))


def test_an_engine_that_is_used_twice_counts_each_run_for_itself(place: Place) -> None:
    with place.engine() as engine:
        assert engine.index(place.documents, layers=["facts"]).cost.llm_calls == 10
        place.write(ROWS + 1)
        assert engine.index(place.documents, layers=["facts"]).cost.llm_calls == 1


def test_costs_can_be_taken_apart() -> None:
    """The inverse of adding."""
    one = Cost(llm_calls=2, prompt_tokens=10, completion_tokens=4, seconds=1.5, money=0.25)
    other = Cost(llm_calls=5, prompt_tokens=1, completion_tokens=7, seconds=0.5, money=0.5)
    assert one + other - other == one


# --- caps -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("caps", "unit"),
    [({"token_cap": 6500}, "tokens"), ({"money_cap": 0.0155, **PRICES}, "money"), ({"call_cap": 5}, "calls")],
)
def test_a_cap_ends_a_run_in_good_order_and_the_next_pays_for_the_rest_only(
    place: Place, caps: dict[str, Any], unit: str
) -> None:
    """Five calls are paid for, two chunks stored and searchable; then the other five, and the index is like any."""
    report = place.index(**caps)
    paid = report.cost.llm_calls
    assert paid == len(place.server.requests) == 5
    assert report.stopped
    assert f"on {unit}" in facts(report).stopped
    assert (facts(report).extracted, facts(report).reused, facts(report).left) == (16, 0, 24)
    with place.engine() as engine, engine.view() as view:
        assert len(view.restricted(("facts",)).facts.numbers) == 16, "what was done is gathered"
    rest = place.index()
    assert (facts(rest).extracted, facts(rest).reused, facts(rest).left) == (24, 16, 0)
    assert rest.cost.llm_calls == 10 - paid
    assert len(place.server.requests) == 10
    place.index("another.index", cache=place.folder / "another")
    assert place.rows() == place.rows("another.index")


def test_the_same_caps_again_and_again_come_to_the_end(place: Place) -> None:
    """A cap is for one run: each pays for some more, and nothing twice."""
    left = [facts(place.index(token_cap=6500)).left for _ in range(3)]
    assert left == [24, 0, 0]
    assert len(place.server.requests) == 10


def test_a_cap_below_a_single_call_stops_before_it(place: Place) -> None:
    report = place.index(token_cap=500)
    assert report.stopped
    assert (facts(report).extracted, facts(report).left, report.cost) == (0, ROWS, Cost())
    assert place.server.requests == []


def test_what_failed_before_does_not_change_what_is_asked_next(place: Place) -> None:
    """Passages that failed are tried again after the others: calls paid for before the cap are found in the cache."""
    bad = refuses(400, "The response was filtered due to the prompt.")
    place.server.script = lambda request: bad if "on day 2." in str(request["messages"]) else knowing(request)
    report = place.index(token_cap=10_000)
    assert (facts(report).failed, report.stopped) == (1, True)
    before = len(place.server.requests)
    rest = place.index()
    assert (facts(rest).failed, facts(rest).left) == (1, 0)
    calls = [[title for _, title, _ in shown_in(request)] for request in place.server.requests]
    assert calls[before:].count(["Entry 2"]) == 1
    granted = [tuple(call) for call in calls if "Entry 2" not in call]
    assert len(granted) == len(set(granted)), "nothing is asked for twice"


# --- endpoints and people that stop in the middle ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (refuses(503, "out to lunch"), "out to lunch"),
        (refuses(401, "no such key"), "401"),
        (Played(body=b"{}" * 99, hang_up=True), "in vain"),
        (Played(body=b"<p>Welcome!</p>", headers={"Content-Type": "text/html"}), "not answer with a completion"),
    ],
)
def test_an_endpoint_that_fails_in_the_middle_leaves_what_was_done(place: Place, trouble: Played, said: str) -> None:
    place.server.script = failing_from(6, trouble)
    with pytest.raises(EndpointError, match=said) as caught:
        place.index()
    assert "Layer facts: 16 of 40 passages were done before and are stored." in str(caught.value)
    assert caught.value.remedy
    assert len(place.rows()) == 16
    with place.engine() as engine:
        paid = len(place.server.requests) if trouble.hang_up else 5  # what is granted and breaks off may be charged
        assert engine.status().layers[0].cost.llm_calls == paid, "a call of the third chunk was paid for"
        assert engine.status().layers[0].failed == 0
    place.server.script = knowing
    rest = place.index()
    assert (facts(rest).extracted, facts(rest).left, rest.cost.llm_calls) == (24, 0, 5)
    assert sorted(place.rows()) == list(range(1, ROWS + 1))


@posix
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_interrupted_pays_again_for_what_was_under_way_only(place: Place, sent: signal.Signals) -> None:
    place.server.script = lambda request: replace(knowing(request), delay=0.1)
    command = [sys.executable, "-m", "polyhop.cli.main", *place.arguments()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 60
    while process.poll() is None and len(place.server.requests) < 6 and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(process.pid, sent)
    out, err = process.communicate(timeout=60)
    asked = len(place.server.requests)
    assert 6 <= asked < 10
    assert b"Traceback" not in err
    assert out == b""
    if sent == signal.SIGINT:
        assert process.returncode == 130
        assert b"What was done is stored: the same command goes on from there." in err
    with Record.open(place.folder / "an.index") as record:
        record.verify()
    kept = len(place.rows())
    assert kept in (8, 16, 24)
    place.server.script = knowing
    rest = place.index()
    assert (facts(rest).extracted, facts(rest).reused, facts(rest).left) == (ROWS - kept, kept, 0)
    assert len(place.server.requests) <= 10 + 2, "two calls were under way"


# --- a dry run --------------------------------------------------------------------------------------------------------


def bounds(most: Cost, real: Cost) -> bool:
    return (
        most.llm_calls >= real.llm_calls
        and most.prompt_tokens >= real.prompt_tokens
        and most.completion_tokens >= real.completion_tokens
        and most.money >= real.money
    )


def test_a_dry_run_foresees_what_new_files_cost_at_most(place: Place) -> None:
    forecast = place.index(dry_run=True, **PRICES)
    assert place.server.requests == []
    assert not (place.folder / "an.index").exists()
    report = place.index(**PRICES)
    assert forecast.cost.llm_calls == report.cost.llm_calls == 10
    assert bounds(forecast.cost, report.cost)
    assert facts(forecast).seconds == pytest.approx(50.0), "ten calls of ten seconds, two at once"
    place.write(ROWS + 6)
    more = place.index(dry_run=True, **PRICES)
    assert (facts(more).extracted, more.cost.llm_calls) == (6, 2)
    assert facts(more).seconds < 5, "it knows by now how long a call takes"


def test_a_dry_run_after_a_cap_leaves_out_what_is_paid_for(place: Place) -> None:
    place.index(token_cap=6500)
    asked = len(place.server.requests)
    forecast = place.index(dry_run=True)
    assert (facts(forecast).extracted, facts(forecast).reused, forecast.cost.llm_calls) == (24, 16, 5)
    place.write(ROWS + 3)
    assert place.index(dry_run=True).cost.llm_calls == 6
    assert len(place.server.requests) == asked
    place.index()
    assert place.index(dry_run=True).cost == Cost()


def test_a_dry_run_foresees_passages_that_failed(place: Place) -> None:
    place.server.script = lambda request: (
        refuses(400, "filtered") if "on day 2." in str(request["messages"]) else knowing(request)
    )
    place.index()
    forecast = place.index(dry_run=True)
    assert (facts(forecast).extracted, forecast.cost.llm_calls) == (1, 1)


def test_syntax_costs_nothing_and_is_forecast_at_its_usual_rate(place: Place) -> None:
    place.changes["layers.facts.extractor"] = "syntax"
    forecast = place.index(dry_run=True)
    assert forecast.cost == Cost()
    assert facts(forecast).seconds == pytest.approx(ROWS / 400)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 700), max_size=12), st.integers(0, 12))
def test_a_forecast_from_sizes_is_never_below_that_from_passages(words: list[int], known: int) -> None:
    """Law, wherever the passages that are stored end and the new ones begin."""
    layer = FactsLayer(extractor="language_model")
    texts = ["gull " * count + "." for count in words]
    passages = [
        Passage(id=str(n), document_id="d", ordinal=n, start=0, end=len(text), title="Gull" * (n % 2), text=text)
        for n, text in enumerate(texts)
    ]
    changes = ["models.language_model=openai", "language_model.base_url=http://localhost:1/v1"]
    models = load_models(Settings.read(None, [*changes, "language_model.model=sage", "language_model.cache=none"]))
    exact = layer.forecast(passages, (), models)
    new = [estimated_tokens(words_of(passage)) for passage in passages[known:]]
    rough = layer.forecast(passages[:known], new, models)
    assert rough.prompt_tokens >= exact.prompt_tokens
    assert rough.llm_calls >= exact.llm_calls


# --- which layers ask -------------------------------------------------------------------------------------------------


def test_layers_say_whether_they_ask(place: Place) -> None:
    with place.engine() as engine:
        models = engine.models
        assert isinstance(FactsLayer(), Asking)
        assert asked_by(FactsLayer(extractor="language_model"), models) is models.language_model
        assert asked_by(FactsLayer(), models) is None
        assert asked_by(TextLayer(), models) is None
        assert FactsLayer(extractor="language_model", passages_a_call=3).at_once(models) == 6
        assert engine.asking("text", "facts") == ("facts",)
        assert engine.asking("text") == ()
        engine.index(place.documents, layers=["facts"])
        assert engine.asking("text") == ("facts",), "the index has it, so that it is brought up to date"
    place.changes["layers.facts.extractor"] = "syntax"
    with place.engine() as engine:
        assert engine.asking("text", "facts") == ()
    with pytest.raises(ModelMissing):
        asked_by(FactsLayer(extractor="language_model"), load_models(Settings()))


def test_a_longer_answer_may_be_allowed_without_doing_anything_again(place: Place) -> None:
    place.index()
    place.changes["layers.facts.max_tokens"] = 900
    assert facts(place.index()).extracted == 0
    place.write(ROWS + 4)
    place.index()
    assert place.server.requests[-1]["max_tokens"] == 900


# --- errors of endpoints say whether repeating helps ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("played", "status"),
    [
        (refuses(401, "no"), 401),
        (refuses(400, "filtered"), 400),
        (refuses(400, "maximum context length exceeded"), 413),
        (refuses(503, "busy"), None),
        (Played(body=b"Hello", headers={"Content-Type": "text/plain"}), 200),
        (Played(body=b"{}" * 99, hang_up=True), None),
    ],
)
def test_errors_of_an_endpoint_carry_the_status_of_a_final_answer(played: Played, status: int | None) -> None:
    with (
        serving(played) as server,
        OpenAICompatible(base_url=server.url, model="sage", attempts=2, first_wait=0.001, longest_wait=0.002) as model,
        pytest.raises(EndpointError) as caught,
    ):
        model.complete([Message("user", "Who landed?")])
    assert caught.value.status == status


def test_a_prompt_that_cannot_fit_has_the_status_for_it() -> None:
    with (
        OpenAICompatible(base_url="http://localhost:1/v1", model="sage", max_context=100) as model,
        pytest.raises(EndpointError) as caught,
    ):
        model.complete([Message("user", "gull " * 900)])
    assert caught.value.status == 413


# --- on the command line ----------------------------------------------------------------------------------------------

Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(place: Place, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Runs ``polyhop index`` with more arguments: exit code, standard output, standard error."""

    def run(*more: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(place.arguments(*more))
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        assert isinstance(left.value.code, int)
        return left.value.code, captured.out, captured.err

    return run


def test_a_person_foresees_caps_pays_and_goes_on(
    typed: Typed, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """The journey: a dry run, a run with a cap, another without, a look at what was paid."""
    prices = [part for key, value in PRICES.items() for part in ("--set", f"language_model.{key}={value}")]
    code, out, _ = typed("--dry-run", *prices)
    assert code == 0
    assert re.search(r"Layer facts: 40 passages to do.*at most 10 calls, [\d,]+ tokens, 0\.\d{4} to pay\.", out)

    code, out, err = typed("--max-money", "0.0155", *prices)
    assert code == 10
    assert re.search(r"Layer facts: 16 passages done, 0 up to date, 24 left; .* 5 calls, 5,000 tokens, 0.0110", out)
    assert "holds 40 documents" in out
    assert "Stopped: The next call may take" in err
    assert "Raise the cap on money" in err
    assert "The same command goes on from there; caps count anew in each run." in err

    code, out, err = typed("--max-tokens", "100000", *prices)
    assert code == 0
    assert "Layer facts: 24 passages done, 16 up to date;" in out
    assert "5 calls, 5,000 tokens, 0.0110 to pay" in out
    assert "Stopped" not in err

    with pytest.raises(SystemExit):
        main(["status", *place.arguments()[4:]])
    assert "layer facts: 40 done" in (status := capsys.readouterr().out)
    assert "so far 10 calls, 10,000 tokens, 0.0220 to pay" in status
    assert len(place.server.requests) == 10


def test_json_tells_of_the_cap_too(typed: Typed) -> None:
    code, out, _ = typed("--max-tokens", "6500", "--json")
    assert code == 10
    (layer,) = json.loads(out)["layers"]
    assert (layer["extracted"], layer["left"], layer["cost"]["llm_calls"]) == (16, 24, 5)
    assert "Raise the cap on tokens" in layer["stopped"]


def test_an_endpoint_that_is_down_is_an_error_with_its_code(typed: Typed, place: Place) -> None:
    place.server.script = failing_from(6, refuses(503, "out to lunch"))
    code, out, err = typed()
    assert (code, out) == (9, "")
    assert "out to lunch" in err
    assert "16 of 40 passages were done before and are stored" in err


@pytest.mark.parametrize(
    ("more", "code", "message", "remedy"),
    [
        (("--max-money", "3"), 2, "no prices are set", "language_model.prompt_price"),
        (("--max-tokens", "9", "--set", "layers.facts.extractor=syntax"), 2, "no layer of this command", "--layers"),
        (("--max-money", "3", "--layers", "text"), 2, "no layer of this command", "extractor=language_model"),
        (("--max-tokens", "9", "--set", "models.language_model=none"), 8, "none is configured", "POLYHOP_BASE_URL"),
        (("--max-tokens", "9", "--set", "models.language_model=smollm2"), 2, "no setting 'base_url'", "Known:"),
        (("--max-tokens", "0"), 2, "0 is not in the range", ""),
        (("--max-money", "0"), 2, "0.0 is not in the range", ""),
    ],
)
def test_caps_that_would_cap_nothing_are_refused(
    typed: Typed, place: Place, more: tuple[str, ...], code: int, message: str, remedy: str
) -> None:
    got, out, err = typed(*more)
    assert (got, out) == (code, "")
    assert message in err
    assert remedy in err
    assert not (place.folder / "an.index").exists()
    assert place.server.requests == []


def test_settings_may_hold_caps_that_a_run_does_not_need(place: Place) -> None:
    """In a file they are for questions, too: only an option that does nothing is a mistake."""
    place.changes["layers.facts.extractor"] = "syntax"
    place.changes["language_model.token_cap"] = 9
    assert not place.index(dry_run=True).stopped
    assert place.index().cost == Cost()


def test_damage_to_what_a_model_was_paid_for_is_mended_without_asking_it(place: Place) -> None:
    """The rows are in the record: only what was gathered of them is made again."""
    place.index()
    asked, rows = len(place.server.requests), place.rows()
    gathered = (place.folder / "an.index" / "generations" / "facts").rglob("*.npy")
    before = {file: file.read_bytes() for file in gathered}
    for file in before:
        file.write_bytes(b"")
    place.index()
    assert (len(place.server.requests), place.rows()) == (asked, rows)
    assert {file: file.read_bytes() for file in before} == before

"""What indexing with a language model costs: told, remembered, capped, and foreseen by a dry run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.errors import ModelMissing
from polyhop.indexing.build import Asking, asked_by
from polyhop.layers.facts.layer import FactsLayer
from polyhop.layers.layer import words_of
from polyhop.layers.text.layer import TextLayer
from polyhop.models.accounting import estimated_tokens
from polyhop.models.choice import load_models
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.store.spending import spent_on
from polyhop.types import Cost, Passage
from tests.worlds.endpoint import Played, refuses
from tests.worlds.logbook import ROWS, knowing, shown_in
from tests.worlds.paid_logbook import PRICES, Place, facts

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


def test_settings_may_hold_caps_that_a_run_does_not_need(place: Place) -> None:
    """In a file they are for questions, too: only an option that does nothing is a mistake."""
    place.changes["layers.facts.extractor"] = "syntax"
    place.changes["language_model.token_cap"] = 9
    assert not place.index(dry_run=True).stopped
    assert place.index().cost == Cost()


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

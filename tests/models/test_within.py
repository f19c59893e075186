"""The budget that one question has of a language model: calls and tokens are never exceeded, also by threads."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import BudgetExceeded, EndpointError, OutputInvalid
from polyhop.models.accounting import Prices
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.tallied import Counted
from polyhop.models.within import NoCallsLeft, Within
from polyhop.ports import Failure, LanguageModel, Message
from polyhop.prompts.answer_step import answer_step
from polyhop.prompts.extract_facts import FactLimits, batches
from polyhop.types import Cost
from tests.worlds.endpoint import Played, asked, in_turn, refuses, says, serving
from tests.worlds.extraction import PASSAGES, Plain, knowing, known_of, model_that
from tests.worlds.prompts import BORN, STEP, VELM, model_saying
from tests.worlds.prompts import PASSAGES as FERRY

WELL = [Message("user", "Well?")]
ALONE = FactLimits(passages=1)


def test_a_model_within_a_budget_is_asked_so_often_and_no_more() -> None:
    """What it was asked is counted."""
    with asked(says("yes")) as (model, server):
        within = Within(model, 2)
        assert within.name == model.name
        for _ in range(2):
            assert within.complete(WELL).text == "yes"
        with pytest.raises(NoCallsLeft):
            within.complete(WELL)
        assert (len(server.requests), within.spent.llm_calls, within.left) == (2, 2, 0)


@pytest.mark.parametrize("calls", [0, -1])
def test_a_budget_of_nothing_lets_nobody_ask(calls: int) -> None:
    with asked(says("yes")) as (model, server):
        within = Within(model, calls)
        with pytest.raises(NoCallsLeft):
            within.complete(WELL)
        assert (within.left, server.requests) == (0, [])


def test_calls_that_were_of_no_use_count() -> None:
    """With what they cost, where that is known."""
    with asked(says("")) as (model, _):
        within = Within(model, 2)
        with pytest.raises(OutputInvalid):
            within.complete(WELL)
        assert (within.left, within.spent.llm_calls, within.spent.tokens) == (1, 1, 15)
    with asked(refuses(400, "no")) as (model, _):
        within = Within(model, 2, tokens=1000)
        with pytest.raises(EndpointError):
            within.complete(WELL)
        assert (within.left, within.spent) == (1, Cost())


def test_a_call_that_is_made_again_after_a_broken_reply_counts_each_time() -> None:
    broken = in_turn(says("cut", hang_up=True), says("whole"))
    with serving(broken) as server, OpenAICompatible(base_url=server.url, model="sage", first_wait=0.0) as model:
        within = Within(model, 5, tokens=5000)
        assert within.complete(WELL).text == "whole"
        assert (within.left, within.spent.llm_calls) == (3, 2)


@pytest.mark.parametrize("settings", [{"attempts": 2}, {"attempts": 9, "call_cap": 2}])
def test_attempts_in_vain_count_as_the_calls_that_the_endpoint_had(settings: dict[str, Any]) -> None:
    """Whether or not a question, or a layer, gets an answer in the end: the caps count them, too."""
    broken = says("cut", hang_up=True)
    with serving(broken) as server, OpenAICompatible(base_url=server.url, model="sage", **settings) as model:
        within = Within(Counted(model), 5, tokens=5000)
        with pytest.raises((EndpointError, BudgetExceeded)):
            within.complete(WELL)
        assert within.spent == model.meter.total
        assert within.spent.llm_calls == len(server.requests) == 2
        assert within.left == 3


def test_call_that_a_cap_of_the_users_forbids_is_given_back() -> None:
    """It was never made."""
    with asked(says("yes"), call_cap=1) as (model, server):
        within = Within(model, 5, tokens=5000)
        within.complete(WELL)
        with pytest.raises(BudgetExceeded) as raised:
            within.complete(WELL)
        assert not isinstance(raised.value, NoCallsLeft)
        assert (within.left, within.spent.tokens, len(server.requests)) == (4, 15, 1)


def test_answers_from_the_cache_are_calls_that_take_no_tokens(tmp_path: Path) -> None:
    with asked(says("yes"), cache=str(tmp_path)) as (model, server):
        within = Within(model, 3, tokens=5000)
        for _ in range(3):
            within.complete(WELL)
        assert (within.left, within.spent.tokens, len(server.requests)) == (0, 15, 1)


# --- shares -----------------------------------------------------------------------------------------------------------


def test_share_leaves_calls_to_the_others() -> None:
    """Its calls count for the whole; what it cost is told apart."""
    with asked(says("yes")) as (model, server):
        whole = Within(model, 5)
        part = whole.share(3)
        assert (part.left, whole.left, part.name) == (2, 5, model.name)
        part.complete(WELL)
        part.complete(WELL)
        with pytest.raises(NoCallsLeft):
            part.complete(WELL)
        assert (part.left, whole.left, part.spent.llm_calls, whole.spent.llm_calls) == (0, 3, 2, 2)
        whole.complete(WELL)
        assert (part.spent.llm_calls, whole.spent.llm_calls, len(server.requests)) == (2, 3, 3)


def test_shares_draw_on_the_same_calls() -> None:
    with asked(says("yes")) as (model, _):
        whole = Within(model, 4)
        first, second = whole.share(1), whole.share(2)
        first.complete(WELL)
        assert (first.left, second.left) == (2, 1)
        assert first.share(2).left == 0
        with pytest.raises(NoCallsLeft):
            first.share(2).complete(WELL)
        first.share(1).complete(WELL)
        assert (whole.left, whole.spent.llm_calls, first.spent.llm_calls, second.spent) == (2, 2, 2, Cost())


def test_share_of_less_than_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        Within(Plain(), 4).share(-1)


@given(st.integers(0, 6), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7)), max_size=12))
def test_shares_never_leave_less_than_they_promised(calls: int, turns: list[tuple[int, int]]) -> None:
    """Law: against the naive count, whoever asks in whatever order."""
    model = Plain()
    whole = Within(model, calls)
    shares = [whole, whole.share(1), whole.share(3)]
    shares.append(shares[1].share(1))
    kept = [0, 1, 3, 2]
    left = calls
    for who, times in turns:
        for _ in range(times):
            if left > kept[who]:
                shares[who].complete(WELL)
                left -= 1
            else:
                with pytest.raises(NoCallsLeft):
                    shares[who].complete(WELL)
    assert [one.left for one in shares] == [max(0, left - reserve) for reserve in kept]
    assert whole.spent.llm_calls == calls - left
    assert shares[1].spent.llm_calls >= shares[3].spent.llm_calls


# --- tokens -----------------------------------------------------------------------------------------------------------


def test_call_that_might_take_too_many_tokens_is_not_made() -> None:
    """Its prompt is estimated, its answer counted in full; afterwards what it took is known."""
    with asked(says("yes")) as (model, server):
        within = Within(model, 9, tokens=100)
        with pytest.raises(NoCallsLeft, match="100 are left"):
            within.complete(WELL, max_tokens=95)
        within.complete(WELL, max_tokens=90)
        assert (within.left, within.spent.tokens) == (8, 15)
        part = within.share(0, tokens=40)
        with pytest.raises(NoCallsLeft, match="45 are left"):
            part.complete(WELL, max_tokens=40)
        assert len(server.requests) == 1


def test_schema_and_thoughts_count_as_tokens() -> None:
    with asked(says("yes"), reasoning_tokens=50) as (model, _):
        within = Within(model, 9, tokens=100)
        with pytest.raises(NoCallsLeft):
            within.complete(WELL, max_tokens=50)
    with asked(says("yes")) as (model, _), pytest.raises(NoCallsLeft):
        Within(model, 9, tokens=100).complete(WELL, max_tokens=50, schema={"type": "object", "description": "x" * 200})


def test_budget_that_ends_between_answer_and_repair_says_so() -> None:
    """What the first answer cost is in the tally."""
    with model_saying("no JSON", VELM) as (model, _):
        within = Within(model, 1)
        with pytest.raises(NoCallsLeft):
            answer_step(within, STEP, [BORN], FERRY)
    assert (within.spent.llm_calls, within.spent.tokens) == (1, 15)


# --- facts by several threads -----------------------------------------------------------------------------------------


def test_facts_are_extracted_within_a_budget_as_without() -> None:
    """At once, as the endpoint allows, and with what the forecast needs."""

    def script(request: Mapping[str, Any]) -> Played:
        return says(known_of(request), delay=0.05)

    with model_that(script, concurrency=4, prompt_price=1.0, completion_price=2.0) as (model, server):
        within = Within(model, 5)
        assert (within.concurrency, within.prices) == (4, model.prices)
        assert batches().forecast(within, PASSAGES) == batches().forecast(model, PASSAGES)
        outcomes, cost = batches(ALONE).ask(within, PASSAGES)
        assert 1 < server.busiest <= 4
    assert not any(isinstance(outcome, Failure) for outcome in outcomes)
    assert (cost.llm_calls, within.spent.llm_calls, within.spent.tokens, within.left) == (5, 5, 75, 0)


@pytest.mark.parametrize("calls", [1, 3, 4])
def test_extraction_ends_where_its_share_does(calls: int, tmp_path: Path) -> None:
    """Threads make no call too many, and what was paid for is not paid for again."""
    with model_that(knowing(), concurrency=4, cache=str(tmp_path)) as (model, server):
        whole = Within(model, calls + 2)
        part = whole.share(2)
        with pytest.raises(NoCallsLeft):
            batches(ALONE).ask(part, PASSAGES)
        assert len(server.requests) == part.spent.llm_calls == whole.spent.llm_calls == calls
        assert (part.left, whole.left) == (0, 2)
        batches(ALONE).ask(Within(model, 5), PASSAGES)
        assert len(server.requests) == 5


def test_extraction_keeps_to_tokens_too() -> None:
    """Calls that find no room beside others are made alone; no more is taken than the cap."""
    usage = {"prompt_tokens": 600, "completion_tokens": 400}

    def script(request: Mapping[str, Any]) -> Played:
        return says(known_of(request), usage=usage, delay=0.01)

    with model_that(script, concurrency=4) as (model, server):
        within = Within(model, 50, tokens=4000)
        with pytest.raises(NoCallsLeft):
            batches(ALONE).ask(within, PASSAGES)
        assert 0 < len(server.requests) == within.spent.llm_calls < 5
        assert within.spent.tokens <= 4000


@pytest.mark.parametrize("tokens", [None, 20_000])
def test_many_threads_make_exactly_so_many_calls(tokens: int | None) -> None:
    """And no more, though all ask at once, and though some answers are of no use."""
    turns = iter(range(1000))
    lock = threading.Lock()

    def script(_: object) -> Played:
        with lock:
            turn = next(turns)
        return says("" if turn % 3 == 0 else "yes")

    with asked(script, concurrency=8) as (model, server):
        whole = Within(model, 20, tokens=tokens)
        parts = [whole, whole.share(5), whole.share(9)]
        refused: list[int] = []
        start = threading.Barrier(12)

        def work(who: Within, number: int) -> None:
            start.wait()
            for _ in range(4):
                try:
                    who.complete(WELL)
                except NoCallsLeft:
                    refused.append(number)
                except OutputInvalid:
                    pass

        threads = [threading.Thread(target=work, args=(parts[n % 3], n)) for n in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        made = len(server.requests)
    assert made == whole.spent.llm_calls == 48 - len(refused)
    assert made <= 20
    assert whole.spent.tokens == 15 * made
    assert parts[1].spent.llm_calls <= 15
    assert parts[2].spent.llm_calls <= 11


def test_models_that_say_little_are_asked_one_by_one_for_nothing() -> None:
    """Concurrency, prices and a forecast are not asked of every model."""
    plain: LanguageModel = Plain()
    within = Within(plain, 5)
    assert (within.concurrency, within.prices) == (1, Prices())
    forecast = batches().forecast(within, PASSAGES)
    assert (forecast.llm_calls, forecast.money) == (2, 0.0)
    assert batches().ask(within, PASSAGES)[1].llm_calls == 2


def test_a_forecast_is_made_at_the_prices_of_a_model_that_makes_none() -> None:
    class Charging(Plain):
        prices = Prices(prompt=2.0, completion=10.0)

    free, dear = (batches().forecast(model, PASSAGES) for model in (Plain(), Charging()))
    assert (dear.llm_calls, dear.tokens) == (free.llm_calls, free.tokens)
    assert dear.money == pytest.approx((2 * dear.prompt_tokens + 10 * dear.completion_tokens) / 1e6)
    assert batches().forecast(Within(Charging(), 5), PASSAGES) == dear

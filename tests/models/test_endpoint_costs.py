"""What calls of an endpoint take: prompts that fit, attempts and tokens that count, caps that hold, and forecasts."""

from __future__ import annotations

import logging
import socket
import threading
from pathlib import Path

import pytest

from polyhop.errors import BudgetExceeded, EndpointError
from polyhop.models.accounting import Request
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.side_by_side import side_by_side
from polyhop.ports import Message
from polyhop.types import Cost
from tests.worlds.endpoint import HELLO, ask, client, in_turn, refuses, says, serving


def test_an_attempt_that_was_too_slow_counts_as_a_call_with_its_prompt() -> None:
    """The server has it whole, and may charge for it, whether or not anybody still waits for the answer."""
    script = in_turn(says("too late", delay=0.6), says("at last"))
    with serving(script) as server, client(server, timeout=0.2, attempts=2) as model:
        answer = ask(model)
        assert len(server.requests) == answer.cost.llm_calls == model.meter.total.llm_calls == 2
        assert answer.cost.prompt_tokens > 10  # those of the one that was answered
        assert answer.cost.completion_tokens == 5
    with serving(says("too late", delay=0.6)) as server, client(server, timeout=0.2, attempts=5, call_cap=1) as model:
        with pytest.raises(BudgetExceeded):
            ask(model)
        assert len(server.requests) == 1


def test_an_attempt_that_reached_nobody_counts_as_nothing() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        model = OpenAICompatible(base_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1", model="sage", attempts=1)
        with pytest.raises(EndpointError):
            ask(model)
    assert model.meter.total == Cost()


def test_each_answer_that_breaks_off_counts_and_is_capped() -> None:
    """The server was granted to work on it, and charges what it has read and written."""
    cut, whole = says("cut", hang_up=True), says("whole")
    with serving(in_turn(cut, cut, whole)) as server, client(server) as model:
        cost = ask(model).cost
        assert (cost.llm_calls, model.meter.total) == (3, cost)
        assert cost.tokens > 2 * cost.prompt_tokens / 3 > 15
    with serving(in_turn(cut, cut, whole)) as server, client(server, call_cap=2) as model:
        with pytest.raises(BudgetExceeded, match="2 of the 2 allowed"):
            ask(model)
        assert (len(server.requests), model.meter.total.llm_calls) == (2, 2)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "This model's maximum context length is 4096 tokens."),
        (500, "the request exceeds the available context size"),
        (400, "prompt is too long: 9000 tokens"),
    ],
)
def test_prompt_that_is_too_long_is_explained(status: int, words: str) -> None:
    with serving(refuses(status, words)) as server, client(server) as model:
        with pytest.raises(EndpointError, match="too long for sage") as caught:
            ask(model)
        assert len(server.requests) == 1
    assert "budget" in caught.value.remedy


def test_prompt_beyond_max_context_is_not_sent() -> None:
    with serving(says("never")) as server, client(server, max_context=100) as model:
        with pytest.raises(EndpointError, match="too long"):
            ask(model, [Message("user", "word " * 500)])
        assert server.requests == []


def test_missing_usage_is_estimated_and_said(caplog: pytest.LogCaptureFixture) -> None:
    """Once, not with every answer."""
    with serving(says("a" * 40, usage={})) as server, client(server) as model, caplog.at_level(logging.WARNING):
        first, second = ask(model), ask(model, [Message("user", "x" * 400)])
    assert first.cost.completion_tokens == 10
    assert second.cost.prompt_tokens == pytest.approx(100, abs=10)
    assert caplog.text.count("does not say how many tokens") == 1


@pytest.mark.parametrize("number", [0, -5, 10**30, 10**400, 1.5, "many", True])
def test_usage_that_is_no_number_of_tokens_is_estimated(number: object, tmp_path: Path) -> None:
    told = {"prompt_tokens": number, "completion_tokens": number}
    with serving(says("a" * 40, usage=told)) as server, client(server, cache=str(tmp_path), prompt_price=1.0) as model:
        assert ask(model).cost.completion_tokens == 10


def test_prompt_that_the_server_cut_in_silence_is_noticed(caplog: pytest.LogCaptureFixture) -> None:
    """As Ollama does with a prompt longer than its window."""
    with serving(says("eh", usage={"prompt_tokens": 2048, "completion_tokens": 1})) as server, client(server) as model:
        ask(model, [Message("user", "word " * 8000)])
    assert "context window may be too small" in caplog.text


def test_threads_that_share_a_client_share_its_concurrency_limit() -> None:
    with serving(says("ok", delay=0.02)) as server, client(server, concurrency=2) as model:
        threads = [threading.Thread(target=ask, args=(model,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.requests) == 6
        assert server.busiest <= 2


def test_cap_on_calls_stops_before_the_call_that_would_pass_it() -> None:
    with serving(says("ok")) as server, client(server, call_cap=2) as model:
        ask(model)
        ask(model)
        with pytest.raises(BudgetExceeded, match="2 of the 2 allowed"):
            ask(model)
        assert len(server.requests) == 2


def test_cap_on_tokens_holds_for_calls_that_run_at_once() -> None:
    """Each of ten calls may take about 60 tokens, and 130 are allowed."""
    usage = {"prompt_tokens": 5, "completion_tokens": 55}
    with serving(says("ok", usage=usage, delay=0.01)) as server, client(server, token_cap=130) as model:
        with pytest.raises(BudgetExceeded):
            side_by_side(lambda word: ask(model, [Message("user", word)], max_tokens=55), "abcdefghij", 4)
        assert len(server.requests) == 2
    assert model.meter.total.tokens == 120


def test_cap_on_money_counts_prices() -> None:
    with serving(says("ok")) as server, client(server, money_cap=0.001, completion_price=10.0) as model:
        with pytest.raises(BudgetExceeded, match="money"):
            ask(model, max_tokens=1000)
        assert ask(model, max_tokens=50).text == "ok"


def test_cap_is_told_in_plain_numbers() -> None:
    """Neither as 2e+07 nor as 1e-05."""
    told = r"may take 30,000,0\d\d tokens; 0 of the 20,000,000 allowed"
    model = OpenAICompatible(base_url="http://host/v1", model="sage", max_tokens=30_000_000, token_cap=20_000_000)
    with pytest.raises(BudgetExceeded, match=told):
        ask(model)
    told = r"may take 0\.000256 money; 0 of the 0\.00001 allowed"
    model = OpenAICompatible(base_url="http://host/v1", model="sage", completion_price=0.5, money_cap=0.00001)
    with pytest.raises(BudgetExceeded, match=told):
        ask(model)


def test_forecast_is_an_upper_bound_without_any_call() -> None:
    request = Request(messages=HELLO, max_tokens=100)
    with serving(says("ok")) as server, client(server, prompt_price=1.0, completion_price=2.0) as model:
        expected = model.forecast([request, request])
        assert server.requests == []
    assert (expected.llm_calls, expected.completion_tokens) == (2, 200)
    assert expected.money >= 400e-6
    assert model.meter.total == Cost()

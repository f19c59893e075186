"""The client of OpenAI-compatible endpoints, against a real HTTP server that behaves well or badly."""

from __future__ import annotations

import json
import logging
import socket
import sys
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyhop.errors import BudgetExceeded, EndpointError, OutputInvalid, SettingError
from polyhop.models.accounting import Request
from polyhop.models.dialect import Dialect
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.reply import retry_after
from polyhop.models.side_by_side import side_by_side
from polyhop.models.transport import Backoff
from polyhop.ports import Completion, LanguageModel, Message
from polyhop.registry import configured
from polyhop.types import Cost
from tests.worlds.endpoint import EndpointServer, Played, in_turn, refuses, says, serving, streams

HELLO = (Message("system", "Be brief."), Message("user", "Who built the Lantern Bridge?"))
SCHEMA = {"type": "object", "properties": {"name": {"type": "string", "minLength": 1}}, "required": ["name"]}


def client(server: EndpointServer, **settings: Any) -> OpenAICompatible:
    """A client that waits only milliseconds between attempts."""
    quick: dict[str, Any] = {"first_wait": 0.001, "longest_wait": 0.005, "timeout": 5.0}
    return OpenAICompatible(base_url=server.url, model="sage", **{**quick, **settings})


def ask(model: LanguageModel, messages: Sequence[Message] = HELLO, **options: Any) -> Completion:
    """Any client serves as the port's LanguageModel."""
    return model.complete(messages, **options)


def test_endpoint_answers_with_text_and_cost() -> None:
    """The request is deterministic and not streamed; the key travels in the header only."""
    with (
        serving(says("Ada Brook")) as server,
        client(server, api_key="k-1", prompt_price=2, completion_price=4) as model,
    ):
        completion = ask(model, max_tokens=64)
    assert completion.text == "Ada Brook"
    assert (completion.cost.llm_calls, completion.cost.prompt_tokens, completion.cost.completion_tokens) == (1, 10, 5)
    assert completion.cost.money == pytest.approx(40e-6)
    assert completion.cost.seconds > 0
    assert server.paths == ["/v1/chat/completions"]
    assert server.keys == ["Bearer k-1"]
    assert server.requests == [
        {
            "model": "sage",
            "stream": False,
            "max_tokens": 64,
            "temperature": 0,
            "seed": 0,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Who built the Lantern Bridge?"},
            ],
        }
    ]


def test_endpoint_is_sent_the_parameters_that_are_set_and_no_others() -> None:
    said = {"temperature": 0.7, "top_p": 0.9, "seed": 3, "reasoning_effort": "low", "max_tokens": 40}
    for settings, sent in ((said, said), ({"temperature": None, "seed": None}, {"max_tokens": 9})):
        with serving(says("fine")) as server, client(server, **settings) as model:
            ask(model, max_tokens=9)
            assert {name: server.requests[0].get(name) for name in said} == {**dict.fromkeys(said), **sent}


@pytest.mark.parametrize("wrong", [{"temperature": -0.1}, {"top_p": 0.0}, {"top_p": 1.1}, {"max_tokens": 0}])
def test_endpoint_refuses_parameters_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        OpenAICompatible(base_url="http://localhost/v1", model="sage", **wrong)


def test_endpoint_is_named_after_model_and_host_and_hides_secrets() -> None:
    """Neither the key nor a password in the address shows in what is printed or stored."""
    model = OpenAICompatible(base_url="http://me:pw@gpu.lan:8000/v1/", model="sage", api_key="k-secret")
    assert model.name == "sage@gpu.lan:8000"
    assert "k-secret" not in repr(model)


@pytest.mark.parametrize("suffix", ["", "/", "/chat/completions", "/chat/completions/"])
def test_endpoint_accepts_its_address_in_any_usual_form(suffix: str) -> None:
    with serving(says("yes")) as server, OpenAICompatible(base_url=server.url + suffix, model="sage") as model:
        assert ask(model).text == "yes"
        assert server.paths == ["/v1/chat/completions"]


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "localhost:11434"},
        {"base_url": "ftp://host/v1"},
        {"base_url": "http://host/v1?key=k-9"},
        {"base_url": "http://host/v1#models"},
        {"model": " "},
        {"api_key": "schlüssel"},
        {"attempts": 0},
        {"timeout": 0},
        {"json_mode": "yaml"},
    ],
)
def test_endpoint_refuses_settings_that_make_no_sense(settings: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        configured(OpenAICompatible, {"base_url": "http://localhost/v1", "model": "sage", **settings}, "language_model")


def test_endpoint_reads_settings_given_as_text() -> None:
    """What ``--set language_model.token_cap=5000`` hands over is text."""
    text = {"base_url": "http://localhost/v1", "model": "sage", "token_cap": "5000", "timeout": "9.5"}
    model = configured(OpenAICompatible, text, "language_model")
    assert (model.token_cap, model.timeout) == (5000, 9.5)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504])
def test_endpoint_tries_again_after_troubles_that_pass(status: int) -> None:
    with serving(in_turn(refuses(status, "busy"), refuses(status, "busy"), says("at last"))) as server:
        with client(server) as model:
            assert ask(model).text == "at last"
        assert len(server.requests) == 3


@pytest.mark.parametrize("error", [{"message": "overloaded", "code": 503}, {"message": "upstream"}, "busy"])
def test_endpoint_tries_again_after_an_error_with_status_200(error: object) -> None:
    """Some proxies grant every request, and tell in the answer that the server behind them has failed."""
    granted = Played(body=json.dumps({"error": error}).encode(), headers={"Content-Type": "application/json"})
    with serving(in_turn(granted, says("at last"))) as server:
        with client(server) as model:
            assert ask(model).text == "at last"
        assert len(server.requests) == 2


def test_endpoint_passes_on_a_refusal_with_status_200() -> None:
    granted = Played(body=b'{"error": {"message": "no such key", "code": 401}}')
    with serving(granted) as server, client(server) as model:
        with pytest.raises(EndpointError, match="status 401 and said: no such key"):
            ask(model)
        assert len(server.requests) == 1


def test_endpoint_waits_as_long_as_retry_after_says() -> None:
    with serving(in_turn(refuses(429, "slow down", Retry_After="0.3"), says("ok"))) as server, client(server) as model:
        began = time.monotonic()
        assert ask(model).text == "ok"
        assert time.monotonic() - began >= 0.3


def test_endpoint_does_not_wait_longer_than_its_patience() -> None:
    """A server that asks for an hour gets its answer at once, and the user is told."""
    with serving(refuses(429, "daily limit", Retry_After="3600")) as server, client(server, patience=60) as model:
        with pytest.raises(EndpointError, match="daily limit") as caught:
            ask(model)
        assert len(server.requests) == 1
    assert "3600 seconds" in caught.value.remedy


def test_endpoint_says_what_it_waits_for_once_that_is_noticed(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Patience without a word looks like a program that hangs."""
    monkeypatch.setattr("polyhop.models.transport._UNNOTICED", 0.2)
    script = in_turn(says("yes"), refuses(503, "busy"), refuses(503, "busy", Retry_After="0.3"), says("yes"))
    with serving(script) as server, client(server) as model, caplog.at_level(logging.WARNING):
        ask(model)  # loading certificates takes its time, too
        ask(model)
    assert caplog.text.count("busy") == 1
    assert "attempt 3 in 0.3 s" in caplog.text


def test_retry_after_understands_seconds_and_dates() -> None:
    now = datetime(2031, 5, 1, 12, 0, tzinfo=UTC)
    later = format_datetime(now + timedelta(seconds=90), usegmt=True)
    assert retry_after("7", now.timestamp()) == 7
    assert retry_after(later, now.timestamp()) == 90
    assert retry_after(later, now.timestamp() + 1000) == 0
    assert retry_after("soon", now.timestamp()) is None
    assert retry_after("", now.timestamp()) is None


def test_default_patience_survives_a_minute_of_429() -> None:
    """Even where chance makes every wait as short as it can be, and the server asks for one second each time."""
    model = OpenAICompatible(base_url="http://localhost/v1", model="sage")
    backoff = Backoff(
        attempts=model.attempts, seconds=model.patience, first_wait=model.first_wait, longest_wait=model.longest_wait
    )
    shortest = [min(backoff.wait(failures, 1.0) for _ in range(200)) for failures in range(1, model.attempts)]
    longest = [max(backoff.wait(failures, 1.0) for _ in range(200)) for failures in range(1, model.attempts)]
    assert sum(shortest) > 60
    assert sum(longest) < model.patience


def test_endpoint_gives_up_after_its_attempts() -> None:
    with serving(refuses(503, "under repair")) as server, client(server, attempts=4) as model:
        with pytest.raises(EndpointError, match=r"4 times.*503.*under repair") as caught:
            ask(model)
        assert len(server.requests) == 4
    assert caught.value.remedy


@pytest.mark.parametrize(("status", "hint"), [(401, "POLYHOP_API_KEY"), (403, "POLYHOP_API_KEY"), (404, "sage")])
def test_endpoint_passes_on_a_refusal_at_once(status: int, hint: str) -> None:
    """The server's own words, without the key that some of them repeat."""
    with serving(refuses(status, "no entry for k-9")) as server, client(server, api_key="k-9") as model:
        with pytest.raises(EndpointError, match=r"no entry for \*\*\*") as caught:
            ask(model)
        assert len(server.requests) == 1
    assert hint in caught.value.remedy


@pytest.mark.parametrize(
    "repeats",
    [
        refuses(500, "the key k-secret/7 crashed us"),
        refuses(429, "too many requests with k-secret/7"),
        refuses(400, "x" * 335 + "k-secret/7"),  # what it says is cut short in the middle of the key
        Played(status=502, body=b"<p>Bearer k-secret/7</p>"),
        Played(body=b"your key is k-secret/7"),
        Played(status=400, body=rb'{"error": {"message": "no temperature with k-secret\/7"}}'),
    ],
)
def test_no_message_and_no_log_has_the_key_that_a_server_repeats(
    repeats: Played, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(repeats) as server, client(server, api_key="k-secret/7", attempts=2) as model:
        with pytest.raises(EndpointError) as caught:
            ask(model)
        assert server.keys[0] == "Bearer k-secret/7"
    assert "k-sec" not in f"{caught.value} {caught.value.remedy} {caplog.text}"


def test_endpoint_does_not_wait_for_an_empty_account() -> None:
    """A 429 that no waiting cures."""
    with serving(refuses(429, "no credit", code="insufficient_quota")) as server, client(server) as model:
        with pytest.raises(EndpointError, match="no credit"):
            ask(model)
        assert len(server.requests) == 1


def test_endpoint_that_is_down_is_reported_soon() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        model = OpenAICompatible(base_url=address, model="sage", first_wait=0.001)
        with pytest.raises(EndpointError, match=r"4 times") as caught:
            ask(model)
    assert "polyhop doctor" in caught.value.remedy


def test_endpoint_that_is_slow_runs_into_the_time_out() -> None:
    with serving(says("too late", delay=0.5)) as server, client(server, timeout=0.1, attempts=2) as model:
        with pytest.raises(EndpointError, match=r"no answer within 0\.2 seconds") as caught:
            ask(model)
        assert len(server.requests) == 2
    assert "raise language_model.timeout" in caught.value.remedy


def test_answer_that_was_too_slow_is_waited_for_twice_as_long_the_next_time() -> None:
    """The same request takes as long again: a small machine would never answer it."""
    with serving(says("at last", delay=0.6)) as server, client(server, timeout=0.4, attempts=2) as model:
        assert ask(model).text == "at last"
        assert len(server.requests) == 2


def test_answer_that_is_being_written_is_waited_for() -> None:
    """A small machine that writes a long answer is at work: to ask it anew would bring the same, later."""
    slowly = streams("at ", "long ", "last", go_on=lambda _: time.sleep(0.15))
    schema = {"type": "string"}
    with serving(slowly) as server, client(server, timeout=0.4, attempts=1) as model:
        assert model.complete(HELLO, schema=schema).text == "at long last"
    assert len(server.requests) == 1


def test_answer_that_never_ends_is_not_waited_for_for_ever() -> None:
    endless = streams(*["and "] * 100, go_on=lambda _: time.sleep(0.05))
    with serving(endless) as server, client(server, timeout=0.2, attempts=1) as model:
        with pytest.raises(EndpointError, match="no answer within"):
            model.complete(HELLO, schema={"type": "string"})
        assert len(server.requests) == 1


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


def test_endpoint_that_takes_no_connection_is_told_from_a_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection is waited for no longer than ten seconds, however long an answer may take."""

    def silent(*request: object, **options: object) -> None:
        raise httpx.ConnectTimeout("timed out")

    monkeypatch.setattr(httpx.Client, "stream", silent)
    model = OpenAICompatible(base_url="http://localhost/v1", model="sage", attempts=1, timeout=30.0)
    with pytest.raises(EndpointError, match="no connection within 10 seconds") as caught:
        ask(model)
    assert "its address is right" in caught.value.remedy


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ALL_PROXY", "socks5h://127.0.0.1:9"),  # which wants a package that is not installed
        ("HTTPS_PROXY", "ftp://proxy.lan"),
        ("HTTPS_PROXY", "http://proxy.lan:port"),
        ("SSL_CERT_FILE", "/gone/ca.pem"),
    ],
)
def test_endpoint_says_which_settings_of_the_environment_are_wrong(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    if variable == "ALL_PROXY":
        monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv(variable, value)
    model = OpenAICompatible(base_url="https://sage.lan/v1", model="sage", attempts=1)
    for use in (ask, OpenAICompatible.listed):
        with pytest.raises(EndpointError, match="proxy or certificates that the environment names") as caught:
            use(model)
        assert variable in caught.value.remedy


def test_endpoint_on_this_machine_needs_no_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading them takes longer than such an endpoint takes to answer."""
    loaded: list[object] = []
    monkeypatch.setattr("ssl.SSLContext.load_verify_locations", lambda *given, **named: loaded.append((given, named)))
    with serving(in_turn(says("yes"))) as server, client(server) as model:
        assert ask(model).text == "yes"
    assert not loaded
    with pytest.raises(EndpointError):
        ask(OpenAICompatible(base_url="https://127.0.0.1:9/v1", model="sage", attempts=1))
    assert loaded, "one that encrypts has to prove who it is, here too"


def test_endpoint_that_hangs_up_in_mid_answer_is_asked_again() -> None:
    with serving(in_turn(says("cut", hang_up=True), says("whole"))) as server, client(server) as model:
        assert ask(model).text == "whole"
        assert len(server.requests) == 2


def test_endpoint_whose_answers_all_break_off_is_there_and_asked_as_often_as_one_that_refuses() -> None:
    with serving(says("cut", hang_up=True)) as server, client(server, attempts=6) as model:
        with pytest.raises(EndpointError, match="6 times") as caught:
            ask(model)
        assert len(server.requests) == 6
    assert "address" not in caught.value.remedy


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
    ("body", "kind"),
    [
        (b"\x00\xff garbage", "text/plain"),
        (b"<html><body><h1>Welcome</h1></body></html>", "text/html"),
        (b'{"choices": []}', "application/json"),
        (b'{"choices": [{"text": "old"}]}', "application/json"),
        (b'{"result": 1}', "application/json"),
        (b'["a"]', "application/json"),
        (b"", "application/json"),
        (b"[" * 200_000, "application/json"),
        (b'data: {"choices": []}\n\ndata: [DONE]\n\n', "text/event-stream"),
    ],
)
def test_endpoint_that_answers_garbage_is_named(body: bytes, kind: str) -> None:
    """Garbage with status 200 is no completion: said at once, with the beginning of what came."""
    with serving(Played(body=body, headers={"Content-Type": kind})) as server, client(server) as model:
        with pytest.raises(EndpointError, match=f"not answer with a completion but with {kind}"):
            ask(model)
        assert len(server.requests) == 1


def test_endpoint_that_redirects_is_not_followed() -> None:
    """The key must not travel to an address that the user did not name."""
    moved = Played(status=307, body=b"", headers={"Location": "http://127.0.0.1:9/elsewhere"})
    with serving(moved) as server, client(server, api_key="k") as model, pytest.raises(EndpointError) as caught:
        ask(model)
    assert "http://127.0.0.1:9/elsewhere" in caught.value.remedy


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_empty_answer_is_an_invalid_output(text: str | None) -> None:
    with serving(says(text)) as server, client(server) as model, pytest.raises(OutputInvalid, match="empty answer"):
        ask(model)
    assert model.meter.total.llm_calls == 1


def test_no_choice_at_a_price_is_an_empty_answer_that_is_counted() -> None:
    """As of services whose filter takes a finished answer away: the request is at fault, not the address."""
    filtered = Played(body=b'{"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 40}}')
    with serving(filtered) as server, client(server) as model, pytest.raises(OutputInvalid, match="empty answer"):
        ask(model)
    assert model.meter.total.tokens == 940


def test_answer_cut_off_at_the_limit_is_an_invalid_output() -> None:
    """It was paid for all the same."""
    cut_off = pytest.raises(OutputInvalid, match="cut off after 16 tokens")
    with serving(says("The bridge was", finish="length")) as server, client(server) as model, cut_off:
        ask(model, max_tokens=16)
    assert model.meter.total.completion_tokens == 5


def test_thinking_is_allowed_on_top_of_the_answer() -> None:
    with serving(says("yes")) as server, client(server, reasoning_tokens=1000) as model:
        ask(model, max_tokens=24)
    assert server.requests[0]["max_tokens"] == 1024


def test_schema_travels_as_strict_json_schema_without_what_strict_servers_refuse() -> None:
    with serving(says('{"name": "Ada"}')) as server, client(server) as model:
        ask(model, schema=SCHEMA)
    sent = server.requests[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"]["properties"] == {"name": {"type": "string"}}


def test_what_an_answer_may_lack_is_asked_of_strict_servers_all_the_same() -> None:
    """They take no schema with a property that is not required."""
    inner = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}
    schema = {"type": "object", "properties": {"many": {"type": "array", "items": inner}}, "required": []}
    with serving(says("{}")) as server, client(server) as model:
        assert ask(model, schema=schema).text == "{}"
        sent = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert sent["required"] == ["many"]
    assert sent["properties"]["many"]["items"]["required"] == ["a", "b"]


def test_endpoint_that_rejects_response_format_is_asked_in_weaker_ways_and_remembered() -> None:
    """From schema to object to plain words, once; the next question starts where the first ended."""

    def script(request: dict[str, Any]) -> Played:
        unknown = "response_format" in request
        return refuses(400, "This response_format type is unavailable.") if unknown else says('{"name": "Ada"}')

    with serving(script) as server, client(server) as model:
        assert ask(model, schema=SCHEMA).text == '{"name": "Ada"}'
        kinds = [request.get("response_format", {}).get("type") for request in server.requests]
        assert kinds == ["json_schema", "json_object", None]
        assert "minLength" in server.requests[2]["messages"][0]["content"]
        ask(model, [Message("user", "And who paid for it?")], schema=SCHEMA)
        assert len(server.requests) == 4


def test_endpoint_that_fails_with_500_over_the_format_is_asked_in_weaker_ways() -> None:
    def script(request: dict[str, Any]) -> Played:
        return refuses(500, "failed to parse grammar") if "response_format" in request else says("{}")

    with serving(script) as server, client(server) as model:
        ask(model, schema=SCHEMA)
        assert len(server.requests) == 3


def test_endpoint_that_rejects_parameters_is_asked_without_them() -> None:
    """Newer models know max_completion_tokens only, and neither temperature nor seed."""

    def script(request: dict[str, Any]) -> Played:
        if "max_tokens" in request:
            return refuses(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        for parameter in ("temperature", "seed"):
            if parameter in request:
                return refuses(400, f"Unsupported value: '{parameter}' does not support 0.")
        return says("fine")

    with serving(script) as server, client(server) as model:
        assert ask(model, max_tokens=9).text == "fine"
    assert len(server.requests) == 4
    assert server.requests[-1]["max_completion_tokens"] == 9


def test_dialect_gives_up_only_what_the_words_are_about() -> None:
    dialect = Dialect()
    assert dialect.after_refusal("The model is overloaded.", structured=True) is None
    assert dialect.after_refusal("response_format is not supported", structured=False) is None
    assert Dialect(json_mode="text").after_refusal("response_format is not supported", structured=True) is None


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

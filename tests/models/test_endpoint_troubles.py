"""The client of OpenAI-compatible endpoints against a server that refuses, is slow, is gone or says garbage."""

from __future__ import annotations

import json
import logging
import socket
import sys
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from polyhop.errors import EndpointError
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.reply import retry_after
from polyhop.models.transport import Backoff
from tests.worlds.endpoint import HELLO, Played, ask, client, in_turn, refuses, says, serving, streams


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

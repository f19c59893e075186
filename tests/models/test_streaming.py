"""Replies that are heard as they are written, against a real HTTP server that streams well, badly or not at all."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import EndpointError
from polyhop.models.accounting import estimated_tokens
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.heard import HeardEnough, heard_by
from polyhop.models.recorded import Recorder, Replay
from polyhop.models.reply import Reply
from polyhop.models.streamed_reply import StreamedReply
from polyhop.models.within import Within
from polyhop.ports import Completion, LanguageModel, Message
from polyhop.types import Budget, Cost
from tests.worlds.endpoint import EndpointServer, Played, in_turn, refuses, says, serving, streams

HELLO = (Message("system", "Be brief."), Message("user", "Who built the Lantern Bridge?"))
PIECES = ("Ada ", "Bro", "ok, né", "e Strand")
TEXT = "".join(PIECES)
USED = {"prompt_tokens": 12, "completion_tokens": 6}


class Heard:
    """A listener that notes what it hears of each reply."""

    def __init__(self) -> None:
        self.replies: list[list[str]] = []

    def begins(self) -> None:
        """Another reply."""
        self.replies.append([])

    def hears(self, piece: str) -> None:
        """More of it."""
        self.replies[-1].append(piece)


def client(server: EndpointServer, **settings: Any) -> OpenAICompatible:
    """A client that waits only milliseconds between attempts."""
    quick: dict[str, Any] = {"first_wait": 0.001, "longest_wait": 0.005, "timeout": 5.0}
    return OpenAICompatible(base_url=server.url, model="sage", **{**quick, **settings})


def ask(model: LanguageModel, heard: Heard) -> Completion:
    """Ask with somebody who listens."""
    return heard_by(model, heard).complete(HELLO, max_tokens=64)


def untimed(cost: Cost) -> Cost:
    return dataclasses.replace(cost, seconds=0.0)


def test_a_streamed_reply_is_heard_piece_by_piece_and_is_the_same_as_a_whole_one() -> None:
    heard = Heard()
    with serving(in_turn(streams(*PIECES, usage=USED), says(TEXT, usage=USED))) as server, client(server) as model:
        completion = ask(model, heard)
        whole = model.complete(HELLO, max_tokens=64)
    assert heard.replies == [list(PIECES)]
    assert (completion.text, untimed(completion.cost)) == (whole.text, untimed(whole.cost))
    first, second = server.requests
    assert (first.pop("stream"), first.pop("stream_options")) == (True, {"include_usage": True})
    assert (second.pop("stream"), first) == (False, second), "nothing else differs"


def test_pieces_are_heard_before_the_reply_is_whole() -> None:
    """The server waits with the rest until the first words were heard."""
    begun = threading.Event()

    class First(Heard):
        def hears(self, piece: str) -> None:
            super().hears(piece)
            begun.set()

    heard = First()

    def go_on(number: int) -> None:
        assert number < 2 or begun.wait(10.0)

    with serving(streams(*PIECES, go_on=go_on)) as server, client(server, timeout=30.0) as model:
        assert ask(model, heard).text == TEXT


def test_an_endpoint_that_ignores_the_wish_for_a_stream_is_read_whole() -> None:
    heard = Heard()
    with serving(says(TEXT)) as server, client(server) as model:
        assert ask(model, heard).text == TEXT
    assert (heard.replies, len(server.requests)) == ([[]], 1)


@pytest.mark.parametrize(
    ("refusal", "again"),
    [
        (refuses(400, "'stream' is not supported with response_format"), 1),  # it says so, and is not asked again
        (refuses(422, "bad request"), 2),
        (refuses(500, "internal error"), 2),
    ],
)
def test_an_endpoint_that_refuses_streams_is_asked_for_a_whole_reply(refusal: Played, again: int) -> None:
    def script(request: dict[str, Any]) -> Played:
        return refusal if request["stream"] else says(TEXT)

    with serving(script) as server, client(server) as model:
        assert [ask(model, Heard()).text for _ in range(2)] == [TEXT, TEXT]
    assert sum(request["stream"] for request in server.requests) == again


def test_an_endpoint_that_refuses_to_tell_the_tokens_streams_all_the_same() -> None:
    heard = Heard()
    refusal = refuses(400, "Unrecognized request argument supplied: stream_options")
    with serving(in_turn(refusal, streams(*PIECES))) as server, client(server) as model:
        completion = ask(model, heard)
    assert heard.replies[-1] == list(PIECES)
    assert "stream_options" not in server.requests[-1]
    assert completion.cost.completion_tokens == len(TEXT.encode()) // 4 + 1, "estimated, as for whole replies"


@pytest.mark.parametrize(
    "broken",
    [
        streams(*PIECES, hang_up=True),
        streams(*PIECES, finish=None, done=False),  # it ends well, as far as HTTP can tell
        Played(
            body=b'data: {"error": {"message": "out of memory"}}\n\n', headers={"Content-Type": "text/event-stream"}
        ),
        Played(body=b"", headers={"Content-Type": "text/event-stream"}),
        Played(body=streams(*PIECES).body.replace(b'"content": "', b'"content": ', 2)),  # a piece of it is garbled
    ],
)
def test_a_stream_that_breaks_off_is_asked_for_again_and_heard_anew(broken: Played) -> None:
    heard = Heard()
    with serving(in_turn(broken, streams(*PIECES))) as server, client(server) as model:
        answer = ask(model, heard)
        assert answer.text == TEXT
        told_an_error = b'"error"' in broken.body  # what a server refuses it does not charge
        assert model.meter.total.llm_calls == answer.cost.llm_calls == (1 if told_an_error else 2)
    assert len(heard.replies) == 2
    assert heard.replies[-1] == list(PIECES)


def test_what_was_written_before_an_error_within_a_stream_counts() -> None:
    """The server has read the prompt and written so much, whatever it then ran out of."""
    error = b'data: {"error": {"message": "out of memory", "code": 503}}\n\n'
    begun = streams(*PIECES, finish=None, done=False).body
    script = in_turn(Played(body=begun + error), streams(*PIECES, usage=USED))
    with serving(script) as server, client(server) as model:
        cost = ask(model, Heard()).cost
        assert cost == model.meter.total
    assert cost.llm_calls == len(server.requests) == 2
    assert cost.completion_tokens == estimated_tokens(TEXT) + USED["completion_tokens"]


def test_an_answer_that_never_ends_counts_although_it_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyhop.models.transport.MAX_BYTES", 1000)
    with serving(streams(*PIECES * 20)) as server, client(server) as model:
        with pytest.raises(EndpointError, match="more than 1,000 bytes"):
            ask(model, Heard())
        assert model.meter.total.llm_calls == len(server.requests) == 1
        assert model.meter.total.completion_tokens > 0


@pytest.mark.parametrize("pause", [20.0, 0.01], ids=["silent", "alive with comments"])
def test_a_reply_is_whole_once_the_server_says_so_although_it_does_not_hang_up(
    pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some proxies keep a connection open behind what was the end: that is waited for once, and not for long."""
    monkeypatch.setattr("polyhop.models.transport._LINGERING", 0.1)
    gone, whole, held = threading.Event(), streams(*PIECES, usage=USED), []
    pieces = (whole.body, *[b": still here\n\n"] * 1000)

    def go_on(number: int) -> None:
        if number and not gone.wait(pause):
            held.append(number)

    with serving(replace(whole, pieces=pieces, body=b"".join(pieces), go_on=go_on)) as server:
        with client(server, timeout=60.0, attempts=1) as model:
            assert [ask(model, Heard()).text for _ in range(2)] == [TEXT, TEXT]
            assert model.meter.total.llm_calls == 2
            assert max(held, default=0) < len(pieces) - 1  # nobody was waited for to the end
        gone.set()


def test_replies_that_stream_one_after_the_other_share_a_connection() -> None:
    """To open one for each costs a handshake a call."""
    with serving(streams(*PIECES, usage=USED)) as server, client(server) as model:
        for _ in range(3):
            ask(model, Heard())
    assert len(server.callers) == 3
    assert len(set(server.callers)) == 1


def test_a_character_that_a_server_cuts_in_two_takes_nothing_else_with_it() -> None:
    """Some servers end a piece within a character; what else the piece says is heard, and so it is of a whole reply."""
    cut = '"Ada Br\u00fcck"'.encode()[:-4] + b'"'
    event = b'data: {"choices": [{"delta": {"content": ' + cut + b"}}]}\n\ndata: [DONE]\n\n"
    whole = b'{"choices": [{"message": {"content": ' + cut + b"}}]}"
    for body in (event, whole):
        with serving(Played(body=body)) as server, client(server) as model:
            assert ask(model, Heard()).text == "Ada Br\ufffd"


def test_an_error_within_a_stream_that_will_not_pass_is_told() -> None:
    error = {"error": {"message": "no such model", "code": 404}}
    played = Played(body=f"data: {json.dumps(error)}\n\n".encode())
    with serving(played) as server, client(server) as model, pytest.raises(EndpointError, match="no such model"):
        ask(model, Heard())


@pytest.mark.parametrize("last", [{}, None])
def test_tokens_that_are_told_before_the_end_of_a_stream_count(last: dict[str, Any] | None) -> None:
    """What a last event holds that tells nothing takes nothing back."""
    told = streams(*PIECES, usage=USED, done=False).body
    body = told + f"data: {json.dumps({'choices': [], 'usage': last})}\n\n".encode()
    with serving(Played(body=body)) as server, client(server) as model:
        cost = ask(model, Heard()).cost
    assert (cost.prompt_tokens, cost.completion_tokens) == (12, 6)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thoughts_in_a_field_of_their_own_are_waited_for_and_counted_but_not_heard(field: str) -> None:
    """The model thinks for twice as long as an answer is waited for; nobody says how many tokens that took."""
    heard, thought = Heard(), "Who built bridges there? "
    chunks = [{"choices": [{"delta": {field: thought}}]}] * 8
    events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    answer = streams(*PIECES)
    slow = replace(answer, pieces=(*events, *answer.pieces), body=b"".join(events) + answer.body)
    slow = replace(slow, go_on=lambda number: time.sleep(0.1 if number < len(events) else 0))
    with serving(slow) as server, client(server, timeout=0.4, attempts=1) as model:
        completion = ask(model, heard)
    assert (completion.text, heard.replies) == (TEXT, [list(PIECES)])
    assert completion.cost.completion_tokens == estimated_tokens(thought * 8 + TEXT)
    assert len(server.requests) == 1


def test_what_was_streamed_is_kept_and_recorded_whole(tmp_path: Path) -> None:
    file, heard = tmp_path / "replies.jsonl", Heard()
    with serving(streams(*PIECES, usage=USED)) as server, client(server, cache=str(tmp_path)) as model:
        first = ask(Recorder(model, file), heard)
        kept = ask(model, heard)
    assert len(server.requests) == 1
    assert (kept.text, kept.cost) == (first.text, Cost())
    assert heard.replies == [list(PIECES)], "what was kept is there at once"
    replayed = Replay(file).complete(HELLO)
    assert (replayed.text, untimed(replayed.cost)) == (first.text, untimed(first.cost))


def test_a_listener_that_has_heard_enough_ends_the_request_and_what_it_took_is_counted() -> None:
    class Gone(Exception):
        pass

    class Impatient(Heard):
        def hears(self, piece: str) -> None:
            super().hears(piece)
            raise Gone

    heard = Impatient()
    with serving(streams(*PIECES)) as server, client(server) as model:
        within = Within.of(model, Budget(llm_calls=3, llm_tokens=1000))
        with pytest.raises(HeardEnough) as caught:
            ask(within, heard)
        assert isinstance(caught.value.reason, Gone)
        assert heard.replies == [[PIECES[0]]]
        assert within.spent.llm_calls == model.meter.total.llm_calls == 1
        assert within.spent.prompt_tokens > 0
    assert len(server.requests) == 1


def test_a_model_that_only_gives_whole_replies_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    replay = Replay(tmp_path / "none.jsonl")
    assert heard_by(replay, Heard()) is replay


PARTS = st.lists(st.text(max_size=6), max_size=6)


@given(pieces=PARTS, cuts=st.lists(st.integers(0, 2000), max_size=20), ascii_only=st.booleans(), lines=st.booleans())
def test_any_cutting_of_the_bytes_gives_the_same_reply(
    pieces: list[str], cuts: list[int], ascii_only: bool, lines: bool
) -> None:
    chunks = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    events = [f"data: {json.dumps(chunk, ensure_ascii=ascii_only)}" for chunk in chunks]
    end = "\r\n\r\n" if lines else "\n\n"
    body = "".join(event + end for event in [": keep alive", *events, "data: [DONE]"]).encode("utf-8", "surrogatepass")
    heard = Heard()
    reply = StreamedReply(heard)
    places = [0, *sorted(place for place in cuts if place < len(body)), len(body)]
    for start, stop in pairwise(places):
        reply.take(body[start:stop])
    whole = reply.whole(Reply(200, {}, body))
    assert whole is not None
    said = whole.json()["choices"][0]["message"]["content"]
    assert "".join(heard.replies[0]) == said == "".join(pieces)

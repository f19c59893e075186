"""Replies that go round in circles, and when they are stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.models.accounting import WastedOutput
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.heard import heard_by
from polyhop.models.repetition import LEAST, ROUNDS, goes_round
from polyhop.models.structured import complete_json
from polyhop.ports import Message
from tests.worlds.endpoint import serving, streams

ASKED = (Message("user", "Which facts does the passage state?"),)
SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
}
FACT = "Ada Brook built the Lantern Bridge in 1911"
BEGUN = '{"facts": ["Harrow lies on the river Ense", '


CIRCLES = streams(BEGUN, *[f"{json.dumps(FACT)}, "] * 400, finish="length", usage={"completion_tokens": 9000})


@given(before=st.text(max_size=2000), once=st.text(min_size=1, max_size=900))
def test_a_text_that_ends_with_the_same_three_times_goes_round(before: str, once: str) -> None:
    rounds = max(ROUNDS, -(-LEAST // len(once)))
    assert goes_round(before + once * rounds)


@given(st.text(max_size=LEAST - 1))
def test_a_short_text_never_goes_round(text: str) -> None:
    assert not goes_round(text)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(
            [{"passage": at, "head": "Ada Brook", "relation": "built", "tail": f"Pier {at}"} for at in range(99)]
        ),
        json.dumps([{"claim": at, "holds": True} for at in range(500)]),
        ", ".join(["true", "true", "false"] * 40),
        FACT * 2,
    ],
    ids=["like facts", "numbered verdicts", "two hundred verdicts", "said twice"],
)
def test_what_is_alike_does_not_go_round(text: str) -> None:
    assert not goes_round(text)


def test_a_reply_that_goes_round_is_left_and_counts_for_what_it_says_once() -> None:
    with serving(CIRCLES) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        value, cost = complete_json(model, ASKED, SCHEMA, 9000)
        assert model.meter.total.llm_calls == cost.llm_calls == 1
    assert value == {"facts": ["Harrow lies on the river Ense", FACT]}
    assert cost.completion_tokens < 1000, "the server would have written on for 400 rounds"
    assert server.requests[0]["stream"] is True


@pytest.mark.parametrize(
    ("end", "facts"),
    [
        (f'"{FACT}, {"where it rains, " * 30}", ' * 3, [f"{FACT}, {'where it rains, ' * 30}"]),
        (f'"{FACT} {"and " * 300}', []),
        (f'"{FACT}"{" " * 1200}', [FACT]),
    ],
    ids=["a long fact, three times", "a word within a fact", "white space"],
)
def test_whatever_goes_round_what_came_before_it_counts(end: str, facts: list[str]) -> None:
    pieces = [BEGUN, *(end[at : at + 40] for at in range(0, len(end), 40))]
    with (
        serving(streams(*pieces, finish="length")) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        value, _ = complete_json(model, ASKED, SCHEMA, 9000)
    assert value == {"facts": ["Harrow lies on the river Ense", *facts]}
    assert len(server.requests) == 1


def test_what_went_round_is_kept_and_not_paid_for_again(tmp_path: Path) -> None:
    with (
        serving(CIRCLES) as server,
        OpenAICompatible(base_url=server.url, model="sage", cache=str(tmp_path)) as model,
    ):
        for paid in (True, False):
            with pytest.raises(WastedOutput, match="the same again and again") as caught:
                model.complete(ASKED, max_tokens=9000, schema=SCHEMA)
            assert (caught.value.cost.llm_calls > 0) is paid
            assert caught.value.text.startswith(BEGUN)
    assert len(server.requests) == 1


def test_whoever_listens_hears_a_reply_until_it_goes_round() -> None:
    heard: list[str] = []

    class Listener:
        def begins(self) -> None:
            heard.clear()

        def hears(self, piece: str) -> None:
            heard.append(piece)

    with (
        serving(CIRCLES) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
        pytest.raises(WastedOutput),
    ):
        heard_by(model, Listener()).complete(ASKED, max_tokens=9000, schema=SCHEMA)
    assert "".join(heard).startswith(BEGUN)
    assert len("".join(heard)) < 4000

"""JSON out of a model's words, checked against a schema, repaired once."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import OutputInvalid
from polyhop.models.accounting import WastedOutput
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.structured import MAX_CHARACTERS, MAX_DEPTH, Fault, check, complete_json, parse_json
from polyhop.ports import Message
from tests.worlds.endpoint import in_turn, says, serving

ASK = (Message("user", "Name the ferry."),)
FERRY: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "decks": {"type": "integer"},
        "ports": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        "kind": {"enum": ["steam", "sail"]},
        "owner": {"type": ["string", "null"]},
    },
    "required": ["name"],
    "additionalProperties": False,
}

plain_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Gull"}',
        '  {"name": "Gull"}\n',
        '```json\n{"name": "Gull"}\n```',
        'Here you are:\n```\n{"name": "Gull"}\n```\nAnything else?',
        'As [1] says, the ferry is {"name": "Gull"}. I hope {this} helps.',
        '<think>Is it {"name": "Auk"}? No.</think>{"name": "Gull"}',
        'First {"title": "no"} and then {"name": "Gull"}',
        'An unfinished {"name": "A and then {"name": "Gull"}',
        '```json {"name": "Gull"}```',
        '~~~json\n{"name": "Gull"}\n~~~',
        '```JSON\r\n{"name": "Gull"}\r\n```\r\n',
        'Is it {"name": "Auk"}? No.</think>\n\n{"name": "Gull"}',
        '<think>Is it {"name": "Auk"}?</think>No.<think>{"name": "Tern"}?</think>```json\n{"name": "Gull"}\n```',
        '<reasoning>Is it <b>{"name": "Auk"}</b>?</reasoning> {"name": "Gull"} <think>or {"name": "Tern"}',
        'The ferry may be an auk, or [1, 2, 3] gulls.\n\nSo: {"name": "Gull"}',
        '{"name": "Gull"}\n{"name": "Auk"}',
        'It could be {"name": "Auk"}, but:\n```json\n{"name": "Gull"}\n```',
        '```json\n{"name": "Auk", "ports": [\n```\nOnce more:\n```json\n{"name": "Gull"}\n```',
        'It is {"name": "Gull"}. Its ports are [',
    ],
)
def test_value_is_found_whatever_stands_around_it(text: str) -> None:
    assert parse_json(text, FERRY) == {"name": "Gull"}


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({}, "$.name is missing."),
        ({"name": None}, "$.name must be of type string, not null."),
        ({"name": "G"}, "$.name must have at least 2 characters."),
        ({"name": "Gull", "decks": 1.5}, "$.decks must be of type integer, not number."),
        ({"name": "Gull", "decks": True}, "$.decks must be of type integer, not boolean."),
        ({"name": "Gull", "ports": []}, "$.ports must have at least 1 item, not 0."),
        ({"name": "Gull", "ports": list("abcd")}, "$.ports must have at most 3 items, not 4."),
        ({"name": "Gull", "ports": ["Oss", {}]}, "$.ports[1] must be of type string, not object."),
        ({"name": "Gull", "kind": "motor"}, '$.kind must be one of ["steam", "sail"].'),
        ({"name": "Gull", "owner": 3}, "$.owner must be of type string or null, not integer."),
        ({"name": "Gull", "crew": 3}, '$ must not have "crew".'),
        (["Gull"], "$ must be of type object, not array."),
    ],
)
def test_fault_says_where_and_what(value: object, fault: str) -> None:
    """In words that a model can act upon."""
    with pytest.raises(Fault) as caught:
        parse_json(json.dumps(value), FERRY)
    assert str(caught.value) == fault


@pytest.mark.parametrize("text", ["", "Gull", "{", '{"name": "Gull"', "NaN", "[NaN]", '{"name": "\\ud800"}'])
def test_text_without_a_complete_value_is_a_fault(text: str) -> None:
    with pytest.raises(Fault, match="no complete JSON value"):
        parse_json(text, FERRY)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Gull", "mate": {"name": "Auk"}',
        '```json\n{"name": "Gull", "mate": {"name": "Auk"}\n',
        '```json\n{"name": "Gull", "mate": {"name": "Auk"}\n```',
        '[{"name": "Gull"}, {"name": "Auk"}, ',
        'So: {"mate": {"name": "Auk"}, "name": "Gu',
        '<think>It is {"name": "Gull"}, is it',
        '{"name": "Gull"}</think>',
    ],
)
def test_what_lies_within_a_cut_off_value_or_a_thought_is_no_answer(text: str) -> None:
    with pytest.raises(Fault, match="no complete JSON value"):
        parse_json(text, FERRY)


@given(st.integers(0, 40))
def test_a_cut_off_value_is_never_read(length: int) -> None:
    text = json.dumps({"name": "Gull", "ports": ["Tarn"], "owner": None})
    for before in ("", "Sure: ", "```json\n", '<think>{"name": "Auk"}</think>'):
        with pytest.raises(Fault):
            parse_json(before + text[:length], FERRY)


@given(plain_json)
def test_every_json_value_survives_a_fence_and_prose(value: object) -> None:
    """Law: what is written is what is read."""
    schema: dict[str, Any] = {"enum": [value]}
    assert parse_json(json.dumps(value), schema) == value
    assert parse_json(f"Sure:\n```json\n{json.dumps(value, indent=1)}\n```\nDone.", schema) == value


def schema_and_values() -> st.SearchStrategy[tuple[dict[str, Any], Any, Any]]:
    """A schema, a value that obeys it and one that does not."""
    leaves: st.SearchStrategy[tuple[dict[str, Any], Any, Any]] = st.sampled_from(
        [
            ({"type": "string", "minLength": 1}, "a", ""),
            ({"type": "integer"}, 3, "3"),
            ({"type": "number"}, 0.5, False),
            ({"type": "boolean"}, True, 1),
            ({"type": ["string", "null"]}, None, 0),
            ({"enum": ["x", 1]}, 1, True),
        ]
    )

    def arrays(inner: tuple[dict[str, Any], Any, Any]) -> tuple[dict[str, Any], Any, Any]:
        schema, good, bad = inner
        return {"type": "array", "items": schema, "maxItems": 3}, [good, good], [good, bad]

    def objects(inner: tuple[dict[str, Any], Any, Any]) -> tuple[dict[str, Any], Any, Any]:
        schema, good, bad = inner
        outer = {"type": "object", "properties": {"k": schema}, "required": ["k"], "additionalProperties": False}
        return outer, {"k": good}, {"k": bad}

    return st.recursive(leaves, lambda inner: inner.map(arrays) | inner.map(objects), max_leaves=4)


@given(schema_and_values())
def test_check_accepts_what_obeys_and_refuses_what_does_not(case: tuple[dict[str, Any], Any, Any]) -> None:
    """Law: a single broken leaf breaks the whole, however deep it lies."""
    schema, good, bad = case
    check(good, schema)
    with pytest.raises(Fault):
        check(bad, schema)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 50_000,
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        "{" * 1000 + "[1," * 60_000,
        "```\n" + "\t" * 200_000,
        "<think>" * 40_000,
        "9" * 300_000,
        "x" * (MAX_CHARACTERS + 1),
    ],
    ids=["brackets", "objects", "depth", "commas", "fence", "thoughts", "digits", "length"],
)
def test_hostile_output_is_refused_in_bounded_time(text: str) -> None:
    began = time.monotonic()
    with pytest.raises(Fault):
        parse_json(text, FERRY)
    assert time.monotonic() - began < 5


def test_broken_output_is_repaired_once() -> None:
    """The model sees its own output, the fault and the schema; both calls are paid for."""
    script = in_turn(says('{"nam": "Gull"}'), says('{"name": "Gull"}'))
    with serving(script) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        value, cost = complete_json(model, ASK, FERRY)
    assert value == {"name": "Gull"}
    assert (cost.llm_calls, cost.tokens) == (2, 30)
    first, shown, wish = server.requests[1]["messages"]
    assert (first["content"], shown["role"], shown["content"]) == ("Name the ferry.", "assistant", '{"nam": "Gull"}')
    assert "$.name is missing." in wish["content"]
    assert json.dumps(FERRY) in wish["content"]


def test_output_that_stays_broken_is_invalid() -> None:
    """After exactly two calls, whose cost the error tells."""
    with serving(says("I would rather not.")) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        with pytest.raises(OutputInvalid, match="after one repair") as caught:
            complete_json(model, ASK, FERRY)
        assert len(server.requests) == 2
    assert isinstance(caught.value, WastedOutput)
    assert (caught.value.text, caught.value.cost.llm_calls) == ("I would rather not.", 2)


@pytest.mark.parametrize(("text", "finish"), [('{"name": "Gu', "length"), ("", "stop")])
def test_cut_off_or_empty_output_is_repaired_too(text: str, finish: str) -> None:
    script = in_turn(says(text, finish=finish), says('{"name": "Gull"}'))
    with serving(script) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        value, cost = complete_json(model, ASK, FERRY)
    assert value == {"name": "Gull"}
    assert cost.llm_calls == 2
    assert [message["role"] for message in server.requests[1]["messages"]][-1] == "user"


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "Gull"}\n```\nThis ferry, as I said',
        '<think>Is it {"name": "Auk"}?</think>\n{"name": "Gull"}\n\n\n',
    ],
)
def test_a_complete_value_counts_although_what_follows_is_cut_off(text: str) -> None:
    with serving(says(text, finish="length")) as server, OpenAICompatible(base_url=server.url, model="m") as model:
        value, cost = complete_json(model, ASK, FERRY)
        assert value == {"name": "Gull"}
        assert cost.llm_calls == model.meter.total.llm_calls == 1


@pytest.mark.parametrize("again", [["Auk"], ["Gull", "Auk"]])
def test_output_that_repeats_itself_until_it_is_cut_off_counts_once(again: list[str]) -> None:
    """Small models do: the same again would be all that a second call brings. What only ends is still repaired."""
    fleet = {"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}}
    said = json.dumps({"names": ["Tern", "Gull", *again * 9]})[:-5]
    with serving(says(said, finish="length")) as server, OpenAICompatible(base_url=server.url, model="m") as model:
        value, _ = complete_json(model, ASK, fleet)
        assert value == {"names": ["Tern", "Gull", "Auk"]}
        assert len(server.requests) == 1


def test_output_that_repeated_itself_and_went_on_before_it_was_cut_off_is_repaired() -> None:
    """What it was about to say is lacking: taken for all, it would be two ferries, and the crew of one."""
    crew = {"type": "object", "properties": {"ferry": {"type": "string"}, "crew": {"type": "array"}}}
    fleet = {"type": "object", "properties": {"fleet": {"type": "array", "items": crew}}, "required": ["fleet"]}
    gull, auk = {"ferry": "Gull", "crew": ["Ada", "Ada", "Ada", "Ada"]}, {"ferry": "Auk", "crew": ["Bea"]}
    whole = json.dumps({"fleet": [gull, auk]})
    script = in_turn(says(whole[:-20], finish="length"), says(whole))
    with serving(script) as server, OpenAICompatible(base_url=server.url, model="m") as model:
        value, _ = complete_json(model, ASK, fleet)
        assert [one["ferry"] for one in value["fleet"]] == ["Gull", "Auk"]
        assert len(server.requests) == 2


def test_good_output_is_not_asked_for_twice() -> None:
    with serving(says('{"name": "Gull"}')) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        complete_json(model, ASK, FERRY)
        assert len(server.requests) == 1

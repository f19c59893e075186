"""The answer in a model's JSON while it is being written, however the text is cut."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.models.json_arriving import JsonArriving
from polyhop.models.structured import parse_json
from polyhop.prompts.read_answer import BRIEF, SCHEMA, answer_so_far

QUOTED = {"passage": 1, "quote": 'It was "Ada" – née Strand 🌊 – who built\tit.\n'}
BRIEFLY = {"support": [QUOTED], "found": True, "answer": "Ada “the Gull” Brook, née\\Strand 🌊"}
STEPS = {
    "support": [QUOTED, QUOTED],
    "found": True,
    "shape": "steps",
    "answer": [{"text": "Loosen {it}.", "support": [1]}, {"text": "Lift [it] out.", "support": [1, 2]}],
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def arrived(text: str, *cuts: int) -> JsonArriving:
    """What has arrived once a text was taken in pieces."""
    arriving = JsonArriving("answer")
    places = [0, *sorted(cuts), len(text)]
    for start, stop in pairwise(places):
        arriving.take(text[start:stop])
    return arriving


def drafts(text: str) -> list[str]:
    """The answer so far behind each character, without repetitions."""
    arriving, told = JsonArriving("answer"), [""]
    for character in text:
        arriving.take(character)
        so_far = answer_so_far(arriving.value or {})
        if so_far != told[-1]:
            told.append(so_far)
    return told


@given(value=st.dictionaries(st.text(max_size=4), JSON, max_size=4), ascii_only=st.booleans(), data=st.data())
def test_any_object_is_read_as_it_is_however_it_is_cut(value: dict[str, Any], ascii_only: bool, data: Any) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=data.draw(st.sampled_from([None, 1])))
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    assert arrived(text, *cuts).value == value


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(
    ("reply", "answer"), [(BRIEFLY, BRIEFLY["answer"]), (STEPS, "1. Loosen {it}.\n2. Lift [it] out.")]
)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "```json\n{}\n```",
        "Here is the {answer}, as you wished:\n\n{}\n\nI hope that it helps.",
        '<think>The answer is {"answer": "Otto"}? No.</think>\n{}',
        'It might be {"answer": "Otto"}, but no.</think>{}',  # the server has begun within the thoughts
        'An example: {"a": [1, {"b": 2}]}. {}',
        '{"broken": [1, {"a" 2}]} {}',
    ],
)
def test_the_answer_grows_and_ends_as_it_is_read_whole(
    reply: dict[str, Any], answer: str, around: str, ascii_only: bool
) -> None:
    body = json.dumps(reply, ensure_ascii=ascii_only)
    told = drafts(around.replace("{}", body))
    assert told[-1] == answer
    anew = max(place for place, text in enumerate(told) if not text)
    for before, after in pairwise(told[anew:]):
        assert after.startswith(before), "it only grows"
    assert len(told) - anew > len(answer) * 0.7, "character by character"


def test_braces_in_thoughts_do_not_use_up_the_tries_of_what_is_said_after_them() -> None:
    body = json.dumps(BRIEFLY)
    assert drafts("{x} " * 200 + "</think>" + body)[-1] == BRIEFLY["answer"]


def test_half_an_escape_is_never_shown() -> None:
    told = drafts(json.dumps({"answer": "a🌊\n\u201c"}))
    assert told == ["", "a", "a🌊", "a🌊\n\u201c"]  # white space at the end is no part of an answer


def test_nothing_is_told_of_an_answer_that_was_not_found() -> None:
    assert drafts(json.dumps({"support": [], "found": False, "answer": "perhaps Otto"})) == [""]


@pytest.mark.parametrize(
    "text", ["", "Ada Brook.", '["Ada"]', "{" * 5000, '{"a":' * 5000, "[{" * 5000, '{"answer": 1e', "<think>"]
)
def test_what_holds_no_answer_gives_none_in_bounded_time(text: str) -> None:
    assert drafts(text) == [""]


@given(data=st.data(), reply=st.sampled_from([BRIEFLY, STEPS]))
def test_what_was_read_as_it_came_is_what_is_read_at_the_end(data: Any, reply: dict[str, Any]) -> None:
    text = "<think>So {it is}</think> Well:\n```json\n" + json.dumps(reply) + "\n```"
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    assert arrived(text, *cuts).value == parse_json(text, BRIEF if reply is BRIEFLY else SCHEMA)

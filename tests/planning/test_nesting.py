"""Stretches taken for descriptions make a plan, whatever a model says of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.described import placed_words
from polyhop.planning.nesting import MOST, Stretch, nested
from polyhop.ports import Floats
from tests.worlds.stretches import scores

ASKED = "Where did the keeper of the light that Ada Lund built live?"


def taken(chances: dict[str, float], question: str = ASKED) -> list[str]:
    words = placed_words(question)
    return [
        question[words[start].start : words[end - 1].end] for start, end in nested(scores(chances, question), words)
    ]


INNER, OUTER = "the light that Ada Lund built", "the keeper of the light that Ada Lund built"


def test_what_is_described_within_a_description_comes_first() -> None:
    assert taken({OUTER: 0.7, INNER: 0.9}) == [INNER, OUTER]
    assert taken({OUTER: 0.7, INNER: 0.2}) == [OUTER]
    assert taken({}) == []


def test_of_two_that_cross_the_likelier_is_taken() -> None:
    assert taken({"the keeper of the light": 0.8, "the light that Ada Lund built": 0.7}) == ["the keeper of the light"]


def test_chances_of_readings_of_one_description_are_added_up() -> None:
    asked = "Who leads the club that Ada plays for?"
    assert taken({"the club that Ada plays for": 0.3, "the club that Ada plays": 0.25}, asked) == [
        "the club that Ada plays for"
    ]
    assert taken({"the club that Ada plays for": 0.3, "the club": 0.05}, asked) == []


def test_the_whole_question_is_no_description() -> None:
    assert taken({ASKED: 0.99}) == []


@st.composite
def matrices(draw: st.DrawFn) -> tuple[Floats, str]:
    words = draw(st.lists(st.sampled_from(["the", "keeper", "of", "Ada", "lit", "and"]), max_size=9))
    values = st.floats(-20, 20, width=32)
    rows = [[draw(values) for _ in words] for _ in words]
    return np.array(rows, np.float32).reshape(len(words), len(words)), " ".join(words)


@given(matrices(), st.floats(0.01, 0.99))
def test_any_two_stretches_lie_apart_or_one_within_the_other(case: tuple[Floats, str], likely: float) -> None:
    values, question = case
    words = placed_words(question)
    found = nested(values, words, likely=likely)
    assert len(found) <= MOST
    assert len(set(found)) == len(found)
    for place, one in enumerate(found):
        assert 0 <= one[0] < one[1] <= len(words)
        assert one != (0, len(words))
        assert all(_apart(one, other) or _within(other, one) for other in found[:place]), "inner ones come first"


def _apart(one: Stretch, other: Stretch) -> bool:
    return one[1] <= other[0] or other[1] <= one[0]


def _within(one: Stretch, other: Stretch) -> bool:
    return other[0] <= one[0] and one[1] <= other[1]

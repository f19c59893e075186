"""What questions compare things by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.degrees import FORMS, Degree, asked_degree
from polyhop.english.words import is_agent


@pytest.mark.parametrize(
    ("question", "asked", "more", "most"),
    [
        ("Which lamp is heavier, the Grebe or the Heron?", "How heavy is {}?", True, False),
        ("Is lamp A3 or A4 cheaper?", "How expensive is lamp {}?", False, False),
        ("Which is dearer, the Grebe or the Heron?", "How expensive is {}?", True, False),
        ("Which lamp is dimmer, the Grebe or the Heron?", "How bright is {}?", False, False),
        ("Which costs less, the Grebe or the Heron?", "How much does {} cost?", False, False),
        ("Which town had more visitors, Fenn or Tarn?", "How many visitors did {} have?", True, False),
        ("Which holds more oil, the Grebe or the Heron?", "How much oil does {} hold?", True, False),
        ("Who serves longer, Ada or Piet?", "How long does {} serve?", True, False),
        ("Where is entry cheaper, in Fenn or in Tarn?", "How expensive is entry {}?", False, False),
        ("which room is the cheapest to hire", "How expensive is {} to hire?", False, True),
        ("Which lamp has the shortest wick?", "How long is the wick of {}?", False, True),
        ("What is the least expensive lamp?", "How expensive is {}?", False, True),
        ("Which course has the fewest weeks?", "How many weeks does {} have?", False, True),
        ("Which lamp costs the most?", "How much does {} cost?", True, True),
        ("Which boat to Fenn is cheaper?", "How expensive is {}?", False, True),
        ("Which boat is cheaper than ours?", "How expensive is {}?", False, False),
    ],
)
def test_what_is_compared_is_asked_of_each_thing(question: str, asked: str, more: bool, most: bool) -> None:
    degree = asked_degree(question)
    assert degree is not None
    assert (degree.asked, degree.more, degree.most) == (asked, more, most)


@pytest.mark.parametrize(
    "question",
    [
        "Is the hall at least 5 m long?",
        "Do most members vote?",
        "What are the most common faults?",
        "How long is the wick?",
        "Why was the cheaper lamp bought?",
        "Which lamp burns?",
        "",
        "longest",
        "Who was late?",
    ],
)
def test_other_questions_compare_nothing(question: str) -> None:
    assert asked_degree(question) is None


def test_the_things_are_called_as_the_question_does() -> None:
    assert asked_degree("What is the deepest lake in Norland?") == Degree("How deep is {}?", True, True, "lake")
    assert asked_degree("Which language course is the dearest and longest?") is not None


@pytest.mark.parametrize(
    ("form", "adjective", "more"),
    [("heavier", "heavy", True), ("bigger", "big", True), ("largest", "large", True), ("slowest", "fast", False),
     ("newer", "old", False), ("shallower", "deep", False), ("thinner", "thick", False), ("closer", "far", False)],
)  # fmt: skip
def test_forms_of_adjectives_are_those_of_what_is_measured(form: str, adjective: str, more: bool) -> None:
    assert FORMS[form] == (adjective, more)


def test_the_more_of_something_is_nobody_who_does_it() -> None:
    """As in "Which is the smaller of the two?"."""
    assert [form for form in FORMS if is_agent(form)] == []


@given(
    st.lists(
        st.sampled_from(["which", "lamp", "is", "the", "heavier", "most", "or", "has", ",", "A3", "of"]), max_size=9
    )
)
def test_any_question_is_read(words: list[str]) -> None:
    degree = asked_degree(" ".join(words))
    assert degree is None or "{}" in degree.asked

"""What a question for a yes or no offers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.degrees import degree_within
from polyhop.english.options import alternatives


@pytest.mark.parametrize(
    ("question", "options", "questions"),
    [
        ("Does gas or oil cause harm?", ("gas", "oil"), ("Does gas cause harm?", "Does oil cause harm?")),
        ("Is diving or swimming allowed?", ("diving", "swimming"), ("Is diving allowed?", "Is swimming allowed?")),
        (
            "Did the board choose the red lamp or the green one?",
            ("the red lamp", "the green one"),
            ("Did the board choose the red lamp?", "Did the board choose the green one?"),
        ),
        ("May I bring a cat or a dog?", ("a cat", "a dog"), ("May I bring a cat?", "May I bring a dog?")),
        (
            "May guests use boats or rafts during a storm?",
            ("boats", "rafts"),
            ("May guests use boats during a storm?", "May guests use rafts during a storm?"),
        ),
        (
            "Did more owls nest in 2016 or last year?",
            ("in 2016", "last year"),
            ("Did more owls nest in 2016?", "Did more owls nest last year?"),
        ),
        (
            "Is oil cheaper than gas or dearer?",
            ("cheaper than gas", "dearer"),
            ("Is oil cheaper than gas?", "Is oil dearer?"),
        ),
        (
            "Is the boat to Fenn, the one to Tarn or the train cheaper?",
            ("the boat to Fenn", "the one to Tarn", "the train"),
            ("Is the boat to Fenn cheaper?", "Is the one to Tarn cheaper?", "Is the train cheaper?"),
        ),
        (
            "Is the boat to Fenn or the one to Tarn cheaper?",
            ("the boat to Fenn", "the one to Tarn"),
            ("Is the boat to Fenn cheaper?", "Is the one to Tarn cheaper?"),
        ),
    ],
)
def test_each_of_the_things_is_asked(question: str, options: tuple[str, ...], questions: tuple[str, ...]) -> None:
    found = alternatives(question)
    assert found is not None
    assert (found.options, found.questions) == (options, questions)


@pytest.mark.parametrize(
    ("question", "asked", "more"),
    [
        ("Does gas or oil burn longer?", "How long does {} burn?", True),
        ("Do we pay less for a mile by boat or by raft?", "How much do we pay for a mile {}?", False),
        ("Are there more seats in hall A or in hall B?", "How many seats are there {}?", True),
    ],
)
def test_what_compares_two_things_is_asked_of_each(question: str, asked: str, more: bool) -> None:
    found = alternatives(question)
    assert found is not None
    degree = degree_within(found.frame)
    assert degree is not None
    assert (degree.asked, degree.more) == (asked, more)


@pytest.mark.parametrize("question", ["Do I need the thicker gloves for tar or for oil?", "Is gas or oil allowed?"])
def test_other_things_are_compared_by_nothing(question: str) -> None:
    found = alternatives(question)
    assert found is not None
    assert degree_within(found.frame) is None


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        ("Is the lamp red or green?", True),
        ("Is oil cheaper than gas or dearer?", True),
        ("May dogs or cats come in?", False),
        ("Is anyone under 16 or over 70 excluded?", False),
    ],
)
def test_a_yes_or_no_may_answer_what_is_not_offered_to_choose_from(question: str, offered: bool) -> None:
    found = alternatives(question)
    assert found is not None
    assert found.offered is offered


@pytest.mark.parametrize(
    "question",
    [
        "Which burns longer, gas or oil?",
        "Is it true or false that it is lit?",
        "Is the lamp lit?",
        "Does it or?",
        "Is the lamp lit or not?",
        "or",
        "",
    ],
)
def test_other_questions_offer_nothing(question: str) -> None:
    assert alternatives(question) is None


@given(st.lists(st.sampled_from(["does", "is", "or", "the", "lamp", "lit", "a", ",", "Heron", "in"]), max_size=9))
def test_any_question_is_read(words: list[str]) -> None:
    found = alternatives(" ".join(words))
    assert found is None or all(found.options)

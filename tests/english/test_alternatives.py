"""Two things that a question for a yes or no offers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.alternatives import alternatives


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
    ],
)
def test_each_of_two_things_is_asked(question: str, options: tuple[str, str], questions: tuple[str, str]) -> None:
    found = alternatives(question)
    assert found is not None
    assert (found.options, found.questions) == (options, questions)


@pytest.mark.parametrize(
    "question",
    [
        "Which burns longer, gas or oil?",
        "Is it true or false that it is lit?",
        "Is the lamp lit?",
        "Does it or?",
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

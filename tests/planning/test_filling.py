"""What earlier steps found, written into later questions: names as they are, all else so that it reads as one thing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.planning.filling import asked_with, filled, rewrite
from polyhop.plans import REFERENCE, Constraint, Placeholder, Step
from polyhop.prompts.decompose import without_known

NOUNS = [
    "Ada Brook",
    "1841",
    "4 March 1841",
    "Ada Brook, Otto Reed and Nell Orme",
    "Ada Brook or Otto Reed",
    "Springfield, Ohio",
    "Rio Grande do Sul",
    "University of Velm",
    "van der Berg",
    "It Happened in Velm",
    "Lament for the Salt Roads",
    "the Tide Mill",
    "the answer to \u201cWho owned the Sable Light?\u201d",
    "early 1980s",
    "salt and iron",
    "glass harmonica",
    "#3",
    "",
]
OTHERS = [
    "control of Each House of the Assembly",
    "because the river shifted",
    "to escape the flood",
    "by the early 1980s",
    "She doubted the piers",
    "Ada was born in Velm",
    "emigrants from beyond the marsh",
]


def asked(text: str, value: str) -> str:
    return rewrite(Step(question=text, refers_to=(0,)), [value])


@pytest.mark.parametrize("value", NOUNS)
def test_what_reads_as_a_name_or_a_noun_is_written_in_as_it_is(value: str) -> None:
    assert asked("Who spoke of #1?", value) == f"Who spoke of {value}?"


@pytest.mark.parametrize("value", OTHERS)
def test_a_phrase_or_a_clause_is_quoted(value: str) -> None:
    """The sentence does not go on into it: "Who leads control of ...?"."""
    assert asked("Who leads #1?", value) == f"Who leads \u201c{value}\u201d?"


def test_a_sentence_is_quoted_without_its_full_stop() -> None:
    assert asked("Who said #1?", "It was never built.") == "Who said \u201cIt was never built\u201d?"


def test_what_the_question_quotes_is_not_quoted_again() -> None:
    assert asked('Who wrote "#1"?', "because the river shifted") == 'Who wrote "because the river shifted"?'


@pytest.mark.parametrize(
    ("question", "value", "expected"),
    [
        ("Who reigned in #1?", "in 1841", "Who reigned in 1841?"),
        ("Who cast the #1?", "the Old Patience", "Who cast the Old Patience?"),
        ("Who cast the #1?", "a bell", "Who cast the bell?"),
        ("Who came by #1?", "in 1841", "Who came by \u201cin 1841\u201d?"),
        ("Who was in #1?", "in", "Who was in in?"),
    ],
)
def test_a_word_that_the_question_has_is_not_said_twice(question: str, value: str, expected: str) -> None:
    assert asked(question, value) == expected


@pytest.mark.parametrize("value", ["Ada Brook; Otto Reed; Nell Orme", "Ada Brook\nOtto Reed\n\nNell Orme"])
def test_several_values_are_listed_as_people_list_them(value: str) -> None:
    assert asked("Who taught #1?", value) == "Who taught Ada Brook, Otto Reed and Nell Orme?"


def test_constraints_and_plans_made_anew_are_filled_in_the_same_way() -> None:
    what = "control of Each House"
    leads = Constraint(Placeholder("?who"), "leads", ("leads",), Placeholder("?what"), "Who leads ?what?")
    assert asked_with(leads, {"?what": what}) == f"Who leads \u201c{what}\u201d?"
    assert asked_with(leads, {}) == "Who leads it?"
    assert without_known(["What is fought for?", "Who leads #1?"], [("What is fought for?", what)]) == (
        f"Who leads \u201c{what}\u201d?",
    )


def test_answers_stand_in_place_of_references() -> None:
    """Only of references that the step has; names are inserted as they are."""
    step = Step(question="When did #1 meet #2?", refers_to=(0, 1))
    assert rewrite(step, ["Ada #2", "Oskar"]) == "When did Ada #2 meet Oskar?"
    assert rewrite(step, ["Ada"]) == "When did Ada meet #2?"
    assert rewrite(Step(question="What is the #1 song?"), ["Rain"]) == "What is the #1 song?"


@given(st.text(max_size=40), st.lists(st.text(max_size=30), min_size=3, max_size=3))
def test_nothing_but_references_changes(text: str, values: list[str]) -> None:
    """Law: what stands between references stays, and where no value is known nothing changes."""
    assert filled(text, REFERENCE, {}) == text
    out = filled(f"{text} #1 and #2", REFERENCE, {"#1": values[0]})
    assert out.endswith(" and #2")
    assert out.startswith(re.split(REFERENCE, text)[0])

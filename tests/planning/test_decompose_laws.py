"""What holds of every plan, whatever the question."""

from __future__ import annotations

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.question import mentions, read_words, render
from polyhop.planning.rules.decompose import decompose
from polyhop.plans import Plan, rewrite

PIECES = [
    "who",
    "which",
    "what",
    "when",
    "where",
    "how",
    "is",
    "was",
    "did",
    "does",
    "the",
    "a",
    "of",
    "'s",
    ",",
    "and",
    "or",
    "both",
    "same",
    "director",
    "mother",
    "film",
    "city",
    "born",
    "died",
    "that",
    "in",
    "by",
    "whose",
    "with",
    "between",
    "Velm",
    "Ada",
    "Lund",
    "Orsa's",
    "Rain",
    "older",
    "first",
    "released",
    "located",
    "have",
    "from",
    "(",
    ")",
    "?",
    "1987",
    '"',
    "#1",
]
questions = st.text(max_size=120) | st.lists(st.sampled_from(PIECES), max_size=24).map(" ".join)


def assert_holds(plan: Plan) -> None:
    """References point backwards only and are all declared; steps are not empty; operands are steps."""
    for position, step in enumerate(plan.steps):
        assert step.question.strip()
        assert all(0 <= earlier < position for earlier in step.refers_to)
        if len(plan.steps) > 1:
            assert {int(number) - 1 for number in re.findall(r"#(\d+)", step.question)} == set(step.refers_to)
    if plan.final is not None:
        assert all(0 <= operand < len(plan.steps) for operand in plan.final.operands)


@given(questions, st.lists(st.text(max_size=12) | st.sampled_from(PIECES), max_size=3))
def test_every_plan_is_well_formed(question: str, entities: list[str]) -> None:
    """No question raises, and what comes out can be executed in order."""
    plan = decompose(question, entities)
    assert_holds(plan)
    assert bool(plan.steps) == bool(question.strip())


@given(questions)
def test_a_plan_is_a_function_of_the_question(question: str) -> None:
    """The same question gives the same plan."""
    assert decompose(question) == decompose(question)


@given(questions, st.lists(st.text(max_size=8), min_size=8, max_size=8))
def test_answers_leave_no_declared_reference(question: str, answers: list[str]) -> None:
    """With all answers known, each step's question changes exactly if it refers to one."""
    for step in decompose(question).steps:
        rewritten = rewrite(step, answers)
        if not step.refers_to:
            assert rewritten == step.question


@given(questions)
def test_names_stand_in_the_question(question: str) -> None:
    """A name is quoted from the question, up to white space."""
    text = " ".join(question.split())
    for name in mentions(question):
        assert all(part.rstrip(",") in text for part in name.split())


@given(
    st.lists(
        st.sampled_from(["Ada", "meets", "the", "Lund", "of", "Velm", "in", "Orsa", "Rain", "today"]),
        min_size=1,
        max_size=12,
    )
)
def test_reading_words_loses_nothing(words: list[str]) -> None:
    """Text without marks reads back as it was."""
    assert render(read_words(" ".join(words))) == " ".join(words)


def test_a_text_is_not_taken_apart() -> None:
    """Two hundred words are a question, more are a text; both take a moment only."""
    started = time.perf_counter()
    for words in (199, 10_000):
        for piece in ("who that ", "Ada's ", "the director of ", "Ada or ", "between Ada and ", "the ", '"', "( "):
            plan = decompose("Which " + piece * (words // len(piece.split())))
            assert_holds(plan)
            assert plan.shape == "single" or words < 200
    assert time.perf_counter() - started < 10

"""What holds of every plan, whatever the question."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.question import mentions, read_words, render
from polyhop.planning.by_rules import ByRules
from polyhop.planning.filling import rewrite
from polyhop.planning.planner import Planner
from polyhop.planning.trained import TrainedPlanner
from tests.worlds.plan_laws import PIECES, assert_holds, questions, references

WORD = st.text(max_size=8).map(lambda text: "".join(text.replace(";", "").split()))
ANSWERS = ["Velm", "Ada Lund", "1987", "the Orsa", "Złota \\1"]

each = pytest.mark.parametrize("planner", [ByRules(), TrainedPlanner()], ids=["rules", "trained"])


@each
@given(question=questions, entities=st.lists(st.text(max_size=12) | st.sampled_from(PIECES), max_size=3))
def test_every_plan_is_well_formed(planner: Planner, question: str, entities: list[str]) -> None:
    """No question raises, and what comes out can be executed in order."""
    plan = planner.plan(question, entities, None)
    assert_holds(plan, question)
    assert bool(plan.steps) == bool(question.strip())


@each
@given(question=questions)
def test_a_plan_is_a_function_of_the_question(planner: Planner, question: str) -> None:
    """The same question gives the same plan."""
    assert planner.plan(question, [], None) == planner.plan(question, [], None)


@each
@given(question=questions, answers=st.lists(st.sampled_from(ANSWERS), min_size=24, max_size=24))
def test_answers_leave_no_declared_reference(planner: Planner, question: str, answers: list[str]) -> None:
    """With all answers known, each step's question names the answers that it refers to, and is else as it was."""
    for step in planner.plan(question, [], None).steps:
        rewritten = rewrite(step, answers)
        assert (rewritten == step.question) == (not step.refers_to)
        if step.refers_to:
            assert not references(rewritten)
            assert all(answers[earlier] in rewritten for earlier in step.refers_to)


@each
@given(question=questions, answers=st.lists(WORD, max_size=24))
def test_references_without_an_answer_stay(planner: Planner, question: str, answers: list[str]) -> None:
    """Words are put in letter for letter, whatever they look like, and only where they are known."""
    for step in planner.plan(question, [], None).steps:
        parts = re.split(r"(#\d+)", step.question)
        known = {f"#{earlier + 1}": answers[earlier] for earlier in step.refers_to if earlier < len(answers)}
        assert rewrite(step, answers) == "".join(known.get(part, part) for part in parts)


@given(questions)
def test_names_stand_in_the_question(question: str) -> None:
    """A name is quoted from the question, up to white space."""
    text = " ".join(question.split())
    for name in mentions(question):
        assert name.strip()
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


@each
def test_a_text_is_not_taken_apart(planner: Planner) -> None:
    """Two hundred words are a question, more are a text; both take a moment only."""
    started = time.process_time()
    for words in (199, 10_000):
        for piece in ("who that ", "Ada's ", "the director of ", "Ada or ", "between Ada and ", "the ", '"', "( "):
            question = "Which " + piece * (words // len(piece.split()))
            plan = planner.plan(question, [], None)
            assert_holds(plan, question)
            assert plan.shape == "single" or words < 200
    assert time.process_time() - started < 10

"""Plans made of what a model finds: worded, nested, and well-formed whatever it says."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polyhop.english.described import placed_words
from polyhop.english.question import read_words, render
from polyhop.models.question_pieces import QuestionPieces
from polyhop.models.question_spans import CHAIN, COMBINED, SINGLE, QuestionReading
from polyhop.planning.rules.comparisons import compare
from polyhop.planning.rules.draft import PlanDraft
from polyhop.planning.rules.pronouns import resolved
from polyhop.planning.rules.statements import read_step
from polyhop.planning.trained import plan_of
from polyhop.plans import Plan, Step
from polyhop.ports import Floats
from tests.worlds.plan_laws import assert_holds, questions
from tests.worlds.stretches import scores


def reading(question: str, stretches: Floats, shape: int = CHAIN) -> QuestionReading:
    words = placed_words(question)
    places = tuple(range(1, len(words) + 1))
    pieces = QuestionPieces(ids=(0, *places, 0), words=words, firsts=places, lasts=places)
    return QuestionReading(pieces=pieces, stretches=stretches, shape=np.eye(3, dtype=np.float32)[shape])


def planned(question: str, *described: str, names: Sequence[str] = (), shape: int = CHAIN) -> Plan:
    found = scores(dict.fromkeys(described, 0.9), question)
    return plan_of(question, names, reading(question, found, shape))


@pytest.mark.parametrize(
    ("question", "described", "steps"),
    [
        (
            "Where did the director of Velm die?",
            ["the director of Velm"],
            ["Who is the director of Velm?", "Where did #1 die?"],
        ),
        ("When was Velm's owner born?", ["Velm's owner"], ["Who is the owner of Velm?", "When was #1 born?"]),
        (
            "Who leads the county where the founder of Velm was born?",
            ["the founder of Velm", "the county where the founder of Velm was born"],
            ["Who is the founder of Velm?", "In which county was #1 born?", "Who leads #2?"],
        ),
        (
            "What is the capital of the country that borders Orsa?",
            ["the country that borders Orsa"],
            ["Which country borders Orsa?", "What is the capital of #1?"],
        ),
        (
            "Who sings in the film directed by Ada Lund?",
            ["the film directed by Ada Lund"],
            ["Which film was directed by Ada Lund?", "Who sings in #1?"],
        ),
        (
            "Ada Lund came to fame in a band formed in what year?",
            ["Ada Lund came to fame in a band"],
            ["Ada Lund came to fame in which band?", "#1 formed in what year?"],
        ),
        (
            "What is taught where Ada Lund works?",
            ["where Ada Lund works"],
            ["Where does Ada Lund work?", "What is taught #1?"],
        ),
        (
            "Who is the wife of the longest reigning Danish monarch?",
            ["the longest reigning Danish monarch"],
            ["Who is the longest reigning Danish monarch?", "Who is the wife of #1?"],
        ),
        ("Who is Ada Lund's grandfather?", [], ["Who is the parent of Ada Lund?", "Who is the father of #1?"]),
        ("Who is the director of Velm?", ["the director of Velm"], ["Who is the director of Velm?"]),
        ("Where is Velm?", ["Velm"], ["Where is Velm?"]),
    ],
)
def test_a_description_becomes_a_step(question: str, described: list[str], steps: list[str]) -> None:
    assert [step.question for step in planned(question, *described).steps] == steps


def test_names_that_are_known_are_not_taken_apart() -> None:
    asked = "Who wrote The Keeper of the Light?"
    assert len(planned(asked, "Keeper of the Light", names=["The Keeper of the Light"]).steps) == 1


def test_what_is_compared_is_told_by_grammar() -> None:
    asked = "Who was born first, Ada Lund or Tom Harl?"
    plan = planned(asked, shape=COMBINED)
    assert plan.final is not None
    assert (plan.final.comparator, plan.source) == ("earlier", "trained")
    assert planned(asked).final is None, "only where the model says so"


@pytest.mark.parametrize(
    ("question", "described", "steps", "options"),
    [
        (
            "Is the founder of Velm older than the wife of Tom Harl?",
            ["the founder of Velm", "the wife of Tom Harl"],
            ["Who is the founder of Velm?", "Who is the wife of Tom Harl?", "How old is #1?", "How old is #2?"],
            ("the founder of Velm", "the wife of Tom Harl"),
        ),
        (
            "Was the mill built before the inn that Ada Lund opened was sold?",
            ["the inn that Ada Lund opened"],
            ["Which inn did Ada Lund open?", "When was the mill built?", "When was #1 sold?"],
            (),
        ),
    ],
)
def test_what_is_compared_is_asked_for_first(
    question: str, described: list[str], steps: list[str], options: tuple[str, ...]
) -> None:
    """An option is called as the question calls it, which the answer to its step tells nobody."""
    plan = planned(question, *described, shape=COMBINED)
    assert plan.final is not None
    assert sorted(step.question for step in plan.steps) == sorted(steps)
    assert plan.final.options == options


def test_a_question_of_several_steps_has_at_least_its_likeliest_description() -> None:
    asked = "Where did the director of Velm die?"
    found = scores({"the director of Velm": 0.15, "Velm": 0.1}, asked)
    assert len(plan_of(asked, [], reading(asked, found)).steps) == 2
    assert len(plan_of(asked, [], reading(asked, found, SINGLE)).steps) == 1


@given(questions, st.integers(0, 2), st.randoms(use_true_random=False), st.lists(st.text(max_size=9), max_size=2))
@example(".", COMBINED, Random(0), [])  # noqa: S311
@example("was she", COMBINED, Random(0), [])  # noqa: S311
def test_every_plan_is_well_formed(question: str, shape: int, random: object, names: list[str]) -> None:
    """Whatever the model says of it, what comes out can be executed in order."""
    text = " ".join(question.split())
    if not placed_words(text) or "#" in text:
        return
    length = len(placed_words(text))
    seed = getattr(random, "randrange")(10_000)  # noqa: B009
    values = np.random.default_rng(seed).normal(-1, 3, (length, length)).astype(np.float32)
    plan = plan_of(text, names, reading(text, values, shape))
    assert_holds(plan, text)
    assert plan == plan_of(text, names, reading(text, values, shape))


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("How old was Ada Lund when she died?", ["When was Ada Lund born?", "When did Ada Lund die?"]),
        ("Where were Ada Lund and Oskar Vale born?", ["Where was Ada Lund born?", "Where was Oskar Vale born?"]),
    ],
)
def test_what_grammar_is_sure_of_is_compared_whatever_the_model_says(question: str, steps: list[str]) -> None:
    plan = planned(question, shape=SINGLE)
    assert [step.question for step in plan.steps] == steps
    assert plan.final is not None


def test_a_comparison_names_whom_its_pronouns_mean() -> None:
    """What is described first is asked first, so that a pronoun behind it has somebody to stand for."""
    plan = planned(
        "Who is taller, the president of Velm or her husband?", "the president of Velm", "her husband", shape=COMBINED
    )
    assert [step.question for step in plan.steps] == [
        "Who is the president of Velm?",
        "Who is the husband of #1?",
        "How tall is #1?",
        "How tall is #2?",
    ]


@pytest.mark.parametrize(
    ("description", "before", "said"),
    [
        ("her brother", "Is Ada Lund older than", "Ada Lund's brother"),
        ("the composer who wrote for her", "Who is older, Ada Lund or", "the composer who wrote for Ada Lund"),
        ("the man he served", "Did Oskar Vale outlive", "the man Oskar Vale served"),
        ("her brother", "Did Oskar Vale or Ada Lund leave before", "her brother"),
        ("its builder", "Was the tower on Calf Rock lit before", "its builder"),
    ],
)
def test_a_pronoun_is_the_one_thing_named_before_it(description: str, before: str, said: str) -> None:
    words = resolved(read_words(description), read_words(before), ())
    assert render(words) == said


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [("Who is #1", True), ("Which bishop was #1", True), ("When was #1", False), ("What colour is #1", False)],
)
def test_only_an_identity_is_answered_by_the_step_before(question: str, is_answered: bool) -> None:
    draft = PlanDraft([Step(question="Who was the last abbot of Velm?")])
    draft.answer(read_step(question, ()))
    assert (len(draft.steps) == 1) is is_answered


def test_when_an_event_was_is_asked_before_it_is_compared() -> None:
    """No tower was built before a war was built."""
    known = (Step(question="Which war did Velm lose?"),)
    plan = compare(read_step("Was Velm Tower built before #1", ()), known)
    assert plan is not None
    assert [step.question for step in plan.steps][1:] == ["When was Velm Tower built?", "When was #1?"]


def test_where_a_described_thing_is_is_asked_once_it_is_found() -> None:
    plan = planned("Where is the archive that keeps the letters?", "the archive that keeps the letters")
    assert [step.question for step in plan.steps] == ["Which archive keeps the letters?", "Where is #1?"]

"""How StepChain has what is left of a question split again, by what was found and what was not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.prompts.decompose import decompose, well_formed, without_known
from polyhop.prompts.earlier_steps import EarlierStep
from tests.worlds.prompts import BUILT, INJECTION, QUESTION, inside, model_saying, prompt_of, system_of

BORN_IN_VELM = "She was born in Velm, her sister said."
TRIED = (
    EarlierStep("Who built the ferry Gull?", "Ada Brook", (BUILT,)),
    EarlierStep("Where was Ada Brook born?", "", established=False),
)
GUESSED = EarlierStep("Where was Ada Brook born?", "Velm", (BORN_IN_VELM, "It is far."), established=False)


def test_second_plan_sees_what_was_found_and_what_was_not() -> None:
    steps = ["Which yard did Ada Brook learn in?", "In which town is #1?"]
    with model_saying({"steps": steps}) as (model, server):
        assert decompose(model, QUESTION, known=TRIED) == tuple(steps)
        assert inside(prompt_of(server), "STEP 1, ANSWERED").splitlines() == [
            *("Who built the ferry Gull?", "Ada Brook", f"“{BUILT}”")
        ]
        assert inside(prompt_of(server), "STEP 2, NOT ANSWERED") == TRIED[1].question
        assert inside(prompt_of(server), "QUESTION") == QUESTION
        assert "another way" in system_of(server.requests[0])


def test_second_plan_sees_a_guess_as_one_with_the_sentence_that_it_rests_on() -> None:
    """It goes on from there, and does not ask for it again; one that nothing was quoted for is none to go on from."""
    with model_saying({"steps": [GUESSED.question, "Who is the mayor of #1?"]}) as (model, server):
        assert decompose(model, QUESTION, known=[TRIED[0], GUESSED]) == ("Who is the mayor of Velm?",)
        assert inside(prompt_of(server), "STEP 2, A GUESS").splitlines()[1:] == ["Velm", f"“{BORN_IN_VELM}”"]
        bare = EarlierStep(GUESSED.question, "Velm", established=False)
        assert decompose(model, QUESTION, known=[TRIED[0], bare]) == ()


def test_first_plan_is_asked_for_as_ever() -> None:
    """So that answers in the cache stay good."""
    with model_saying({"steps": ["a", "b #1"]}) as (model, server):
        decompose(model, QUESTION)
        decompose(model, QUESTION, known=())
        assert server.requests[0] == server.requests[1]
        assert "tried" not in system_of(server.requests[0])


@pytest.mark.parametrize(
    "steps",
    [
        ["Where  was ADA BROOK born"],
        ["Who built the ferry Gull?", "Where was #1 born?"],
        ["Who built the ferry Gull?"],
        ["Who is #2?"],
    ],
)
def test_second_plan_that_is_no_other_way_is_not_followed(steps: list[str]) -> None:
    """Also where a reference hides that it is the same step."""
    with model_saying({"steps": steps}) as (model, _):
        assert decompose(model, QUESTION, known=TRIED) == ()


def test_a_long_number_in_a_step_refers_to_no_other_step() -> None:
    """An order or a part has a number of its own: a plan may name it, as answers are put into plans by one rule."""
    steps = ["Who placed order #4711?", "Where does #1 live?"]
    with model_saying({"steps": steps}) as (model, _):
        assert decompose(model, "Where does whoever placed order #4711 live?") == tuple(steps)


def test_steps_of_a_second_plan_that_are_known_are_left_out() -> None:
    steps = ["In which yard was the Gull built?", "Who built the ferry Gull?", "Did #2 live near #1?", "Is #3 so?"]
    with model_saying({"steps": steps}) as (model, _):
        found = decompose(model, QUESTION, known=TRIED)
    assert found == ("In which yard was the Gull built?", "Did Ada Brook live near #1?", "Is #2 so?")


def test_single_step_that_is_left_is_a_plan() -> None:
    with model_saying({"steps": ["What is the birthplace of Ada Brook?"]}) as (model, _):
        assert decompose(model, QUESTION, known=TRIED) == ("What is the birthplace of Ada Brook?",)


def test_instructions_in_what_was_found_stay_in_their_block() -> None:
    with model_saying({"steps": ["Where is Velm?"]}) as (model, server):
        decompose(model, QUESTION, known=[EarlierStep("Who?", INJECTION)])
        assert inside(prompt_of(server), "STEP 1, ANSWERED") == f"Who?\n{' '.join(INJECTION.split())}"


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), min_size=1, max_size=6),
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "#1 hit", None])), max_size=4),
)
def test_plans_without_known_steps_hold_together(
    plan: list[tuple[str, int]], known: list[tuple[str, str | None]]
) -> None:
    """Law: what is left of a sound plan is sound, unless nothing is left, and asks for nothing known."""
    sound = [(word, min(number, index)) for index, (word, number) in enumerate(plan)]
    steps = [f"{word} #{number}" if number else word for word, number in sound]
    assert well_formed(steps)
    left = without_known(steps, known)
    assert not left or well_formed(left)
    answers = dict(known)  # of a question that was tried twice, the last attempt counts
    assert all(answers.get(step) != "x" for step in left)

"""A question is taken apart into steps, some of which may be asked together."""

from __future__ import annotations

import pytest

from polyhop.layers.view import View
from polyhop.models.within import Within
from polyhop.plans import plan_of_questions
from polyhop.strategies.stepchain.asked_step import AskedStep
from polyhop.strategies.stepchain.independent_steps import asked_together
from tests.worlds.endpoint import asked, says
from tests.worlds.stepchain import BORN
from tests.worlds.stepchain_moves import stepping


def test_our_own_model_takes_a_question_apart_where_nobody_can_be_asked(view: View) -> None:
    """A model that may not be asked changes nothing."""
    plan = view.plan(BORN, prefer="steps")
    assert [step.question for step in plan.steps] == ["Who is the builder of the Gull?", "Where was #1 born?"]
    assert (plan.source, plan.shape) == ("trained", "chain")
    with asked(says("never")) as (model, server):
        assert view.plan(BORN, Within(model, 0), prefer="steps") == plan
        assert server.requests == []


@pytest.mark.parametrize(
    ("steps", "first", "answered", "together"),
    [
        (("Who built A?", "When was #1 born?", "Who built B?", "When was #3 born?"), 0, (), [0, 2]),
        (("Who built A?", "When was #1 born?", "Who built B?", "When was #3 born?"), 1, (0, 2), [1, 3]),
        (("Who built A?", "When was #1 born?", "Where was #2?"), 0, (), [0]),
        (("Who built A?", "How was it built in spite of that doubt?"), 0, (), [0]),
        (("Who built A?", "Who built B?", "Which is older, #1 or #2?"), 2, (0, 1), [2]),
        (("Who built A?", "When was #1 born?", "Who built B?"), 1, (), [1]),
        (("A?", "B?", "C?", "D?", "E?"), 0, (), [0, 1, 2, 3]),
    ],
    ids=[
        *("first of two chains", "second of two chains", "a chain", "speaks of what came before"),
        *("waits for two", "waits itself", "four at most"),
    ],
)
def test_steps_that_need_only_what_is_answered_are_asked_together(
    steps: tuple[str, ...], first: int, answered: tuple[int, ...], together: list[int]
) -> None:
    assert asked_together(plan_of_questions(steps), first, answered) == together


def test_what_is_left_of_a_question_has_the_answers_so_far_and_says_what_else_is_sought(view: View) -> None:
    """The first step is judged by all of it: nothing is left out yet."""
    taken = stepping(view, scope="question")
    steps = ["Who is the builder of the Gull?", "Who is the sister of #1?", "Where was #2 born?"]
    plan = plan_of_questions(steps)
    first = AskedStep(position=0, question=steps[0], passages=[], way=())
    first.answer, first.carried = "Ada Brook", True
    second = AskedStep(position=1, question="Who is the sister of Ada Brook?", passages=[], way=())
    taken.done = [first, second]
    assert taken._left(first, plan) == BORN
    assert taken._left(second, plan) == "Who is the sister of Ada Brook? Where was the sister born?"

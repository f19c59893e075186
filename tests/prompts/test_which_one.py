"""What those who read answers are told about stances and about values among which they have to choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from polyhop.prompts.answer_step import answer_step, answer_together
from polyhop.prompts.blocks import WHICH_ONE
from polyhop.prompts.read_answer import read_answer
from tests.worlds.prompts import PASSAGES, QUESTION, STEP, VELM, model_saying

NOTHING = {"support": [], "found": False, "answer": ""}


def told(**stance: Any) -> str:
    """What a reader is told before it sees any data."""
    with model_saying(NOTHING) as (model, server):
        read_answer(model, QUESTION, PASSAGES, **stance)
        system: str = server.requests[0]["messages"][0]["content"]
        return system


def test_all_who_read_an_answer_are_told_which_of_several_to_take() -> None:
    """Two figures, or several that fit where one is asked for, had no rule."""
    with model_saying(VELM, {"answers": [{"question": 1, **VELM}]}) as (model, server):
        answer_step(model, STEP, [], PASSAGES)
        answer_together(model, [STEP, QUESTION], [], PASSAGES)
        systems = [request["messages"][0]["content"] for request in server.requests]
    assert all(WHICH_ONE in system for system in (*systems, told(), told(brief=True), told(best=True)))


@pytest.mark.parametrize("form", [{}, {"brief": True}])
def test_a_stance_does_not_contradict_itself(form: Mapping[str, bool]) -> None:
    """Whoever is to give a best guess is not told that nothing but passages counts, nor the cautious to guess."""
    cautious, best = told(**form), told(best=True, **form)
    assert "from nothing else" in cautious
    assert 'empty if "found" is false' in cautious
    assert "likeliest" not in cautious
    assert "from nothing else" not in best
    assert "empty if" not in best
    assert "never empty" in best


def test_what_support_holds_where_nothing_is_found_is_told() -> None:
    assert 'If not, "support" holds what comes nearest to it, or nothing' in told()
    assert 'If not, "support" holds what speaks for the answer that you give, or nothing' in told(best=True)

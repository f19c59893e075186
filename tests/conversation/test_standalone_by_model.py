"""A follow-up question that a language model makes to stand alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.conversation.standalone import standalone
from polyhop.conversation.thread import Thread
from polyhop.models.choice import load_models
from polyhop.models.within import Within
from polyhop.prompts.standalone_question import standalone_question, wrong_with
from polyhop.settings import Settings
from tests.worlds.prompts import INJECTION, inside, model_saying, prompt_of

THREAD = Thread.of([("Who built the ferry Gull?", "Ada Brook")])
ALONE = {"points_back": ["she = Ada Brook"], "question": "Where was  Ada Brook born?"}


def test_the_model_sees_the_thread_and_says_what_the_question_means() -> None:
    with model_saying(ALONE) as (model, server):
        meant = standalone("Where was she born?", THREAD, load_models(Settings(), model))
        prompt = prompt_of(server)
    assert meant.question == "Where was Ada Brook born?"
    assert meant.source == f"language model {model.name}"
    assert meant.cost.llm_calls == 1
    assert inside(prompt, "EARLIER QUESTION 1") == "Who built the ferry Gull?"
    assert inside(prompt, "ITS ANSWER 1") == "Ada Brook"


def test_an_earlier_answer_cannot_give_orders() -> None:
    with model_saying(ALONE) as (model, server):
        standalone_question(model, "Where was she born?", [("Who built the Gull of Ada Brook?", INJECTION)])
        assert inside(prompt_of(server), "ITS ANSWER 1") == INJECTION


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("Where was she buried?", "lost 'Velm'"),
        ("Was Ida Brick buried in Velm?", "nobody mentioned 'Ida Brick'"),
        ("Was Ada Brook buried in Velm in 1920?", "nobody mentioned '1920'"),
        ("Was Ada Brook buried in Velm? " * 30, "600 is the most"),
        ("Was Ada Brook buried in Velm?", None),
    ],
)
def test_names_and_numbers_are_neither_lost_nor_invented(written: str, fault: str | None) -> None:
    asked = "Was she buried in Velm?"
    found = wrong_with(written, asked, f"{asked} Who built the ferry Gull? Ada Brook")
    assert found is None if fault is None else found is not None and fault in found


def test_what_is_wrong_is_said_and_repaired_once() -> None:
    bad = {"points_back": [], "question": "Was she buried there?"}
    good = {"points_back": [], "question": "Was Ada Brook buried in Velm?"}
    with model_saying(bad, good) as (model, server):
        written = standalone_question(model, "Was she buried in Velm?", [("Who built the Gull?", "Ada Brook")])
        assert "it has lost 'Velm'" in server.requests[-1]["messages"][-1]["content"]
    assert (written, len(server.requests)) == ("Was Ada Brook buried in Velm?", 2)


def test_the_oldest_exchanges_make_way_where_the_budget_has_no_room() -> None:
    earlier = [(f"Who built ferry {number}? {'Tell me more. ' * 9}", f"Ada Brook, {number}") for number in range(1, 7)]
    with model_saying(ALONE) as (model, server):
        standalone_question(Within(model, 1, context=180), "Where was she born?", earlier)
        prompt = prompt_of(server)
    assert inside(prompt, "ITS ANSWER 6") == "Ada Brook, 6"
    assert prompt.index("EARLIER QUESTION 5") < prompt.index("EARLIER QUESTION 6") < prompt.index("<<<QUESTION")
    assert "EARLIER QUESTION 1" not in prompt


def test_what_was_paid_for_is_told_where_no_call_is_left_to_put_it_right() -> None:
    bad = {"points_back": [], "question": "Was she buried there?"}
    with model_saying(bad) as (model, server):
        priced = replace(model, completion_price=1e6)
        within = Within(priced, 4, money=300)  # what the first call may take at most
        meant = standalone("Was she buried in Velm?", THREAD, load_models(Settings(), within))
        assert len(server.requests) == 1
    assert (meant.source, meant.cost.llm_calls) == ("rules", 1)


@pytest.mark.parametrize("output", ["no idea", {"points_back": [], "question": "Who was Ida Brick?"}])
def test_what_stays_unusable_is_not_used(output: object) -> None:
    with model_saying(output) as (model, server):
        assert standalone_question(model, "Who was she?", [("Who built the Gull?", "Ada Brook")]) is None
        assert len(server.requests) == 2
        assert standalone("Who was she?", THREAD, load_models(Settings(), model)).cost.llm_calls == 2


def test_a_question_with_nothing_before_it_is_asked_as_it_is() -> None:
    with model_saying(ALONE) as (model, server):
        assert standalone("Where was she born?", Thread(), load_models(Settings(), model)).source == ""
        assert not server.requests


def test_the_model_is_not_asked_where_finding_and_reading_need_its_calls() -> None:
    with model_saying(ALONE) as (model, server):
        standalone("Where was she born?", THREAD, load_models(Settings(), Within(model, 2)))
        assert not server.requests

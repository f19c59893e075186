"""What was asked and answered before a question, of which no more is looked at than conversations need."""

from __future__ import annotations

import time

import pytest

from polyhop.conversation.standalone import standalone
from polyhop.conversation.thread import LONGEST_ANSWER, LONGEST_QUESTION, Exchange, Thread
from polyhop.models.choice import Models

LONG = "Why did the keeper of the old lighthouse sing of it? " * 20_000


def test_the_last_exchanges_come_shortened() -> None:
    thread = Thread(exchanges=(Exchange(question="Who?"), Exchange(question=LONG, answer=LONG, standalone=LONG)))
    [last] = thread.last(1)
    assert last.question == last.standalone == LONG[:LONGEST_QUESTION]
    assert last.answer == LONG[:LONGEST_ANSWER]
    assert thread.last(2)[0] == Exchange(question="Who?")
    assert thread.last(0) == ()


def test_half_a_character_said_before_becomes_a_question_mark() -> None:
    half = "Who is \ud800?"
    [last] = Thread(exchanges=(Exchange(question=half, answer=half, standalone=half),)).last(1)
    assert last == Exchange(question="Who is ??", answer="Who is ??", standalone="Who is ??")


@pytest.mark.parametrize("exchanges", [1, 8])
def test_an_earlier_question_of_a_million_characters_holds_nobody_up(models: Models, exchanges: int) -> None:
    began = time.monotonic()
    standalone("And where did he die?", Thread.of([(LONG, LONG)] * exchanges), models)
    assert time.monotonic() - began < 60

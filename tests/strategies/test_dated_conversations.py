"""Conversations of a day that a question names: found by how a day is written, however the question writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.reading.conversations.asked import asks_of_all, days_in
from polyhop.strategies.qcg.dated_conversations import passages_dated

CHATS = {
    "harbour.txt": "Time: 20310204_17:00\nAda: Did you see the new lamp?\nPiet: Yes, it shines as far as Fennick.\n",
    "glass.txt": "Time: 20310204_09:30\nMira: The kiln is cold again.\nPiet: I will bring more wood, Mira.\n",
    "phone.txt": "[05/02/2031, 10:03:11] Ada: The ferry is late.\n[05/02/2031, 10:04:00] Mira: As always!\n"
    "[06/02/2031, 08:00:00] Ada: Today it came early.\n[06/02/2031, 08:01:00] Mira: I missed it, of course.\n",
    "market.txt": "25/4/2032, 10:15 - Ada: The market is in the hall.\n25/4/2032, 10:16 - Mira: I bring the plums.\n",
    "prose.txt": "On 4 February 2031 the lamp of Quillmouth was lit for the first time, and Ada Brisk was there.",
}


@pytest.fixture(scope="module")
def over(index_of: Callable[..., Polyhop]) -> Iterator[View]:
    with index_of(CHATS).view() as view:
        yield view


def found(question: str, over: View) -> list[str]:
    return [
        over.record.document(one.passage.document_id).uri.rpartition("/")[2] for one in passages_dated(question, over)
    ]


@pytest.mark.parametrize("day", ["20310204", "2031-02-04", "04/02/2031", "4 February 2031", "Feb 4, 2031", "4.2.31"])
def test_a_day_is_found_however_it_is_written(day: str, over: View) -> None:
    assert set(found(f"What did they talk about on {day}?", over)) == {"harbour.txt", "glass.txt"}


def test_a_day_is_found_where_a_chat_writes_no_noughts_before_numbers(over: View) -> None:
    assert found("What did they talk about on 25 April 2032?", over) == ["market.txt"]


def test_what_only_speaks_of_a_day_was_not_said_on_it(over: View) -> None:
    assert "prose.txt" not in found("What was lit on 4 February 2031?", over)


@pytest.mark.parametrize(("hour", "first"), [("at 5 PM", "harbour.txt"), ("at 9:30", "glass.txt")])
def test_conversations_of_the_hour_come_first(hour: str, first: str, over: View) -> None:
    assert found(f"What is the main topic of the conversation on 2031-02-04 {hour}?", over)[0] == first


def test_otherwise_the_given_ranking_decides(over: View) -> None:
    numbers = [one.number for one in passages_dated("What was said on 2031-02-04?", over)]
    turned = [one.number for one in passages_dated("What was said on 2031-02-04?", over, ranking=numbers[::-1])]
    assert turned == numbers[::-1]


def test_each_shows_the_first_turn_of_that_day(over: View) -> None:
    (one,) = passages_dated("What did Ada write on 6 February 2031?", over)
    text = over.record.document(one.where.document_id).text
    assert "Today it came early." in text[one.where.start : one.where.end]
    assert one.day == "20310206"


@pytest.mark.parametrize("question", ["What did they talk about?", "What was said on 7 March 2031?", "Why in 2031?"])
def test_nothing_was_said_on_no_day(question: str, over: View) -> None:
    assert passages_dated(question, over) == []


def test_a_date_that_may_be_read_two_ways_is_both() -> None:
    assert days_in("on 04/05/2031") == ("20310504", "20310405")
    assert days_in("on 25/05/2031") == ("20310525",)
    assert days_in("in May") == ()


@pytest.mark.parametrize(
    ("question", "of_all"),
    [
        ("What is the main topic of the conversation on 2031-02-04 at 5 PM?", True),
        ("What did Ada and Piet Rook talk about on 4 February 2031?", True),
        ("What did AdaBrisk discuss on 20310204?", True),
        ("What was discussed on 2031-02-04 at 17:00?", True),
        ("What did Ada say about the lamp on 2031-02-04?", False),
        ("What did Ada and Piet talk about?", False),
    ],
)
def test_a_question_may_ask_for_a_whole_conversation(question: str, of_all: bool) -> None:
    assert asks_of_all(question, ["Ada Brisk", "Piet Rook"]) is of_all

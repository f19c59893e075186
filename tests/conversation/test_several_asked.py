"""Questions that ask several things at once, taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.conversation.several_asked import MOST, asked_apart


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Who designed the mill and when was it built?", ["Who designed the mill?", "When was it built?"]),
        ("When was the mill built, and by whom?", ["When was the mill built?", "By whom?"]),
        ("Who founded the guild, and in which year?", ["Who founded the guild?", "In which year?"]),
        ("When and where was the miller born?", ["When was the miller born?", "Where was the miller born?"]),
        ("Where was Ada Lund born and who taught her?", ["Where was Ada Lund born?", "Who taught her?"]),
        ("Is the inn open on Sunday and what is a room?", ["Is the inn open on Sunday?", "What is a room?"]),
        ("Is the ferry late, and if so, why?", ["Is the ferry late?", "Why?"]),
        ("Who built it and is it still standing?", ["Who built it?", "Is it still standing?"]),
        ("Who is the reeve? And where does she live?", ["Who is the reeve?", "Where does she live?"]),
        (
            "Who sold the pumps, what do they cost and when do they arrive?",
            ["Who sold the pumps?", "What do they cost?", "When do they arrive?"],
        ),
        ("Which old gate is red, and which is green?", ["Which old gate is red?", "Which old gate is green?"]),
        ("Which is older, and which is dearer?", ["Which is older?", "Which is dearer?"]),
        ("Which mill is red, and which inn is green?", ["Which mill is red?", "Which inn is green?"]),
        ("who runs the inn and how many rooms does it have", ["Who runs the inn?", "How many rooms does it have?"]),
    ],
)
def test_each_thing_is_a_question_of_its_own(question: str, asked: list[str]) -> None:
    assert list(asked_apart(question)) == asked


@pytest.mark.parametrize(
    "question",
    [
        "Where was the architect of the mill born?",
        "Which river flows through the city where he lived and where she died?",
        "Who is the actor who starred in Low Tide and who directed Red Sails?",
        "How far does the train, which stops at Harl and shares the line with the mail, run?",
        "Who wrote the song When and Where?",
        "Which of the two is older, the mill or the inn, and the church?",
        "The pump failed. Who mended it?",
        "Tell me who built the mill and when it was built.",
        "",
        "?!",
    ],
)
def test_what_asks_one_thing_stays_whole(question: str) -> None:
    assert asked_apart(question) == (question,)


def test_what_seems_to_ask_too_much_stays_whole() -> None:
    question = " ".join("Who built it?" for _ in range(MOST + 1))
    assert asked_apart(question) == (question,)


WORDS = ("who", "when", "where", "and", "what", ",", "?", "was", "it", "By", "whom", "the", "Mill", "how")


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_no_word_is_made_up(words: list[str]) -> None:
    asked = {word.lower() for word in words}
    for part in asked_apart(" ".join(words)):
        assert {word.strip("?,").lower() for word in part.split()} <= {word.strip("?,") for word in asked}

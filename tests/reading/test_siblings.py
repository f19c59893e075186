"""What stands in a document whose sibling a question names is hardly its answer: another branch, year or model."""

from __future__ import annotations

import pytest

from polyhop.models.choice import load_models
from polyhop.reading.reader import Quote
from polyhop.reading.subjects import named_apart, speaks_of
from polyhop.reading.weighing import read_weighed
from polyhop.types import Passage
from tests.worlds.settings import QUICK


def passage(title: str, text: str) -> Passage:
    return Passage(id=title, document_id=title, ordinal=0, start=0, end=len(text), title=title, text=text)


VARN = passage("Ferry rules: Varn landing", "Dogs travel for two crowns. At Oxmoor they travel free.")
OXMOOR = passage("Ferry rules: Oxmoor landing", "Dogs travel free. Bicycles cost one crown.")
TOLLS = passage("Tolls of 2031-32", "A cart pays four crowns.")
LATER = passage("Tolls of 2032-33", "A cart pays five crowns.")


@pytest.mark.parametrize(
    ("question", "apart"),
    [
        ("What do dogs pay at Varn?", {OXMOOR.id: {"varn"}}),
        ("What do dogs pay at Oxmoor?", {VARN.id: {"oxmoo"}}),
        ("Do dogs pay more at Varn than at Oxmoor?", {}),
        ("What do dogs pay?", {}),
        ("What did a cart pay in 2032-33?", {TOLLS.id: {"2032", "33"}}),
        ("By how much did the toll of a cart rise from 2031-32 to 2032-33?", {}),
    ],
)
def test_a_passage_is_apart_where_the_question_names_only_its_siblings_title(
    question: str, apart: dict[str, set[str]]
) -> None:
    assert named_apart(question, [VARN, OXMOOR, TOLLS, LATER]) == apart


def test_titles_that_have_little_in_common_are_no_siblings() -> None:
    born = passage("Ada Brisk", "She was born in Varn, where her mother kept the ferry.")
    assert named_apart("Where was the builder of the Varn landing born?", [born, VARN]) == {}


def test_a_day_in_the_title_of_a_conversation_sets_no_other_apart() -> None:
    """What is said on one day is about others, too."""
    said = "Ada: The fair is on Friday.\nTam: I will bring the dog.\nAda: Good, see you there.\nTam: See you."
    chats = [passage(f"Chat of {day} May", said) for day in (3, 5)]
    assert named_apart("When is the fair, by the chat of 5 May?", chats) == {}


def test_a_sentence_that_names_what_is_asked_speaks_of_it_wherever_it_stands() -> None:
    first, second = Quote(VARN, 0, 27), Quote(VARN, 28, len(VARN.text))
    assert not speaks_of(first, frozenset({"oxmoo"}))
    assert speaks_of(second, frozenset({"oxmoo"}))


def test_the_document_that_is_named_answers_rather_than_its_sibling() -> None:
    texts = {
        year: f"Employees receive {amount} crowns once for a chair." for year, amount in ((2031, 150), (2032, 220))
    }
    policies = [passage(f"Policy on work at home, valid from {year}", text) for year, text in texts.items()]
    question = "How much did employees receive for a chair in the policy of {}?"
    for year, amount in ((2031, "150"), (2032, "220")):
        best = read_weighed(question.format(year), policies, load_models(QUICK)).found.best
        assert best is not None
        assert amount in best.text

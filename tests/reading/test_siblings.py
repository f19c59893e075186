"""What stands in a document whose sibling a question names is hardly its answer: another branch, year or model."""

from __future__ import annotations

import pytest

from polyhop.english.degrees import asked_degree
from polyhop.models.choice import load_models
from polyhop.reading.measured import measured_of_all
from polyhop.reading.reader import Quote
from polyhop.reading.subjects import named_apart, siblings_named, speaks_of
from polyhop.reading.weighing import read_weighed
from polyhop.types import Passage
from tests.worlds.settings import QUICK


def passage(title: str, text: str) -> Passage:
    return Passage(id=title, document_id=title, ordinal=0, start=0, end=len(text), title=title, text=text)


VARN = passage("Ferry rules: Varn landing", "Dogs travel for two crowns. At Oxmoor they travel free.")
OXMOOR = passage("Ferry rules: Oxmoor landing", "Dogs travel free. Bicycles cost one crown.")
TOLLS = passage("Tolls of 2031-32", "A cart pays four crowns.")
LATER = passage("Tolls of 2032-33", "A cart pays five crowns.")
CARTS = [passage(f"Tolls of carts, year {years}", ".") for years in ("2031-32", "2032-33")]


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


THIRD = passage("Brisk and Daughters, Ferrymen of Oxmoor since 1804: Guide to Tolls, Third Edition", "Carts pay four.")
FOURTH = passage("Guide to Tolls, 4th Edition", "Carts pay five.")


@pytest.mark.parametrize(
    ("question", "apart"),
    [
        ("What do carts pay under the fourth edition of the guide?", {THIRD.id: {"4th"}}),
        ("What do carts pay to the ferrymen of Oxmoor by edition 3?", {FOURTH.id: {"third"}}),
        ("What changed from the third edition to the fourth edition?", {}),
        ("What do carts pay on the fourth ferry?", {}),
        ("Do all three editions ask four groats of carts?", {}),
    ],
)
def test_the_number_of_an_edition_tells_siblings_apart_whatever_else_one_title_has(
    question: str, apart: dict[str, set[str]]
) -> None:
    assert named_apart(question, [THIRD, FOURTH]) == apart


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


@pytest.mark.parametrize(
    ("question", "noun", "options"),
    [
        ("Which landing is larger?", "landing", ("Varn", "Oxmoor")),
        ("Which of the two tolls is higher?", "", ("year 2031-32", "year 2032-33")),
        ("Is the landing of Varn larger?", "", ()),
        ("Which bridge is larger?", "bridge", ()),
    ],
)
def test_siblings_are_named_by_what_tells_their_titles_apart(
    question: str, noun: str, options: tuple[str, ...]
) -> None:
    named = siblings_named(question, noun, [VARN, OXMOOR, *CARTS])
    assert named == options


def test_a_number_is_named_with_the_word_before_it() -> None:
    flats = [passage(f"Agreement: Flat {number}, Curlew House", ".") for number in (3, 5)]
    assert siblings_named("Which flat has the higher rent?", "flat", flats) == ("Flat 3", "Flat 5")


def test_documents_that_are_siblings_are_measured_where_the_question_names_none() -> None:
    rents = {3: "The rent is 780 crowns a month.", 5: "The rent is 845 crowns a month."}
    flats = [passage(f"Agreement: Flat {number}, Curlew House", text) for number, text in rents.items()]
    question = "Which flat in Curlew House has the higher rent?"
    degree = asked_degree(question)
    assert degree is not None
    reading = measured_of_all(question, degree, flats, load_models(QUICK))
    assert reading is not None
    assert reading.text == "Flat 5"
    assert len(reading.quotes) == 2

"""What passages are about, told from their titles, and which sentence tells how two things are related."""

from __future__ import annotations

import time

import pytest

from polyhop.reading.pointing import Pointed, Pointing, Supporting, address_asked_for
from polyhop.reading.reader import Quote
from polyhop.reading.subjects import about, countries_of, lacks_number, likeness, told_of_both
from polyhop.types import Passage


def test_likeness_overlooks_case_accents_and_what_tells_namesakes_apart() -> None:
    assert likeness("Élan Strand", "elan strand") == 1.0
    assert likeness("Low Tide", "Low Tide (film)") > 0.9
    assert 0.6 < likeness("Orla Venn", "Orla Maria Venn") < 0.9
    assert likeness("Orla Venn", "Tam Ostler") == 0.0


def test_about_is_the_passage_of_that_name_and_none_where_no_title_is_like_it() -> None:
    titles = ("Low Tide (film)", "Orla Maria Venn", "")
    passages = [Passage(id=one, document_id=one, ordinal=0, start=0, end=1, title=one, text="-") for one in titles]
    assert about("Low Tide", passages) == passages[0]
    assert about("Orla Venn", passages) == passages[1]
    assert about("Tam Ostler", passages) is None
    assert about("Tam Ostler", []) is None


MILL = "Quillmouth has a mill. The mill lends its wheel to the Tarn ferry. The ferry runs at noon."


def pointing(question: str) -> Pointing:
    notes = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(MILL), title="Orla", text=MILL)
    places = [
        (MILL.index(said), MILL.index(said) + len(said))
        for said in ("The ferry runs", "The mill lends its wheel to the Tarn ferry.")
    ]
    return Pointing(
        question=question, answers=(), sentences=tuple(Supporting(0.2, Quote(notes, *place)) for place in places)
    )


@pytest.mark.parametrize(
    "question",
    [
        "What is the relationship between the mill and the Tarn ferry?",
        "How is the mill related to the Tarn ferry?",
        "How are the mill and the ferry connected?",
        "How does the mill of Orla relate to the ferry?",
        "What links the mill and the ferry?",
        "What does the mill have to do with the Tarn ferry?",
    ],
)
def test_how_two_things_are_related_is_told_by_a_sentence_that_names_both(question: str) -> None:
    reading = told_of_both(pointing(question))
    assert reading is not None
    assert reading.text == "The mill lends its wheel to the Tarn ferry."


@pytest.mark.parametrize(
    "question", ["What is the relationship between the mill and the heron?", "How is the mill driven?", "Which ferry?"]
)
def test_no_other_sentence_tells_it_and_no_other_question_asks_it(question: str) -> None:
    assert told_of_both(pointing(question)) is None


def test_two_sentences_of_one_passage_link_what_each_of_them_names() -> None:
    text = "The inn was built by Orla Venn. Its first host was Tam Ostler. It has nine rooms."
    inn = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="Gull Inn", text=text)
    spans = [(text.index("Its"), text.index(" It has")), (0, text.index(" Its"))]
    sentences = tuple(Supporting(0.3, Quote(inn, *span)) for span in spans)
    reading = told_of_both(Pointing(question="What links Orla Venn and Tam Ostler?", answers=(), sentences=sentences))
    assert reading is not None
    assert reading.text == "The inn was built by Orla Venn. Its first host was Tam Ostler."
    assert len(reading.quotes) == 2
    asked = "What links Orla Venn and Ned Ostler?"
    assert told_of_both(Pointing(question=asked, answers=(), sentences=sentences)) is None


@pytest.mark.parametrize(
    "hostile",
    ["what links " * 20_000, "how is " * 20_000, "relation between " * 10_000, "how are " + "a and " * 30_000],
)
def test_hostile_questions_are_read_in_time(hostile: str) -> None:
    began = time.process_time()
    told_of_both(pointing(hostile))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("question", "said", "address"),
    [
        ("What is the e-mail address of the keeper?", "keeper: Ada Brisk\nmail: ada@mill.example", "ada@mill.example"),
        ("Which email address has the keeper?", "Ada Brisk <ada.b+x@mill.example.org>.", "ada.b+x@mill.example.org"),
        ("What is the e-mail address of the keeper?", "Ada: a@mill.example, Otto: o@mill.example", None),
        ("Who is the keeper?", "Ada Brisk <ada@mill.example>", None),
        ("What does an e-mail cost?", "Ada Brisk <ada@mill.example>", None),
        ("What is an e-mail client?", "Ada Brisk <ada@mill.example>", None),
    ],
)
def test_an_email_address_that_is_asked_for_is_one(question: str, said: str, address: str | None) -> None:
    """Where the model points at somebody's name beside it."""
    notes = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(said), title="Orla", text=said)
    quote = Quote(notes, 0, len(said))
    found = Pointing(
        question=question,
        answers=(Pointed(text="Ada Brisk", chance=0.5, quote=quote),),
        sentences=(Supporting(0.5, quote),),
    )
    told = address_asked_for(found)
    assert (told.text if told else None) == address


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("What is the phone number of the ferry?", "Ada Brisk", True),
        ("What is the phone number of the ferry?", "0171 22", False),
        ("What was the number of gates?", "twelve", False),
        ("How many gates are open?", "none of them", False),
        ("Who keeps the gate?", "Ada Brisk", False),
        ("What rank did Ada Brisk hold?", "captain", False),
        ("In what capacity did she serve?", "as a pilot", False),
        ("What sizes has the coat?", "small and large", False),
        ("Which score did Ada Brisk compose?", "Low Water", False),
    ],
)
def test_what_number_something_has_is_told_by_a_number(question: str, text: str, lacks: bool) -> None:
    assert lacks_number(question, text) is lacks


@pytest.mark.parametrize(
    ("title", "said", "countries"),
    [
        ("Virginia Woolf", "Virginia Woolf was an English writer.", {"United Kingdom"}),
        ("Victoria Lund", "Victoria Anne Lund (born 1801) was a Danish painter.", {"Denmark"}),
        ("Jordan Vale (poet)", "Jordan Vale wrote verses. He was British.", {"United Kingdom"}),
        ("New Zealand team", "The New Zealand team plays at Harl.", {"New Zealand"}),
        ("Denmark", "Denmark borders Germany.", {"Denmark", "Germany"}),
        ("", "A Danish ship sank.", {"Denmark"}),
    ],
)
def test_a_name_that_is_a_country_too_tells_no_nationality(title: str, said: str, countries: set[str]) -> None:
    """Unless no other country is named."""
    told = countries_of(Passage(id="p", document_id="d", ordinal=0, start=0, end=len(said), title=title, text=said))
    assert told is not None
    assert told[0] == countries

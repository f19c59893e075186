"""The order of two events and the time between them, read from dated conversations and dated prose."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyhop.models.choice import Models
from polyhop.reading.asked_events import asked_events
from polyhop.reading.by_kind_of_text import read_by_kind_of_text
from polyhop.reading.event_order import Moment, _measured, ordered
from polyhop.reading.reader import Reading
from polyhop.types import AnswerKind, Evidence, Occasion, Passage

CHATS = {
    "20310204_17:30": """Ada Brisk: Hi Tom! Could you lend me your long ladder this weekend? The gutters are full.
Tom Rook: Sure, it stands in my shed. Just come and take it.
Ada Brisk: Thank you, that helps a lot!""",
    "20310207_09:10": """Tom Rook: Good morning Ada. I have to tell you that my cellar was flooded last night.
Ada Brisk: Oh no! Is there anything that I can do?
Tom Rook: Not yet, the fire brigade is pumping the water out.""",
    "20310301_12:00": """Mara Venn: Everyone, the spring regatta will be held on 12 April. Enter your boats!
Piet Oster: Great news! I will enter the Gull.
Ada Brisk: Count me in as a helper.""",
    "20310303_20:15": """Piet Oster: Mara, I must complain: the noise from the boatyard keeps the children awake.
Mara Venn: I am sorry to hear that. I will speak to the yard.
Piet Oster: Thank you. Drilling at midnight is too much.""",
    "20310310_08:00": """Mara Venn: Piet, the yard has agreed to stop all work at eight in the evening.
Piet Oster: Wonderful, we will sleep again!""",
    "20310805_10:00": """Ada Brisk: Tom, please could you measure the broken window in the kitchen for me?
Tom Rook: I will do it tonight.""",
    "20310809_18:30": """Tom Rook: Ada, I have ordered the new glass for your kitchen window. It is 60 by 90 cm.
Ada Brisk: Perfect, thanks!""",
    "20310902_19:00": """Mara Venn: What do you all think of kites? I would love to fly one on the dunes.
Tom Rook: Kites are wonderful, a box kite above all. They climb very high.
Ada Brisk: I like kites with long tails.""",
    "20311015_21:00": """Piet Oster: I have been reading about lighthouses. Which lighthouse is your favourite?
Ada Brisk: The old lighthouse of Sker, for its red lamp.
Mara Venn: Lighthouses make me sad, they are so alone.""",
}


def chat(when: str, text: str) -> Passage:
    """A conversation that is its own document."""
    whole = f"Time: {when}\n{text}"
    return Passage(id=when, document_id=when, ordinal=0, start=0, end=len(whole), title="harbour", text=whole)


def read(question: str, passages: Sequence[Passage], models: Models) -> Reading | None:
    """What the dates of passages tell."""
    return ordered(question, passages, models)


WORLD = tuple(chat(when, text) for when, text in CHATS.items())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Did Ada ask Tom for his ladder before he told her about the flood in his cellar?", "yes"),
        ("Did Ada ask Tom for his ladder after he told her about the flood in his cellar?", "no"),
        ("Did Mara announce the regatta before Ada asked Tom to measure the kitchen window?", "yes"),
        ("Did Tom tell Ada that he ordered the glass before she asked him to measure the window?", "no"),
        ("Did Mara announce the spring regatta after Piet complained about the noise?", "no"),
        ("Did the discussion about lighthouses occur after the discussion about kites?", "yes"),
        ("Did the talk about kites take place before or after the talk about lighthouses?", "before"),
        (
            "Is the time between Ada asking Tom to measure the window and Tom ordering glass over 3 days?",
            "yes",
        ),
        ("Did it take more than a week from Ada asking Tom to measure the window to Tom ordering the new glass?", "no"),
        (
            "How many days passed between Piet complaining about the noise and Mara telling him that the yard agreed?",
            "7 days",
        ),
    ],
)
def test_ordered_answers(question: str, answer: str, models: Models) -> None:
    reading = read(question, WORLD, models)
    assert reading is not None
    assert reading.text == answer
    assert reading.confidence > 0.12


def test_ordered_quotes_the_sentence_of_each_event(models: Models) -> None:
    reading = read("Did Ada ask Tom for a ladder before he told her that his cellar was flooded?", WORLD, models)
    assert reading is not None
    assert [quote.passage.text[quote.start : quote.end] for quote in reading.quotes] == [
        "Could you lend me your long ladder this weekend?",
        "I have to tell you that my cellar was flooded last night.",
    ]
    assert "2031-02-04 17:30 and 2031-02-07 09:10" in reading.note


def test_ordered_reads_the_turns_of_one_conversation_in_their_order(models: Models) -> None:
    question = "Did Piet ask about lighthouses before Mara said that lighthouses make her sad?"
    reading = read(question, WORLD[-1:], models)
    assert reading is not None
    assert reading.text == "yes"
    assert len(reading.quotes) == 2


def test_ordered_takes_the_first_time_that_something_is_told(models: Models) -> None:
    """Ada asks for the ladder again in autumn."""
    again = chat("20311020_08:00", "Ada Brisk: Hi Tom! Could you lend me your long ladder again?\nTom Rook: Of course.")
    reading = read("Did Ada ask Tom for his ladder before Mara announced the regatta?", [again, *WORLD], models)
    assert reading is not None
    assert reading.text == "yes"


def test_ordered_says_which_event_it_did_not_find(models: Models) -> None:
    reading = read("Did Ada ask Tom for his ladder before he told her about the flood?", WORLD[:1], models)
    assert reading is not None
    assert reading.text is None
    assert "flood" in reading.note
    assert "ladder" not in reading.note


@pytest.mark.parametrize(
    "header", ["20310204T17:30", "2031-02-04 17:30:05", "2031/02/04, 17:30", "4 February 2031, 5:30 PM"]
)
def test_ordered_reads_the_time_in_a_header(header: str, models: Models) -> None:
    question = "Did Ada ask Tom for a ladder before he told her that his cellar was flooded?"
    reading = read(question, [chat(header, CHATS["20310204_17:30"]), WORLD[1]], models)
    assert reading is not None
    assert reading.text == "yes"
    assert "dated 2031-02-04 17:30 and 2031-02-07 09:10" in reading.note


def test_ordered_dates_the_later_pieces_of_a_long_conversation(models: Models) -> None:
    """Only the first piece has the header: of the others the index knows the day."""
    rest = "\n".join(CHATS["20310204_17:30"].split("\n")[1:])
    later = Passage(
        id="later",
        document_id="20310204_17:30",
        ordinal=1,
        start=500,
        end=500 + len(rest),
        title="",
        text=rest,
        occasion=Occasion(day="20310204"),
    )
    question = "Did Tom tell Ada that the ladder stands in his shed before he told her about the flood?"
    reading = read(question, [later, WORLD[1]], models)
    assert reading is not None
    assert reading.text == "yes"
    assert reading.quotes[0].passage.id == "later"


def prose(title: str, text: str) -> Passage:
    """An article that is its own document."""
    return Passage(id=title, document_id=title, ordinal=0, start=0, end=len(text), title=title, text=text)


ARTICLES = (
    prose("Long Bridge", "The Long Bridge crosses the Oar. The opening of the Long Bridge took place on 4 May 1871."),
    prose("Sker", "Sker is a rock. The lighthouse of Sker was completed on 2 June 1868. It has a red lamp."),
    prose("Gull", "The Gull is a paddle steamer that was launched in 1871."),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Did the opening of the Long Bridge take place before the completion of the lighthouse of Sker?", "no"),
        (
            "How many years passed between the completion of the lighthouse and the opening of the Long Bridge?",
            "2 years",
        ),
        ("Did the opening of the Long Bridge take place before the launch of the Gull?", None),
    ],
)
def test_ordered_reads_dates_that_prose_states(question: str, answer: str | None, models: Models) -> None:
    """Of two things in one year, one without a month, nothing tells which was first."""
    reading = read(question, ARTICLES, models)
    assert reading is not None
    assert reading.text == answer


def test_ordered_leaves_other_questions_alone(models: Models) -> None:
    assert read("What did Ada ask Tom for?", WORLD, models) is None
    undated = prose("Notes", "Ada asked Tom for a ladder. He told her about the flood.")
    assert read("Did Ada ask Tom for a ladder before he told her about the flood?", [undated], models) is None
    assert read("Did Ada ask Tom for a ladder before he told her about the flood?", [], models) is None


@pytest.mark.parametrize(
    ("question", "first", "second", "length"),
    [
        ("How many years passed", Moment(1841), Moment(1872), "31 years"),
        ("How many years passed", Moment(2031, 1, 1), Moment(2031, 9, 1), "0 years"),
        ("How many weeks passed", Moment(2031, 2, 1), Moment(2031, 2, 12), "1 week"),
        ("How long was it", Moment(1841), Moment(1872, 5, 4), "31 years"),
        ("How long was it", Moment(2031, 2, 1, 600), Moment(2031, 2, 12, 30), "11 days"),
        ("How many days passed", Moment(1841), Moment(1872), None),
        ("How many hours passed", Moment(2031, 2, 1, 600), Moment(2031, 2, 1, 710), "1 hour"),
        ("How many minutes passed", Moment(2031, 2, 1, 600), Moment(2031, 2, 1, 710), "110 minutes"),
    ],
)
def test_the_length_between_two_events_is_counted_in_whole_units(
    question: str, first: Moment, second: Moment, length: str | None
) -> None:
    asked = asked_events(f"{question} between the opening of the mill and the launch of the Gull?")
    assert asked is not None
    assert _measured(asked, first, second) == length


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Did the opening of the bridge take place before the completion of the lighthouse?", AnswerKind.VERDICT),
        ("Did the opening of the bridge happen before or after the completion of the lighthouse?", AnswerKind.CHOICE),
        (
            "Is the time between the completion of the lighthouse and the opening of the bridge over 3 days?",
            AnswerKind.VERDICT,
        ),
        ("How long was it between the completion of the lighthouse and the opening of the bridge?", AnswerKind.VALUE),
    ],
)
def test_the_order_of_events_is_a_verdict_or_a_choice(question: str, kind: AnswerKind, models: Models) -> None:
    reading = read(question, ARTICLES, models)
    assert reading is not None
    assert reading.kind is kind


def test_what_dates_do_not_tell_may_stand_in_prose(models: Models) -> None:
    """But in conversations nothing tells it where their days do not."""
    said = prose("Ada Lund", "Ada Lund resigned a week after the meeting. The mill at Harl was built in 1900.")
    for passages, told in (((said,), "no"), (WORLD[:1], None)):
        question = "Did Ada Lund resign before the meeting?"
        evidence = Evidence(question=question, strategy="given", passages=passages)
        reading = read_by_kind_of_text(question, evidence, models, lambda *_: Reading(text="no", confidence=0.9))
        assert reading.text == told
        assert "no dated passage" in reading.note

"""Answers read out of conversations: who said what, when, where and why, and that nobody said it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.conversations.transcripts import transcript_in
from polyhop.models.choice import Models
from polyhop.reading.conversations.asked import said_when
from polyhop.reading.conversations.days import meant_day
from polyhop.reading.conversations.of_a_day import read_day
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.event_order import when_said
from polyhop.reading.pointing import point
from polyhop.reading.reader import Quote, Reading, text_of
from polyhop.reading.trained import Trained
from polyhop.types import AnswerKind, Evidence, Passage

CHATS = {
    "20310204_17:30": """AdaBrisk: Hi Tom! Could you lend me your long ladder this weekend? The gutters are full.
TomRook: Sure, it stands in my shed. You can fetch it this Saturday at 10 AM.
AdaBrisk: Thank you! Is the shed locked?
TomRook: No worries, it is never locked.""",
    "20310211_09:00": """TomRook: Morning Ada! Did you find a name for your new boat?
AdaBrisk: Yes! I have decided to call her "The Grey Heron", because she looks like one at low tide.
TomRook: Lovely. Where will you moor her?
AdaBrisk: At the old boathouse, next to the mill. I can't wait!""",
    "20310301_12:00": """MaraVenn: Everyone, our regatta is on 12 April. What do you think we should eat afterwards?
PietOster: Hey everyone! I think we should try grilling mackerel and baking potato bread over a fire. It smells great.
AdaBrisk: I will bring the tables.
MaraVenn: Wonderful, thanks to all of you! 🎉""",
    "20310302_20:00": """PietOster: Mara, which books on knots can you recommend?
MaraVenn: I always go back to "The Sailor's Hand" and "Forty Bends". They are short and clear.
PietOster: Great, I'll look for them tomorrow!""",
}


def chat(when: str, text: str) -> Passage:
    """A conversation that is its own document."""
    whole = f"Time: {when}\n{text}"
    return Passage(id=when, document_id=when, ordinal=0, start=0, end=len(whole), title="harbour", text=whole)


WORLD = tuple(chat(when, text) for when, text in CHATS.items())


def read(question: str, models: Models, passages: Sequence[Passage] = WORLD) -> Reading:
    """What the reader makes of passages."""
    return Trained().read(question, Evidence(question=question, strategy="dense", passages=tuple(passages)), models)


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did Ada ask Tom for his ladder?", "20310204_17:30"),
        ("At what time can Ada fetch the ladder from Tom's shed?", "10 AM"),
        ("What is the name of Ada's new boat?", "The Grey Heron"),
        ("Why did Ada call her boat The Grey Heron?", "she looks like one at low tide"),
        ("Where will Ada moor her boat?", "At the old boathouse, next to the mill"),
        ("Who offers to bring the tables?", "AdaBrisk"),
    ],
)
def test_the_trained_reader_reads_conversations(question: str, answer: str, models: Models) -> None:
    assert read(question, models).text == answer


def test_who_says_it_is_quoted_with_what_is_said(models: Models) -> None:
    quotes = [text_of(quote) for quote in read("Who offers to bring the tables?", models).quotes]
    assert "I will bring the tables." in quotes


def test_when_it_was_said_is_quoted_beside_what_was_said(models: Models) -> None:
    told, time = map(text_of, read("When did Ada ask Tom for his ladder?", models).quotes)
    assert told == "Could you lend me your long ladder this weekend?"
    assert time == "20310204_17:30"


def test_what_nobody_spoke_of_is_not_answered(models: Models) -> None:
    assert read("Which trumpet did the admiral play at his sister's wedding in Lisbon?", models).text is None


def test_a_yes_or_no_goes_by_the_reply(models: Models) -> None:
    reading = read("Did Tom say that his shed is locked?", models)
    assert (reading.kind, reading.text) == (AnswerKind.VERDICT, "no")
    assert "No worries, it is never locked." in [text_of(quote) for quote in reading.quotes]


def test_a_yes_or_no_that_is_unsure_is_left_to_whoever_reads_the_reply(models: Models) -> None:
    reading = read("Is Tom's shed open?", models)
    assert (reading.kind, reading.text) == (AnswerKind.QUOTATION, "No worries, it is never locked.")
    assert [text_of(quote) for quote in reading.quotes] == [reading.text, "Is the shed locked?"]


def test_what_the_strategy_doubts_is_trusted_less(models: Models) -> None:
    question = "What is the name of Ada's new boat?"
    evidence = Evidence(question=question, strategy="qcg", passages=WORLD)
    sure, doubted = (Trained().read(question, one, models) for one in (evidence, replace(evidence, doubtful=True)))
    assert sure.text == "The Grey Heron"
    assert 0 < doubted.confidence < sure.confidence


@pytest.mark.parametrize("chats", [WORLD[2:3], WORLD])
def test_the_trained_reader_reads_chats_beside_prose(chats: tuple[Passage, ...], models: Models) -> None:
    text = "Halden Mill is a mill in Orrin. Halden Mill was built by the carpenter Josef Brandt in 1871."
    prose = Passage(id="m", document_id="m", ordinal=0, start=0, end=len(text), title="Halden Mill", text=text)
    assert read("Who built Halden Mill?", models, (prose, *chats)).text == "Josef Brandt"
    assert read("Who offers to bring tables?", models, (prose, *chats)).text == "AdaBrisk"


def test_prose_answers_when_something_was_said_that_no_chat_tells(models: Models) -> None:
    text = "Tom Rook invited the mayor to his shed in 1998."
    prose = Passage(id="m", document_id="m", ordinal=0, start=0, end=len(text), title="Tom Rook", text=text)
    assert read("When did Tom Rook invite the mayor to his shed?", models, (*WORLD, prose)).text == "1998"


@pytest.mark.parametrize(
    ("told", "time"),
    [
        ("I visited Rome in May 2019", None),
        ("I visited Rome last summer", None),
        ("I visited Rome", "20310204_18:03"),
    ],
)
def test_what_was_done_was_not_when_it_was_told_of_where_a_time_is_stated(
    told: str, time: str | None, models: Models
) -> None:
    talk = chat("20310204_18:03", f"AdaBrisk: {told}, and it was lovely.\nTomRook: How nice!")
    said = when_said("When did Ada visit Rome?", [talk], models)
    assert (said and said.text) == time


def test_what_all_of_a_day_was_about_is_how_its_conversation_opens() -> None:
    reading = read_day("What did Ada and Tom talk about on 2031-02-04?", WORLD)
    assert reading is not None
    assert reading.kind is AnswerKind.EXTRACT
    assert reading.text is not None
    assert reading.text.startswith("Could you lend me your long ladder this weekend?")
    assert read_day("What did Ada say about her gutters on 2031-02-04?", WORLD) is None
    assert read_day("What did Ada and Tom talk about on 2031-02-05?", WORLD) is None


# --- what a question asks of them -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When did Ada invite Tom?", "Ada invite Tom"),
        ("Ada has a new boat. When did she tell Tom about it?", "Ada has a new boat. she tell Tom about it"),
        ("When did Ada paint the boat?", None),
        ("When is the regatta?", None),
        ("When did Ada say that the regatta is?", None),
        ("What time does the ferry leave?", None),
        ("When", None),
    ],
)
def test_when_something_was_said_is_told_from_when_it_happens(question: str, said: str | None) -> None:
    assert said_when(question) == said


@given(st.text(max_size=60))
def test_any_question_may_be_asked(text: str) -> None:
    said_when(text)
    read_day(text, WORLD[:1])


# --- how they are read ------------------------------------------------------------------------------------------------


def conversation(passage: Passage = WORLD[0]) -> SpokenPassage:
    found = SpokenPassage.of(passage)
    assert found is not None
    return found


def test_a_conversation_stands_under_its_title_and_day() -> None:
    assert conversation().heading == "harbour, Tuesday 4 February 2031"
    assert conversation(replace(WORLD[0], title="")).heading == "Tuesday 4 February 2031"
    impossible = chat("20310230_10:00", CHATS["20310204_17:30"])
    assert conversation(impossible).heading == "harbour"


def test_prose_is_no_conversation() -> None:
    text = "Ada Brisk built the Grey Heron."
    assert SpokenPassage.of(Passage(id="a", document_id="a", ordinal=0, start=0, end=31, title="", text=text)) is None


def test_a_sentence_comes_with_its_turn_and_the_one_before() -> None:
    start = WORLD[0].text.index("You can fetch")
    before, own = conversation().with_what_it_replies_to(Quote(WORLD[0], start, start + 13))
    assert text_of(before).startswith("Hi Tom! Could you lend")
    assert text_of(own) == "Sure, it stands in my shed. You can fetch it this Saturday at 10 AM."
    first = conversation().with_what_it_replies_to(Quote(WORLD[0], before.start, before.start + 3))
    assert first == [before], "nothing is said before the first turn"
    assert conversation().with_what_it_replies_to(Quote(WORLD[0], 0, 4)) == [], "nobody says the day"


def test_a_sentence_is_weighed_behind_who_says_it_and_what_it_replies_to() -> None:
    start = WORLD[0].text.index("You can fetch")
    alone, behind = conversation().in_place(Quote(WORLD[0], start, start + 13))
    assert alone == "Tom Rook: You can fetch"
    assert behind.startswith("Ada Brisk: Hi Tom!")
    assert behind.endswith("The gutters are full. Tom Rook: Sure, it stands in my shed. You can fetch")
    assert conversation().in_place(Quote(WORLD[0], 0, 4)) == ("Time", "Time")


def test_what_is_pointed_at_stands_in_the_passage(models: Models) -> None:
    """Names are shown as they are spoken, days are written out; what is pointed at is still the passage's own text."""
    found = point("Who can lend Ada a ladder?", WORLD, models)
    texts = {passage.text for passage in WORLD}
    assert found.answers
    for one in found.answers:
        assert one.quote is not None
        assert one.quote.passage.text in texts
        assert one.quote.passage.text[one.start : one.end].strip() == one.text
    assert any(one.text == "TomRook" for one in found.answers)


@given(st.lists(st.sampled_from(["Ada: ", "Tom: 🎉", "Ada: متى نلتقي؟", "Time: 2031-02-30", "Tom: ?", "cut", ""])))
def test_turns_are_of_any_lines(lines: list[str]) -> None:
    passage = chat("20310204", "\n".join(lines))
    found = SpokenPassage.of(passage)
    for turn, part in found.turns_in(Quote(passage, 0, len(passage.text))) if found is not None else ():
        assert 0 <= turn.name_start <= turn.name_end <= turn.start < turn.end <= len(passage.text)
        assert (part.start, part.end) == (turn.start, turn.end)


def test_a_passage_is_taken_apart_once() -> None:
    transcript_in.cache_clear()
    for _ in range(3):
        read_day("What did Ada and Tom talk about on 2031-02-04?", WORLD)
        conversation()
    assert transcript_in.cache_info().misses == len(WORLD)


def test_turns_tell_who_speaks_and_when() -> None:
    turns = conversation().chat.turns
    assert [turn.speaker for turn in turns] == ["Ada Brisk", "Tom Rook", "Ada Brisk", "Tom Rook"]
    assert conversation().turns_on({"20310204"}) == list(turns)
    assert conversation().turns_on({"20310205"}) == []


def test_a_question_has_the_next_turn_as_its_reply() -> None:
    start = WORLD[0].text.index("Is the shed locked?")
    reply = conversation().reply_to(Quote(WORLD[0], start, start + 19))
    assert reply is not None
    assert text_of(reply) == "No worries, it is never locked."
    assert conversation().reply_to(reply) is None, "it asks nothing"


# --- days -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("yesterday", date(2031, 2, 3)),
        ("tonight at 8", date(2031, 2, 4)),
        ("this Saturday at 7 PM", date(2031, 2, 8)),
        ("next Tuesday", date(2031, 2, 11)),
        ("last Monday", date(2031, 2, 3)),
        ("last Tuesday", date(2031, 1, 28)),
        ("March 7th at 6 PM", date(2031, 3, 7)),
        ("31st of December", date(2030, 12, 31)),
        ("Feb 29", None),
        ("30 February", None),
        ("Wednesday or Thursday", None),
        ("March 7, 2030", None),
        ("sometime", None),
    ],
)
def test_a_day_is_told_from_the_day_of_the_conversation(text: str, day: date | None) -> None:
    assert meant_day(text, "20310204") == day  # a Tuesday


@pytest.mark.parametrize("said_on", ["20280204", "20271203", "20280810"])
def test_29_february_is_that_of_the_leap_year_that_is_near(said_on: str) -> None:
    assert meant_day("February 29th", said_on) == date(2028, 2, 29)


@given(st.text(max_size=40), st.text(max_size=10))
def test_a_day_is_never_an_error(text: str, said_on: str) -> None:
    meant_day(text, said_on)

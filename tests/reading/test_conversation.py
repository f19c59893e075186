"""Answers read out of conversations: who said what, when, where and why, and that nobody said it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.conversations.transcripts import Transcript, transcript_in
from polyhop.models.choice import Models
from polyhop.reading.conversations.answers import read_conversations
from polyhop.reading.conversations.asked import ChatQuestion, named_speakers, spelled
from polyhop.reading.conversations.days import meant_day
from polyhop.reading.conversations.utterances import Chats, Utterance, utterances_in
from polyhop.reading.conversations.wording import MOMENT, PLACE, said
from polyhop.reading.reader import Reading
from polyhop.reading.trained import Trained
from polyhop.types import Evidence, Passage

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


def read(question: str, passages: Sequence[Passage], models: Models) -> Reading | None:
    """What the conversations among passages answer."""
    return read_conversations(question, Chats.of(passages), models)


WORLD = tuple(chat(when, text) for when, text in CHATS.items())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did Ada ask Tom for his ladder?", "20310204_17:30"),
        ("At what time can Ada fetch the ladder from Tom's shed?", "this Saturday at 10 AM (2031-02-08)"),
        ("Is Tom's shed locked?", "No"),
        ("What is the name of Ada's new boat?", "The Grey Heron"),
        ("Why did Ada call her boat The Grey Heron?", "she looks like one at low tide"),
        ("Where will AdaBrisk moor her boat?", "the old boathouse"),
        ("Who offers to bring the tables?", "AdaBrisk"),
        ("Which books on knots does Mara recommend?", 'The Sailor\'s Hand" and "Forty Bends'),
    ],
)
def test_read_conversations_answers(question: str, answer: str, models: Models) -> None:
    reading = read(question, WORLD, models)
    assert reading is not None
    assert reading.text == answer
    assert reading.confidence > Trained().told


def test_read_conversations_leaves_greetings_out_of_what_is_said(models: Models) -> None:
    reading = read("What does Piet suggest to eat after the regatta?", WORLD, models)
    assert reading is not None
    assert reading.text is not None
    assert reading.text.startswith("we should try grilling mackerel and baking potato bread")


def test_read_conversations_quotes_who_says_it(models: Models) -> None:
    reading = read("Who offers to bring the tables?", WORLD, models)
    assert reading is not None
    [quote] = reading.quotes
    assert quote.passage.text[quote.start : quote.end] == "AdaBrisk: I will bring the tables."


def test_read_conversations_quotes_the_time_beside_what_was_said(models: Models) -> None:
    reading = read("When did Ada ask Tom for his ladder?", WORLD, models)
    assert reading is not None
    told, time = (quote.passage.text[quote.start : quote.end] for quote in reading.quotes)
    assert told.startswith("Hi Tom! Could you lend me your long ladder")
    assert time == "20310204_17:30"


def test_read_conversations_trusts_less_what_nobody_spoke_of(models: Models) -> None:
    told = read("What will Ada bring to the regatta?", WORLD, models)
    untold = read("Which trumpet did the admiral play at his sister's wedding in Lisbon?", WORLD, models)
    assert told is not None
    assert untold is not None
    assert untold.confidence < Trained().told < told.confidence


def test_read_conversations_is_not_for_prose(models: Models) -> None:
    prose = Passage(
        id="a", document_id="a", ordinal=0, start=0, end=30, title="Ada", text="Ada Brisk built the Grey Heron."
    )
    assert read("What did Ada build?", [prose], models) is None
    assert read("What did Ada build?", [], models) is None


TALKS = (
    chat(
        "20310405_08:00",
        """AdaBrisk: Tom, would you crew for me in May?
TomRook: How long is the race?
AdaBrisk: About three hours.
TomRook: Hmm, I don't think I can. I sprained my wrist two weeks ago.
AdaBrisk: Oh! Then rest. Who will steer the ferry?
TomRook: Greta will, and the fare goes up to 15 euros.
AdaBrisk: I have decided to sell the ferry.
PietOster: Why?
AdaBrisk: To spend more time on the water.""",
    ),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Will Tom crew for Ada in May?", "No"),  # after he has asked back
        ("Did Tom not sprain his wrist?", "Yes"),  # another clause denies something else
        ("When did Tom sprain his wrist?", "two weeks ago"),
        ("How long is the race?", "About three hours"),
        ("Who will steer the ferry?", "Greta"),
        ("Why did Ada decide to sell the ferry?", "To spend more time on the water"),
    ],
)
def test_read_conversations_answers_from_the_reply(question: str, answer: str, models: Models) -> None:
    reading = read(question, TALKS, models)
    assert reading is not None
    assert reading.text == answer


@pytest.mark.parametrize("chats", [WORLD[2:3], WORLD])
def test_the_trained_reader_reads_what_it_trusts_more_of_chats_and_prose(
    chats: tuple[Passage, ...], models: Models
) -> None:
    text = "Halden Mill is a mill in Orrin. Halden Mill was built by the carpenter Josef Brandt in 1871."
    prose = Passage(id="m", document_id="m", ordinal=0, start=0, end=len(text), title="Halden Mill", text=text)
    for question, answer in (("Who built Halden Mill?", "Josef Brandt"), ("Who offers to bring tables?", "AdaBrisk")):
        found = (prose, *chats)
        evidence = Evidence(question=question, strategy="dense", passages=found, hops=(), trail=())
        assert Trained().read(question, evidence, models).text == answer


@given(st.lists(st.sampled_from(["Ada: ", "Tom: 🎉", "Ada: متى نلتقي؟", "Time: 2031-02-30", "Tom: ?", "cut", ""])))
def test_told_in_reads_any_lines(lines: list[str]) -> None:
    for turn in utterances_in(Chats.of([chat("20310204", "\n".join(lines))])):
        assert 0 <= turn.name_start <= turn.name_end <= turn.start < turn.end <= len(turn.passage.text)


def test_the_trained_reader_reads_conversations(models: Models) -> None:
    question = "What is the name of Ada's new boat?"
    found = tuple(WORLD)
    evidence = Evidence(question=question, strategy="dense", passages=found, hops=(), trail=())
    assert Trained().read(question, evidence, models).text == "The Grey Heron"


@pytest.mark.parametrize(
    "question", ["Is Tom's shed locked?", "Did Ada ask Tom for his ladder before he told her a riddle?"]
)
def test_the_trained_reader_takes_each_passage_apart_once(
    question: str, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Conversations and prose, whoever reads them."""
    apart: list[str] = []

    def noted(passage: Passage) -> Transcript | None:
        apart.append(passage.id)
        return transcript_in(passage)

    monkeypatch.setattr("polyhop.reading.conversations.utterances.transcript_in", noted)
    prose = Passage(id="shed", document_id="shed", ordinal=0, start=0, end=19, title="", text="The shed is locked.")
    found = (*WORLD, prose)
    Trained().read(question, Evidence(question=question, strategy="dense", passages=found), models)
    assert apart == [passage.id for passage in (*WORLD, prose)]


def test_told_in_tells_who_speaks_and_what_a_turn_replies_to() -> None:
    turns = utterances_in(Chats.of(WORLD[:1]))
    assert [turn.speaker for turn in turns] == ["Ada Brisk", "Tom Rook", "Ada Brisk", "Tom Rook"]
    assert turns[1].before == "Ada Brisk: Could you lend me your long ladder this weekend?"
    assert turns[0].date == "20310204"
    assert [sentence.text for sentence in turns[3].sentences()] == ["No worries, it is never locked."]


@pytest.mark.parametrize(
    ("question", "wish"),
    [
        ("Can Ada take the ladder?", "verdict"),
        ("Who asks for a ladder?", "speaker"),
        ("Who has found a buyer?", "speaker"),
        ("Who is planning to sail?", "speaker"),
        ("Who can help Tom?", "speaker"),
        ("Who has Ada invited?", "name"),
        ("Who did Tom call?", "name"),
        ("Who is recommended by Ada?", "name"),
        ("Who is Ada's favourite skipper?", "name"),
        ("When did Ada invite Tom?", "moment"),
        ("When did Ada paint the boat?", "time"),
        ("When is the regatta?", "time"),
        ("What time does the ferry leave?", "time"),
        ("Where will they meet?", "place"),
        ("Why is Tom tired?", "reason"),
        ("What is the name of the boat?", "name"),
        ("Which song does Mara propose?", "name"),
        ("What kind of songs does Mara like?", "statement"),
        ("What does Piet think about kites?", "statement"),
        ("Ada has a new boat. When did she tell Tom about it?", "moment"),
    ],
)
def test_asked_tells_what_a_question_wants(question: str, wish: str) -> None:
    assert ChatQuestion.of(question, ["Ada Brisk", "Tom Rook"]).wish == wish


def test_asked_names_the_speakers_the_days_and_the_noun() -> None:
    asked = ChatQuestion.of("Which songs did Tom propose to AdaBrisk on February 4, 2031?", ["Ada Brisk", "Tom Rook"])
    assert asked.question.startswith("Which songs did Tom propose to Ada Brisk")
    assert (asked.named, asked.dates, asked.noun, asked.several) == (
        ("Tom Rook", "Ada Brisk"),
        ("20310204",),
        "song",
        True,
    )


@pytest.mark.parametrize(
    ("question", "teller"),
    [
        ("What did Ada suggest to Tom?", "Ada Brisk"),
        ("What was suggested to Tom by Ada?", "Ada Brisk"),
        ("What did Tom hear from Ada?", "Ada Brisk"),
        ("What was sent to Tom?", ""),
        ("Where should Tom park?", ""),
        ("Who told Tom?", ""),
    ],
)
def test_asked_tells_who_is_to_say_the_answer(question: str, teller: str) -> None:
    assert ChatQuestion.of(question, ["Ada Brisk", "Tom Rook"]).teller == teller


@pytest.mark.parametrize("question", ["Isn't the shed locked?", "Won’t Ada come?", "Ada has a boat. Doesn't Tom know?"])
def test_asked_takes_a_denial_for_a_question_of_yes_or_no(question: str) -> None:
    assert ChatQuestion.of(question, []).wish == "verdict"


def test_asked_takes_no_auxiliary_for_a_noun() -> None:
    asked = ChatQuestion.of("What does Will bring to the picnic?", ["Will Fenn"])
    assert (asked.noun, asked.several) == ("", False)


def test_named_speakers_are_in_the_order_of_the_question() -> None:
    assert named_speakers("Did Tom tell Ada Brisk?", ["Ada Brisk", "Tom Rook", "Ada Loom"]) == ["Tom Rook", "Ada Brisk"]
    assert spelled("Did TomRook call?", ["Tom Rook"]) == "Did Tom Rook call?"


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("😊 Hey Tom! I think we could sail at dawn!", "we could sail at dawn"),
        ("But the paint is still wet, so don't sit down.", "the paint is still wet, so don't sit down"),
        ("Absolutely, Mara, it was splendid.", "it was splendid"),
        ('I love "The Grey Heron".', 'I love "The Grey Heron"'),
        ("Thanks!", "Thanks"),
    ],
)
def test_said_leaves_out_greetings_and_turns_of_phrase(sentence: str, answer: str) -> None:
    told = _told(sentence)
    start, end = said(told)
    assert told.passage.text[start:end] == answer


@given(st.text(max_size=80))
def test_said_is_a_stretch_of_the_sentence(sentence: str) -> None:
    told = _told(sentence)
    start, end = said(told)
    assert told.start <= start <= end <= told.end


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Let's meet this Saturday at 7 PM by the pier.", ["this Saturday at 7 PM"]),
        ("The fair runs from April 15 to 17!", ["April 15 to 17"]),
        ("Hold it for about 30 seconds.", ["about 30 seconds"]),
        ("I'm free Wednesday or Thursday afternoon.", ["Wednesday or Thursday afternoon"]),
        ("Got a ticket for March 7th at 6 PM.", ["March 7th at 6 PM"]),
        ("Come tomorrow between 8 and 10.", ["tomorrow between 8 and 10"]),
        ("It takes three to five working days.", ["three to five working days"]),
        ("Bring 20 chairs.", []),
    ],
)
def test_a_moment_is_a_time_as_people_say_it(text: str, times: list[str]) -> None:
    assert [match.group() for match in MOMENT.finditer(text)] == times


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Let's meet at the old boathouse.", ["the old boathouse"]),
        ("Park behind the mill, please.", ["behind the mill"]),
        ("We leave from the station at 7:15.", ["the station"]),
        ("I leave in April.", []),
    ],
)
def test_a_place_stands_behind_its_preposition(text: str, places: list[str]) -> None:
    assert [match["place"] for match in PLACE.finditer(text)] == places


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
        ("Wednesday or Thursday", None),
        ("March 7, 2030", None),
        ("sometime", None),
    ],
)
def test_a_day_is_told_from_the_day_of_the_conversation(text: str, day: date | None) -> None:
    assert meant_day(text, "20310204") == day  # a Tuesday


@given(st.text(max_size=40), st.text(max_size=10))
def test_a_day_is_never_an_error(text: str, said_on: str) -> None:
    meant_day(text, said_on)


def _told(sentence: str) -> Utterance:
    passage = Passage(id="a", document_id="a", ordinal=0, start=0, end=len(sentence), title="", text=sentence)
    return Utterance(
        passage=passage, rank=0, turn=0, speaker="Ada", name_start=0, name_end=0, start=0, end=len(sentence)
    )

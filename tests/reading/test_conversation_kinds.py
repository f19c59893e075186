"""Kinds of questions about conversations: names, amounts, times, places, reasons, topics, and that none was heard."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.answer_type import AnswerType
from polyhop.models.choice import Models
from polyhop.reading.conversations.answers import read_conversations
from polyhop.reading.conversations.asked import ChatQuestion
from polyhop.reading.conversations.confidence import ChatConfidence
from polyhop.reading.conversations.utterances import Chats, Utterance
from polyhop.reading.conversations.wording import FORMULA, PLACE, purpose, reason_before, said
from polyhop.types import Passage

CHATS = {
    "20310507_18:00": """LenaMoor: Hey Ivo! There is a talk about lighthouses this week. Want to come?
IvoKell: Sounds good! When exactly?
LenaMoor: It starts on Friday at 6 PM.
IvoKell: Perfect, let's go together.
LenaMoor: How about we meet at Gull Café? I can bring 3 blankets and a lamp.""",
    "20310509_08:00": """PiaStrand: Hi Lena! Hope you're doing well!
The pier's bench has lost two slats. Could you have it mended?
LenaMoor: Of course, Pia. The carpenter comes on Monday.
PiaStrand: Thanks a lot!""",
    "20310512_12:00": """IvoKell: Which songs shall we sing on the ferry?
PiaStrand: How about "The Long Tide" by Mira Holt? We could also do "Salt" or maybe "Nine Bells."
LenaMoor: On the ferry we must not play the trumpet. The captain asked for it because it frightens the gulls.
IvoKell: Have you tried the new oat rolls at the kiosk? They make every crossing so much better.
PiaStrand: The deck is freshly painted, so please stay inside.""",
    "20310520_19:30": """IvoKell: Lena, what are your tips for learning knots?
LenaMoor: Start with a thick rope and go slowly. Also, keep a drawing of each knot next to you. What do you use?
IvoKell: An old clothes line!""",
}


def chat(when: str) -> Passage:
    """A conversation that is its own document."""
    whole = f"Time: {when}\n{CHATS[when]}"
    return Passage(id=when, document_id=when, ordinal=0, start=0, end=len(whole), title="harbour", text=whole)


WORLD = tuple(map(chat, CHATS))


def answer(question: str, models: Models, passages: Sequence[Passage] = WORLD) -> str:
    """What the conversations answer, which must be something."""
    reading = read_conversations(question, Chats.of(passages), models)
    assert reading is not None
    assert reading.text is not None
    return reading.text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When is the talk about lighthouses?", "Friday at 6 PM (2031-05-09)"),  # "this week" is vague
        ("Where do Lena and Ivo want to meet for the talk about lighthouses?", "Gull Café"),
        ("Who does Lena invite to the talk about lighthouses?", "IvoKell"),  # whoever she says "you" to
        ("How many blankets can Lena bring?", "3 blankets"),
        ("Which song by Mira Holt does Pia propose?", 'The Long Tide" by Mira Holt'),
        ("Why should everybody stay inside?", "The deck is freshly painted"),
        ("Why must nobody play the trumpet on the ferry?", "it frightens the gulls"),
        (
            "Why did Pia write to Lena on 20310509?",
            "The pier's bench has lost two slats. Could you have it mended",
        ),
        (
            "What is the main topic of the conversation on 2031-05-09 at 8 AM?",
            "The pier's bench has lost two slats. Could you have it mended",
        ),
        (
            "What are Lena's tips for learning knots?",
            "Start with a thick rope and go slowly. Also, keep a drawing of each knot next to you",
        ),
    ],
)
def test_read_conversations_answers_by_what_is_asked_for(question: str, text: str, models: Models) -> None:
    assert answer(question, models) == text


def test_read_conversations_says_what_it_means(models: Models) -> None:
    """A sentence that speaks of "they" comes with the one that tells what they are."""
    assert "the new oat rolls at the kiosk" in answer("What makes every crossing better according to Ivo?", models)


@pytest.mark.parametrize(
    ("question", "unmet"),
    [
        ("Which hotel did Pia book for the talk?", True),
        ("How many gulls were frightened by the trumpet?", True),
        ("What is the price of the oat rolls at the kiosk?", True),
        ("What is the main topic of the conversation on 2031-05-10?", True),
        ("How many blankets can Lena bring?", False),
        ("What does Lena say about knots?", False),
    ],
)
def test_read_conversations_knows_that_nothing_of_the_kind_was_heard(
    question: str, unmet: bool, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []
    trust = ChatConfidence.of

    def noted(self: ChatConfidence, *args: object, **named: object) -> float:
        told.append(bool(named["unmet"]))
        return trust(self, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(ChatConfidence, "of", noted)
    answer(question, models)
    assert told == [unmet]


@pytest.mark.parametrize(
    ("question", "wish"),
    [
        ("Why did Pia write to Lena?", "errand"),
        ("Why does Pia ask Lena for help?", "errand"),
        ("Why did Pia name her boat Gull?", "reason"),
        ("What is the main topic of the conversation on 2031-05-09?", "topic"),
        ("What is the topic of the lecture?", "statement"),
        ("What is Lena's boat called?", "name"),
        ("Which hospital does Lena work at?", "name"),
        ("Which of the three songs does Pia choose?", "name"),
        ("What new flavor is Ivo looking for?", "statement"),  # it only sounds like somebody who does something
        ("What new time does Pia propose?", "time"),
        ("How soon does the ferry leave?", "time"),
        ("Who has the idea of a race?", "speaker"),
        ("Who scored in the Gulls vs. Terns match?", "speaker"),
    ],
)
def test_asked_tells_what_kind_of_thing_is_wanted(question: str, wish: str) -> None:
    assert ChatQuestion.of(question, ["Lena Moor", "Pia Strand"]).wish == wish


def test_asked_tells_nouns_numbers_and_hours() -> None:
    assert ChatQuestion.of("Which of the three songs does Pia choose?", []).several is False
    assert ChatQuestion.of("What is the address of the kiosk?", []).noun == "address"
    assert ChatQuestion.of("Which libraries does Pia know?", []).noun == "library"
    assert ChatQuestion.of("Which libraries does Pia know?", []).several
    assert ChatQuestion.of("How many new ropes does Pia need?", []).counted == {"new", "ropes"}
    assert ChatQuestion.of("What is the fee for the ferry?", []).measured
    assert ChatQuestion.of("What was said on 2031-05-09 at 5 PM?", []).minute == 17 * 60
    assert ChatQuestion.of("What happens at 5 PM?", []).minute == -1
    assert ChatQuestion.of("What new flavor is Ivo looking for?", []).kind is AnswerType.THING
    assert ChatQuestion.of("Which singer does Ivo like?", []).kind is AnswerType.PERSON


def test_a_day_of_the_week_or_half_of_a_day_is_no_name(models: Models) -> None:
    text = "LenaMoor: I have a ticket for the concert on Sunday, May 4th at 6 PM. I'll go with a friend from Terns Bay."
    whole = f"Time: 20310501_10:00\n{text}\nIvoKell: Great!"
    alone = [Passage(id="c", document_id="c", ordinal=0, start=0, end=len(whole), title="", text=whole)]
    assert answer("Which band plays at the concert Lena has a ticket for?", models, alone) not in (
        "PM",
        "Sunday",
        "I'll",
    )


@pytest.mark.parametrize(
    ("sentence", "words", "text"),
    [
        ("Could you lend me a sail to cover the wet logs?", {"sail", "lend"}, "to cover the wet logs"),
        ("I want to sail to the island.", {"sail"}, None),
        ("I need the sail to sail.", {"sail"}, None),
    ],
)
def test_a_purpose_is_an_infinitive_of_new_words(sentence: str, words: set[str], text: str | None) -> None:
    told = _told(sentence)
    where = purpose(told, frozenset(words))
    assert (where and sentence[slice(*where)][: len(text or "")]) == text


def test_a_reason_stands_before_so_where_what_follows_is_asked_about() -> None:
    told = _told("The glue is wet, so please do not sit down.")
    where = reason_before(told, frozenset({"sit", "down"}))
    assert where is not None
    assert told.text[slice(*where)] == "The glue is wet"
    assert reason_before(told, frozenset({"glue"})) is None


@given(st.text(max_size=80), st.sets(st.sampled_from(["so", "wet", "a"])))
def test_reasons_and_purposes_are_stretches_of_the_sentence(text: str, words: set[str]) -> None:
    told = _told(f"{text} so to keep it, so dry")
    for where in (reason_before(told, frozenset(words)), purpose(told, frozenset(words))):
        assert where is None or 0 <= where[0] <= where[1] <= told.end


@given(st.text(max_size=80))
def test_asked_takes_any_question(text: str) -> None:
    ChatQuestion.of(text, ["Lena Moor"])
    ChatQuestion.of(f"how many {text} which of the {text}s at 5 PM on 2031-05-09", ["Lena Moor"])


def test_said_keeps_the_first_of_a_list() -> None:
    told = _told("The Aster, Dahlia, and Iris bed looks fine.")
    assert told.text[slice(*said(told))] == "The Aster, Dahlia, and Iris bed looks fine"


@pytest.mark.parametrize("sentence", ["Looking forward to the race!", "Thanks, Ivo!", "Let me know.", "Sounds good!"])
def test_a_formula_says_nothing(sentence: str) -> None:
    assert FORMULA.match(sentence)
    assert not PLACE.search(sentence)


def _told(sentence: str) -> Utterance:
    passage = Passage(id="a", document_id="a", ordinal=0, start=0, end=len(sentence), title="", text=sentence)
    return Utterance(
        passage=passage, rank=0, turn=0, speaker="Ada", name_start=0, name_end=0, start=0, end=len(sentence)
    )

"""Questions from grammar: what a passage and a conversation are asked, without a language model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.conversations.transcripts import transcript_of
from polyhop.english.verbs import base_of, third_of
from polyhop.layers.parsekg.layer import ParseKGLayer, parse_of
from polyhop.layers.questions.rules.passages import questions_of
from polyhop.models.choice import Models
from polyhop.ports import ParsedEntity, ParsedSentence, ParsedWord
from polyhop.types import GeneratedQuestion, Passage

MILL = (
    "Ada Brisk was a Tarnish engineer. She founded the Tarn Mill in Quillmouth in 1901. "
    "She married the painter Otto Fell because he admired her bridges."
)
BOAT = (
    "Time: 20310204_17:30\n"
    "AdaBrisk: Hi Otto! I am building a cedar canoe in my shed. Could you bring your plane on Saturday?\n"
    "OttoFell: Sure! I love cedar. What varnish are you using?\n"
    "AdaBrisk: I prefer linseed oil, because it smells of summer. Please remember your gloves!\n"
)
CREW = (
    "[2031-02-04 09:00] Ada: Hello crew, the regatta begins at 9 AM on Sunday.\n"
    "[2031-02-04 09:01] Otto: I will paint the oars.\n"
    "[2031-02-04 09:02] Mira: @Ada I need your lifejacket for the race.\n"
    "[2031-02-04 09:03] Otto: We should order three new sails.\n"
)


def passage(text: str, title: str = "") -> Passage:
    return Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title=title, text=text)


def asked(models: Models, text: str, title: str = "", most: int = 60) -> dict[str, str]:
    one = passage(text, title)
    [rows] = ParseKGLayer().extract([one], models, {})
    assert isinstance(rows, bytes)
    return {found.question: found.answer for found in questions_of(one, parse_of(rows), most=most)}


def test_a_sentence_is_asked_for_each_of_its_parts(models: Models) -> None:
    """The rest of the sentence stays, so that a question can be matched by what it says."""
    found = asked(models, MILL, "Ada Brisk")
    assert found["When did Ada Brisk found the Tarn Mill in Quillmouth?"] == "1901"
    assert found["Where did Ada Brisk found the Tarn Mill in 1901?"] == "Quillmouth"
    assert found["Why did Ada Brisk marry the painter Otto Fell?"] == "because he admired her bridges"


def test_pronouns_stand_for_the_title(models: Models) -> None:
    """A question makes sense without its passage: it names the title, and the title answers it."""
    found = asked(models, MILL, "Ada Brisk")
    assert not any(" she " in f" {question.lower()} " for question in found)
    assert found["Who founded the Tarn Mill in Quillmouth in 1901?"] == "Ada Brisk"


def test_the_dates_of_a_life_are_asked_for(models: Models) -> None:
    """What stands in brackets behind a name no clause states."""
    found = asked(models, "Ada Brisk (12 May 1871 – 3 March 1940) was an engineer.", "Ada Brisk")
    assert found["When was Ada Brisk born?"] == "12 May 1871"
    assert found["When did Ada Brisk die?"] == "3 March 1940"


def test_no_empty_brackets_are_left_where_the_years_of_a_life_stood(models: Models) -> None:
    found = asked(models, "Ada Brisk (1871–1940) was an engineer of mills.", "Ada Brisk")
    assert found["Who was Ada Brisk?"].startswith("an engineer")
    assert not any("(" in question for question in found)


def test_speakers_are_named_in_questions_about_a_chat(models: Models) -> None:
    """I, my and you are the one who speaks and the one who is spoken to."""
    found = asked(models, BOAT)
    assert found["What is Ada Brisk building in their shed?"] == "a cedar canoe"
    assert (
        found["Why does Ada Brisk prefer linseed oil, in the chat about cedar canoe?"] == "because it smells of summer"
    )
    own = " ".join(question for question in found if '"' not in question)
    assert {"i", "my", "you", "your"}.isdisjoint(own.lower().replace("?", "").split())


def test_a_question_in_a_chat_is_answered_by_the_reply(models: Models) -> None:
    """What one speaker asks stands in a question about the other, with the next message as its answer."""
    found = asked(models, BOAT)
    question = 'What did Ada Brisk answer when Otto Fell asked "What varnish are you using"?'
    assert found[question].startswith("I prefer linseed oil")


def test_a_chat_tells_who_asked_whom_to_do_what_and_when(models: Models) -> None:
    """Sentences without a name in them give questions too, and the time of the chat is an answer."""
    found = asked(models, BOAT)
    [request] = [question for question in found if question.startswith("What did Ada Brisk ask Otto Fell to do")]
    assert found[request] == "Please remember your gloves!"
    [when] = [question for question in found if question.startswith("When did Ada Brisk and Otto Fell talk about")]
    assert found[when] == "20310204_17:30"


def test_a_group_chat_speaks_to_the_group_or_to_whom_it_names(models: Models) -> None:
    """With several speakers, a message is said to all of them unless it names one."""
    found = asked(models, CREW)
    assert found["Who will paint the oars, in the chat about new sails?"] == "Otto"
    assert any(question.startswith("What did Mira say to Ada") for question in found)
    assert found["According to Otto, how many new sails should the group order?"] == "three"


def test_what_one_does_to_oneself_is_told_of_a_name(models: Models) -> None:
    """The verb follows the name, contractions are written out, and what one is asked to do states nothing."""
    found = asked(
        models,
        "Time: 20310205_09:00\n"
        "Ada: I'm sure my brother has three brushes. Let me know!\n"
        "Otto: Blue is my favourite colour.\n",
    )
    assert any("brother has three brushes" in answer for answer in found.values())
    assert not any("'m" in question for question in found)
    assert not any(question.startswith("What did Ada know") for question in found)


def test_what_is_not_done_stays_undone(models: Models) -> None:
    """A negation belongs to its own verb, also below another one."""
    found = asked(models, BOAT + "OttoFell: You can keep the plane as long as you don't lose the blade.\n")
    said = [question for question in found if "as long as" in question]
    assert said
    assert all("does not lose" in question or "they do not lose" in question for question in said)


def test_a_transcript_is_told_from_prose() -> None:
    """A header with turns, or turns that repeat a speaker; a colon alone makes no conversation."""
    found = transcript_of(BOAT)
    assert found is not None
    assert (found.speakers, found.date) == (["Ada Brisk", "Otto Fell"], "20310204")
    assert BOAT[found.time_start : found.time_end] == "20310204_17:30"
    assert transcript_of(MILL) is None
    assert transcript_of("Note: the mill is closed.\nIt opens on Monday.") is None
    later = transcript_of("Date: 2031-02-04\nAda: Two things:\n\n1. oars\n2. sails\nOtto: Fine.")
    assert later is not None
    assert [turn.speaker for turn in later.turns] == ["Ada", "Otto"]


def test_answers_stand_in_the_text_and_questions_once(models: Models) -> None:
    """Offsets are those of the answer; at most as many as asked for, best first, over all sentences."""
    for text, title in ((MILL, "Ada Brisk"), (BOAT, ""), (CREW, "")):
        one = passage(text, title)
        [rows] = ParseKGLayer().extract([one], models, {})
        assert isinstance(rows, bytes)
        many: list[GeneratedQuestion] = questions_of(one, parse_of(rows), most=50)
        assert all(text[found.start : found.end] == found.answer for found in many)
        assert len({found.question for found in many}) == len(many)
        few = questions_of(one, parse_of(rows), most=3)
        assert few == many[:3]
        assert len({found.start for found in few}) == 3


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("baked", "bake"),
        ("went", "go"),
        ("founded", "found"),
        ("planned", "plan"),
        ("studies", "study"),
        ("has", "have"),
        ("visited", "visit"),
        ("moved", "move"),
        ("opened", "open"),
        ("asked", "ask"),
        ("invited", "invite"),
        ("travelled", "travel"),
        ("used", "use"),
        ("died", "die"),
    ],
)
def test_verbs_have_their_base_form(form: str, base: str) -> None:
    """As far as rules go: they are read by embedders, and by people."""
    assert base_of(form) == base


def test_what_is_said_of_me_is_said_of_a_name() -> None:
    """The third person where the text has the first; the past stays."""
    assert [third_of(form) for form in ("love", "am", "have", "try", "watch", "built")] == [
        "loves",
        "is",
        "has",
        "tries",
        "watches",
        "built",
    ]


@given(
    st.text(alphabet="ab AB:.?,\n’", max_size=60),
    st.lists(st.tuples(st.integers(-1, 20), st.sampled_from(["nsubj", "ROOT", "dobj", "prep", "pobj", "conj", ""]))),
    st.booleans(),
)
def test_any_parse_gives_questions_or_none(text: str, tree: list[tuple[int, str]], chat: bool) -> None:
    """Broken trees, empty words, no words: never an error, and every answer stands in the text."""
    whole = f"Time: 2031-02-04\nAda: {text}\nOtto: {text}" if chat else text
    words = tuple(
        ParsedWord(at, at + 1, head, dependency)
        for at, (head, dependency) in zip(range(0, len(whole), 2), tree, strict=False)
    )
    entities = (ParsedEntity(0, 1, "PERSON", "nsubj"),) if whole else ()
    sentence = ParsedSentence(start=0, end=len(whole), entities=entities, words=words)
    for found in questions_of(passage(whole, "A b"), [sentence]):
        assert whole[found.start : found.end] == found.answer


GULL = (
    "# Gull Light\n\nThe Gull Light is a tower of *grey* stone in Quillmouth. When the tower was finished in 1841, Ada "
    "Brisk painted its door red. Ada Brisk, who was a careful engineer, visited the tower until 1850. The tower was "
    "kept dark. She has lived there since. It belonged to the harbour. The smiths sold their forge in 1852.\n"
)


def test_a_question_ends_with_a_word_that_can_end_one(models: Models) -> None:
    """What makes a clause a part of another one stays outside: when, where, since, in which."""
    leads_on = {"when", "where", "while", "since", "which", "who", "because", "and", "the", "until"}
    for text, title in ((MILL, "Ada Brisk"), (GULL, "Gull Light"), (BOAT, ""), (CREW, "")):
        found = asked(models, text, title)
        assert found
        assert leads_on.isdisjoint(question.rstrip("?").rsplit(" ", 1)[-1] for question in found)


def test_marks_of_a_layout_are_in_no_pair(models: Models) -> None:
    """Neither emphasis nor headings, links and the rows of a table."""
    text = "Ada Brisk built the [Tarn Mill](mill.md) in 1901.\n\n| mill | year |\n|---|---|\n| Tarn | 1901 |\n"
    for found in (asked(models, GULL, "Gull Light"), asked(models, text, "Ada Brisk")):
        assert not any(mark in f"{question} {answer}" for question, answer in found.items() for mark in "*#|[")


def test_a_title_that_names_nothing_is_no_topic(models: Models) -> None:
    """A number, a day, a file: nothing is asked as for it, and no pronoun stands for it."""
    text = "Ada Brisk opened the Tarn Mill in Quillmouth. It grinds oats for the harbour."
    for title in ("05", "2031-02-04", "week3/20310204", "notes_final.txt", "page 12", "a3f9c2d1"):
        assert not any(title in question for question in asked(models, text, title))
    assert any("As for Gull Light" in question for question in asked(models, text, "Gull Light"))
    found = asked(models, "1841 is a film about a lighthouse. It was shot in Quillmouth.", "1841")
    assert any("1841" in question for question in found)


def test_an_answer_is_someone_where_the_text_says_so(models: Models) -> None:
    """Who asks for people: by the label that most sentences give a name, and by what a noun says someone is."""
    found = asked(models, "The engineer left in 1300. Otto Fell came to Fennick in 1849.", "Gull Light")
    assert found["As for Gull Light, who left in 1300?"] == "The engineer"
    assert found["As for Gull Light, who came to Fennick in 1849?"] == "Otto Fell"


def test_a_question_does_not_say_its_answer(models: Models) -> None:
    """Who is asked for is spoken of by a pronoun, and owned things name their owner once."""
    text = "Ada Brisk is an engineer. She sold her mill to Otto Fell because she needed the money for her bridge."
    found = asked(models, text, "Ada Brisk")
    said = [question for question, answer in found.items() if answer == "Ada Brisk"]
    assert said
    assert not any("Brisk" in question for question in said)
    assert all(question.count("Ada Brisk") <= 1 for question in found)


def test_times_are_asked_for_with_their_preposition(models: Models) -> None:
    """Until when, since when; what has no s in the third person is the past."""
    found = asked(models, "Ada Brisk was an engineer. Ada Brisk led the Tarn Mill until 1850.", "Ada Brisk")
    assert found["Until when did Ada Brisk lead the Tarn Mill?"] == "1850"
    found = asked(models, "Ada Brisk was an engineer. She forbade fires. The mill belonged to Otto Fell.", "Ada Brisk")
    assert found["What did Ada Brisk forbid?"] == "fires"
    assert not any("belonge " in question for question in found)

"""What a later message, or a line that announces a change, says instead of what was planned at first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.documents.sentences import sentence_spans
from polyhop.models.choice import Models, load_models
from polyhop.reading.by_kind_of_text import as_changed
from polyhop.reading.reader import Quote, Reading, text_of
from polyhop.types import AnswerKind, Passage
from tests.worlds.settings import QUICK

PLAN = """Subject: Ferry fair
From: Ada Brisk <ada@mill.example>
Date: 8 April 2031, 19:00

The fair is on Saturday 14 June. A stall costs 12 pounds."""
CHANGE = """Subject: Re: Ferry fair
From: Ada Brisk <ada@mill.example>
Date: 11 April 2031, 21:05

We had the tide wrong, so the fair is moved to Saturday 21 June. The fee for a stall was wrong, it is 15 pounds."""
TERMS = "Members may keep a boat for up to 30 days. Guests pay £8 a night."
LETTER = "From May the fee of guests rises from £8 to £11. The office moved to Fennick in 2029."
STOCK = "A tarpaulin is £139. It was raised from £125 to pay for double corners."
COURSE = """Upholstery is on Wednesday evening in the hall, at 7.30.

Correction: Upholstery moves to Thursday, at 8.15."""
TREE = """1.2 Thirza Ostler, b. 1836 at Fenn, married the baker.

(Thanks to Ada:) Thirza was born in 1838, not 1836, see the Bible of the mill."""


def passage(text: str, title: str = "") -> Passage:
    name = text[:20]
    return Passage(id=name, document_id=name, ordinal=0, start=0, end=len(text), title=title, text=text)


MAILS = (passage(CHANGE, "Re: Ferry fair"), passage(PLAN, "Ferry fair"))
PAPERS = (passage(TERMS, "Terms"), passage(LETTER, "Letter to guests"), passage(COURSE, "Courses"))


@pytest.fixture(scope="module")
def models() -> Models:
    return load_models(QUICK)


def read(said: str, passages: tuple[Passage, ...]) -> Reading:
    """A reading of the first sentence in the passages that says something."""
    quotes = (Quote(one, *span) for one in passages for span in sentence_spans(one.text))
    return Reading(text=said, quotes=(next(quote for quote in quotes if said in text_of(quote)),), confidence=0.9)


@pytest.mark.parametrize(
    ("question", "before", "now", "passages"),
    [
        ("When is the fair?", "Saturday 14 June", "Saturday 21 June", MAILS),
        ("How much does a stall cost?", "12 pounds", "15 pounds", MAILS),
        ("What do guests pay a night?", "£8", "£11", PAPERS),
        ("On which day is Upholstery?", "Wednesday", "Thursday", PAPERS),
        ("At what time is Upholstery?", "7.30", "8.15", PAPERS),
        ("When was Thirza Ostler born?", "b. 1836", "1838", (passage(TREE, "The Ostlers"),)),
    ],
)
def test_what_was_changed_answers(
    question: str, before: str, now: str, passages: tuple[Passage, ...], models: Models
) -> None:
    reading = as_changed(question, read(before, passages), passages, models)
    assert reading.text == now
    assert [now in text_of(quote) for quote in reading.quotes] == [True, False]
    assert reading.confidence <= 0.9


@pytest.mark.parametrize(
    ("before", "now", "changed"),
    [
        ("EUR 7,400", "EUR 5,900", "The budget of the mill was cut: EUR 5,900 are left, not EUR 7,400."),
        ("0.25 mm", "0.15 mm", "The gap of the mill was reduced from 0.25 mm to 0.15 mm."),
        ("2031-06-14", "2031-06-21", "The fair of the mill was moved from 2031-06-14 to 2031-06-21."),
        ("14.06.2031", "21.06.2031", "The fair of the mill was moved from 14.06.2031 to 21.06.2031."),
    ],
)
def test_amounts_and_days_are_told_apart_however_they_are_written(
    before: str, now: str, changed: str, models: Models
) -> None:
    papers = (passage(f"In the plan of the mill it is {before}."), passage(changed, "News"))
    question = f"What is the {' '.join(changed.split()[1:4])}?"
    assert as_changed(question, read(before, papers), papers, models).text == now


def by_law(minutes: str, models: Models) -> str | None:
    """On which day the market is, where the minutes tell more."""
    papers = (passage("The market of Fennick is on Thursday.", "By-laws"), passage(minutes, "Minutes"))
    return as_changed("On which day is the market of Fennick?", read("Thursday", papers), papers, models).text


@pytest.mark.parametrize(
    "minutes",
    [
        "Ms Brisk moved that the market of Fennick be moved from Thursday to Saturday. For: 2. Against: 5. Lost.",
        "Ms Brisk moved that the market of Fennick be moved from Thursday to Saturday.\n\nFor: 2. Against: 5.",
        "The motion to move the market of Fennick from Thursday to Saturday was lost.",
        "Ms Brisk moved to change the market of Fennick from Thursday to Saturday.",
        "Traders would like the market of Fennick on Saturday instead of Thursday.",
        "The market of Fennick might be moved from Thursday to Saturday.",
        "In wet years the market of Fennick is not moved from Thursday to Saturday.",
    ],
)
def test_what_was_only_proposed_changes_nothing(minutes: str, models: Models) -> None:
    assert by_law(minutes, models) == "Thursday"


@pytest.mark.parametrize(
    "minutes",
    [
        "Ms Brisk moved that the market of Fennick be moved from Thursday to Saturday. For: 5. Against: 2. Carried.",
        "Ms Brisk moved that the market of Fennick be moved from Thursday to Saturday.\n\nCarried by five votes.",
        "Resolved, that the market of Fennick be moved from Thursday to Saturday.",
        "At the wish of the traders the market of Fennick moves from Thursday to Saturday.",
    ],
)
def test_what_was_carried_is_a_change(minutes: str, models: Models) -> None:
    assert by_law(minutes, models) == "Saturday"


@pytest.mark.parametrize(
    "said",
    [
        "The fee of guests is £11 in place of £8.",
        "The fee of guests is £11 rather than £8.",
        "In the Terms, the fee that guests pay a night should read £11.",
        'In the Terms the words "£8" shall be replaced by "£11".',
        'In the Terms, for "£8" substitute "£11".',
        "The fee of guests is GBP 11 and not GBP 8.",
        "Correction of 3 May\nThe fee of guests was copied from an old list. Guests pay £11 a night.",
    ],
)
def test_corrections_may_be_worded_otherwise(said: str, models: Models) -> None:
    papers = (passage(TERMS, "Terms"), passage(said, "Second paper"))
    reading = as_changed("What do guests pay a night?", read("£8", papers), papers, models)
    assert (reading.text or "").removeprefix("£").removeprefix("GBP ") == "11"


def test_what_is_out_of_date_is_followed_by_what_is_right(models: Models) -> None:
    note = (passage("The wheel weighs 198 kg.\n\nThis is out of date: it weighs 186 kg.", "Wheel"),)
    assert as_changed("What does the wheel weigh?", read("198 kg", note), note, models).text == "186 kg"


@pytest.mark.parametrize(
    "said",
    [
        "Guests should read the 11 rules of a night before they pay.",
        "Ada was replaced by Tam, who has looked after guests a night since.",
        "Guests bring a lamp for the night in place of a torch, which costs £11.",
    ],
)
def test_such_words_alone_are_no_correction(said: str, models: Models) -> None:
    papers = (passage(TERMS, "Terms"), passage(said, "Second paper"))
    reading = read("£8", papers)
    assert as_changed("What do guests pay a night?", reading, papers, models) == reading


def test_what_was_is_no_answer_where_one_sentence_says_both(models: Models) -> None:
    moved = (passage("The lunch moved from 29 September to 6 October, as the hall is being painted.", "News"),)
    assert as_changed("When is the lunch?", read("29 September", moved), moved, models).text == "6 October"
    papers = PAPERS[1:]
    assert as_changed("What do guests pay a night?", read("£8", papers), papers, models).text == "£11"


@pytest.mark.parametrize(
    "correction",
    [
        "Correction, 29 April: An earlier version said that the mill has 22 acres. It has 12.",
        "Correction: the mill was previously said to have 22 acres.",
        "Corrected on 3 May; the first print wrongly gave 22 acres.",
    ],
)
def test_what_an_earlier_version_said_is_no_news(correction: str, models: Models) -> None:
    paper = (passage(f"Orrin Fisk looks after the 12 acres of the mill at Tarn.\n\n{correction}", "Courier"),)
    reading = read("12 acres", paper)
    assert as_changed("How large is the land of the mill?", reading, paper, models) == reading


@pytest.mark.parametrize(("thread", "now"), [("<1@mill>", "Saturday 21 June"), ("<9@mill>", "Saturday 14 June")])
def test_a_later_message_belongs_to_the_thread_by_ids_whatever_its_subject_says(
    thread: str, now: str, models: Models
) -> None:
    subject = "Re: Ferry fair - NEW DATE"
    later = replace(passage(CHANGE.replace("Re: Ferry fair", subject), subject), thread=thread)
    mails = (later, replace(MAILS[1], thread="<1@mill>"))
    assert as_changed("When is the fair?", read("Saturday 14 June", mails[1:]), mails, models).text == now


def test_an_earlier_message_and_a_line_above_change_nothing(models: Models) -> None:
    latest = read("Saturday 21 June", MAILS)
    assert as_changed("When is the fair?", latest, MAILS, models) == latest
    course = read("Thursday", PAPERS)
    assert as_changed("On which day is Upholstery?", course, PAPERS, models) == course


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How long may members keep a boat?", "30 days"),
        ("Who may keep a boat?", "Members"),
        ("What does a tarpaulin cost?", "£139"),  # and not what it cost before
    ],
)
def test_what_no_change_speaks_of_stays(question: str, said: str, models: Models) -> None:
    papers = (*PAPERS, passage(STOCK, "Stock"))
    reading = read(said, papers)
    assert as_changed(question, reading, papers, models) == reading


def test_a_changed_value_that_would_be_too_uncertain_leaves_the_answer(models: Models) -> None:
    doubtful = replace(read("Saturday 14 June", MAILS), confidence=0.3)
    assert as_changed("When is the fair?", doubtful, MAILS, models) == doubtful
    listed = replace(read("Saturday 14 June", MAILS), kind=AnswerKind.LIST)
    assert as_changed("When is the fair?", listed, MAILS, models) == listed

"""What a passage of a long conversation has to be told by its document: its day, and how dates are to be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.chunking import cut
from polyhop.documents.conversations.stamps import is_month_first
from polyhop.documents.conversations.transcripts import Transcript, transcript_in, transcript_of
from polyhop.engine import Polyhop
from polyhop.models.choice import Models
from polyhop.reading.event_order import ordered
from polyhop.reading.reader import Reading, text_of
from polyhop.reading.trained import Trained
from polyhop.settings import Chunking, Settings
from polyhop.store.record import Record
from polyhop.types import Document, Evidence, Occasion, Passage
from tests.worlds.transcripts import FORMS

SMALL = Chunking(tokens=60, overlap=20)
WHO = ("Ada Brisk", "Otto Fell")
SAID = ("The canoe is ready.", "Shall we paint it blue?", "I have bought the brushes.", "Then let us begin at noon.")


def document(text: str) -> Document:
    return Document(id="d", uri="/chat.txt", title="chat", text=text.strip("\n"), media_type="text/plain", sha256="0")


def lines(first: int, last: int, how: str) -> Iterator[str]:
    """Lines of a chat: ``how`` has places for a number, for a speaker and for what is said."""
    for number in range(first, last):
        said = f"{SAID[number % 4]} That is message {number}."
        yield how.format(n=number, who=WHO[number % 2], said=said, two=f"{number % 60:02}")


LONG = {
    "a header": "\n".join(["Time: 2031-02-04 17:30", *lines(0, 60, "{who}: {said}")]),
    "lines of days": "\n".join(
        ["4 February 2031", *lines(0, 30, "{who}: {said}"), "- 6 February 2031 -", *lines(30, 60, "{who}: {said}")]
    ),
    "a clock, and midnight": "\n".join(
        [
            "--- Day changed 2031-02-04",
            *lines(0, 40, "[22:{two}] <ada> {said}"),
            *lines(0, 40, "[00:{two}] <otto> {said}"),
        ]
    ),
    "a recording": "\n".join(["Date: 2031-02-04", *lines(0, 60, "00:{two}:10 {who}: {said}")]),
    "months before days": "\n".join(
        [*lines(1, 30, "3/4/31, 17:{two} - {who}: {said}"), *lines(1, 3, "3/25/31, 17:{two} - {who}: {said}")]
    ),
    "a day and clocks in Korean": "\n".join(
        ["---- 2031년 2월 4일 화요일 ----", *lines(0, 60, "[{who}] [오전 10:{two}] {said}")]
    ),
    "a day and clocks behind tabs": "\n".join(["2031/02/04(火)", *lines(0, 60, "10:{two}\t{who}\t{said}")]),
    "no date at all": "\n".join(lines(0, 60, "{who}: {said}")),
}


def facts(transcript: Transcript, start: int = 0) -> dict[int, tuple[str, str, int]]:
    """Who says what when, by where it begins in the document."""
    return {turn.start + start: (turn.speaker, turn.date, turn.minute) for turn in transcript.turns}


def whole(text: str) -> Transcript:
    found = transcript_of(text)
    assert found is not None
    return found


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("chunking", [Chunking(tokens=40, overlap=0), SMALL, Chunking(tokens=200, overlap=40)])
def test_passages_tell_of_every_turn_what_the_document_tells(kind: str, chunking: Chunking) -> None:
    """The law: who speaks, on which day, at what minute, wherever the document was cut."""
    one = document(LONG[kind])
    passages = cut(one, chunking)
    assert len(passages) > 3
    told = dict[int, tuple[str, str, int]]()
    for passage in passages:
        assert one.text[passage.start : passage.end] == passage.text
        transcript = transcript_in(passage)
        assert transcript is not None
        told |= facts(transcript, passage.start)
    assert told == facts(whole(one.text))


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(FORMS)), st.integers(40, 160))
def test_passages_of_any_export_tell_its_days(form: str, tokens: int) -> None:
    """Except of a turn whose own line had to be cut, which cannot tell its minute."""
    one = document(FORMS[form][0])
    days = {start: told[:2] for start, told in facts(whole(one.text)).items()}
    for passage in cut(one, Chunking(tokens=tokens, overlap=tokens // 4)):
        transcript = transcript_in(passage)
        if transcript is not None:
            found = {start: told[:2] for start, told in facts(transcript, passage.start).items() if start in days}
            assert found.items() <= days.items()


def test_what_a_passage_says_itself_it_is_not_told() -> None:
    """The first one has the header; a chat with a date in each line needs none, and neither does prose."""
    assert [passage.occasion for passage in cut(document(LONG["a header"]), SMALL)][:2] == [
        None,
        Occasion(day="20310204"),
    ]
    dated = "\n".join(lines(13, 29, "{n}/02/2031, 17:30 - {who}: {said}"))
    prose = "The canoe is ready. It was painted on 4 February 2031. " * 40
    for text in (dated, prose):
        passages = cut(document(text), SMALL)
        assert len(passages) > 3
        assert {passage.occasion for passage in passages} == {None}
    assert cut(replace(document(LONG["a header"]), whole=True), SMALL)[0].occasion is None


def test_the_day_of_a_passage_leaves_its_id_alone() -> None:
    """Rows that were paid for stay with the text, whatever the header is changed to."""
    before = cut(document(LONG["a header"]), SMALL)
    after = cut(document(LONG["a header"].replace("2031-02-04", "2031-02-05")), SMALL)
    assert [passage.id for passage in before[1:]] == [passage.id for passage in after[1:]]
    assert {passage.occasion for passage in after[1:]} == {Occasion(day="20310205")}


def test_one_date_that_settles_the_order_settles_it_for_the_whole_document() -> None:
    first, *_, last = cut(document(LONG["months before days"]), SMALL)
    assert first.occasion == Occasion(day="20310304", month_first=True)
    assert last.occasion is None
    days_first = "\n".join([*lines(1, 30, "03/04/2031, 17:30 - {who}: {said}"), "25/04/2031, 8:00 - Ada: Done."])
    chats = [transcript_in(passage) for passage in cut(document(days_first), SMALL)]
    assert {turn.date for chat in chats if chat is not None for turn in chat.turns} == {"20310403", "20310425"}


def test_dates_that_could_be_read_either_way_are_read_so_that_they_are_in_order() -> None:
    """The oldest or the newest first; where neither way or both ways are, the day comes first."""
    assert is_month_first(["1/9/31", "2/3/31", "2/5/31"])
    assert is_month_first(["2/5/31", "2/3/31", "1/9/31"])
    assert not is_month_first(["9/1/31", "3/2/31", "5/2/31"])  # 9 January, 3 and 5 February
    assert not is_month_first(["1/2/31", "3/4/31", "5/6/31"])
    assert not is_month_first(["5/2/31", "1/9/31", "7/3/31", "2/8/31"])
    assert not is_month_first(["13/1/31", "1/2/31", "2/1/31", "3/1/31"])


# --- in the record ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metadata", [{}, {"author": "Lena Voß", 'a "quote"': "\0 \\ \ud800"}])
def test_the_record_keeps_occasions_apart_from_metadata(tmp_path: Path, metadata: dict[str, str]) -> None:
    one = replace(document(LONG["a clock, and midnight"]), metadata=metadata)
    passages = cut(one, SMALL)
    with Record.create_or_open(tmp_path) as record:
        assert record.put(one, passages) == "added"
        assert record.put(one, passages) == "unchanged"
        numbers = record.numbers().tolist()
        assert tuple(record.passages(numbers)) == passages
        assert record.document("d") == one


def test_rows_of_layers_cannot_depend_on_occasions(tmp_path: Path) -> None:
    """A passage keeps its number while its day is learned or changes, and layers are never shown it."""
    one = document(LONG["a header"])
    passages = cut(one, SMALL)
    plain = [replace(passage, occasion=None) for passage in passages]
    with Record.create_or_open(tmp_path) as record:
        record.put(one, plain)
        numbers = record.numbers().tolist()
        assert record.put(one, passages) == "unchanged", "nothing that is searched for has changed"
        assert record.numbers().tolist() == numbers
        assert tuple(record.passages(numbers)) == passages
        assert [passage for _, passage in record.pending("text", "v1")] == plain


# --- what readers make of it ------------------------------------------------------------------------------------------


LADDERS = "\n".join(
    [
        "Date: 4 February 2031",
        *lines(0, 30, "{who}: {said}"),
        "Ada Brisk: Otto, could you lend me your long ladder this Saturday?",
        "Otto Fell: Sure, it stands in my shed.",
        *lines(30, 60, "{who}: {said}"),
    ]
)


def of_ladders() -> Passage:
    """The passage that speaks of a ladder, in a long chat that says only in its header when it was."""
    [asking] = [one for one in cut(document(LADDERS), Chunking(tokens=200, overlap=20)) if "ladder" in one.text]
    assert asking.ordinal > 0
    return asking


def read(question: str, models: Models) -> Reading:
    """What the reader makes of that passage."""
    return Trained().read(question, Evidence(question=question, strategy="dense", passages=(of_ladders(),)), models)


def test_a_later_passage_answers_when_it_was_said(models: Models) -> None:
    reading = read("When did Ada ask Otto for his long ladder?", models)
    assert reading.text == "2031-02-04"
    [quote] = reading.quotes
    assert "ladder" in text_of(quote)


def test_a_later_passage_knows_which_saturday_is_meant(models: Models) -> None:
    assert read("When does Ada need the long ladder?", models).text == "this Saturday (2031-02-08)"


def test_events_in_later_passages_are_ordered_by_their_documents_days(models: Models) -> None:
    """And where numbers may be read in two ways, the header is read as the rest of its document."""
    told = ["Date: 2/9/2031", *lines(0, 30, "{who}: {said}"), "Otto Fell: I have painted my shed green."]
    later = ["2/13/2031", *lines(0, 30, "{who}: {said}")]
    other = replace(document("\n".join([*told, *later])), id="e")
    paints = [passage for passage in cut(other, SMALL) if "shed green" in passage.text][-1:]
    assert paints[0].ordinal > 0
    question = "How many days passed between Ada asking Otto for his long ladder and Otto painting his shed green?"
    reading = ordered(question, [of_ladders(), *paints], models)
    assert reading is not None
    assert reading.text == "5 days"


def test_a_long_chat_is_indexed_and_asked_when(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(LADDERS, encoding="utf-8")
    chunked = Settings.from_mapping({"chunking": {"tokens": 200, "overlap": 40}})
    with Polyhop(tmp_path / "an.index", settings=chunked) as engine:
        engine.index(path, layers=("text",))
        answer = engine.ask("When did Ada ask Otto for his long ladder?", strategy="hybrid")
    assert answer.text == "2031-02-04"

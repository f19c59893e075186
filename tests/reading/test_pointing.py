"""Where a stretch that was pointed at begins and ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest

from polyhop.models.choice import Models
from polyhop.ports import PointedSpan, SpanReading, TextPart
from polyhop.reading.pointing import Pointed, Pointing, Supporting, behind_column, closed, point, whole
from polyhop.reading.reader import Quote, heading_over, text_of
from polyhop.reading.weighing import likeliest
from polyhop.types import Passage


def shown_by(widened: Callable[[Quote, int, int], tuple[int, int]], text: str, pointed: str) -> str:
    """What a stretch of a text, pointed at where it first stands, is shown as."""
    passage = Passage(id="p", document_id="p", ordinal=0, start=0, end=len(text), title="", text=text)
    start, end = widened(Quote(passage, 0, len(text)), text.index(pointed), text.index(pointed) + len(pointed))
    return text[start:end]


@pytest.mark.parametrize(
    ("text", "pointed", "shown"),
    [
        ('She sailed on the USS "Heron" that year.', 'USS "Heron', 'USS "Heron"'),
        ('She sailed on "Heron" that year.', 'Heron"', '"Heron"'),
        ("It stands in Pell (Sarn) and was lit in 1871.", "Pell (Sarn", "Pell (Sarn)"),
        ("It stands in Pell (Sarn) and was lit in 1871.", "Pell", "Pell"),
        ("They call it “the old lamp” in Pell.", "“the old lamp", "“the old lamp”"),
        ("It is called Heron (since 1871).", "Heron", "Heron"),
        ('Its name is "Heron".', "Heron", "Heron"),
        ('They are "Heron", "Grebe" and "Tern".', 'Heron", "Grebe" and "Tern', '"Heron", "Grebe" and "Tern"'),
        ("Lit in 1871 [see", "1871 [see", "1871 [see"),
        ("It is wider than `gate.width` and waits.", "wider than `gate.width", "wider than `gate.width`"),
        ("It is wider than ``gate`` and waits.", "wider than ``gate", "wider than ``gate``"),
    ],
)
def test_a_mark_that_was_opened_is_closed(text: str, pointed: str, shown: str) -> None:
    assert shown_by(closed, text, pointed) == shown


@pytest.mark.parametrize(
    ("text", "pointed", "shown"),
    [
        ("Write to the address(es) below.", "the address", "the address(es)"),
        ("It calls file(1) first.", "file", "file"),
        ("Key: 1F2E 6B49 ACBA DCF6 0091, of Ada", "6B49 ACBA", "1F2E 6B49 ACBA DCF6 0091"),
        ("Key 6B49 ACBA DCF60 0091", "6B49 ACBA", "6B49 ACBA"),
        ("Key 6B49 ACBA 12", "6B49 ACBA", "6B49 ACBA"),
        ("In 1742 and 1871 1900 carts", "1742", "1742"),
        ("2.10.0 - 2031-10-17", "2031", "2031-10-17"),
        ("2.10.0 - 2031-10-17", "- 2031-10-17", "2031-10-17"),
        ("It came on 10/05/2031, a Saturday.", "05/2031", "10/05/2031"),
        ("In 1871-1872 it stood still.", "1871", "1871"),
        ("Item 1871-10-17-B", "1871", "1871"),
        ("Built by Ada B. Rook in 1871.", "Ada B.", "Ada B. Rook"),
        ("Built by Ada J. B. O'Rook-Tarn.", "Ada J. B.", "Ada J. B. O'Rook-Tarn"),
        ("It has vitamin B. The lamp is lit.", "vitamin B.", "vitamin B."),
        ("Built by Ada B. in 1871.", "Ada B.", "Ada B."),
        ("It is wider than `gate.width_m`.", "wider than `gate", "wider than `gate.width_m"),
        ("Set max_width to 4.", "max", "max_width"),
        ("It came with 2.0.1 at last.", "2.0", "2.0.1"),
        ("It draws 2.5 m.", "2", "2.5"),
        ("It was lit in 1871.2 It is old.", "1871", "1871"),  # a note
        ("The lamp burns.The keeper sleeps.", "burns", "burns"),
        ("The lamp burns.3 It is old.", "burns", "burns"),
        ("It is called `turn-lamps`.", "`turn-lamps`", "turn-lamps"),
        ("It is called ``turn-lamps``.", "`turn-lamps``", "turn-lamps"),
        ("Run `turn` and `wait` first.", "`turn` and `wait`", "`turn` and `wait`"),
    ],
)
def test_words_and_values_are_pointed_at_whole(text: str, pointed: str, shown: str) -> None:
    assert shown_by(whole, text, pointed) == shown


@pytest.mark.parametrize(
    ("row", "pointed", "shown"),
    [
        ("Level: high; Answer within: 30 minutes", "within: 30 minutes", "30 minutes"),
        ("Level: high; Answer within: 30 minutes", "Level: high", "high"),
        ("Level: high; Answer within: 30 minutes", "30 minutes", "30 minutes"),
        ("Level: high; Answer within: 30 minutes", "Answer within", "Answer within"),
        ("Level: high; Answer within: 30 minutes", "high; Answer within: 30", "high; Answer within: 30"),
        ("Built: 1934\nKeeper: Ada Brisk", "Keeper: Ada", "Ada"),
        ("They said this within: 30 minutes it took.", "within: 30 minutes", "within: 30 minutes"),
    ],
)
def test_a_value_is_pointed_at_without_the_name_of_its_column(row: str, pointed: str, shown: str) -> None:
    def cut(place: Quote, start: int, end: int) -> tuple[int, int]:
        return behind_column(place, start, end), end

    assert shown_by(cut, row, pointed) == shown


def overlapping(text: str, *stretches: tuple[int, int]) -> list[Passage]:
    """Passages of one document."""
    return [
        Passage(id=str(at), document_id="d", ordinal=at, start=start, end=end, title="Mill", text=text[start:end])
        for at, (start, end) in enumerate(stretches)
    ]


def test_a_place_that_two_passages_share_is_one(models: Models) -> None:
    """Told twice it would be likelier, but it is told once."""
    text = "The mill stands on the Orla. It was built by Lena Voss in 1742. Its keepers live beside it."
    told = text.index("It was")
    ended = text.index(" Its")
    both = point("Who built the mill?", overlapping(text, (0, ended), (told, len(text))), models)
    alone = [
        point("Who built the mill?", overlapping(text, stretch), models).chance
        for stretch in ((0, ended), (told, len(text)))
    ]
    assert both.best is not None
    assert both.best.text == "Lena Voss"
    assert both.chance == pytest.approx(max(alone))
    quotes = likeliest(both, overlapping(text, (0, ended), (told, len(text))), 100)
    said = [text_of(quote) for quote in quotes]
    assert said.count("It was built by Lena Voss in 1742.") == 1


def test_the_section_is_read_above_a_passage(models: Models) -> None:
    """It tells what the passage is about, and is never an answer."""
    text = "The lamp burns paraffin. The keeper winds its clockwork."
    plain = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="manual", text=text)
    under = replace(plain, section=("Lamps", "Heron lamp"))
    assert heading_over(Quote(under, 4, 8)) == "Lamps > Heron lamp"
    assert heading_over(Quote(plain, 4, 8)) == ""
    question = "Which lamp burns paraffin?"
    assert all("Heron" not in one.text for one in point(question, [under], models).answers)
    asked = "What does the Heron lamp burn?"
    assert point(asked, [under], models).chance > point(asked, [plain], models).chance


def test_a_day_in_a_heading_answers_when_something_was(models: Models) -> None:
    """As in changelogs and minutes; whatever else is asked, a heading is no answer."""
    text = "2.1.0 (2031-02-04)\n\nThe wheel turns by itself now.\n\n2.0.9 (2030-11-30)\n\nThe gate is of oak.\n"
    places = tuple((text.index(said), text.index(said) + 18) for said in ("2.1.0", "2.0.9"))
    notes = Passage(
        id="p", document_id="d", ordinal=0, start=0, end=len(text), title="Tide: Changelog", text=text, headings=places
    )
    told = point("When was Tide 2.1.0 released?", [notes], models)
    assert told.best is not None
    assert told.best.quote is not None
    assert (told.best.text, text_of(told.best.quote)) == ("2031-02-04", "2.1.0 (2031-02-04)")
    assert all("2031" not in one.text for one in point("What turns by itself?", [notes], models).answers)


@dataclass(frozen=True)
class PointsAt:
    """A model of spans that points at one word wherever it stands."""

    word: str
    name: str = "points at one word"

    def read(self, question: str, texts: Sequence[Sequence[TextPart]]) -> list[SpanReading]:
        """The places of the word in the parts that answers are read in."""
        return [
            SpanReading(
                none=0.1,
                span=0.9,
                yes=0.0,
                no=0.0,
                spans=tuple(
                    PointedSpan(-0.1, number, part.text.index(self.word), part.text.index(self.word) + len(self.word))
                    for number, part in enumerate(text)
                    if part.answers and self.word in part.text
                ),
                evidence=(),
            )
            for text in texts
        ]


@pytest.mark.parametrize(
    ("text", "pointed", "answers"),
    [
        ("[2031-02-04 17:30] Ada Brisk: I shut it.\n[2031-02-04 17:31] Otto Fell: Good.", "I", ["Ada Brisk"]),
        ("[2031-02-04 17:30] Ada Brisk: We shut it.\n[2031-02-04 17:31] Otto Fell: Good.", "We", []),
        ("The gate was shut by me when the tide came in.", "me", []),
    ],
)
def test_somebody_who_is_asked_for_is_not_called_i(
    monkeypatch: pytest.MonkeyPatch, models: Models, text: str, pointed: str, answers: list[str]
) -> None:
    """In a conversation it is known who says so; "we" are several, whom nothing names."""
    monkeypatch.setattr(Models, "span_model", PointsAt(pointed))
    passage = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="Gate", text=text)
    assert [one.text for one in point("Who shut the gate?", [passage], models).answers] == answers
    assert [one.text for one in point("Which word is a pronoun?", [passage], models).answers] == [pointed]


def test_a_sentence_hardly_tells_a_value_that_is_pointed_at_in_another_one() -> None:
    text = "The tap was mended. Its budget was 180 crowns."
    minutes = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="Minutes", text=text)
    mended, budget = Quote(minutes, 0, 19), Quote(minutes, 20, len(text))
    amount = Pointed(text="180 crowns", chance=0.3, quote=budget, start=35, end=45)
    agreeing = Pointing(question="?", answers=(amount,), sentences=(Supporting(0.6, budget), Supporting(0.2, mended)))
    differing = replace(agreeing, sentences=(Supporting(0.6, mended), Supporting(0.2, budget)))
    assert agreeing.telling == 0.6
    assert 0.1 < differing.telling < 0.4
    assert replace(differing, answers=()).telling == 0.6
    assert Pointing(question="?").telling == 0.0


def test_a_sentence_explains_at_least_as_likely_as_what_is_pointed_at_in_it_is_right() -> None:
    text = "Clean it on Mondays. Wear gloves, or it burns."
    page = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="Kettle", text=text)
    when, gloves = Quote(page, 0, 20), Quote(page, 21, len(text))
    burns = Pointed(text="it burns", chance=0.7, quote=gloves, start=38, end=46)
    own = Pointing(question="?", answers=(burns,), sentences=(Supporting(0.3, gloves), Supporting(0.1, when)))
    other = replace(own, sentences=(Supporting(0.3, when), Supporting(0.1, gloves)))
    assert own.explaining == 0.7
    assert other.explaining == replace(own, answers=()).explaining == 0.3
    assert Pointing(question="?").explaining == 0.0


class Pointer:
    """Points at the first so many characters of what is read."""

    name = "pointer"

    def __init__(self, length: int) -> None:
        self._length = length

    def read(self, question: str, texts: Sequence[Sequence[TextPart]]) -> list[SpanReading]:
        """The same for all texts."""
        span = PointedSpan(score=0.0, part=1, start=0, end=self._length)
        return [SpanReading(none=0.0, span=1.0, yes=0.0, no=0.0, spans=(span,), evidence=()) for _ in texts]


@pytest.mark.parametrize(("length", "answers"), [(1, []), (2, []), (10, ["The lamp"])])
def test_marks_alone_are_no_answer(
    length: int, answers: list[str], models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(models), "span_model", property(lambda _: Pointer(length)))
    found = point("What was new?", overlapping("- The lamp is lit.", (0, 18)), models)
    assert [one.text for one in found.answers] == answers

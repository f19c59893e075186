"""What is said of one code of a series, or of what is to be left out, is no answer about something else."""

from __future__ import annotations

import pytest

from polyhop.models.choice import Models
from polyhop.reading.pointing import Pointed, Supporting
from polyhop.reading.reader import Quote
from polyhop.reading.steps import glance
from polyhop.reading.weighing import OTHER, is_of_another_code, less_of_others, read_weighed, verdict_signs
from polyhop.types import Passage


def passage(text: str, *headings: str, title: str = "Mill") -> Passage:
    places = tuple((text.index(heading), text.index(heading) + len(heading)) for heading in headings)
    return Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title=title, text=text, headings=places)


def quoted(notes: Passage, said: str) -> Quote:
    start = notes.text.index(said)
    return Quote(notes, start, start + len(said))


LIST = passage("LMP-401\n: The wick is wet.\n\nLMP-402\n: The glass is cracked.\n\nAda Brisk keeps the lamps.")
ROWS = passage("Ticket: LMP-401; Keeper: Ada Brisk\nTicket: LMP-402; Keeper: Tam Ostler")
TOLD = passage("E14 was run in May. It failed of frost.\nUnlike E14, E15 held. It was run in June, as E13 was.")
REPORT = passage("Keeper: Ada Brisk\n\nCauses\n\nThe wick was wet.", "Causes", title="Failure 2031-014: dark lamp")
SETTINGS = passage("gate.open_per_minute: 4\n[gate]\nopen_per_hour = 90")


@pytest.mark.parametrize(
    ("notes", "said", "question", "another"),
    [
        (LIST, ": The glass is cracked.", "What does LMP-403 mean?", True),
        (LIST, ": The glass is cracked.", "What does LMP-401 mean?", True),
        (LIST, ": The glass is cracked.", "What does lmp-402 mean?", False),
        (LIST, ": The wick is wet.", "What does LMP-401 mean?", False),
        (LIST, ": The wick is wet.", "What does the error of the lamp mean?", False),
        (LIST, ": The wick is wet.", "What does ORL-401 mean?", False),  # of no series that is named here
        (LIST, ": The wick is wet.", "Is LMP-401 or LMP-402 worse?", False),
        (ROWS, "Ticket: LMP-402; Keeper: Tam Ostler", "Who keeps LMP-401?", True),
        (ROWS, "Ticket: LMP-402; Keeper: Tam Ostler", "Who keeps LMP-402?", False),
        (TOLD, "It failed of frost.", "Why did E14 fail?", False),
        (TOLD, "It failed of frost.", "Why did E15 fail?", True),
        (TOLD, "It was run in June, as E13 was.", "When was E15 run?", False),
        (REPORT, "The wick was wet.", "Why did the lamp fail in 2031-013?", True),
        (REPORT, "The wick was wet.", "Why did the lamp fail in 2031-014?", False),
        (SETTINGS, "open_per_hour = 90", "What is gate.open_per_hour?", False),
        (SETTINGS, "gate.open_per_minute: 4", "What is gate.open_per_hour?", True),
    ],
)
def test_what_is_said_belongs_to_the_code_over_it(notes: Passage, said: str, question: str, another: bool) -> None:
    assert is_of_another_code(quoted(notes, said), question) is another


def test_what_is_said_of_another_code_is_hardly_the_answer() -> None:
    quote = quoted(ROWS, "Ticket: LMP-402; Keeper: Tam Ostler")
    (sentence,) = less_of_others([Supporting(0.9, quote)], "Who keeps LMP-403?")
    assert sentence.chance < 0.3
    (same,) = less_of_others([Supporting(0.9, quote)], "Who keeps LMP-402?")
    assert same.chance == 0.9
    assert OTHER < 0


def test_another_code_may_be_the_answer_itself() -> None:
    (code,) = less_of_others(
        [Pointed(text="LMP-402", chance=0.9, quote=quoted(ROWS, "Ticket: LMP-402; Keeper: Tam Ostler"))],
        "Which ticket comes behind LMP-401?",
    )
    assert code.chance == 0.9


def test_steps_and_verdicts_are_held_against_the_code_as_well(models: Models) -> None:
    asked = "What does the error {} mean?"
    (known, *_), (unknown, *_) = (glance(asked.format(code), [LIST], models) for code in ("LMP-402", "LMP-403"))
    assert known.text == unknown.text == "The glass is cracked"
    assert known.chance > 0.6
    assert unknown.chance < 0.3
    read = read_weighed("Does LMP-403 mean that the glass is cracked?", [LIST], models)
    assert verdict_signs(read, 1.0)[1] < -5


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What is the sum of the tolls without mill 3?", True),
        ("What is the toll at mill 3?", False),
        ("What is the sum of the tolls without mill 4?", False),
        ("What does a cart without hay pay at mill 3?", False),
    ],
)
def test_a_row_of_what_is_left_out_is_hardly_the_answer(question: str, left: bool) -> None:
    tolls = passage("Place: mill 3; Toll: 50\nPlace: mill 5; Toll: 20\nWithout mill 3 the sum is 20.")
    lines = [Supporting(0.9, quoted(tolls, line)) for line in tolls.text.splitlines()]
    doubted = {one.quote for one in less_of_others(lines, question) if one.chance < 0.9}
    assert doubted == ({lines[0].quote} if left else set())

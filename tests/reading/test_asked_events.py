"""Questions about two events: what they are, and what is asked about their order or the time between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.events import event_clause
from polyhop.reading.asked_events import asked_events


@pytest.mark.parametrize(
    ("question", "first", "second", "relation"),
    [
        (
            "Did Ada ask Tom for the ladder before she told him about the leak?",
            "Ada ask Tom for the ladder",
            "she told him about the leak",
            "before",
        ),
        (
            "Did Orsk announce the new ferry times after Vell complained about the late ferry?",
            "Orsk announce the new ferry times",
            "Vell complained about the late ferry",
            "after",
        ),
        (
            "Did Mara remind Tom to stretch after the race before she shared a plan with the crew?",
            "Mara remind Tom to stretch after the race",
            "she shared a plan with the crew",
            "before",
        ),
        (
            "Did Ada tell Tom that oiling the hinge before painting can help before lending the brush to him?",
            "Ada tell Tom that oiling the hinge before painting can help",
            "Ada lending the brush to him",
            "before",
        ),
        (
            "Did the discussion about kites occur after the discussion about boats?",
            "the discussion about kites",
            "the discussion about boats",
            "after",
        ),
        (
            "Did the talk about kites happen before or after the talk about boats?",
            "the talk about kites",
            "the talk about boats",
            "either",
        ),
        (
            "Did Ada suggest the museum after complaining to Tom about the rain?",
            "Ada suggest the museum",
            "Ada complaining to Tom about the rain",
            "after",
        ),
    ],
)
def test_asked_events_reads_an_order(question: str, first: str, second: str, relation: str) -> None:
    asked = asked_events(question)
    assert asked is not None
    assert (asked.kind, asked.first, asked.second, asked.relation) == ("order", first, second, relation)


@pytest.mark.parametrize(
    ("question", "comparison", "limit", "first", "second"),
    [
        (
            "Is the time between Ada asking Tom to mend the gate and Tom telling Ada that it is done more than 3 days?",
            "more",
            3,
            "Ada asking Tom to mend the gate",
            "Tom telling Ada that it is done",
        ),
        (
            "Is the time more than 2 weeks between Ada ordering salt and pepper and Tom bringing Ada the salt?",
            "more",
            14,
            "Ada ordering salt and pepper",
            "Tom bringing Ada the salt",
        ),
        (
            "Did it take more than a week from Ada asking Tom about the lamp to Tom reminding Ada to fetch it?",
            "more",
            7,
            "Ada asking Tom about the lamp",
            "Tom reminding Ada to fetch it",
        ),
        (
            "Did less than half a day pass from Ada's request for the key to Tom's announcement of the sale?",
            "less",
            0.5,
            "Ada's request for the key",
            "Tom's announcement of the sale",
        ),
        (
            "How many days passed between Ada asking Tom for the key and Tom bringing her the key?",
            "",
            0,
            "Ada asking Tom for the key",
            "Tom bringing her the key",
        ),
        (
            "How long did it take from Mara inviting Tom to the regatta until Tom accepting the invitation?",
            "",
            0,
            "Mara inviting Tom to the regatta",
            "Tom accepting the invitation",
        ),
    ],
)
def test_asked_events_reads_an_interval(question: str, comparison: str, limit: float, first: str, second: str) -> None:
    asked = asked_events(question)
    assert asked is not None
    assert (asked.kind, asked.comparison, asked.limit) == ("interval", comparison, limit)
    assert (asked.first, asked.second) == (first, second)


@pytest.mark.parametrize(
    "question",
    [
        "What did Ada do before dinner?",
        "Before which match did Ada ask Tom for tickets?",
        "Did Ada leave before noon?",
        "Did Ada call Tom before the end of March?",
        "When did Ada ask Tom for the key?",
        "Who spoke to Ada after Tom left?",
        "How long did Ada stay at the museum?",
        "Which came first, Low Tide or Red Sails?",
        "Did Ada run after Tom?",
        "Did Tom reply more than two days after Ada asked him?",
        "Is the regatta on 3 May?",
        "Who was born first, Orla Venn or Tam Ostler?",
        "Did Ada tell Tom to rest after an intense race?",
        "What is the time between trains?",
        "Was the bridge named after Ada Brisk?",
        "",
        "before",
    ],
)
def test_asked_events_leaves_other_questions_alone(question: str) -> None:
    assert asked_events(question) is None


def test_a_clause_says_who_does_what_to_whom() -> None:
    told = event_clause("Ada Brisk quickly told Tom Rook about the leak")
    assert told is not None
    assert (told.subject, told.words[told.verb], told.other) == ("Ada Brisk", "told", "Tom Rook")


@given(st.text(max_size=80), st.sampled_from(["Did {} before {}?", "How many days between {} and {}?", "{} after {}"]))
def test_asked_events_never_fails(text: str, frame: str) -> None:
    asked = asked_events(frame.format(text, text[::-1]))
    assert asked is None or (asked.first and asked.second)

"""Questions about two events: what they are, and what is asked about their order or the time between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.people import gender_of, same_person, with_names
from polyhop.english.statements import doing, stated
from polyhop.reading.asked_events import asked_events


@pytest.mark.parametrize(
    ("question", "first", "second", "relation"),
    [
        (
            "Did Ada ask Tom for the ladder before she told him about the leak?",
            "Ada asked Tom for the ladder",
            "Ada told Tom about the leak",
            "before",
        ),
        (
            "Did Mara send a note to Piet before she asked him about the regatta?",
            "Mara sent a note to Piet",
            "Mara asked Piet about the regatta",
            "before",
        ),
        (
            "Did Piet write to Mara before she asked him about the regatta?",
            "Piet wrote to Mara",
            "Mara asked Piet about the regatta",
            "before",
        ),
        (
            "Did Orsk announce the new ferry times after Vell complained about the late ferry?",
            "Orsk announced the new ferry times",
            "Vell complained about the late ferry",
            "after",
        ),
        (
            "Did Ada tell Tom that oiling the hinge before painting can help before lending the brush to him?",
            "Ada told Tom that oiling the hinge before painting can help",
            "Ada lent the brush to Tom",
            "before",
        ),
        (
            "Did Mara remind Tom to stretch after the race before she shared a plan with the crew?",
            "Mara reminded Tom to stretch after the race",
            "Mara shared a plan with the crew",
            "before",
        ),
        (
            "Did the discussion about kites occur after the discussion about boats?",
            "the discussion about kites",
            "the discussion about boats",
            "after",
        ),
        (
            "Did the talk about kites happen before or after the one about boats?",
            "the talk about kites",
            "the talk about boats",
            "either",
        ),
        (
            "Did Ada suggest the museum after complaining to Tom about the rain?",
            "Ada suggested the museum",
            "Ada complained to Tom about the rain",
            "after",
        ),
        (
            "Was Ada told about the flood before she asked Tom for a boat?",
            "Ada was told about the flood",
            "Ada asked Tom for a boat",
            "before",
        ),
        (
            "Had Tom already announced the sale when Ada asked about the price?",
            "Tom announced the sale",
            "Ada asked about the price",
            "before",
        ),
        (
            "Was it before or after Ada asked Tom for the key that she told Mara about the party?",
            "Ada told Mara about the party",
            "Ada asked Tom for the key",
            "either",
        ),
        (
            "Did Ada and Tom discuss the old maps before the crew members discussed the new maps?",
            "Ada and Tom discussed the old maps",
            "the crew members discussed the new maps",
            "before",
        ),
        (
            "Did the announcement of the sale precede the complaint about the price?",
            "the announcement of the sale",
            "the complaint about the price",
            "before",
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
            "Ada asked Tom to mend the gate",
            "Tom told Ada that it is done",
        ),
        (
            "Is the time more than 2 weeks between Ada ordering salt and pepper and Tom bringing Ada the salt?",
            "more",
            14,
            "Ada ordered salt and pepper",
            "Tom brought Ada the salt",
        ),
        (
            "Did it take more than a week from Ada asking Tom about the lamp to Tom reminding Ada to fetch it?",
            "more",
            7,
            "Ada asked Tom about the lamp",
            "Tom reminded Ada to fetch it",
        ),
        (
            "Did less than half a day pass from Ada's request for the key to Tom's announcement of the sale?",
            "less",
            0.5,
            "Ada's request for the key",
            "Tom's announcement of the sale",
        ),
        (
            "Did Tom reply to Ada more than two days after she asked him for the key?",
            "more",
            2,
            "Ada asked Tom for the key",
            "Tom replied to Ada",
        ),
        (
            "Did Ada accept within 3 days of Tom inviting her to the regatta?",
            "at most",
            3,
            "Tom invited Ada to the regatta",
            "Ada accepted",
        ),
        (
            "Were there at least ten days between the day Ada ordered a lamp and the day when Tom delivered it to her?",
            "at least",
            10,
            "Ada ordered a lamp",
            "Tom delivered it to Ada",
        ),
        (
            "How many days passed between Ada asking Tom for the key and Tom bringing her the key?",
            "",
            0,
            "Ada asked Tom for the key",
            "Tom brought Ada the key",
        ),
        (
            "How many weeks after Ada asked Tom for the key did he bring it to her?",
            "",
            0,
            "Ada asked Tom for the key",
            "Tom brought it to Ada",
        ),
        (
            "How long did it take from Mara inviting Tom to the regatta until Tom accepting the invitation?",
            "",
            0,
            "Mara invited Tom to the regatta",
            "Tom accepted the invitation",
        ),
    ],
)
def test_asked_events_reads_an_interval(question: str, comparison: str, limit: float, first: str, second: str) -> None:
    asked = asked_events(question)
    assert asked is not None
    assert (asked.kind, asked.comparison, asked.limit) == ("interval", comparison, limit)
    assert (asked.first, asked.second) == (first, second)


@pytest.mark.parametrize(
    ("question", "names", "relation"),
    [
        (
            "Which came first, Ada asking Tom for a ladder or Tom telling her about the flood?",
            ("Ada asking Tom for a ladder", "Tom telling her about the flood"),
            "before",
        ),
        (
            "Which discussion took place last: the one about kites or the one about boats?",
            ("the one about kites", "the one about boats"),
            "after",
        ),
        (
            "What did Ada do first: ask Tom for the key or tell Mara about the party?",
            ("ask Tom for the key", "tell Mara about the party"),
            "before",
        ),
    ],
)
def test_asked_events_reads_which_came_first(question: str, names: tuple[str, str], relation: str) -> None:
    asked = asked_events(question)
    assert asked is not None
    assert (asked.kind, asked.names, asked.relation) == ("first", names, relation)


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


@pytest.mark.parametrize(
    ("aside", "within"),
    [
        ("(restrict your search within August)", (0, 8, 0)),
        ("(in May 2031)", (2031, 5, 0)),
        ("(during 2031)", (2031, 0, 0)),
        ("(on 4 March 2031)", (2031, 3, 4)),
        ("", (0, 0, 0)),
    ],
)
def test_asked_events_reads_the_restriction(aside: str, within: tuple[int, int, int]) -> None:
    asked = asked_events(f"Did Ada ask Tom for a lift before he told her about his car {aside}?")
    assert asked is not None
    assert asked.within == within
    assert asked.second == "Tom told Ada about his car"


def test_asked_events_offers_the_other_person_where_either_could_be_meant() -> None:
    asked = asked_events("Did Orsk call Vell before he booked the hall?")
    assert asked is not None
    assert asked.second == "Orsk booked the hall"
    assert asked.otherwise == "Vell booked the hall"


def test_with_names_leaves_pronouns_of_somebody_else() -> None:
    """Ada is no *he*, and nobody else is named."""
    assert with_names("he left", "Ada asked about the boat") == ("he left", "")
    assert with_names("the rain began", "Ada asked Tom for a coat") == ("the rain began", "")


def test_with_names_knows_possessives() -> None:
    assert with_names("she sold her boat", "Ada wrote to Tom") == ("Ada sold her boat", "")


def test_people_are_told_by_common_names() -> None:
    assert gender_of("Ada Brisk") == "she"
    assert gender_of("Tom") == "he"
    assert gender_of("Orsk") is None
    assert same_person("AdaBrisk", "Ada")
    assert not same_person("Ada Brisk", "Ada Venn")


@pytest.mark.parametrize(
    ("clause", "base", "statement"),
    [
        ("Ada planning the trip", False, "Ada planned the trip"),
        ("Ada replying to Tom", False, "Ada replied to Tom"),
        ("Ada's inviting Tom", False, "Ada invited Tom"),
        ("Ada carry the bag", True, "Ada carried the bag"),
        ("the crew members agree on a date", True, "the crew members agreed on a date"),
        ("the day when Ada left", False, "Ada left"),
    ],
)
def test_stated_puts_the_verb_into_the_past(clause: str, base: bool, statement: str) -> None:
    assert stated(clause, base=base) == statement


def test_doing_finds_who_does_what_to_whom() -> None:
    told = doing("Ada Brisk quickly told Tom Rook about the leak")
    assert told is not None
    assert (told.subject, told.words[told.verb], told.other) == ("Ada Brisk", "told", "Tom Rook")


@given(st.text(max_size=80), st.sampled_from(["Did {} before {}?", "How many days between {} and {}?", "{} after {}"]))
def test_asked_events_never_fails(text: str, frame: str) -> None:
    asked = asked_events(frame.format(text, text[::-1]))
    assert asked is None or (asked.first and asked.second)

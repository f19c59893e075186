"""The options that a question offers, told by a small trained model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.degrees import degree_within
from polyhop.english.options import OFFERING, Tokens, alternatives, choices, joined, worth

LABELLED = Path(__file__).parents[2] / "weights" / "options.jsonl"


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Do you go up by stairs or lift?", ("stairs", "lift")),
        ("Was the lamp red or green?", ("red", "green")),
        ("Does the ferry leave before or after the tide?", ("before the tide", "after the tide")),
        ("Is it raising or lowering the anchor that takes longer?", ("raising the anchor", "lowering the anchor")),
        ("Which is oldest, the mill, the bridge or the church?", ("the mill", "the bridge", "the church")),
        ("Is the lamp red or green or blue?", ("red", "green", "blue")),
        ("Is the capital of Orsa Velm or Tarn?", ("Velm", "Tarn")),
        ("Should I use ferry sync or ferry pull to keep my lists?", ("ferry sync", "ferry pull")),
        ("Up or down: which way does the lever go?", ("Up", "down")),
        ("Is 12-A or 12-B the spare lamp?", ("12-A", "12-B")),
    ],
)
def test_options_are_cut_out_with_what_they_share(question: str, options: tuple[str, ...]) -> None:
    found = joined(question)
    assert found is not None
    assert found.options == options
    assert found.chance >= OFFERING


@pytest.mark.parametrize(
    "question",
    [
        "What is done if the lamp is wet or torn?",
        "Who mends ropes or sails?",
        "May dogs or cats come on board?",
        "Can I pay within three or four days?",
    ],
)
def test_an_or_within_what_is_asked_offers_nothing(question: str) -> None:
    found = joined(question)
    assert found is not None
    assert found.chance < OFFERING


@pytest.mark.parametrize(
    "question",
    ["", "or", "or?", "Who is it?", "Is the lamp lit or not?", "Is it a lamp or a lamp?", "x or", "a or " * 300],
)
def test_where_nothing_is_joined_there_are_no_options(question: str) -> None:
    assert joined(question) is None


def test_each_option_is_asked_alone() -> None:
    found = joined("Does the ferry leave before or after the tide on Sundays?")
    assert found is not None
    assert found.questions == (
        "Does the ferry leave before the tide on Sundays?",
        "Does the ferry leave after the tide on Sundays?",
    )


@given(
    st.lists(st.sampled_from(["is", "or", "the", "lamp", ",", "Heron", "in", "wet", "12", "'s", "(", "?"]), max_size=14)
)
def test_options_stand_in_the_question(words: list[str]) -> None:
    found = joined(" ".join(words))
    if found is not None:
        stretch = found.question[found.start : found.end]
        assert len(found.options) > 1
        assert all(set(Tokens(option).words) <= set(Tokens(stretch).words) for option in found.options)
        assert 0 <= found.chance <= 1


def test_labelled_options_stand_in_their_questions_and_most_are_told() -> None:
    """The labels that the model is fitted to are well-formed, and its table is fitted to them."""
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    assert len({row["question"] for row in rows}) == len(rows)
    told = 0
    for row in rows:
        assert all(option in row["question"] for option in [*row["options"], row.get("shared", "")])
        found = joined(row["question"])
        told += (found is not None and found.chance >= OFFERING) == bool(row["options"])
    assert told > 0.95 * len(rows)


# -- as they are asked for


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which film came out first, Low Water or The Glass Tide?", ("Low Water", "The Glass Tide")),
        ("Who is older, Ada Lund, or Oskar Vale?", ("Ada Lund", "Oskar Vale")),
        ("Which is taller Velm Tower or Orsa Spire?", ("Velm Tower", "Orsa Spire")),
        ("Between Ada Lund and Oskar Vale who was born earlier?", ("Ada Lund", "Oskar Vale")),
        ("Who, between Ada Lund and Oskar Vale, lived longer?", ("Ada Lund", "Oskar Vale")),
        ("Which is taller between Velm Tower and Orsa Spire?", ("Velm Tower", "Orsa Spire")),
        ("Who won more races between Ada Lund and Oskar Vale?", ("Ada Lund", "Oskar Vale")),
        ("What is the relation between Ada Lund and Oskar Vale?", None),
        ("Which river flows between Velm and Orsa?", None),
        ("Who settled the dispute between Velm and the town where Ada Lund was born?", None),
        ("Between 1260 and 1270, who was the keeper of Velm Tower?", None),
        ("Which sleeps longer, cats or dogs?", ("cats", "dogs")),
        (
            "Which costs more, 250 g of heather honey or a kilo of blossom?",
            ("250 g of heather honey", "a kilo of blossom"),
        ),
        ("Which was signed first, oak, ash or beech?", ("oak", "ash", "beech")),
        ("Did it rain or snow?", ("rain", "snow")),
        ("Is it quicker by ferry or by the coast road?", ("by ferry", "by the coast road")),
        (
            "Was the lamp on the upper landing lit by the old keeper or by a guest from Velm?",
            ("by the old keeper", "by a guest from Velm"),
        ),
        ("What is done if the lamp is wet or torn?", None),
        ("Where can I buy bread or milk?", None),
        ("When is breakfast served on Saturdays or Sundays?", None),
        ("Where do I park, in lot C or in lot D?", ("in lot C", "in lot D")),
        ("Where is it warmer in Fenn or Tarn?", ("Fenn", "Tarn")),
        ("Is the lamp lit or not?", None),
        ("Who wrote Rain?", None),
    ],
)
def test_choices_are_the_options_as_written(question: str, options: tuple[str, str] | None) -> None:
    """Options are taken from after the comma or from around the "or"."""
    assert choices(question) == options


# -- questions for a yes or no


@pytest.mark.parametrize(
    ("question", "options", "questions"),
    [
        ("Does gas or oil cause harm?", ("gas", "oil"), ("Does gas cause harm?", "Does oil cause harm?")),
        ("Is diving or swimming allowed?", ("diving", "swimming"), ("Is diving allowed?", "Is swimming allowed?")),
        (
            "Did the board choose the red lamp or the green one?",
            ("the red lamp", "the green one"),
            ("Did the board choose the red lamp?", "Did the board choose the green one?"),
        ),
        ("May I bring a cat or a dog?", ("a cat", "a dog"), ("May I bring a cat?", "May I bring a dog?")),
        (
            "May guests use boats or rafts during a storm?",
            ("boats", "rafts"),
            ("May guests use boats during a storm?", "May guests use rafts during a storm?"),
        ),
        (
            "Did more owls nest in 2016 or last year?",
            ("in 2016", "last year"),
            ("Did more owls nest in 2016?", "Did more owls nest last year?"),
        ),
        (
            "Is oil cheaper than gas or dearer?",
            ("cheaper than gas", "dearer"),
            ("Is oil cheaper than gas?", "Is oil dearer?"),
        ),
        (
            "Is the boat to Fenn, the one to Tarn or the train cheaper?",
            ("the boat to Fenn", "the one to Tarn", "the train"),
            ("Is the boat to Fenn cheaper?", "Is the one to Tarn cheaper?", "Is the train cheaper?"),
        ),
        (
            "Is the boat to Fenn or the one to Tarn cheaper?",
            ("the boat to Fenn", "the one to Tarn"),
            ("Is the boat to Fenn cheaper?", "Is the one to Tarn cheaper?"),
        ),
    ],
)
def test_each_of_the_things_is_asked(question: str, options: tuple[str, ...], questions: tuple[str, ...]) -> None:
    found = alternatives(question)
    assert found is not None
    assert (found.options, found.questions) == (options, questions)


@pytest.mark.parametrize(
    ("question", "asked", "more"),
    [
        ("Does gas or oil burn longer?", "How long does {} burn?", True),
        ("Do we pay less for a mile by boat or by raft?", "How much do we pay for a mile {}?", False),
        ("Are there more seats in hall A or in hall B?", "How many seats are there {}?", True),
    ],
)
def test_what_compares_two_things_is_asked_of_each(question: str, asked: str, more: bool) -> None:
    found = alternatives(question)
    assert found is not None
    degree = degree_within(found.frame)
    assert degree is not None
    assert (degree.asked, degree.more) == (asked, more)


@pytest.mark.parametrize("question", ["Do I need the thicker gloves for tar or for oil?", "Is gas or oil allowed?"])
def test_other_things_are_compared_by_nothing(question: str) -> None:
    found = alternatives(question)
    assert found is not None
    assert degree_within(found.frame) is None


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        ("Is the lamp red or green?", True),
        ("Is oil cheaper than gas or dearer?", True),
        ("May dogs or cats come in?", False),
        ("Is anyone under 16 or over 70 excluded?", False),
    ],
)
def test_a_yes_or_no_may_answer_what_is_not_offered_to_choose_from(question: str, offered: bool) -> None:
    found = alternatives(question)
    assert found is not None
    assert found.offered is offered


@pytest.mark.parametrize(
    "question",
    [
        "Which burns longer, gas or oil?",
        "Is it true or false that it is lit?",
        "Is the lamp lit?",
        "Does it or?",
        "Is the lamp lit or not?",
        "or",
        "",
    ],
)
def test_other_questions_offer_nothing(question: str) -> None:
    assert alternatives(question) is None


@given(st.lists(st.sampled_from(["does", "is", "or", "the", "lamp", "lit", "a", ",", "Heron", "in"]), max_size=9))
def test_any_question_is_read(words: list[str]) -> None:
    found = alternatives(" ".join(words))
    assert found is None or all(found.options)


def test_signs_are_worth_the_same_in_any_order() -> None:
    """Sets have another order in each process: of two readings that are nearly as likely, always the same counts."""
    weights = {"a": 0.1, "b": 0.2, "c": 0.3}
    assert worth(frozenset("abc"), weights) == 0.6

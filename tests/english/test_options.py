"""What an "or" joins, told by a small trained model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.options import OFFERING, Tokens, joined

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

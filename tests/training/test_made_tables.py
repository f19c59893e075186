"""Tables that are made up: their questions are answered where the rows say, and only there."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from polyhop.training.made_tables import Column, columns, made_tables

ROWS = list(made_tables(600, seed=5))


def test_the_same_seed_makes_the_same_tables() -> None:
    assert list(made_tables(40, seed=5)) == list(islice(ROWS, 40))
    assert list(made_tables(40, seed=6)) != list(islice(ROWS, 40))


def test_an_answer_stands_where_the_row_says() -> None:
    for row in ROWS:
        for text, start in row.answers:
            assert row.context.startswith(text, start)
        assert bool(row.answers) == (row.kind == "span")


def test_a_fifth_of_the_questions_is_not_answered() -> None:
    untold = sum(row.kind == "none" for row in ROWS)
    assert 0.1 < untold / len(ROWS) < 0.24


def test_a_yes_or_no_rests_on_cells_of_the_table() -> None:
    doubted = [row for row in ROWS if row.kind in ("yes", "no")]
    assert 0.12 < len(doubted) / len(ROWS) < 0.28
    assert {row.kind for row in doubted} == {"yes", "no"}
    for row in doubted:
        assert row.rests_on
        assert all(row.context.startswith(text, start) for text, start in row.rests_on)


def test_more_than_a_bound_is_told_from_the_cell() -> None:
    bounded = re.compile(r".*\b(more than|over|above|less than|under|below) ([\d,]+)\??", re.IGNORECASE)
    asked = [(row, match) for row in ROWS if row.rests_on and (match := bounded.fullmatch(row.question))]
    assert asked
    for row, match in asked:
        cell = re.search(r"[\d,]*\.?\d+", row.rests_on[0][0])
        assert cell is not None
        value, bound = (float(number.replace(",", "")) for number in (cell[0], match[2]))
        over = match[1].lower() in ("more than", "over", "above")
        assert (row.kind == "yes") == (value > bound if over else value < bound)


def test_a_comparison_is_answered_with_one_of_the_two() -> None:
    compared = [row for row in ROWS if re.search(r"\bor\b", row.question) and row.kind == "span"]
    assert compared
    for row in compared:
        assert row.answers[0][0].lower() in row.question.lower()


@pytest.mark.parametrize("column", columns(), ids=lambda column: column.names[0])
def test_a_column_has_values_and_questions_about_its_thing(column: Column) -> None:
    kinds = [
        column.numbers is not None,
        bool(column.words),
        column.codes,
        column.firms,
        column.people,
        column.dates,
        column.times,
    ]
    assert sum(kinds) == 1
    assert all("{it}" in ask for ask in column.asks)
    assert bool(column.more) == bool(column.most) == bool(column.less) == bool(column.least)
    assert not column.more or column.numbers is not None

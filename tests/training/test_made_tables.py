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
    assert 0.12 < untold / len(ROWS) < 0.28


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

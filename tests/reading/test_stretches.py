"""What in a sentence could be an answer: names, dates, numbers; and dates and countries as values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.countries import countries_in
from polyhop.english.dates import parse_date
from polyhop.ports import ParsedEntity
from polyhop.reading.conversations.stretches import stretches


def found(text: str, label: str, *entities: tuple[str, str]) -> set[str]:
    """The texts found under a label, given what a parser would have found."""
    parsed = [ParsedEntity(text.index(name), text.index(name) + len(name), kind, "nsubj") for name, kind in entities]
    return {text[one.start : one.end] for one in stretches(text, parsed) if one.label == label}


def test_dates_are_found_in_the_usual_spellings() -> None:
    text = "Born 3 May 1801, she left on June 4, 1820, came back in July 1822 and died in 1870."
    assert found(text, "DATE") == {"3 May 1801", "June 4, 1820", "July 1822", "1870"}


def test_names_are_found_that_the_parser_missed() -> None:
    assert "Ludo van der Harl" in found("The mill belonged to Ludo van der Harl.", "NAME")


def test_articles_and_possessives_are_left_out() -> None:
    assert found("He built the Harl Bridge's towers.", "FAC", ("the Harl Bridge's", "FAC")) == {"Harl Bridge"}


@given(st.text(max_size=200))
def test_stretches_lie_within_the_text_and_differ(text: str) -> None:
    places = [(one.start, one.end) for one in stretches(text, [])]
    assert len(set(places)) == len(places)
    assert all(0 <= start < end <= len(text) for start, end in places)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("3 May 1801", (1801, 5, 3)),
        ("June 4th, 1820", (1820, 6, 4)),
        ("July 1822", (1822, 7, 0)),
        ("1870", (1870, 0, 0)),
        ("480 BC", (-480, 0, 0)),
        ("3 May", None),
        ("", None),
    ],
)
def test_parse_date_reads_what_is_told(text: str, date: tuple[int, int, int] | None) -> None:
    assert parse_date(text) == date


def test_countries_are_told_by_adjectives_and_regions() -> None:
    text = "A Danish film shot in Texas and the Netherlands, not in Georgetown."
    assert [country for _, _, country in countries_in(text)] == ["Denmark", "United States", "Netherlands"]

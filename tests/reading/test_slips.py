"""Two letters that changed places in a question word are put back; nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.reading.slips import without_slip


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Waht song does Ada sing?", "What song does Ada sing?"),
        ("whcih song is it?", "which song is it?"),
        ("“Wehre is Fennick?”", "“Where is Fennick?”"),
        ("Whne did it rain?", "When did it rain?"),
    ],
)
def test_a_slip_in_the_question_word_is_mended(typed: str, meant: str) -> None:
    assert without_slip(typed) == meant


@pytest.mark.parametrize(
    "question",
    ["What is it?", "Hwo came?", "Thaw the fish?", "Wher is it?", "Is it waht she said?", "Was it?", "", "?", "何?"],
)
def test_anything_else_stays_as_it_is(question: str) -> None:
    assert without_slip(question) == question


@given(st.text())
def test_mending_twice_is_mending_once(text: str) -> None:
    assert without_slip(without_slip(text)) == without_slip(text)


def test_the_engine_asks_what_was_meant(engine: Polyhop) -> None:
    typed, meant = (engine.search(f"{word} built Harrowmere Lighthouse?", strategy="bm25") for word in ("Whmo", "Whom"))
    assert typed.passages == meant.passages

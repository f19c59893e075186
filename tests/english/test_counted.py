"""Numbers with what they count."""

from __future__ import annotations

import pytest

from polyhop.english.numbers import counted


@pytest.mark.parametrize(
    ("number", "things", "said"),
    [
        (0, "documents", "0 documents"),
        (1, "documents", "1 document"),
        (2, "documents", "2 documents"),
        (1, "entities", "1 entity"),
        (1, "model calls", "1 model call"),
        (12_345, "passages", "12,345 passages"),
    ],
)
def test_a_number_stands_with_the_right_form_of_what_it_counts(number: int, things: str, said: str) -> None:
    assert counted(number, things) == said

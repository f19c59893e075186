"""Where a quotation stands in a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from polyhop.prompts.quotes import cuts_word, folded, locate

TEXT = "The “Gull” — a steam ferry — was built in 1892 at Ossby. Its café served 1.5 million cups."

letters = st.characters(codec="utf-8")
texts = st.text(letters, min_size=1, max_size=60)


@st.composite
def text_and_stretch(draw: st.DrawFn) -> tuple[str, str]:
    """A text and a non-empty stretch of it."""
    text = draw(texts)
    start = draw(st.integers(0, len(text) - 1))
    return text, text[start : draw(st.integers(start + 1, len(text)))]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("built in 1892", "built in 1892"),
        ("BUILT  in\n1892", "built in 1892"),
        ('The "Gull" - a steam ferry', "The “Gull” — a steam ferry"),
        ("cafe served", "café served"),
        ("Its cafe\u0301 served", "Its café served"),
        ("ossby. its", "Ossby. Its"),
        ("…at Ossby…", "at Ossby"),
    ],
)
def test_quote_is_found_however_it_was_written(quote: str, found: str) -> None:
    span = locate(quote, TEXT)
    assert span is not None
    assert TEXT[slice(*span)] == found


@pytest.mark.parametrize("quote", ["", "  ", "?!", "built in 1893", "15 million cups", "steamferry", "Gull was built"])
def test_what_the_text_does_not_say_is_not_found(quote: str) -> None:
    assert locate(quote, TEXT) is None


@given(text_and_stretch())
def test_every_stretch_is_located_exactly(case: tuple[str, str]) -> None:
    """Law: a verbatim quotation is located at a place where it stands verbatim."""
    text, stretch = case
    span = locate(stretch, text)
    assert span is not None
    assert text[slice(*span)] == stretch


RENDERINGS: dict[str, Callable[[str], str]] = {
    "lower": str.casefold,
    "upper": str.upper,
    "composed": lambda stretch: unicodedata.normalize("NFC", stretch),
    "decomposed": lambda stretch: unicodedata.normalize("NFD", stretch),
    "compatible": lambda stretch: unicodedata.normalize("NFKC", stretch),
    "spaced": lambda stretch: " \n" + stretch.replace(" ", "\u00a0\t "),
    "marked": lambda stretch: f"“{stretch}”...",
}


@given(text_and_stretch(), st.sampled_from(sorted(RENDERINGS)))
@example(("Straße", "ße"), "lower")
@example(("ﬁne ﬂax", "ne ﬂ"), "compatible")
@example(("東京 の川", "京 の"), "spaced")
def test_every_rendering_of_a_stretch_is_located(case: tuple[str, str], rendering: str) -> None:
    """Law: changing case, Unicode form, spaces or punctuation leads to a stretch that folds alike."""
    text, stretch = case
    quote = RENDERINGS[rendering](stretch)
    assume(folded(stretch) and folded(quote) == folded(stretch))
    span = locate(quote, text)
    assert span is not None
    assert folded(text[slice(*span)]) == folded(stretch)


@given(texts)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@given(texts, texts)
def test_located_stretch_lies_within_the_text(quote: str, text: str) -> None:
    span = locate(quote, text)
    if span is not None:
        assert 0 <= span[0] < span[1] <= len(text)
        assert text[slice(*span)] == quote or folded(text[slice(*span)]) == folded(quote)


def test_place_that_cuts_no_word_is_preferred() -> None:
    assert locate("art", "A party is no art.") == (14, 17)
    assert locate("art", "A party.") == (3, 6)


def test_part_of_a_character_is_no_quotation() -> None:
    assert locate("3", "about ¾ of it") is None
    assert locate("3/4", "about ¾ of it") == (6, 7)
    assert locate("1", "⒈ Gull") == (0, 1)


def test_accent_belongs_to_its_letter() -> None:
    text = "the cafe\u0301 closed"
    assert locate("THE CAFE", text) == (0, 9)


@pytest.mark.parametrize(
    ("text", "start", "end", "cut"),
    [
        ("a party", 3, 6, True),
        ("in 1892", 3, 5, True),
        ("in 1892.", 3, 7, False),
        ("東京の川", 1, 3, False),
        ("แม่น้ำสายยาว", 3, 6, False),
        ("all", 0, 3, False),
    ],
)
def test_cut_words_are_recognised_in_scripts_that_have_words(text: str, start: int, end: int, cut: bool) -> None:
    assert cuts_word(text, start, end) is cut

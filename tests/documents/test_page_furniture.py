"""What stands around the text of pages is left out: running heads, page numbers, and contents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from polyhop.documents.loaders.page_contents import without_contents
from polyhop.documents.loaders.page_furniture import without_furniture
from polyhop.documents.loaders.pdf_lines import PageLine
from tests.worlds.pdf import load, pdf

BODY = (
    "It stands on the Orla.",
    "It was built in 1742.",
    "The wheel is of oak.",
    "It turns at night.",
    "Rye is ground.",
)


def bound(number: int, body: str) -> list[str]:
    """A page of a book: heads take turns, and pages are numbered at the bottom."""
    head = "The Mills of the Orla" if number % 2 else "Lena Voss"
    return [head, "", "", body, *BODY[:2], "", "", f"- {number} -"]


def test_running_heads_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    pages = [bound(number, body) for number, body in enumerate(BODY, start=7)]
    document = load(tmp_path / "mills.pdf", pdf(pages))
    assert "Mills of" not in document.text
    assert "Lena Voss" not in document.text
    assert "- 8 -" not in document.text
    assert document.text.count("built in 1742") == len(BODY) + 1
    starts = [document.text[place:] for place in document.pages]
    assert [text.startswith(body) for text, body in zip(starts, BODY, strict=True)] == [True] * len(BODY)


def test_numbers_that_do_not_count_pages_stay(tmp_path: Path) -> None:
    pages = [[f"{year} tons", "", "", "Rye.", "Oats."] for year in (1742, 1911, 1650)]
    assert [f"{year} tons" in load(tmp_path / "a.pdf", pdf(pages)).text for year in (1742, 1911, 1650)] == [True] * 3


@pytest.mark.parametrize(
    ("edge", "kept"),
    [
        ("Page 1", False),
        ("- page 1 of 1 -", False),
        ("1 / 1", False),
        ("Seite 1 von 1", False),
        ("Page 4", True),
        ("1 of 12", True),
        ("Gate 1", True),
        ("1", True),
    ],
)
def test_the_number_of_an_only_page_is_left_out(edge: str, *, kept: bool) -> None:
    """With a word that tells it, or with how many there are: a number alone may say anything."""
    page = [PageLine(text=text, bottom=bottom, size=10) for text, bottom in (("Oak.", 500), ("Rye.", 488), (edge, 40))]
    assert [line.text for line in without_furniture([page])[0]] == ["Oak.", "Rye.", *[edge] * kept]


def test_roman_numbers_count_pages_too() -> None:
    said = {"iii": "One.", "iv": "Two."}
    pages = [
        [PageLine(text=text, bottom=500, size=10), PageLine(text=f"page {number}", bottom=40, size=10)]
        for number, text in said.items()
    ]
    assert [[line.text for line in page] for page in without_furniture(pages)] == [["One."], ["Two."]]


@pytest.mark.parametrize("edge", ["İL", "ı", "İ"])
def test_turkish_letters_are_no_roman_numbers(edge: str) -> None:
    page = [PageLine(text="Oak.", bottom=500, size=10), PageLine(text=edge, bottom=40, size=10)]
    assert without_furniture([page]) == [page]


def test_a_running_head_above_nothing_but_a_picture_is_left_out() -> None:
    def page(number: int, *said: str) -> list[PageLine]:
        body = [PageLine(text=text, bottom=600 - 12 * row, size=10) for row, text in enumerate(said)]
        return [PageLine(text=f"Mill notes {number} / 9", bottom=800, size=10), *body]

    left = without_furniture([page(1, "Rye."), page(2, "Oats."), page(3), page(4, "Barley.")])
    assert [[line.text for line in page] for page in left] == [["Rye."], ["Oats."], [], ["Barley."]]


def test_lines_alone_on_their_pages_stay() -> None:
    pages = [[PageLine(text=f"Chapter {number}", bottom=400, size=20)] for number in (1, 2, 3)]
    assert without_furniture(pages) == pages


def test_pages_that_say_nothing_else_keep_what_repeats() -> None:
    pages = [[PageLine(text="Draft", bottom=700, size=10), PageLine(text=f"{n}", bottom=40, size=10)] for n in (1, 2)]
    assert [[line.text for line in page] for page in without_furniture(pages)] == [["Draft", "1"], ["Draft", "2"]]


def lines_left(*pages: Sequence[str]) -> list[list[str]]:
    return [[line.text for line in page] for page in without_contents([[*map(line_of, page)] for page in pages])]


def line_of(text: str) -> PageLine:
    return PageLine(text=text)


def test_contents_that_the_document_says_again_are_left_out() -> None:
    contents = [
        "The Mills of the Orla",
        "Contents",
        "1 Water 1",
        "1.1 The weir and the gate . . . . . . 1",
        "1.2 How the wheel is turned when the",
        "tide is low ........... 3",
        "2 Grain 4",
        "2.1 Rye . . . . . . . . . . . . . . . 4",
    ]
    body = [
        "1 Water",
        "1.1 The weir and the gate",
        "It is of oak.",
        "1.2 How the wheel is turned when the",
        "tide is low",
    ]
    rest = ["At night.", "2 Grain", "2.1 Rye", "It is ground first."]
    assert lines_left(contents, body, rest) == [["The Mills of the Orla"], body, rest]


@pytest.mark.parametrize(
    "prices",
    [
        ["Tea ..... 2", "Rye bread ..... 1", "Oats ..... 3"],  # numbers fall, as those of pages do not
        ["Coffee ..... 2", "Cake ..... 3", "Plums ..... 4"],  # nothing says again what the entries say
    ],
)
def test_lists_with_leading_dots_that_are_no_contents_stay(prices: list[str]) -> None:
    menu = ["At the mill", *prices, "Tea", "Rye bread", "Oats"]
    assert lines_left(menu) == [menu]

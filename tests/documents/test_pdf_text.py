"""Lines of pages become a text: those that only the page parted are joined, and headings are told by their letters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.documents.loaders.pdf_lines import PageLine
from polyhop.documents.loaders.pdf_text import paged_text

WIDE = "The old tide mill stands where the river Orla meets the grey sea at"


def lines(page: str, size: float = 10.0, left: float = 50.0) -> list[PageLine]:
    """Lines below each other, each of its own length."""
    return [
        PageLine(text=text, left=left, right=left + 0.5 * size * len(text), bottom=700 - 1.2 * size * number, size=size)
        for number, text in enumerate(page.split("\n"))
    ]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("re-\npaired", "repaired"),
        ("Jean-\nPaul", "Jean-Paul"),
        ("a well-known mill, a well-\nknown ferry", "a well-known mill, a well-known ferry"),
        ("1742-\n1911", "1742-1911"),
        (f"{WIDE}\nFenn harbour.\nIt grinds rye.", f"{WIDE} Fenn harbour.\nIt grinds rye."),
        (f"{WIDE} six.\nFenn harbour is small.", f"{WIDE} six. Fenn harbour is small."),
        (f"{WIDE}\n• Rye\n• Oats", f"{WIDE}\n• Rye\n• Oats"),
        (f"{WIDE}\n31.4 ells.", f"{WIDE} 31.4 ells."),
        (f"{WIDE}\n1.1 Rye\n1.2 Oats", f"{WIDE}\n1.1 Rye\n1.2 Oats"),
        ("Rye\nOats\nBarley", "Rye\nOats\nBarley"),
        ("潮汐磨坊在奥拉河上由丽娜修\n好了。", "潮汐磨坊在奥拉河上由丽娜修好了。"),
    ],
)
def test_lines_that_only_the_page_parted_are_joined(page: str, text: str) -> None:
    assert paged_text([lines(page)]).text == text


def test_sentences_and_words_go_on_in_the_next_column_and_on_the_next_page() -> None:
    left = lines(f"{WIDE}\nFenn harbour, and its wheel is of oak and turned by the wa-")
    right = lines(f"ter of both tides. The keeper of the mill opens the gate and\n{WIDE}", left=400)
    read = paged_text([[*left, *right], lines("the lock. Nobody else may.")])
    assert read.text == (
        f"{WIDE} Fenn harbour, and its wheel is of oak and turned by the water of both tides. "
        f"The keeper of the mill opens the gate and {WIDE} the lock. Nobody else may."
    )
    assert read.text[read.begins[1] :] == "the lock. Nobody else may."


def test_a_column_is_as_wide_as_it_is_beside_another_one_whatever_stands_above_both() -> None:
    """An abstract reaches across two columns; a line of theirs that begins with a capital or a number goes on."""
    abstract = replace(lines(f"{WIDE} {WIDE}.")[0], bottom=740)
    left = lines(f"{WIDE}\nFenn harbour, and its wheel of oak has been turned since the year\n1742 by both.")
    right = lines(f"{WIDE}\n{WIDE}", left=400)
    read = paged_text([[abstract, *left, *right]])
    wheel = f"{WIDE} Fenn harbour, and its wheel of oak has been turned since the year 1742 by both."
    assert read.text == f"{WIDE} {WIDE}.\n\n{wheel}\n\n{WIDE} {WIDE}"


def test_a_page_without_text_begins_where_the_next_one_does() -> None:
    read = paged_text([lines("One."), [], lines("Three.")])
    assert (read.text, read.begins) == ("One.\n\nThree.", (0, 6, 6))


def test_headings_have_larger_or_bolder_letters() -> None:
    heading = [*lines("Of the repair of the mill\nand its wheel", size=16)]
    bold = [replace(line, bold=True, bottom=500) for line in lines("The keepers")]
    below = [replace(line, bottom=line.bottom - 212) for line in lines(f"{WIDE}\nFenn harbour.")]
    read = paged_text([[*heading, *lines(WIDE)[:1], *bold, *below]])
    assert [read.text[mark.start : mark.end] for mark in read.headings] == [
        "Of the repair of the mill and its wheel",
        "The keepers",
    ]
    assert read.text.split("\n\n") == [
        "Of the repair of the mill and its wheel",
        WIDE,
        "The keepers",
        f"{WIDE} Fenn harbour.",
    ]

"""Headings of plain text are underlined, behind equals signs, or at the margin of indented text; others are none."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.text import TextLoader
from polyhop.documents.typed_headings import typed_headings
from polyhop.types import Document

PROSE = (
    "The keeper opens the inner gate when the upper pond is higher than the mark, and closes it in the evening. " * 3
)


def found(text: str) -> list[tuple[int, str]]:
    return [(mark.level, text[mark.start : mark.end]) for mark in typed_headings(text)]


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        (
            "The Mill\n========\n\nOld.\n\nWheel\n-----\nOak.\n\nRace\n~~~~\nDry.",
            [(1, "The Mill"), (2, "Wheel"), (3, "Race")],
        ),
        ("Wheel\n-----\n\nOak.\n\nRace\n====\n", [(1, "Wheel"), (2, "Race")]),
        ("========\nThe Mill\n========\n\nWheel\n=====\n", [(1, "The Mill"), (2, "Wheel")]),
        (
            "= The Mill\nAda Brisk\n\n== Wheel\nOak.\n\n=== Rim ===\n\nRace\n~~~~\n",
            [(1, "The Mill"), (2, "Wheel"), (3, "Rim"), (3, "Race")],
        ),
        ("[[wheel]]\n== Wheel\n\nGates[[gates]]\n--------------\n", [(2, "Wheel"), (2, "Gates")]),
        ("  The Wheel\n  ---------\n", [(1, "The Wheel")]),
        (
            "2.1.0 (2031-02-04)\n==================\n\n* Oak.\n\n2.0.9\n=====\n\n2.0 (2030-11-30)\n----------------\n",
            [(1, "2.1.0 (2031-02-04)"), (1, "2.0.9"), (2, "2.0 (2030-11-30)")],
        ),
    ],
)
def test_headings_have_levels(text: str, headings: list[tuple[int, str]]) -> None:
    assert found(text) == headings


@pytest.mark.parametrize(
    "text",
    [
        "The wheel\n\nOak.",
        "It is of oak and\nstands still\n------------",
        "Oak\n------------------------------",
        "Wheel    Race\n-------------\noak      dry",
        "- the wheel\n-----------",
        "1742\n----",
        "17.42\n-----",
        "oak\n= 5\n\n= 6 in all",
        "Do:\n\n----\nturn\n\nwheel\n-----\n----\n",
        "```\nwheel\n=====\n```\n",
        "On\n==\n",
    ],
)
def test_what_may_be_something_else_is_no_heading(text: str) -> None:
    assert found(text) == []


MANUAL = """\
MILL(1)              Pond Manual              MILL(1)

NAME
       mill - turn the wheel

OPTIONS
       -f     Turn it fast.

       -s     Turn it slowly.

What if it stands still?
       Look for a branch.

Pond 2                   1742                   MILL(1)
"""


def test_what_stands_at_the_margin_of_indented_text_are_headings() -> None:
    assert found(MANUAL) == [(1, "NAME"), (1, "OPTIONS"), (1, "What if it stands still?")]


@pytest.mark.parametrize(
    "text",
    [
        MANUAL.replace("NAME\n", "The mill has a wheel.\n"),  # sentences stand there as well
        MANUAL.replace("NAME\n       ", "NAME\n"),  # as much at the margin
        MANUAL.replace("\nOPTIONS\n       -f     Turn it fast.\n", ""),  # two
        "Wheel\n\nRace\n\nGate\n\n  Of oak.",
    ],
)
def test_where_more_stands_at_the_margin_nothing_there_is_a_heading(text: str) -> None:
    assert found(text) == []


def test_code_between_rules_is_no_heading_where_headings_have_none_above(tmp_path: Path) -> None:
    text = "Wheel\n=====\n\n------------\n$ turn wheel\n------------\n\nRace\n----\n"
    assert found(text) == [(1, "Wheel"), (2, "Race")]


@pytest.mark.parametrize("suffix", [".txt", ".rst", ".adoc", ".asciidoc"])
def test_wrapped_files_have_their_headings(tmp_path: Path, suffix: str) -> None:
    body = textwrap.fill(PROSE, 70)
    file = tmp_path / f"mill{suffix}"
    file.write_text(f"The Mill\n========\n\n{body}\n\nIts Wheel\n---------\n{body}\n", encoding="utf-8")
    (document,) = TextLoader().load(file, "mill")
    assert isinstance(document, Document)
    assert document.text.count("\n") == 7
    assert [document.text[start:end] for start, end in document.headings] == ["The Mill", "Its Wheel"]
    assert (document.title, document.levels) == ("The Mill", (1, 2))


def test_logs_have_no_headings(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("Wheel\n=====\n\nturned", encoding="utf-8")
    (document,) = TextLoader().load(tmp_path / "a.log", "a.log")
    assert document.headings == ()


def test_a_line_that_ends_in_a_hundred_thousand_spaces_takes_no_time() -> None:
    start = time.process_time()
    assert found("Wheel" + " " * 100_000 + "\n  Of oak.") == []
    assert time.process_time() - start < 5.0


@given(st.text(alphabet="aB=-~ \n[`.", max_size=120))
def test_headings_are_lines_in_order(text: str) -> None:
    before = 0
    for mark in typed_headings(text):
        assert before <= mark.start < mark.end
        assert "\n" not in text[mark.start : mark.end]
        assert mark.level > 0
        before = mark.end

"""Tables of contents in plain text are no passages; what they list are headings."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.text import TextLoader
from polyhop.types import Document

PARTS = (
    "1. The Mill",
    "1.1. What is it for?",
    "1.2. Who looks after it, and who pays for what has to be mended in winter?",
    "2. The Pond",
    "2.1. Gates",
    "2.1.1. The northern gate",
)
LISTED = "\n".join(f"{'    ' * (part.split()[0].count('.') - 1)}{part}" for part in PARTS)
BODY = "\n\n".join(f"{part}\n\n    It is told here, below {part.split()[-1]}." for part in PARTS[1:])


def written(folder: Path, text: str) -> Document:
    """A plain text as it is read."""
    (folder / "mill.txt").write_text(text, encoding="utf-8")
    (document,) = TextLoader().load(folder / "mill.txt", "mill.txt")
    assert isinstance(document, Document)
    return document


def test_contents_of_a_plain_text_are_left_out_and_tell_its_headings(tmp_path: Path) -> None:
    document = written(tmp_path, f"Our mill\n\nContents\n\n{LISTED}\n\nChapter 1. The Mill\n\n{BODY}\n")
    assert document.text == f"Our mill\n\n\nChapter 1. The Mill\n\n{BODY}"
    assert [document.text[start:end] for start, end in document.headings] == ["Chapter 1. The Mill", *PARTS[1:]]
    assert document.levels == (1, 2, 2, 1, 2, 3)


@pytest.mark.parametrize("text", [LISTED, f"{LISTED}\n\nIt is told elsewhere.", f"{BODY}\n\n{LISTED}"])
def test_numbered_lines_that_are_not_said_again_are_no_contents(tmp_path: Path, text: str) -> None:
    assert written(tmp_path, text).text == text


def test_thousands_of_numbered_lines_take_no_time(tmp_path: Path) -> None:
    start = time.process_time()
    written(tmp_path, "\n".join(f"{number % 100}. oak{' ' * (number % 7)}" for number in range(60_000)))
    written(tmp_path, "1. a" + " " * 100_000 + "\n" + "1." * 50_000)
    assert time.process_time() - start < 8.0

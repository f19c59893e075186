"""The table of contents of a PDF: entries that dots lead to the numbers of pages, and that the document says again.

A list of prices may be led by dots, too. So only this goes: a run of entries whose numbers never fall, most of whose
words begin a line elsewhere, as headings do.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from polyhop.documents.loaders.pdf_lines import PageLine
from polyhop.documents.loading import bare

_LED: Final = re.compile(r"(?P<said>\S.*?)\s*(?:[.\u00b7\u2026_]\s?){3,}\s*(?P<page>\d{1,5}|[ivxlc]{1,7})")
_BARE: Final = re.compile(r"(?P<said>\S.*?)\s+(?:\d{1,5}|[ivxlc]{1,7})")
_NUMBER: Final = re.compile(r"(?:(?:\d+|[A-Z])(?:\.\d+)*[.):]?|[IVXLC]+[.):]?)\s+")
_FEWEST: Final = 3  # entries
_SAID_AGAIN: Final = 0.75  # of these
_MOST_BETWEEN: Final = 2  # lines between two entries: one without dots, and the first line of a long one
_LONGEST: Final = 300  # characters of an entry
_LONGEST_LABEL: Final = 40  # characters of the line above


class _Entry(NamedTuple):
    line: int
    said: str
    page: int  # 0 where it is not written in digits


def without_contents(pages: Sequence[Sequence[PageLine]]) -> list[list[PageLine]]:
    """The pages without the lines of a table of contents, and without the line that names it."""
    lines = [line.text for page in pages for line in page]
    cut: set[int] = set()
    for run in _runs(lines):
        first, last = run[0].line, run[-1].line
        others = sorted(filter(None, map(_words, lines[:first] + lines[last + 1 :])))
        if sum(_is_said(entry.said, others) for entry in run) >= _SAID_AGAIN * len(run):
            cut.update(range(_beginning(lines, first, others), last + 1))
    left: list[list[PageLine]] = []
    at = 0
    for page in pages:
        left.append([line for number, line in enumerate(page, start=at) if number not in cut])
        at += len(page)
    return left


def _runs(lines: Sequence[str]) -> Iterator[Sequence[_Entry]]:
    """Entries that follow one another, and whose numbers never fall."""
    run: list[_Entry] = []
    for number, line in enumerate(lines):
        found = _LED.fullmatch(line) if len(line) <= _LONGEST else None
        if not found:
            continue
        entry = _Entry(number, _words(found["said"]), int(found["page"]) if found["page"].isdigit() else 0)
        if run and number - run[-1].line > _MOST_BETWEEN + 1:
            yield from _in_order(run)
            run = []
        run.append(entry)
    yield from _in_order(run)


def _in_order(run: Sequence[_Entry]) -> Iterator[Sequence[_Entry]]:
    pages = [entry.page for entry in run if entry.page]
    if len(run) >= _FEWEST and all(one <= other for one, other in pairwise(pages)):
        yield run


def _beginning(lines: Sequence[str], first: int, others: Sequence[str]) -> int:
    """Where contents begin that have their first entry with dots there: with the entries above it, and their name."""
    while first and (bare := _BARE.fullmatch(lines[first - 1][:_LONGEST])) and _is_said(_words(bare["said"]), others):
        first -= 1
    above = lines[first - 1].strip() if first else ""
    is_name = bool(above) and len(above) <= _LONGEST_LABEL and above[-1].isalpha() and _NUMBER.match(above) is None
    return first - 1 if is_name else first


def _words(said: str) -> str:
    """What a heading says, without its number, its case and its marks."""
    number = _NUMBER.match(said)
    return bare(said[number.end() if number else 0 :])


def _is_said(words: str, others: Sequence[str]) -> bool:
    """Whether a line begins with these words, or with as many of them as it has room for."""
    at = bisect_left(others, words)
    if at < len(others) and others[at].startswith(words):
        return bool(words)
    return at > 0 and words.startswith(others[at - 1]) and 2 * len(others[at - 1]) >= len(words)

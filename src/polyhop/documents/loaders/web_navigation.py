"""What leads through a book or a site and stands behind its first heading: a page's own contents, and its foot.

Lists of links may be what a page is about. So only these go: what the markup says to lead to the page before or behind,
or to the first one; and contents whose entries the page says again.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from polyhop.documents.flow import Mark
from polyhop.documents.loaders.web_links import HOME, LINK, PLACE, STEP, Links

Cut = tuple[int, int]

_LINE: Final = re.compile(r"[^\n]*[^\s][^\n]*")
_NUMBER: Final = re.compile(
    r"[\W_]*(?:(?:chapter|appendix|section)\s+)?(?:(?:[A-Z]|\d+)(?:\.\d+)*[.):]?\s+)?", re.IGNORECASE
)
_OF_CONTENTS: Final = re.compile(
    r"\b(?:contents?|topics?|sections?|chapters?|on this page|inhalt\w*|themen|auf dieser seite|sommaire"
    r"|table des mati\w+|sur cette page|\w?ndice|contenido|sommario|inhoud\w*)\b",
    re.IGNORECASE,
)
_COLOPHON: Final = re.compile(r"\u00a9|\b(?:19|20)\d\d\b")
_LONGEST_LABEL: Final = 80  # characters of the line above contents
_LONGEST_COLOPHON: Final = 200  # characters of a line below a foot
_MOST_COLOPHON: Final = 3  # lines
_FEWEST: Final = 3  # links of contents
_SAID_AGAIN: Final = 0.75  # of these, on the same page
_COMPARED: Final = 200  # characters
_MOST_BESIDE: Final = 300  # characters beside the links of an element for navigation


class Navigation:
    """The lines of a page that lead elsewhere."""

    def __init__(self, text: str, links: Links, headings: Sequence[Mark]) -> None:
        self._text = text
        self._links = links
        self._headings = [heading.start for heading in headings]
        self._begins = frozenset(self._headings)
        self._lines = [line.span() for line in _LINE.finditer(text)]
        self._filled = [links.fill(*line) for line in self._lines]

    def elements(self, marks: Sequence[Mark]) -> Iterator[Cut]:
        """Elements that are named after navigation, where they have no heading and hardly a word beside links."""
        for mark in marks:
            has_heading = bisect_left(self._headings, mark.end) > bisect_left(self._headings, mark.start)
            if not has_heading and self._links.beside(mark.start, mark.end) <= _MOST_BESIDE:
                yield mark.start, mark.end

    def steps(self) -> Iterator[Cut]:
        """Lines of links to the page before or behind, wherever they are."""
        for line, filled in zip(self._lines, self._filled, strict=True):
            if filled and self._links.count(STEP, *line):
                yield line

    def contents(self) -> Iterator[Cut]:
        """The page's own contents: links to places, before what they lead to, whose words the page says again."""
        entries = [filled and self._are_places(line) for line, filled in zip(self._lines, self._filled, strict=True)]
        if not any(entries):
            return
        others = sorted(
            _plain(self._text[start:end]) for (start, end), entry in zip(self._lines, entries, strict=True) if not entry
        )
        for is_entry, group in groupby(range(len(entries)), key=entries.__getitem__):
            numbers = list(group)
            first, last = numbers[0], numbers[-1]
            start, end = self._lines[first][0], self._lines[last][1]
            if is_entry and self._are_own(start, end, others):
                label = self._label(first)
                if label is not None:
                    yield label, end

    def foot(self, lists: Sequence[Mark]) -> Iterator[Cut]:
        """Lists and rows of nothing but links at the end, one of which leads to the next page or to the first one."""
        at = len(self._lines) - 1
        while at >= 0 and len(self._lines) - at <= _MOST_COLOPHON and self._is_colophon(self._lines[at]):
            at -= 1
        while at >= 0 and self._filled[at]:
            first = at
            while first > 0 and self._filled[first - 1] and self._are_together(first - 1, lists):
                first -= 1
            start, end = self._lines[first][0], self._lines[at][1]
            leads_home = self._links.count(HOME, start, end) and not self._is_announced(first)
            if not (leads_home or self._links.count(STEP, start, end)):
                return
            yield (self._lines[first - 1][0] if self._is_later_heading(first - 1) else start), end
            at = first - 1

    def _are_places(self, line: Cut) -> bool:
        return self._links.count(PLACE, *line) == self._links.count(LINK, *line)

    def _are_own(self, start: int, end: int, others: Sequence[str]) -> bool:
        """Whether the page says again what links say, as it does below its contents."""
        said = [*filter(None, map(_plain, self._links.said(start, end)))]
        again = sum(_begins_one(each, others) for each in said)
        return len(said) >= _FEWEST and again >= _SAID_AGAIN * len(said)

    def _label(self, first: int) -> int | None:
        """Where contents begin, with the line that calls them so; None for a list that the page announces otherwise."""
        start = self._lines[first][0]
        above = self._text[slice(*self._lines[first - 1])] if first else ""
        short = len(above) <= _LONGEST_LABEL
        if above and short and _OF_CONTENTS.search(above) and not above.rstrip().endswith("."):
            return (
                start
                if self._is_heading(first - 1) and not self._is_later_heading(first - 1)
                else self._lines[first - 1][0]
            )
        if above.rstrip().endswith(":") or bisect_left(self._headings, start) > 1:
            return None
        return start

    def _is_colophon(self, line: Cut) -> bool:
        """Whether a line tells whose a page is, or of when."""
        start, end = line
        return end - start <= _LONGEST_COLOPHON and _COLOPHON.search(self._text, start, end) is not None

    def _is_announced(self, number: int) -> bool:
        """Whether the line above one is a heading, or leads over to it."""
        above = self._text[slice(*self._lines[number - 1])] if number else ""
        return self._is_heading(number - 1) or above.rstrip().endswith(":")

    def _is_heading(self, number: int) -> bool:
        return number >= 0 and self._lines[number][0] in self._begins

    def _is_later_heading(self, number: int) -> bool:
        """Whether a line is a heading, and not the first one."""
        return self._is_heading(number) and self._lines[number][0] != self._headings[0]

    def _are_together(self, number: int, lists: Sequence[Mark]) -> bool:
        """Whether a line and the next one are of one list, or have no blank line between them."""
        (start, end), (following, _) = self._lines[number : number + 2]
        at = bisect_right(lists, start, key=lambda mark: mark.start) - 1
        return following == end + 1 or (at >= 0 and following < lists[at].end)


def _plain(said: str) -> str:
    """Words without their number, case and marks at the ends."""
    number = _NUMBER.match(said)
    words = " ".join(said[number.end() if number else 0 :].split())[:_COMPARED]
    return words.strip(" .:").casefold()


def _begins_one(said: str, lines: Sequence[str]) -> bool:
    """Whether one of some lines, which are in order, begins with words."""
    at = bisect_left(lines, said)
    return at < len(lines) and lines[at].startswith(said)

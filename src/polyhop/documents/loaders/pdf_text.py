"""From the lines of a PDF's pages to its text: paragraphs, headings, and where each page begins."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import median
from typing import Final

from polyhop.documents.flow import HEADING, JoinedText, Mark
from polyhop.documents.loaders.pdf_lines import PageLine
from polyhop.documents.sentences import begins_item, has_ended, is_cut, item_lines
from polyhop.documents.wrapped_lines import word_edits

_SPACELESS: Final = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\uff00-\uffef]")
_PROSE: Final = 35  # letters; what is narrower is a list, a table or verse
_LARGER: Final = 1.08  # than other text, as letters of headings are
_APART: Final = 1.35  # of the usual distance of two lines, as those of two paragraphs are
_LONG: Final = 0.75  # of the longest line: a line that does not end a sentence goes on then
_INDENT: Final = 0.6  # of the height of letters
_LONGEST_HEADING: Final = 200  # characters
_LEVEL: Final = 0.1  # of the height of letters, by which lines differ that are one
_NEXT: Final = 0.5  # of it, which is between such lines at most
_SPACE: Final = 0.12  # of it, which is more than nothing
_STEP: Final = 3  # of it, within which what stands beside a line is told
_NEIGHBOURS: Final = 40  # lines before and after that tell how wide a column is


def paged_text(pages: Sequence[Sequence[PageLine]]) -> JoinedText:
    """The text of pages, with words and paragraphs whole that lines, columns and pages parted.

    Headings with the largest letters are the highest.
    """
    layout = _Layout(pages)
    pieces: list[str] = []
    begins: list[int] = []  # where each line begins
    at = 0
    for number, line in enumerate(layout.lines):
        between = layout.between(number - 1) if number else ""
        at += len(between)
        begins.append(at)
        pieces += [between, line.text]
        at += len(line.text)
    text = "".join(pieces)
    edits = word_edits(text)
    begins.append(len(text))
    starts = [begins[first] for first in accumulate(map(len, pages), initial=0)][:-1]
    found = layout.headings()
    headings = [(begins[first], begins[last] + len(layout.lines[last].text)) for first, last in found]
    sizes = [round(layout.lines[first].size) for first, _ in found]
    deeper = sorted(set(sizes), reverse=True)
    marks = (
        Mark(edits.moved(start), edits.moved(end), HEADING, deeper.index(size) + 1)
        for (start, end), size in zip(headings, sizes, strict=True)
    )
    return JoinedText(edits.applied(text), tuple(map(edits.moved, starts)), tuple(marks))


class _Layout:
    """Lines in their order, and what their places say of how they belong together."""

    def __init__(self, pages: Sequence[Sequence[PageLine]]) -> None:
        self.lines = lines = [line for page in pages for line in page]
        self._pages = [number for number, page in enumerate(pages) for _ in page]
        letters: Counter[float] = Counter()
        for line in lines:
            letters[line.size] += len(line.text)
        self._body = max(letters, key=lambda size: letters[size], default=0.0)
        self._bold = 2 * sum(len(line.text) for line in lines if line.bold) > letters.total()
        down = [one.bottom - other.bottom for one, other in pairwise(lines) if _is_alike(one, other)]
        self._items = item_lines([line.text for line in lines])
        self._leading = median([step for step in down if 0 < step < 3 * self._body] or [1.3 * self._body])
        self._lefts: defaultdict[tuple[int, int], list[float]] = defaultdict(list)  # of prose, by page and height
        for page, line in zip(self._pages, lines, strict=True):
            if len(line.text) >= _PROSE:
                self._lefts[page, self._height(line)].append(line.left)
        for lefts in self._lefts.values():
            lefts.sort()

    def headings(self) -> list[tuple[int, int]]:
        """The first and the last line of each heading."""
        found: list[tuple[int, int]] = []
        for number, line in enumerate(self.lines):
            if not self._is_heading(number):
                continue
            if found and found[-1][1] == number - 1 and _goes_on_large(self.lines[number - 1], line):
                found[-1] = (found[-1][0], number)
            else:
                found.append((number, number))
        return [(first, last) for first, last in found if self._is_short(first, last)]

    def between(self, number: int) -> str:
        """What parts a line from the next one: nothing, a space, a line break or a blank line."""
        line, following = self.lines[number], self.lines[number + 1]
        if line.row or following.row:
            return "\n" if line.row and following.row else "\n\n"
        if _is_rest(line, following):
            return " " if following.left - line.right > _SPACE * line.size else ""
        if self._is_heading(number) or self._is_heading(number + 1):
            both = self._is_heading(number) and self._is_heading(number + 1)
            return " " if both and _goes_on_large(line, following) else "\n\n"
        step = line.bottom - following.bottom
        close = 0 < step <= _APART * self._leading
        if is_cut(line.text) and following.text[0].isalnum():
            return "\n"  # within a word
        if self._begins_item(number + 1):
            return "\n"
        spaceless = _SPACELESS.match(line.text[-1]) and _SPACELESS.match(following.text)
        full = self._is_full(number, spaceless=bool(spaceless))
        if not close:  # another paragraph, or the next column or page
            below = 0 < step < 3 * self._body
            goes_on = not below and not has_ended(line.text) and (full or following.text[0].islower())
            return ("" if spaceless else " ") if goes_on else "\n\n"
        if following.left - line.left > _INDENT * self._body and not begins_item(line.text):
            return "\n"
        if full:
            return "" if spaceless else " "
        goes_on = not has_ended(line.text) and (following.text[0].islower() or self._is_long(number))
        return " " if goes_on and not spaceless else "\n"

    def _begins_item(self, number: int) -> bool:
        """Whether a line begins an item: its mark tells that, or a mark at another margin than the line before has."""
        if not begins_item(self.lines[number].text):
            return False
        aside = abs(self.lines[number].left - self.lines[number - 1].left)
        return number in self._items or _LEVEL * self._body < aside < 3 * self._body

    def _is_heading(self, number: int) -> bool:
        line = self.lines[number]
        if line.row or not any(map(str.isalpha, line.text)):
            return False
        return line.size > _LARGER * self._body or (
            line.bold and not self._bold and line.size >= self._body and not has_ended(line.text)
        )

    def _is_short(self, first: int, last: int) -> bool:
        return sum(len(line.text) for line in self.lines[first : last + 1]) <= _LONGEST_HEADING

    def _is_long(self, number: int) -> bool:
        """Whether a line of prose is nearly as long as the others."""
        line, edge = self.lines[number], self._edge(number)
        return line.right - line.left > max(_PROSE * line.letter, _LONG * (edge - line.left))

    def _edge(self, number: int) -> float:
        """Where the longest line near a line ends, of those in its column."""
        near = self.lines[max(0, number - _NEIGHBOURS) : number + _NEIGHBOURS]
        line, beside = self.lines[number], self._beside(number)
        column = (other for other in near if _is_alike(other, line) and _is_below(other, line))
        return max(other.right for other in column if other is line or other.right < beside)

    def _beside(self, number: int) -> float:
        """Where another column begins beside a line; what reaches farther, as an abstract may, is above them both."""
        line, page = self.lines[number], self._pages[number]
        heights = range(self._height(line) - 1, self._height(line) + 2)
        lefts = [self._lefts[page, height] for height in heights if (page, height) in self._lefts]
        places = [(one, bisect_right(one, line.right)) for one in lefts]
        return min((one[at] for one, at in places if at < len(one)), default=math.inf)

    def _height(self, line: PageLine) -> int:
        """How high a line stands on its page, in steps of several lines."""
        return int(line.bottom // (_STEP * self._body or 1.0))

    def _is_full(self, number: int, *, spaceless: bool) -> bool:
        """Whether the next line's first word would not have had room in a line."""
        line, following = self.lines[number], self.lines[number + 1]
        edge = self._edge(number)
        if edge - line.left < (_PROSE / 4 if spaceless else _PROSE) * line.letter:
            return False
        word = following.text[:1] if spaceless else following.text.split(maxsplit=1)[0]
        return line.right + (len(word) + 1) * following.letter > edge


def _is_alike(one: PageLine, other: PageLine) -> bool:
    return abs(one.size - other.size) <= 0.1 * max(one.size, other.size)


def _is_rest(line: PageLine, following: PageLine) -> bool:
    """Whether a line goes on where another one ends, as behind a letter that is set far above or below it."""
    level = abs(line.bottom - following.bottom) < _LEVEL * line.size
    return level and -_LEVEL * line.size < following.left - line.right < _NEXT * line.size


def _is_below(one: PageLine, other: PageLine) -> bool:
    """Whether two lines are in one column: they begin below each other, but for an indent."""
    return abs(one.left - other.left) <= 3 * max(one.size, other.size)


def _goes_on_large(line: PageLine, following: PageLine) -> bool:
    """Whether two lines of headings are one heading: as large as each other, and close."""
    return (
        _is_alike(line, following)
        and line.bold == following.bold
        and 0 < line.bottom - following.bottom <= 1.5 * line.size
        and not begins_item(following.text)
    )

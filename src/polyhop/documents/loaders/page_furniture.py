"""Running heads, footers and page numbers: what stands in the same place of several pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from polyhop.documents.loaders.pdf_lines import PageLine

_EDGE: Final = 3  # lines from the top of a page, and from its bottom, that may be furniture
_GAP: Final = 1.45  # of the height of letters: lines of a paragraph are closer
_NEAR: Final = 3.0  # points by which the place of a running head may differ
_NUMBER: Final = re.compile(r"\d+|(?<![^\W_])[ivxlcIVXLC]+(?![^\W_])")
# What says no more than which page it is, in the languages that number theirs with a word: "Page 1", "2 of 7", "- 3 -".
_OF_PAGE: Final = re.compile(
    r"[-\u2013\u2014\s]*(?:(page|p|pg|seite|s|p[aá]gina|strona|sid[ae]|bladzijde|oldal)\b\.?\s*)?(\d+)"
    r"(?:\s*(?:/|of|von|de|di|sur|z|av|van)\s*(\d+))?[-\u2013\u2014\s]*",
    re.IGNORECASE,
)
_ROMAN: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_Place = tuple[int, PageLine]  # the number of a page and a line of it


def without_furniture(pages: Sequence[Sequence[PageLine]]) -> list[list[PageLine]]:
    """The pages without what repeats at their edges: the same words, or a number that counts the pages.

    What says nothing but the number of its page goes even where it does not repeat, as on the only page of a letter.
    Pages that would be left without any line at all keep theirs.
    """
    alike: defaultdict[tuple[str, bool], list[_Place]] = defaultdict(list)
    found: defaultdict[int, set[int]] = defaultdict(set)
    for number, page in enumerate(pages):
        for line, is_head in _at_the_edges(page):
            alike[_NUMBER.sub("0", line.text), is_head].append((number, line))
            if _is_number_of(line.text, number + 1, len(pages)):
                found[number].add(id(line))
    alone = [(number, page[0]) for number, page in enumerate(pages) if len(page) == 1]
    for (form, _), places in alike.items():
        repeated = _repeated(places)
        for number, line in [*repeated, *(one for one in alone if repeated and _is_one_of(one, form, repeated))]:
            found[number].add(id(line))
    left = [[line for line in page if id(line) not in found[number]] for number, page in enumerate(pages)]
    return left if any(left) else [list(page) for page in pages]


def _at_the_edges(page: Sequence[PageLine]) -> Iterator[tuple[PageLine, bool]]:
    """The lines at the top of a page that are set apart, and those at its bottom, with whether they are at the top."""
    rows = sorted(page, key=lambda line: -line.bottom)
    yield from ((line, True) for line in _set_apart(rows))
    yield from ((line, False) for line in _set_apart(rows[::-1]))


def _is_number_of(text: str, page: int, last: int) -> bool:
    """Whether a line is the number of its page, with a word for "page" or with how many there are."""
    said = _OF_PAGE.fullmatch(text)
    if said is None or int(said[2]) != page or not (said[1] or said[3]):
        return False
    return said[3] is None or int(said[3]) == last


def _set_apart(rows: Sequence[PageLine]) -> Sequence[PageLine]:
    """The first few of these lines, up to the last gap among them."""
    steps = [abs(one.bottom - other.bottom) / one.size for one, other in pairwise(rows[: _EDGE + 1]) if one.size]
    return rows[: max((place for place, step in enumerate(steps, start=1) if step > _GAP), default=0)]


def _repeated(places: Sequence[_Place]) -> list[_Place]:
    """Of lines of one form those that stand in one place on several pages and say the same, or count."""
    heights = Counter(round(line.bottom / _NEAR) for _, line in places)
    level = max(heights, key=lambda height: heights[height]) * _NEAR
    level_ones = [(number, line) for number, line in places if abs(line.bottom - level) <= _NEAR]
    texts = Counter(line.text for _, line in level_ones)
    same = {text for text, count in texts.items() if count > 1}
    counting = _counting(level_ones)
    found = [place for place in level_ones if place[1].text in same or place in counting]
    return found if len({number for number, _ in found}) > 1 else []


def _is_one_of(place: _Place, form: str, repeated: Sequence[_Place]) -> bool:
    """Whether a line that is alone on its page, beside a picture perhaps, is what repeats on the others."""
    number, line = place
    return (
        _NUMBER.sub("0", line.text) == form
        and any(abs(line.bottom - other.bottom) <= _NEAR for _, other in repeated)
        and (any(line.text == other.text for _, other in repeated) or place in _counting([*repeated, place]))
        and all(number != other for other, _ in repeated)
    )


def _counting(places: Sequence[_Place]) -> list[_Place]:
    """The lines in which one of the numbers grows by one from page to page."""
    steps: Counter[tuple[int, int]] = Counter()
    for number, line in places:
        steps.update(set(_steps(number, line)))
    best = max(steps, key=lambda step: steps[step], default=None)
    if best is None or steps[best] < 2:
        return []
    return [(number, line) for number, line in places if best in _steps(number, line)]


def _steps(page: int, line: PageLine) -> list[tuple[int, int]]:
    """By how much each number of a line, named by its place among them, is ahead of the page."""
    values = (_value(found[0].lower()) for found in _NUMBER.finditer(line.text))
    return [(place, value - page) for place, value in enumerate(values)]


def _value(written: str) -> int:
    if written.isdigit():
        return int(written[:9])
    digits = [_ROMAN[letter] for letter in written]
    return sum(-one if one < after else one for one, after in zip(digits, [*digits[1:], 0], strict=True))

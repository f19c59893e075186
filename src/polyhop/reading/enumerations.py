"""Enumerations in documents: the items of the list that a place in a text belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.documents.sentences import sentence_spans

_MARKED: Final = re.compile(r"[ \t]*(?:[-*•‣◦▪–·]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])[ \t]+(?=\S)", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\s*(?:,\s*(?:and|or)\s+|;\s*(?:and|or)?\s*|,\s+|\s+(?:and|or)\s+)")
_LEAST: Final = 2  # items of a list
_LONGEST: Final = 40  # words of an item, in the mean: longer ones are sections of a text


def items_at(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The items of the marked list that the stretch introduces or stands in; none where there is no such list.

    An item begins with a bullet, a number or a letter at the beginning of its line. Lines that are indented, or within
    a sentence, go on with it. Blank lines may stand between items of one kind.
    """
    found: list[list[_Item]] = []
    for items in _lists(text):
        begin, stop = items[0].start, items[-1].end
        gap = text[end:begin]
        introduced = start < begin and not gap.strip(": \n") and ("\n\n" not in gap or not _MARKED.match(text, start))
        if len(items) >= _LEAST and (introduced or begin <= start < stop):
            found.append(items)
    innermost = min(found, key=lambda items: items[-1].end - items[0].start, default=[])
    places = [_stripped(text, item.said, item.end) for item in innermost]
    return places if sum(len(text[slice(*place)].split()) for place in places) <= _LONGEST * len(places) else []


@dataclass(slots=True)
class _Item:
    start: int  # of its line
    said: int  # behind its mark
    end: int


def _lists(text: str) -> Iterator[list[_Item]]:
    """The marked lists of a text, those within items of others too."""
    inside = [span for span in sentence_spans(text) if "\n" in text[slice(*span)]]
    nested: dict[str, list[_Item]] = {}  # lists that are open, by the kind of their marks, the innermost last
    blank = False
    for first, last in _lines(text):
        marked = _MARKED.match(text, first, last)
        said = text[first:last].strip()
        goes_on = text[first].isspace() or any(start < first < end for start, end in inside)
        if marked:
            if blank and _kind(marked) not in nested and not text[first].isspace():
                yield from nested.values()
                nested = {}
            while _kind(marked) in nested and list(nested)[-1] != _kind(marked):
                yield nested.popitem()[1]
            nested.setdefault(_kind(marked), []).append(_Item(first, marked.end(), last))
        elif said and (blank or not goes_on):
            yield from nested.values()
            nested = {}
        if said:
            for items in nested.values():
                items[-1].end = last
        blank = not said
    yield from nested.values()


def _kind(marked: re.Match[str]) -> str:
    """What items of one list have in common: the same bullet, or that they have numbers, or letters."""
    mark = marked.group().strip()
    return mark if len(mark) == 1 else "number" if any(map(str.isdigit, mark)) else "letter"


def items_within(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """What a stretch such as "a wick, oil and a match" lists; none where it names one thing only."""
    cuts = [match.span() for match in _BETWEEN.finditer(text, start, end)]
    bounds = [start, *(at for cut in cuts for at in cut), end]
    items = [_stripped(text, *bounds[at : at + 2]) for at in range(0, len(bounds), 2)]
    items = [item for item in items if item[0] < item[1]]
    return items if len(items) >= _LEAST else []


def _lines(text: str) -> Sequence[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"[^\n]*\n?", text) if match.start() < match.end()]


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

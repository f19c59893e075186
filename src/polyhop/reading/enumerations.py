"""Enumerations in documents: the items of the list that a place in a text belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_MARKED: Final = re.compile(r"[ \t]*(?:[-*•‣◦▪–·]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])[ \t]+(?=\S)", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\s*(?:,\s*(?:and|or)\s+|;\s*(?:and|or)?\s*|,\s+|\s+(?:and|or)\s+)")
_LEAST: Final = 2  # items of a list


def items_at(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The items of the marked list that the stretch introduces or stands in; none where there is no such list.

    An item begins with a bullet, a number or a letter at the beginning of its line and goes on to the next one or to a
    blank line.
    """
    lines = _lines(text)
    marked = [_MARKED.match(text, first, last) for first, last in lines]
    inside = next((at for at, (first, last) in enumerate(lines) if first <= start < last), None)
    if inside is None:
        return []
    ahead = [at for at in range(inside, min(inside + 3, len(lines))) if marked[at] and lines[at][0] <= end + 2]
    begin = next(iter(ahead), None)
    if begin is None:
        return []
    for at in range(begin - 1, -1, -1):  # back to the first item of the block
        if not text[slice(*lines[at])].strip():
            break
        begin = at if marked[at] else begin
    items: list[tuple[int, int]] = []
    for (first, last), match in zip(lines[begin:], marked[begin:], strict=True):
        if match is not None:
            items.append((match.end(), last))
        elif not text[first:last].strip() or not items:
            break
        else:
            items[-1] = (items[-1][0], last)  # a line that goes on with the item before it
    items = [_stripped(text, *item) for item in items]
    return items if len(items) >= _LEAST else []


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

"""Under which headings a place of a document stands: what a passage cut out of the middle of a section is about."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

from polyhop.types import Document

_DEEPEST: Final = 3  # headings that are told, from the nearest outwards
_LONGEST: Final = 100  # characters of one that are told
_SIGNS: Final = re.compile(r"[^\S\n]*(?:#{1,6}|={1,6}|\*{1,12})[^\S\n]*")  # before the words of a heading


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections of a document, in order."""

    headings: tuple[tuple[int, int], ...]  # with the signs before their words
    above: tuple[tuple[str, ...], ...]  # each heading: the headings that it stands under
    within: tuple[tuple[str, ...], ...]  # and those with itself: what the text behind it stands under

    @classmethod
    def of(cls, document: Document) -> Self:
        """Takes linear time. Where the document does not say how deep its headings are, none is under another one."""
        paths = list(_paths(document))
        headings = tuple((begin_of(document.text, start), end) for start, end in document.headings)
        return cls(headings, tuple(above for above, _ in paths), tuple(within for _, within in paths))

    def at(self, place: int) -> tuple[str, ...]:
        """The headings that stand before a place and that it is under, the widest first; not the one that begins there.

        The title of the document is not repeated.
        """
        behind = bisect_right(self.headings, place, key=lambda heading: heading[1])
        if behind < len(self.headings) and self.headings[behind][0] <= place:
            return self.above[behind]
        return self.within[behind - 1] if behind else ()


def begin_of(text: str, start: int) -> int:
    """Where a heading begins whose words do there: before the signs that stand in its line."""
    line = text.rfind("\n", 0, start) + 1
    return line if _SIGNS.fullmatch(text, line, start) else start


def _paths(document: Document) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Of each heading, those that it stands under, and these with itself."""
    title = _plain(document.title)
    levels = document.levels or (1,) * len(document.headings)
    under: list[tuple[int, str]] = []
    for (start, end), level in zip(document.headings, levels, strict=True):
        while under and under[-1][0] >= level:
            under.pop()
        wider = tuple(said for _, said in under if said)
        said = _shortened(document.text[start:end])
        said = "" if _plain(said) == title else said
        under.append((level, said))
        path = (*wider, said) if said else wider
        yield wider[-_DEEPEST:], path[-_DEEPEST:]


def _plain(heading: str) -> str:
    return " ".join(heading.split()).casefold()


def _shortened(heading: str) -> str:
    words = " ".join(heading.split())
    return words if len(words) <= _LONGEST else words[:_LONGEST].rpartition(" ")[0] or words[:_LONGEST]

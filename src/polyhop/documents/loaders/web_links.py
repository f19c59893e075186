"""The links of a web page: what of it is nothing but links, and where its markup says that they lead."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from polyhop.documents.flow import Mark

LINK: Final = "link"
STEP: Final = "step"  # a link to the page before, behind or above, or to the top of this one
HOME: Final = "home"  # a link to the first page of a folder or of all
PLACE: Final = "place"  # a link to a place within a page
KINDS: Final = (LINK, STEP, HOME, PLACE)

_RELATIONS: Final = frozenset(("prev", "previous", "next", "up", "first", "last"))
_HOMES: Final = frozenset(("home", "index", "contents", "start", "top"))
_KEYS: Final = frozenset("pnu")  # what books have made of DocBook and of Texinfo: previous, next, up
_STEP_CLASS: Final = re.compile(r"(?<![a-z])(?:prev|previous|next)(?![a-z])", re.IGNORECASE)
_STEP_TITLE: Final = re.compile(
    r"(?:go to (?:the )?)?(?:previous|next|parent|up)"
    r"(?: (?:chapter|section|page|topic|node|part|document|article|post)\b|$)",
    re.IGNORECASE,
)
_HOME_PATH: Final = re.compile(r"#|(?:/|(?:\.\.?/)*(?:index(?:\.\w+)*|\.\.?|(?<=/)))(?:#.*)?")
_WORD: Final = re.compile(r"[^\W_]")
_LETTER: Final = re.compile(r"[^\W\d_]")
_ITEM_MARK: Final = re.compile(r"\s*(?:[-\u2022*]\s+)?(?:(?:[A-Z]|\d+)(?:\.\d+)*\.?\s)?")
_LONGEST_CRUMB: Final = 60  # characters beside the links of a line that is a menu or a trail
_FEWEST: Final = 3  # links of a list that is a menu


def kinds_of(attributes: Mapping[str, str]) -> tuple[str, ...]:
    """What a link is; nothing for an element that leads nowhere."""
    if "href" not in attributes:
        return ()
    leads_to = attributes["href"]
    relations = frozenset(attributes.get("rel", "").lower().split())
    key = attributes.get("accesskey", "").lower()
    is_step = (
        not relations.isdisjoint(_RELATIONS)
        or key in _KEYS
        or leads_to == "#top"
        or _STEP_CLASS.search(attributes.get("class", "")) is not None
        or _STEP_TITLE.match(attributes.get("title", "")) is not None
    )
    is_home = key == "h" or not relations.isdisjoint(_HOMES) or _HOME_PATH.fullmatch(leads_to) is not None
    is_place = "#" in leads_to[:-1]
    told = ((STEP, is_step), (HOME, is_home), (PLACE, is_place))
    return (LINK, *(kind for kind, holds in told if holds))


class Links:
    """The links of a text, in order."""

    def __init__(self, text: str, marks: Iterable[Mark]) -> None:
        self._text = text
        self._links: list[Mark] = []
        self._starts: dict[str, list[int]] = {kind: [] for kind in KINDS}
        for mark in sorted(marks):
            if mark.kind in self._starts:
                self._starts[mark.kind].append(mark.start)
                if mark.kind == LINK:
                    self._links.append(mark)

    def are_trail(self, start: int, end: int, *, fewest: int) -> bool:
        """Whether a line is a menu or a trail: links between marks, and perhaps a last name that is none.

        Beside links that lead to other pages by what they are, there may be the number of the page itself.
        """
        links = self._within(start, end)
        if len(links) < fewest:
            return False
        besides = self._besides(start, end, links)
        word = _LETTER if self.count(STEP, start, end) or self.count(HOME, start, end) else _WORD
        return (
            not any(map(word.search, besides[:-1])) and len(besides[-1]) <= _LONGEST_CRUMB and not _ended(besides[-1])
        )

    def are_all(self, start: int, end: int) -> bool:
        """Whether a list has nothing but links, and several."""
        links = self._within(start, end)
        return len(links) >= _FEWEST and not any(map(_WORD.search, self._besides(start, end, links)))

    def fill(self, start: int, end: int) -> bool:
        """Whether a line is an item, a row or a paragraph that says nothing but links, and perhaps numbers."""
        links = self._within(start, end)
        if not links or not _WORD.search(self._text, start, end):
            return False
        first, *besides = self._besides(start, end, links)
        mark = _ITEM_MARK.match(first)
        return not any(map(_LETTER.search, (first[mark.end() :] if mark else first, *besides)))

    def beside(self, start: int, end: int) -> int:
        """How many characters stand beside links."""
        return sum(len(piece.strip()) for piece in self._besides(start, end, self._within(start, end)))

    def count(self, kind: str, start: int, end: int) -> int:
        """How many links of a kind begin here."""
        starts = self._starts[kind]
        return bisect_left(starts, end) - bisect_left(starts, start)

    def said(self, start: int, end: int) -> list[str]:
        """What each link says."""
        return [self._text[link.start : link.end] for link in self._within(start, end)]

    def _within(self, start: int, end: int) -> Sequence[Mark]:
        starts = self._starts[LINK]
        return self._links[bisect_left(starts, start) : bisect_left(starts, end)]

    def _besides(self, start: int, end: int, links: Sequence[Mark]) -> list[str]:
        """What stands before, between and behind links."""
        places = [start, *(place for link in links for place in (link.start, link.end)), end]
        return [self._text[one:other] for one, other in zip(places[::2], places[1::2], strict=True)]


def _ended(text: str) -> bool:
    return text.rstrip().endswith((".", "!", "?"))

"""Lives in brackets: ``Anna Bell (12 May 1901, Paris – 3 March 1980) was ...``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from polyhop.english.dates import MONTH
from polyhop.layers.grammar.phrases import End

_DAY: Final = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?{MONTH}\.?,?\s+\d{{3,4}}"
    rf"|{MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\s*,?\s+\d{{3,4}})"
)
_DATE: Final = rf"(?:{_DAY}|{MONTH}\.?,?\s+\d{{3,4}}|\d{{3,4}}(?:/\d{{1,4}})?)(?:\s*(?:BCE?|AD|CE)\b)?"
_ABOUT: Final = r"(?:c\.|ca?\.?\s|circa|about|around|before|after|aft\.|bef\.|in|on|\?)?\s*"
_WHERE: Final = r"[^\W\d_][^\d();–—]{1,60}?"
_BORN: Final = r"(?:(?:born|b\.)\s*:?\s*)"
_DIED: Final = r"(?:(?:died|d\.|†)\s*:?\s*)"
_ENDS: Final = r"\s*(?:$|[;,]|or\b)"


def _part(word: str, verb: str, *, optional: str = "?") -> str:
    """A date with the place before it or behind it, as groups ``born``, ``born_at``, ``born_in``."""
    return (
        rf"{verb}{optional}(?:(?P<{word}_at>{_WHERE}),\s+)?(?:on\s+)?{_ABOUT}(?P<{word}>{_DATE})"
        rf"(?:\s*,?\s*(?:in|at|near)?\s+(?P<{word}_in>{_WHERE}))?"
    )


_BRACKET: Final = re.compile(r"\(([^()]{3,160})\)")
_PATTERNS: Final = (
    re.compile(rf"(?:^|[;,]\s*)\s*{_part('born', _BORN)}\s*[-–—]\s*{_part('died', _DIED)}{_ENDS}"),
    re.compile(rf"^\s*(?P<born>{_DAY})\s*(?P<died>{_DAY}){_ENDS}"),  # whoever made the text lost the dash
    re.compile(rf"(?<!\w){_part('born', _BORN, optional='')}\s*(?:$|[;,–—-])"),
    re.compile(rf"(?<!\w){_part('died', _DIED, optional='')}{_ENDS}"),
)
_WHOLE: Final = 2  # the patterns before this one say all of a life


class Life(NamedTuple):
    """What a bracket says about a life or an existence: the bracket's offset, the relation, and the tail."""

    start: int
    relation: str
    tail: End


def lives(text: str, start: int, end: int, *, person: bool = True) -> Iterator[Life]:
    """The dates and places in the brackets of a stretch of text, in order; things begin and end, people are born."""
    for bracket in _BRACKET.finditer(text, start, end):
        inside = bracket.group(1)
        if not any(map(str.isdigit, inside)):
            continue
        for number, pattern in enumerate(_PATTERNS):
            match = pattern.search(inside)
            if match is None:
                continue
            for group, value in match.groupdict().items():
                if value and (tail := value.strip(" ,")):
                    yield Life(bracket.start(), *_said(group, tail, person=person or number >= _WHOLE))
            if number < _WHOLE:
                break


def _said(group: str, value: str, *, person: bool) -> tuple[str, End]:
    word, _, place = group.partition("_")
    verb = word if person else {"born": "began", "died": "ended"}[word]
    day = not place and re.search(MONTH, value)
    return f"{verb} {'on' if day else 'in'}", End(value, "GPE" if place else "DATE")

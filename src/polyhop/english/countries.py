"""Countries, and the words that stand for them: adjectives, inhabitants, abbreviations, regions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from polyhop.english.tables import lines


@cache
def _words() -> Mapping[str, str]:
    """Every word of the table with its country."""
    words: dict[str, str] = {}
    for line in lines("countries"):
        country, *others = (word.rstrip(":").replace("_", " ") for word in line.split() if word != "|")
        words[country] = country
        for other in others:
            words.setdefault(other, country)
    return words


@cache
def adjectives() -> frozenset[str]:
    """The adjectives of countries, in small letters: "danish"."""
    told = (line.partition(":")[2].partition("|")[0] for line in lines("countries"))
    return frozenset(word.replace("_", " ").lower() for words in told for word in words.split())


@cache
def _pattern() -> re.Pattern[str]:
    longest = sorted(_words(), key=len, reverse=True)
    return re.compile(rf"(?<![\w])(?:{'|'.join(map(re.escape, longest))})(?!\w)")


def countries_in(text: str) -> list[tuple[int, int, str]]:
    """Where countries are named in a text, in order: start, end and the country."""
    words = _words()
    return [(match.start(), match.end(), words[match.group()]) for match in _pattern().finditer(text)]

"""A question as words with their places, so that a stretch of it can be told and cut out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from polyhop.english.words import ARTICLES, FUNCTION_WORDS

_WORD: Final = re.compile(r"['’]s\b|\d+(?:[.,]\d+)+|\w+|[^\w\s]")

_IDLE: Final = FUNCTION_WORDS | ARTICLES | {"located", "name"}


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word, a mark or a possessive ending, and where it stands."""

    text: str
    start: int
    end: int


def placed_words(text: str) -> tuple[PlacedWord, ...]:
    """The words and marks of a text, in order."""
    return tuple(PlacedWord(found.group(), *found.span()) for found in _WORD.finditer(text))


def means_something(word: str) -> bool:
    """Whether a word says what is spoken of."""
    return word[:1].isalnum() and word.lower() not in _IDLE

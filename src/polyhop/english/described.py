"""A question as words with their places, so that a stretch of it can be told and cut out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(r"['’]s\b|\d+(?:[.,]\d+)+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word, a mark or a possessive ending, and where it stands."""

    text: str
    start: int
    end: int


def placed_words(text: str) -> tuple[PlacedWord, ...]:
    """The words and marks of a text, in order."""
    return tuple(PlacedWord(found.group(), *found.span()) for found in _WORD.finditer(text))

"""Whether a text is in English, which is all that our grammar reads: by its script and its commonest words."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, Self

from polyhop.english.tables import table
from polyhop.english.words import word_set

ENGLISH_WORDS: Final = word_set(table("small_words")["english"])
_OTHER: Final = word_set(table("small_words")["other"])
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LATIN: Final = re.compile(r"[a-zà-öø-ɏḀ-ỿ]+(?:['’][a-zà-öø-ɏḀ-ỿ]+)?")
_ENOUGH: Final = 12  # small words without an English one among them that are no English
_SHARE: Final = 1 / 16  # of the small words: with fewer English ones it is no English, where there are enough
_TELLING: Final = 2  # words of another language that tell
_LOOKED_AT: Final = 4000  # characters


def is_english(text: str) -> bool:
    """Whether rules for English may read a text: it is not clearly in another language. Short names may be."""
    counted = _Counted.of(text)
    if 2 * counted.strange > counted.letters:
        return False
    if counted.other >= _TELLING and counted.other > counted.english:
        return False
    return counted.small < _ENOUGH or counted.english >= _SHARE * counted.small


def is_in_our_script(text: str) -> bool:
    """Whether most letters of a text belong to Latin words, or it has none: what English models can read at all."""
    if text.isascii():
        return True
    counted = _Counted.of(text)
    return 2 * counted.strange <= counted.letters


def is_surely_english(text: str) -> bool:
    """Whether words tell that a text is in English, wherever it stands."""
    counted = _Counted.of(text)
    return counted.english >= _TELLING and counted.english > counted.other and is_english(text)


class _Counted(NamedTuple):
    """What the beginning of a text has."""

    letters: int
    strange: int  # letters of words that are not written in ours
    small: int  # words in our letters that begin with a small one: no names
    english: int  # of all small words
    other: int  # words that tell another language, in any case

    @classmethod
    def of(cls, text: str) -> Self:
        words = _WORD.findall(text[:_LOOKED_AT])
        small = [word for word in words if word[:1].islower()]
        return cls(
            letters=sum(map(len, words)),
            strange=sum(len(word) for word in words if _LATIN.match(word.lower()) is None),
            small=sum(_LATIN.match(word) is not None for word in small),
            english=sum(word.lower().replace("’", "'") in ENGLISH_WORDS for word in small),
            other=sum(word.lower() in _OTHER for word in words),
        )

"""Folds text so that spellings of one word become equal, and cuts it into words, whatever the script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal

Stem = Literal["none", "s"]

# Accents, Hebrew points and Arabic vowel signs carry no meaning that search needs; the vowel signs of Indic scripts and
# the voicing marks of kana do, and stay. Soft hyphens, joiners and the tatweel only change how a word looks.
_POINTS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f\u00ad\u0640\u200c\u200d\u2060\ufeff"
)
_MARKS = re.compile(f"[{_POINTS}]")
_LETTERS = str.maketrans(  # that Unicode does not take apart
    {"ł": "l", "đ": "d", "ð": "d", "ø": "o", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ŧ": "t", "ŋ": "n"}
)
_UNSPACED = (  # Thai, Lao, Burmese, Khmer, kana, Chinese characters, Hangul: words are not set apart by spaces
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u103f\u1050-\u108f\u1780-\u17d3\u1100-\u11ff\u3005-\u3007"
    "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\U00020000-\U0003ffff"
)
_SIGNS = "\u0900-\u0963\u0971-\u0df3\u0f71-\u0fbc"  # vowel signs of Indic scripts and Tibetan are no \w to Python
_RUN = re.compile(f"[{_UNSPACED}]+")
_PIECE = re.compile(f"[{_UNSPACED}]+|(?:[^\\W_{_UNSPACED}]+|[{_SIGNS}]+)+")
_POSSESSIVE = re.compile(r"(?<=\w)['’][sS]\b")
_LETTER = f"(?:[^\\W{_UNSPACED}]|[{_SIGNS}{_POINTS}])"
_WORD = re.compile(f"[{_UNSPACED}]|{_LETTER}+(?:['’]{_LETTER}+)*")
_FAMILY = 5
_LETTER_OR_DIGIT = re.compile(r"\w")
_ASCII_PIECE = re.compile("[a-z0-9]+")


def fold(text: str) -> str:
    """Text without case, accents and compatibility forms: ``Stanisław ﬁt`` becomes ``stanislaw fit``."""
    if text.isascii():
        return text.lower()
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    plain = unicodedata.normalize("NFKD", plain.casefold()).translate(_LETTERS)
    return unicodedata.normalize("NFC", _MARKS.sub("", plain))


def pieces(text: str) -> list[str]:
    """The folded words of a text, in order; a run of a script without spaces is one piece."""
    folded = fold(text)
    return (_ASCII_PIECE if folded.isascii() else _PIECE).findall(folded)


def unspaced(piece: str) -> bool:
    """Whether a piece is a run of a script that does not set words apart."""
    return _RUN.match(piece) is not None


def words_at(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end, as it is written; a character of a script without spaces is one."""
    return [match.span() for match in _WORD.finditer(text) if text[match.start()].isalnum()]


def standing(words: str, text: str) -> Iterator[int]:
    """Where words stand in a text, letter for letter and not within longer ones, one place behind the other.

    A pattern would find them, too, but to compile one for each of many words takes most of the time.
    """
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        alone = not _LETTER_OR_DIGIT.match(text[max(start - 1, 0) : start]) and not _LETTER_OR_DIGIT.match(text, end)
        if alone:
            yield start
        start = text.find(words, end if alone else start + 1)


def family(word: str) -> str:
    """The letters by which words of one family are told: *paint*, *painter* and *painted* share them."""
    return word[:_FAMILY]


def tokens(text: str, stem: Stem = "none") -> list[str]:
    """The terms of a text: folded words, and pairs of neighbouring characters where a script has no spaces.

    The possessive ``'s`` is dropped; ``stem="s"`` also folds English plurals.
    """
    words = pieces(_POSSESSIVE.sub("", text))
    if not text.isascii():
        words = [
            term for word in words for term in (_pairs(word) if not word.isascii() and unspaced(word) else (word,))
        ]
    return words if stem == "none" else [_singular(word) for word in words]


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _singular(word: str) -> str:
    """The S stemmer: D. Harman, How effective is suffixing?, JASIS 42(1), 1991, table 1."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("us", "ss")):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and word.endswith(("aes", "ees", "oes")):
        return word
    return word[:-1]

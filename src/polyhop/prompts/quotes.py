"""Finds where a quotation stands in a text, however the quoter changed case, spacing, punctuation or accents."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_ELLIPSIS = re.compile(r"\s*(?:\.{3}|…|\[\.{3}\]|\[…\])\s*")
_UNSPACED = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"), ("\u2e80", "\U0010ffff"))
"""Where scripts without spaces between words begin and end: Thai and Lao, Burmese, Khmer, Chinese and its kin."""


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text reduced to what a quoter keeps, and the half-open stretch of the original behind each character."""

    text: str
    origins: tuple[tuple[int, int], ...]

    def whole(self, first: int, last: int) -> bool:
        """Whether a stretch cuts no original character: the 3 in ¾ is not a quotation of it."""
        before = first - 2 if self.text[first - 1 : first] == " " else first - 1
        after = last + 2 if self.text.startswith(" ", last + 1) else last + 1
        return (before < 0 or self.origins[before] != self.origins[first]) and (
            after >= len(self.origins) or self.origins[after] != self.origins[last]
        )


def parted(quote: str) -> list[str]:
    """The parts of a quotation around ellipses, where its quoter left something out."""
    return [part for part in _ELLIPSIS.split(quote) if part]


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Offsets of the text's stretch that the quotation renders, or None.

    A verbatim stretch comes first. Else letters and digits have to agree after compatibility decomposition and case
    folding, without accents; whatever stands between words counts as one space. Of several places, the first that cuts
    no word is taken.
    """
    for exact in _occurrences(quote, text):
        return exact, exact + len(quote)
    wanted, given = _fold(quote), _fold(text)
    for at in _occurrences(wanted.text, given.text):
        last = at + len(wanted.text) - 1
        if given.whole(at, last):
            end = given.origins[last][1]
            while end < len(text) and unicodedata.combining(text[end]):  # an accent belongs to its letter
                end += 1
            return given.origins[at][0], end
    return None


def folded(text: str) -> str:
    """A text as ``locate`` compares it: two texts that fold alike are the same quotation."""
    return _fold(text).text


def cuts_word(text: str, start: int, end: int) -> bool:
    """Whether a stretch begins or ends inside a word or a number."""
    return _inside_word(text, start) or _inside_word(text, end)


def _inside_word(text: str, index: int) -> bool:
    if not 0 < index < len(text):
        return False
    before, after = text[index - 1], text[index]
    return before.isalnum() and after.isalnum() and not _unspaced(before) and not _unspaced(after)


def _occurrences(needle: str, text: str) -> list[int]:
    """Where a needle stands: first the places that cut no word, each group from left to right."""
    places = []
    at = text.find(needle) if needle else -1
    while at >= 0:
        places.append(at)
        at = text.find(needle, at + 1)
    return sorted(places, key=lambda place: cuts_word(text, place, place + len(needle)))


def _fold(text: str) -> _Folded:
    characters: list[str] = []
    origins: list[tuple[int, int]] = []
    gap: int | None = None  # where the separators since the last kept character began
    for index, original in enumerate(text):
        for character in _decomposed(original):
            category = unicodedata.category(character)
            if category == "Cf" or unicodedata.combining(character):  # soft hyphens, joiners, accents
                continue
            if not (character.isalnum() or category[0] == "M"):
                gap = index if gap is None else gap
                continue
            if gap is not None and characters and not (_unspaced(characters[-1]) and _unspaced(character)):
                characters.append(" ")
                origins.append((gap, index))
            gap = None
            characters.append(character)
            origins.append((index, index + 1))
    return _Folded("".join(characters), tuple(origins))


def _decomposed(character: str) -> str:
    """One character under compatibility caseless matching (Unicode, section 3.13, D146)."""
    once = unicodedata.normalize("NFKD", unicodedata.normalize("NFD", character).casefold())
    return unicodedata.normalize("NFKD", once.casefold())


def _unspaced(character: str) -> bool:
    return any(first <= character <= last for first, last in _UNSPACED)

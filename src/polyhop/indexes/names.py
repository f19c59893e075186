"""A table of names that is searched on disk, and finds all names a text mentions in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from polyhop.indexes.folding import pieces, unspaced
from polyhop.indexes.splicing import Splice, places_in
from polyhop.indexes.strings import Hashes, KeptWithStrings, Strings, hashed
from polyhop.ports import Ints

_BRACKETED = re.compile(r"(?<=\S)\s*(?:\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）)\s*$")
_CLOSED = (")", "]", "）")
MISSING = -1
_ARTICLES = ("the", "a", "an")
_AT_ONCE = 1 << 14  # keys that are cut into words together
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bit of an earlier word is lost


def words(text: str) -> list[str]:
    """The folded words of a text, in order; scripts without spaces fall apart into characters.

    Use it to cut a text for ``Names.scan``: keys are cut in the same way.
    """
    found = pieces(text)
    return found if text.isascii() else [part for word in found for part in (word if unspaced(word) else (word,))]


def normal(text: str) -> str:
    """A name as a key: two spellings of one name have the same key.

    Case, accents and punctuation are dropped, then bracketed parts at the end and a leading English article, unless
    nothing would be left. Only a text without any word has an empty key.
    """
    outside = text
    while outside.rstrip().endswith(_CLOSED) and (shorter := _BRACKETED.sub("", outside)) != outside:
        outside = shorter
    found = pieces(outside) or pieces(text)
    return " ".join(found[1:] if len(found) > 1 and found[0] in _ARTICLES else found)


@dataclass(frozen=True, kw_only=True, eq=False)
class Names(KeptWithStrings):
    """Normalised names, sorted, each with the row it stands for."""

    keys: Strings
    values: Ints

    @classmethod
    def build(cls, keys: Sequence[str], rows: Ints) -> Self:
        """From normalised names and their rows (0 or more); where a key comes twice, the lowest row counts."""
        lowest: dict[str, int] = {}
        for key, row in zip(keys, rows.tolist(), strict=True):
            lowest[key] = min(row, lowest.get(key, row))
        ordered = sorted(lowest)
        values = np.array([lowest[key] for key in ordered], np.int64)
        return cls(keys=Strings.build(ordered, key_hashes(ordered)), values=values)

    def spliced(self, rows: Ints, more: Names) -> Self:
        """The names of rows that stay, and others, none of which is among them.

        ``rows``: what each row is then, MISSING for one that goes. ``more`` has rows as they are then.
        """
        values = rows[self.values]
        splice = Splice(values != MISSING, places_in(self.keys, map(more.keys.__getitem__, range(len(more)))))
        return type(self)(keys=self.keys.spliced(splice, more.keys), values=splice.rows(values, more.values))

    def __len__(self) -> int:
        return len(self.keys)

    def items(self) -> Iterator[tuple[str, int]]:
        """All names with their rows."""
        return zip(map(self.keys.__getitem__, range(len(self.keys))), self.values.tolist(), strict=True)

    def find(self, key: str) -> int | None:
        """The row of a normalised name, if it is in the table."""
        row = int(self.find_many([key])[0])
        return None if row == MISSING else row

    def find_many(self, keys: Sequence[str]) -> Ints:
        """The rows of normalised names; MISSING for those not in the table."""
        return self.found(keys, key_hashes(keys))

    def found(self, keys: Sequence[str], hashes: Hashes) -> Ints:
        """Like ``find_many``, for who looks names up in several tables."""
        rows = np.full(len(keys), MISSING, np.int64)
        for i, place in self.keys.candidates(hashes):
            if self.keys[place] == keys[i]:
                rows[i] = self.values[place]
        return rows

    def scan(self, text: Sequence[str], longest: int = 8) -> list[tuple[int, int, int]]:
        """All names among the words of a text: (first word, number of words, row), the longest first at each word.

        Names of more than ``longest`` words are not looked for; overlapping ones are all reported.
        """
        return self.among(Phrases.of(text, longest))

    def among(self, phrases: Phrases) -> list[tuple[int, int, int]]:
        """What ``scan`` finds, for who looks up the phrases of a text in several tables."""
        found = []
        for phrase, place in self.keys.candidates(phrases.hashes):
            start, length = int(phrases.starts[phrase]), int(phrases.lengths[phrase])
            if words(self.keys[place]) == list(phrases.text[start : start + length]):
                found.append((start, length, int(self.values[place])))
        return sorted(found, key=lambda match: (match[0], -match[1], match[2]))


@dataclass(frozen=True, eq=False)
class Phrases:
    """The stretches of words of a text, with their hashes."""

    text: Sequence[str]
    starts: Ints
    lengths: Ints
    hashes: Hashes

    @classmethod
    def of(cls, text: Sequence[str], longest: int) -> Self:
        """All of so many words at most."""
        parts = list(_windows(hashed(text), longest))
        return cls(
            text,
            np.concatenate([np.empty(0, np.int64), *(np.arange(len(part)) for part in parts)]),
            np.repeat(np.arange(1, len(parts) + 1), [len(part) for part in parts]),
            np.concatenate([np.empty(0, np.uint64), *parts]),
        )


def _windows(single: Hashes, longest: int) -> Iterator[Hashes]:
    """The hashes of the phrases that begin at each word, of one word, of two, and so on up to ``longest``."""
    phrases = single
    for length in range(1, min(longest, len(single)) + 1):
        yield phrases
        phrases = phrases[:-1] * _BASE + single[length:]


def key_hashes(keys: Sequence[str]) -> Hashes:
    """The hash of each key, from those of its words: a polynomial modulo 2**64."""
    parts = [_phrase_hashes(keys[start : start + _AT_ONCE]) for start in range(0, len(keys), _AT_ONCE)]
    return np.concatenate([np.empty(0, np.uint64), *parts])


def _phrase_hashes(keys: Sequence[str]) -> Hashes:
    cut = [words(key) for key in keys]
    places: dict[str, int] = {}
    said = np.array([places.setdefault(word, len(places)) for key in cut for word in key], np.int64)
    single = hashed(places)[said]
    lengths = np.array([len(key) for key in cut], np.int64)
    ends = np.cumsum(lengths)
    phrases = np.zeros(len(lengths), np.uint64)
    for step in range(int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > step)
        phrases[longer] = phrases[longer] * _BASE + single[(ends - lengths)[longer] + step]
    return phrases

"""Which passages are about something: titles by name, in any number of segments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Self

import numpy as np

from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.folding import pieces, standing
from polyhop.indexes.mentions import LONGEST_NAME
from polyhop.indexes.names import MISSING, Names, Phrases, key_hashes, normal, words
from polyhop.indexes.segments import AllBut, Live, alive_among, check_fit
from polyhop.indexes.streamed import FolderWriter
from polyhop.indexes.texts import Texts
from polyhop.ports import Ints

LONGEST_ABBREVIATION = 4  # characters of a word with a full stop that may belong to a name: "Dr."
_OPENERS = frozenset(  # words that begin sentences, and no names
    [
        *("a", "an", "the", "it", "and", "but", "as", "if", "since", "while", "why", "how", "when", "where"),
        *("what", "which", "who", "whom", "whose", "at", "by", "during", "for", "from", "in", "of", "on", "to", "with"),
        *("are", "did", "do", "does", "had", "has", "have", "is", "was", "were"),
    ]
)


def write(writer: FolderWriter, numbers: Sequence[int], titles: Sequence[str]) -> None:
    """Write one segment: the titles of passages by number; a title without any word is left out. Raises OSError."""
    spelled = sorted({title for title in titles if normal(title)})
    row_of = {title: row for row, title in enumerate(spelled)}
    headed = ((row_of[title], number) for number, title in zip(numbers, titles, strict=True) if title in row_of)
    writer.keep("passages", Adjacency.build(_pairs(headed), len(spelled)))
    del row_of
    writer.keep("spelled", Texts.build(spelled))
    keys = sorted({key for title in spelled for key in _keys(title)})
    key_of = {key: place for place, key in enumerate(keys)}
    standing_for = ((key_of[key], row) for row, title in enumerate(spelled) for key in _keys(title))
    writer.keep("titles", Adjacency.build(_pairs(standing_for), len(keys)))
    del key_of
    writer.keep("names", Names.build(keys, np.arange(len(keys))))


def _pairs(found: Iterable[tuple[int, int]]) -> Ints:
    """Pairs as an array of two columns, without a list of them."""
    return np.fromiter(chain.from_iterable(found), np.int64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class _Segment:
    """The titles of some passages."""

    names: Names  # keys
    titles: Adjacency  # key -> titles that it may stand for
    spelled: Texts  # title -> as it is written
    passages: Adjacency  # title -> passage numbers

    @classmethod
    def open(cls, folder: Path) -> Self:
        segment = cls(
            Names.open(folder / "names"),
            Adjacency.open(folder / "titles"),
            Texts.open(folder / "spelled"),
            Adjacency.open(folder / "passages"),
        )
        same = len(segment.names) == len(segment.titles) and len(segment.spelled) == len(segment.passages)
        check_fit(folder, same)
        return segment


@dataclass(frozen=True, eq=False)
class Titles:
    """The titles of all live passages; which segments hold them never changes a result."""

    segments: tuple[_Segment, ...]
    live: Live

    @classmethod
    def open(cls, folders: Sequence[Path], live: Live) -> Self:
        """Open segments for the passages in ``live``. Raises IndexCorrupt."""
        return cls(
            tuple(_Segment.open(folder) for folder in folders), live if isinstance(live, AllBut) else np.unique(live)
        )

    def about(self, name: str) -> list[int]:
        """The passages that have a name as title, ascending; failing that, those whose title goes on behind a comma.

        Brackets count where the name has them and a title too: "Mercury (planet)" is not "Mercury (element)", but
        plain "Mercury" may be either. An article may be left out of a name; one that the title lacks may stand before
        several words: "the Long Bridge", but not "The Gull".
        """
        full, bare = _full(name), normal(name)
        named = self._named(full) if full else []
        exact = self._headed(named, lambda title: _full(title) == full)[1]
        if exact or (full != bare and not (" " in bare and full.endswith(f" {bare}"))):
            return exact
        named = named if bare == full else self._named(bare)
        return self._headed(named, partial(_may_be, bare))[1] or self._headed(named)[1]

    def named_in(self, text: str, *, careful: bool = True) -> list[tuple[str, list[int]]]:
        """The titles that a text names, in its order and once each, with their passages; none within a longer one.

        A title of one word (``careful``: any) counts only as it is written, and no single word counts that is part of
        a longer name: "Home" is a title, "home" is not, nor is "Princess" one in "Princess Anna". In a text without
        capitals any counts.
        """
        phrases, careless = Phrases.of(words(text), LONGEST_NAME), text == text.lower()
        found = {
            (start, -length, segment.names.keys[key])
            for segment in self.segments
            for start, length, key in segment.names.among(phrases)
        }
        named: dict[str, list[int]] = {}
        covered = 0
        for start, length, key in sorted(found):
            if start - length > covered:
                anyhow = careless or (length < -1 and not careful)
                at = self._named(key)
                titles, passages = self._headed(at) if anyhow else self._headed(at, partial(_is_written, text))
                if passages:
                    named[min(titles, key=len)] = passages
                    covered = start - length
        return list(named.items())

    def _named(self, key: str) -> list[tuple[_Segment, int]]:
        """Where the titles stand that a key stands for."""
        hashes = key_hashes([key])
        found = ((segment, int(segment.names.found([key], hashes)[0])) for segment in self.segments)
        return [
            (segment, row) for segment, place in found if place != MISSING for row in segment.titles.of(place).tolist()
        ]

    def _headed(
        self, named: Iterable[tuple[_Segment, int]], fits: Callable[[str], bool] = lambda _: True
    ) -> tuple[list[str], list[int]]:
        """Of some titles those that fit and have live passages, and these passages."""
        titles: set[str] = set()
        found: set[int] = set()
        for segment, row in named:
            if fits(title := segment.spelled[row]) and (alive := self._alive(segment.passages.of(row))):
                titles.add(title)
                found.update(alive)
        return sorted(titles), sorted(found)

    def _alive(self, numbers: Ints) -> list[int]:
        """Those of some passages that are live."""
        alive: list[int] = numbers[alive_among(numbers, self.live)].tolist()
        return alive


def _keys(title: str) -> set[str]:
    """The names that a title may go by: as it stands, without brackets, and, if more than a word, up to its comma."""
    first = normal(title.partition(",")[0])
    return {key for key in (_full(title), normal(title), first if " " in first else "") if key}


def _full(title: str) -> str:
    """A title as a key in which brackets count, unlike in ``normal``."""
    return " ".join(pieces(title))


def _may_be(name: str, title: str) -> bool:
    """Whether a title is a name apart from its brackets; what a word means without its article is another thing."""
    return normal(title) == name and (" " in name or _full(title.partition("(")[0]) == name)


def _is_written(text: str, title: str) -> bool:
    """Whether a text has a title, or what stands before its brackets or comma, letter for letter."""
    for form in (title.partition(" (")[0], title.partition(",")[0]):
        if form != form.lower():
            ends = ((start, start + len(form)) for start in standing(form, text))
            if any(" " in form or not _is_part(text, start, end) for start, end in ends):
                return True
    return False


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether a word stands right beside another one that begins with a capital, as the parts of a name do.

    A comma and the end of a sentence part them, and so does a word that has its capital from where it stands.
    """
    after = re.match(r"[ -](\w)", text[end : end + 2])
    if after is not None and after[1].isupper():
        return True
    before = re.search(r"(\w[\w'’.-]*)[ -]$", text[max(0, start - 30) : start])
    if before is None or not before[1][0].isupper() or before[1].lower() in _OPENERS:
        return False
    return not before[1].endswith(".") or len(before[1]) <= LONGEST_ABBREVIATION

"""A corpus of any size, grown from real ones by renaming what is named in them: links stay links.

The first rows are those of the data sets, as they are. Then they come again, copy after copy, and in each copy every
name has other words, the same ones wherever it stands: in titles, in texts, in full and as a surname. So whatever led
from one passage to another does so in each copy, and two names that were different stay different. A smaller corpus is
the beginning of a larger one.

A word is renamed where it has four letters or more of the Latin alphabet, is written with a capital, and is rarely
written without one. Words that more than one passage in 50 has stay: in a real corpus of that size countries and months
would be the same, too. So do titles that are made of common words alone (of 2wiki and hotpotqa a quarter). The made-up
words are pronounceable and no words of the corpus; those of four letters recur after some copies, as given names do.

A made-up word has as many letters as the one that it replaces, so that whatever was said of a passage by offsets stays
true: a stored parse of a passage is that of its copies, byte for byte, and nothing has to be parsed anew.

    python benchmarks/grown_corpus.py DATA [DATA ...] --count N [--seed N] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from math import gcd
from pathlib import Path
from typing import NamedTuple, Self

from polyhop.indexes.folding import fold

SHORTEST = 4  # letters of a word that is renamed
COMMON = 1 / 50  # of the passages: words that more of them have stay
LOWER = 0.1  # of its occurrences: a word that is written without a capital more often is no name
_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxz", "aeiouy"
_LETTERS = r"[^\W\d_]"
_WORD = re.compile(rf"{_LETTERS}{{{SHORTEST},}}")
_CAPITALISED = re.compile(rf"(?<!{_LETTERS})(?![a-z]){_LETTERS}{{{SHORTEST},}}")
_AFTER_STOP = re.compile(r"(?:^|[.!?:\n]|\b\w)\W*$")


class Row(NamedTuple):
    """A passage of a corpus."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Words:
    """The made-up words of so many letters, numbered; those that are ``taken`` are left out."""

    length: int
    taken: frozenset[str]

    @property
    def size(self) -> int:
        """How many there are; of long words more than ``len`` could say."""
        return self._all - len(self._bad)

    def __getitem__(self, place: int) -> str:
        number = place + bisect_right(self._passed, place)
        number, first = divmod(number, 2)
        letters = []
        for at in range(self.length):
            alphabet = _VOWELS if (at + first) % 2 else _CONSONANTS
            number, letter = divmod(number, len(alphabet))
            letters.append(alphabet[letter])
        return "".join(letters)

    @property
    def _all(self) -> int:
        more, less = (self.length + 1) // 2, self.length // 2
        fewer: int = len(_CONSONANTS) ** less * len(_VOWELS) ** more  # those that begin with a vowel
        return 2 * fewer  # as many words that begin with a vowel as with a consonant

    @cached_property
    def _bad(self) -> list[int]:
        """The numbers of the words that are taken, ascending."""
        return sorted(number for word in self.taken if (number := self._number(word)) is not None)

    @cached_property
    def _passed(self) -> list[int]:
        return [number - before for before, number in enumerate(self._bad)]

    def _number(self, word: str) -> int | None:
        for first in range(2):
            number, alphabets = 0, [_VOWELS if (at + first) % 2 else _CONSONANTS for at in range(self.length)]
            if len(word) == self.length and all(map(str.__contains__, alphabets, word)):
                for letter, alphabet in zip(reversed(word), reversed(alphabets), strict=True):
                    number = number * len(alphabet) + alphabet.index(letter)
                number = 2 * number + first
                return number if number < self._all else None
        return None


@dataclass(frozen=True)
class Renaming:
    """Which words of a corpus are renamed, by length, and what is said instead."""

    names: dict[str, int]  # folded; its place among those of its length
    alternatives: dict[int, Words]
    seed: int

    @classmethod
    def fitted(cls, rows: Iterable[Row], seed: int = 0, common: float = COMMON) -> Self:
        """What to rename in a corpus."""
        capital: Counter[str] = Counter()
        lower: Counter[str] = Counter()
        holding: Counter[str] = Counter()
        passages = 0
        for row in rows:
            passages += 1
            words = _counted(row.title, capital, lower, title=True) | _counted(row.text, capital, lower)
            holding.update(words)
        most = max(1.0, common * passages)
        names = sorted(
            word for word, number in capital.items() if lower[word] <= LOWER * number and holding[word] <= most
        )
        by_length: defaultdict[int, list[str]] = defaultdict(list)
        for name in names:
            by_length[len(name)].append(name)
        taken = frozenset(holding)
        alternatives = {
            length: Words(length, frozenset(word for word in taken if len(word) == length)) for length in by_length
        }
        places = {name: place for found in by_length.values() for place, name in enumerate(found)}
        return cls(places, alternatives, seed)

    def renamed(self, text: str, copy: int) -> str:
        """A text as a copy has it; the text of copy 0 is as it was."""
        return _CAPITALISED.sub(lambda match: self._instead(match[0], copy), text) if copy else text

    def _instead(self, word: str, copy: int) -> str:
        name = fold(word)
        place = self.names.get(name)
        if place is None or len(name) != len(word):
            return word
        words = self.alternatives[len(name)]
        factor, shift, size = self._order[len(name)]
        made = words[(factor * (copy * size + place) + shift) % words.size]
        return "".join(new.upper() if old.isupper() else new for old, new in zip(word, made, strict=True))

    @cached_property
    def _order(self) -> dict[int, tuple[int, int, int]]:
        """For each length a permutation of its made-up words, and how many names there are."""
        sizes = Counter(map(len, self.names))
        found = {}
        for length, words in sorted(self.alternatives.items()):
            chance = random.Random(f"{self.seed}:{length}")  # noqa: S311
            if sizes[length] > words.size:
                raise ValueError(f"{sizes[length]} names of {length} letters are more than can be made up.")
            factors = (chance.randrange(1, words.size) for _ in count())
            factor = next(factor for factor in factors if gcd(factor, words.size) == 1)
            found[length] = factor, chance.randrange(words.size), sizes[length]
        return found


def _counted(text: str, capital: Counter[str], lower: Counter[str], *, title: bool = False) -> set[str]:
    """Count the words of a text by how they are written; which there are. What begins a sentence may be any word."""
    found = set()
    for match in _WORD.finditer(text):
        word = fold(match[0])
        if len(word) != len(match[0]) or not (word.isascii() and word.isalpha()):
            continue
        found.add(word)
        if not match[0][0].isupper():
            lower[word] += 1
        elif title or not _AFTER_STOP.search(text, max(0, match.start() - 4), match.start()):
            capital[word] += 1
    return found


def read(folders: Sequence[Path]) -> list[Row]:
    """The passages of data sets, in order; where two have the same id, the later one is left out."""
    rows: dict[str, Row] = {}
    for folder in folders:
        with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
            for line in filter(str.strip, lines):
                row = json.loads(line)
                identity = f"{folder.resolve().name}-{row['id']}"
                rows.setdefault(identity, Row(identity, row["title"], row["text"]))
    return list(rows.values())


def grown(rows: Sequence[Row], seed: int = 0, common: float = COMMON) -> Iterator[tuple[int, int, Row]]:
    """Rows without end, each with the number of its copy and its place among the rows that were given."""
    if not rows:
        return
    renaming = Renaming.fitted(rows, seed, common)
    for copy in count():
        for place, row in enumerate(rows):
            title, text = renaming.renamed(row.title, copy), renaming.renamed(row.text, copy)
            yield copy, place, Row(f"{copy}-{row.id}" if copy else row.id, title, text)


def main() -> None:
    """Write a corpus of the size asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="folders with corpus.jsonl")
    parser.add_argument("--count", type=int, required=True, help="how many passages")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="the file to write; standard output where none is named")
    options = parser.parse_args()
    rows = read(options.data)
    target = options.out.open("w", encoding="utf-8") if options.out else nullcontext(sys.stdout)
    with target as file:
        for _, _, row in islice(grown(rows, options.seed), options.count):
            file.write(json.dumps(row._asdict(), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

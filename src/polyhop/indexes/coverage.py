"""Which names hold most words of a surface form, found by an inverted index: no loop over names.

C2RAG, Eq. 3.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple, Self

import numpy as np

from polyhop.indexes.csr import offsets
from polyhop.indexes.names import MISSING, words
from polyhop.indexes.splicing import Splice, Vocabulary
from polyhop.indexes.strings import KeptWithStrings, Strings, hashed
from polyhop.ports import Bools, Ints

_SPARE = 4  # rows looked at for each value wanted: values may have several names


class Covered(NamedTuple):
    """What a surface form may mean: the value of a name, the share of the form's words in it, and its other words."""

    value: int
    coverage: float  # above 0, at most 1
    extra: int  # words of the name that the surface form lacks


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenCoverage(KeptWithStrings):
    """Names as sets of folded words, each with the value it stands for; a value may have several names."""

    tokens: Strings
    starts: Ints  # the rows with token i are rows[starts[i]:starts[i + 1]]
    rows: Ints
    lengths: Ints  # row -> number of its different words
    values: Ints  # row -> value, ascending

    @classmethod
    def build(cls, names_by_row: Sequence[str], values: Ints) -> Self:
        """From names and the value (0 or more) of each; a name without words is never found."""
        tokens: dict[str, int] = {}
        said, lengths, kept = array("i"), array("i"), array("q")
        ordered = np.argsort(values, kind="stable")
        for value, rows in groupby(zip(values[ordered].tolist(), ordered.tolist(), strict=True), itemgetter(0)):
            names = dict.fromkeys(frozenset(words(names_by_row[row])) for _, row in rows)
            for name in filter(None, names):
                said.extend(tokens.setdefault(token, len(tokens)) for token in name)
                lengths.append(len(name))
                kept.append(value)
        vocabulary = sorted(tokens)
        places = np.empty(len(tokens), np.int64)
        places[[tokens[token] for token in vocabulary]] = np.arange(len(tokens))
        placed = places[np.frombuffer(said, np.intc)]
        each = np.frombuffer(lengths, np.intc).astype(np.int64)
        return cls(
            tokens=Strings.build(vocabulary, hashed(vocabulary)),
            starts=offsets(np.bincount(placed, minlength=len(vocabulary))),
            rows=np.repeat(np.arange(len(each)), each)[np.argsort(placed, kind="stable")],
            lengths=each,
            values=np.frombuffer(kept, np.int64),
        )

    def spliced(self, values: Ints, more: TokenCoverage) -> Self:
        """The names of values that stay, and those of others.

        ``values``: what each value is then, in the order in which they were, MISSING for one that goes. ``more`` has
        values as they are then, none of which is among them.
        """
        own = values[self.values]
        kept = np.flatnonzero(own != MISSING)
        rows = Splice(own != MISSING, np.append(kept, len(own))[np.searchsorted(own[kept], more.values)])
        stays = rows.stays[self.rows]
        counts = np.diff(offsets(stays)[self.starts])
        said, each = [more.tokens[place] for place in range(len(more.tokens))], np.diff(more.starts)
        tokens = Vocabulary.of(self.tokens, counts > 0, said)
        added = [said[place] for place in np.flatnonzero(tokens.new).tolist()]
        counts = tokens.splice.rows(counts, np.zeros(len(added), np.int64))
        counts[tokens.places] += each
        holding = Splice(stays, self._places_of(more, rows, tokens))
        return type(self)(
            tokens=self.tokens.spliced(tokens.splice, Strings.build(added, hashed(added))),
            starts=offsets(counts),
            rows=holding.rows(rows.placed[self.rows], rows.came[more.rows]),
            lengths=rows.rows(self.lengths, more.lengths),
            values=rows.rows(own, more.values),
        )

    def _places_of(self, more: TokenCoverage, rows: Splice, tokens: Vocabulary) -> Ints:
        """Before which of the rows that tokens have those of others stand."""
        found = [np.empty(0, np.int64)]
        each = zip(tokens.at.tolist(), tokens.new.tolist(), pairwise(more.starts.tolist()), strict=True)
        for place, is_new, (start, end) in each:
            first, last = self.starts[[place, place if is_new else place + 1]].tolist()
            found.append(first + np.searchsorted(self.rows[first:last], rows.before[more.rows[start:end]]))
        return np.concatenate(found)

    def best(self, surface: str, k: int, *, ties: int = 0, among: Bools | None = None) -> list[Covered]:
        """The k values whose names cover most of a surface form, each by its best name (Eq. 3).

        Ordered by coverage, then fewer extra words, then value. ``ties``: so many more are added where they are as good
        as the last one. ``among``: which values count, bool of shape (number of values,); all where it is None.
        """
        said = list(dict.fromkeys(words(surface)))
        found = [place for i, place in self.tokens.candidates(hashed(said)) if self.tokens[place] == said[i]]
        if k <= 0 or not found:
            return []
        size = np.uint8 if len(found) < 256 else np.uint16  # an eighth of what bincount takes
        counts = np.zeros(len(self.lengths), size)
        for place in found:
            holding = self.rows[self.starts[place] : self.starts[place + 1]]
            counts[holding] = counts[holding] + 1
        picked: list[tuple[int, int, int]] = []
        for covered in range(int(counts.max()), 0, -1):  # rows that cover fewer words are looked at when they matter
            rows = np.flatnonzero(counts == covered)
            if among is not None:
                rows = rows[among[self.values[rows]]]
            seen = {value for value, _, _ in picked}
            level = _first(self.values[rows], self.lengths[rows] - covered, k - len(picked), ties, seen)
            picked += [(value, covered, extra) for value, extra in level]
            if len(picked) >= k:
                break
        return [Covered(value, covered / len(said), extra) for value, covered, extra in picked]


def _first(values: Ints, extra: Ints, k: int, ties: int, seen: Set[int]) -> list[tuple[int, int]]:
    """The k different values with the fewest extra words, then up to ``ties`` more that have as few as the last one.

    Values are ascending, so that equal ones come in the order of their values; those that were seen do not count.
    """
    cumulative = np.cumsum(np.bincount(extra))
    wanted = _SPARE * (k + ties) + len(seen)
    while True:
        most = int(np.searchsorted(cumulative, min(wanted, len(extra))))
        near = np.flatnonzero(extra <= most)
        near = near[np.argsort(extra[near], kind="stable")]
        picked = _different(values[near], extra[near], k, ties, seen)
        if len(picked) >= k or len(near) == len(extra):
            return picked
        wanted *= _SPARE * _SPARE


def _different(values: Ints, extra: Ints, k: int, ties: int, seen: Set[int]) -> list[tuple[int, int]]:
    """As ``_first``, of rows that stand in order."""
    picked: dict[int, int] = {}
    last = -1
    for start in range(0, len(values), 256):  # nearly always the first stretch has all that is wanted
        stretch = slice(start, start + 256)
        for value, more in zip(values[stretch].tolist(), extra[stretch].tolist(), strict=True):
            if len(picked) >= k + ties or (len(picked) >= k and more != last):
                return list(picked.items())
            if value not in picked and value not in seen:
                picked[value] = last = more
    return list(picked.items())

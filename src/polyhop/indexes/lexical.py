"""BM25 over segments of postings, where adding, removing and rebuilding are all exact.

Document frequency, number of passages and average length are counted over the live passages of all segments when the
index is opened or asked, so no score remembers what was removed or in which order things came.

Words that nearly every passage has cost the most and decide the least. A search adds up the rarest words first, and as
soon as what the others could add at most is less than what the best have, it only looks at those that can still be
among the best (MaxScore: H. Turtle and J. Flood, Query evaluation: strategies and optimizations, 1995). Their scores
are then added up anew, in alphabetical order, so that a search equals adding up everything, bit for bit.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, count
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt, ModelMismatch
from polyhop.indexes.csr import Doubles, offsets
from polyhop.indexes.folding import Stem, tokens
from polyhop.indexes.postings import Segment
from polyhop.indexes.ranking import Ranked, best, kth_highest, nothing
from polyhop.indexes.segments import Arrays, Live, read_arrays, standing
from polyhop.indexes.strings import STRING_ARRAYS, Strings, hashed
from polyhop.ports import Floats, Ints

_STEMS: tuple[Stem, ...] = ("none", "s")
ARRAYS = ("numbers", "lengths", "starts", "documents", "frequencies", "stem", *STRING_ARRAYS)

_LONG = 1 / 64  # of the passages: before a list of so many postings is added up, it is asked whether that is needed
_LOOKED_UP = 2  # adding a term to one passage that was picked out takes as long as adding so many of its postings
_FEW = 500  # passages whose scores are added up sooner than it is asked which of them are needed
_ABOUT = 1 - 1e-4  # sums in single precision and in another order differ by less


def build(numbers: Ints, texts: Sequence[str], *, stem: Stem = "none") -> Arrays:
    """The arrays of one segment: passages in ascending order of number, and the postings of their terms."""
    order = np.argsort(numbers, kind="stable")
    ids: defaultdict[str, int] = defaultdict(count().__next__)
    said = array("i")
    lengths = np.empty(len(order), np.int64)
    for row, place in enumerate(order.tolist()):
        before = len(said)
        said.extend(map(ids.__getitem__, tokens(texts[place], stem)))
        lengths[row] = len(said) - before
    vocabulary = sorted(ids)
    rank = np.empty(len(ids), np.int64)
    rank[[ids[term] for term in vocabulary]] = np.arange(len(ids))
    rows = np.repeat(np.arange(len(order)), lengths)
    pairs, frequencies = np.unique(rank[np.frombuffer(said, np.intc)] * len(order) + rows, return_counts=True)
    terms, documents = np.divmod(pairs, max(1, len(order)))
    return {
        "numbers": numbers[order].astype(np.int64),
        "lengths": lengths,
        "starts": offsets(np.bincount(terms, minlength=len(vocabulary))),
        "documents": documents.astype(np.int32),
        "frequencies": frequencies.astype(np.int32),
        "stem": np.array([_STEMS.index(stem)], np.int8),
        **Strings.build(vocabulary, hashed(vocabulary)).arrays(),
    }


@dataclass(frozen=True, slots=True)
class _Term:
    """A word of a question: where its postings are, how many live passages hold it, and less than what it can add."""

    lists: Sequence[tuple[Segment, int]]
    holding: int
    weight: float  # what it adds to a score is a share of this, below 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Lexical:
    """BM25 with the inverse document frequency ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative.

    S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework, 2009, section 3.4; the 1 is Lucene's.
    """

    numbers: Ints  # the live passages, ascending
    lengths: Ints  # in terms
    segments: tuple[Segment, ...]
    stem: Stem
    k1: float = 1.2
    b: float = 0.75

    @classmethod
    def open(cls, folders: Sequence[Path], live: Live) -> Self:
        """Open segments for the passages in ``live``; other passages are never found and never counted.

        Raises IndexCorrupt, and ModelMismatch where segments were made with different stemming.
        """
        return cls.of([read_arrays(folder, ARRAYS) for folder in folders], live)

    @classmethod
    def of(cls, parts: Sequence[Arrays], live: Live) -> Self:
        """Like ``open``, for the arrays of segments as ``build`` makes them."""
        if any(len(part["numbers"]) != len(part["lengths"]) for part in parts):
            raise IndexCorrupt("A segment of postings does not have one length a passage.")
        stems = {int(part["stem"][0]) for part in parts} or {0}
        if len(stems) > 1:
            raise ModelMismatch("Parts of the index were stemmed differently.", remedy="Index the documents again.")
        numbers, rows = standing([part["numbers"] for part in parts], live)
        lengths = np.concatenate([np.empty(0, np.int64), *(part["lengths"] for part in parts)])[rows]
        places = np.full(sum(len(part["numbers"]) for part in parts), -1, np.int64)
        places[rows] = np.arange(len(rows))
        segments, first = [], 0
        for part in parts:
            segments.append(Segment.of(part, places[first : first + len(part["numbers"])]))
            first += len(part["numbers"])
        stem = _STEMS[stems.pop()]
        return cls(numbers=numbers, lengths=lengths, segments=tuple(segments), stem=stem)

    def __len__(self) -> int:
        return len(self.numbers)

    def search(self, text: str, k: int, among: Ints | None = None) -> Ranked:
        """The ``k`` passages that match a text best, best first, ties by lower number; only passages with a score.

        ``among`` restricts the answer to some passages; it does not change their scores.
        """
        asked = Counter(tokens(text, self.stem))
        if not asked or not len(self.numbers) or k <= 0:
            return nothing()
        terms = self._terms(asked)
        places = self._contenders(terms, k) if among is None else self._places(np.unique(among))
        scores = self._scores(terms, places).astype(np.float32)
        matched = np.flatnonzero(scores > 0)
        order = matched[best(scores[matched], k)]
        return self.numbers[places[order]], scores[order]

    def _places(self, numbers: Ints) -> Ints:
        """Where those of some passages, ascending, that are live stand among all of these."""
        places = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        alive: Ints = places[self.numbers[places] == numbers]
        return alive

    def with_all(self, text: str) -> Ints:
        """The live passages that have every word of a text, ascending; none for a text without words."""
        asked = Counter(set(tokens(text, self.stem)))
        terms = sorted(self._terms(asked), key=lambda term: term.holding)
        if not terms or len(terms) < len(asked):
            return self.numbers[:0]
        places = np.sort(_postings(terms[0])[0])
        for term in terms[1:]:
            places = places[self._frequencies(term, places) > 0]
        return self.numbers[places]

    def coverage(self, text: str) -> float:
        """The largest share of a text's words, weighed by how rare they are, that one live passage has: 0 to 1."""
        asked = sorted(set(tokens(text, self.stem)))
        if not asked or not len(self.numbers):
            return 0.0
        held, total = np.zeros(len(self.numbers)), 0.0
        found = self._found(asked)
        for term in asked:
            places = [segment.postings(place)[0] for segment, place in found.get(term, ())]
            rarity = self._rarity(sum(map(len, places)))
            total += rarity
            for here in places:
                held[here] += rarity
        return float(held.max()) / total

    def _rarity(self, frequency: int) -> float:
        """The inverse document frequency of a term."""
        return math.log(1 + (len(self.numbers) - frequency + 0.5) / (frequency + 0.5))

    @cached_property
    def _saturation(self) -> Doubles:
        average = max(1, int(self.lengths.sum())) / len(self.numbers)
        return self.k1 * (1 - self.b + self.b * (self.lengths.astype(np.float64) / average))

    @cached_property
    def _rough_saturation(self) -> Floats:
        return self._saturation.astype(np.float32)

    def _terms(self, asked: Counter[str]) -> list[_Term]:
        """The words of a question that live passages hold, in alphabetical order."""
        terms = []
        for word, lists in sorted(self._found(sorted(asked)).items()):
            holding = sum(segment.holding(place) for segment, place in lists)
            if holding:
                terms.append(_Term(lists, holding, asked[word] * self._rarity(holding) * (self.k1 + 1)))
        return terms

    def _scores(self, terms: Sequence[_Term], places: Ints) -> Doubles:
        """Scores of some live passages, ascending; terms are added up in their order, however they were stored."""
        scores = np.zeros(len(places))
        for term in terms:
            scores += self._added(term, places)
        return scores

    def _added(self, term: _Term, places: Ints) -> Doubles:
        """What a term adds to the scores of some live passages, ascending."""
        frequencies = self._frequencies(term, places)
        there = np.flatnonzero(frequencies > 0)
        held, added = frequencies[there], np.zeros(len(places))
        added[there] = term.weight * (held / (held + self._saturation[places[there]]))
        return added

    def _frequencies(self, term: _Term, places: Ints) -> NDArray[np.int32]:
        """How often some live passages, ascending, hold a term."""
        frequencies = np.zeros(len(places), np.int32)
        for segment, place in term.lists:
            here = segment.among(places)
            if here.start < here.stop:
                frequencies[here] += segment.frequencies_in(place, segment.rows_at(places[here]))
        return frequencies

    def _contenders(self, terms: Sequence[_Term], k: int) -> Ints:
        """Live passages, ascending, that can be among the best k: all that are, and some others."""
        ordered = sorted(terms, key=lambda term: term.holding)
        left = list(accumulate((term.weight for term in reversed(ordered)), initial=0.0))[::-1]
        scores, floor = np.zeros(len(self.numbers), np.float32), 0.0
        for i, term in enumerate(ordered):
            if term.holding > _LONG * len(scores):
                floor = _raised(scores[scores > floor * _ABOUT], k, floor)
                if floor * _ABOUT > left[i]:
                    places = np.flatnonzero(scores >= floor * _ABOUT - left[i])
                    if len(places) * _LOOKED_UP <= term.holding:
                        return self._narrowed(ordered[i:], left[i:], places, scores, floor, k)
            self._add(term.weight, *_postings(term), scores)
        floor = _raised(scores[scores > floor * _ABOUT], k, floor)
        return np.flatnonzero(scores > floor * _ABOUT)

    def _add(self, weight: float, places: Ints, frequencies: NDArray[np.int32], scores: Floats) -> None:
        """Add to the scores of all live passages what one posting list says; in place, which takes half the time."""
        shares = frequencies.astype(np.float32)
        added = self._rough_saturation.take(places)
        added += shares
        np.divide(shares, added, out=added)
        added *= np.float32(weight)
        added += scores.take(places)
        scores[places] = added

    def _narrowed(
        self, terms: Sequence[_Term], left: Sequence[float], places: Ints, scores: Floats, floor: float, k: int
    ) -> Ints:
        """Of the passages whose scores so far can still come to ``floor``, those that can when more is known.

        ``terms`` are still to be added, and from each on they add less than ``left``.
        """
        so_far = scores[places].astype(np.float64)
        for term, rest in zip(terms, left[1:], strict=True):
            if len(places) <= max(k, _FEW):
                break
            so_far += self._added(term, places)
            floor = _raised(so_far, k, floor)
            kept = np.flatnonzero(so_far >= floor * _ABOUT - rest)
            places, so_far = places[kept], so_far[kept]
        return places

    def _found(self, terms: Sequence[str]) -> dict[str, list[tuple[Segment, int]]]:
        """For each term, where it stands in the vocabularies of the segments that know it."""
        hashes = hashed(terms)
        found: dict[str, list[tuple[Segment, int]]] = {}
        for segment in self.segments:
            for i, place in segment.vocabulary.candidates(hashes):
                if segment.vocabulary[place] == terms[i]:
                    found.setdefault(terms[i], []).append((segment, place))
        return found


def _postings(term: _Term) -> tuple[Ints, NDArray[np.int32]]:
    """Places of the live passages that hold a term, segment by segment, and how often they do."""
    found = [segment.postings(place) for segment, place in term.lists]
    if len(found) == 1:
        return found[0]
    return np.concatenate([places for places, _ in found]), np.concatenate([frequencies for _, frequencies in found])


def _raised(scores: Floats | Doubles, k: int, floor: float) -> float:
    """The k-th highest of some scores where there are so many, but not less than ``floor``."""
    return max(floor, kth_highest(scores, k)) if len(scores) >= k else floor

"""BM25 over segments of postings, where adding, removing and rebuilding are all exact.

Document frequency, number of passages and average length are counted over the live passages of all segments when the
index is opened or asked, so no score remembers what was removed or in which order things came.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import IndexCorrupt, ModelMismatch
from polyhop.indexes.folding import pieces, unspaced
from polyhop.indexes.ranking import Ranked, best, nothing
from polyhop.indexes.segments import Arrays, read_arrays, standing
from polyhop.indexes.strings import STRING_ARRAYS, Strings, hashed
from polyhop.ports import Bools, Ints

Doubles = NDArray[np.float64]
Stem = Literal["none", "s"]
_STEMS: tuple[Stem, ...] = ("none", "s")
_POSSESSIVE = re.compile(r"(?<=\w)['’][sS]\b")
_ARRAYS = ("numbers", "lengths", "starts", "documents", "frequencies", "stem", *STRING_ARRAYS)


def tokens(text: str, stem: Stem = "none") -> list[str]:
    """The terms of a text: folded words, and pairs of neighbouring characters where a script has no spaces.

    The possessive ``'s`` is dropped; ``stem="s"`` also folds English plurals.
    """
    words = pieces(_POSSESSIVE.sub("", text))
    if not text.isascii():
        words = [term for word in words for term in (_pairs(word) if unspaced(word) else (word,))]
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
        "starts": np.searchsorted(terms, np.arange(len(vocabulary) + 1)),
        "documents": documents.astype(np.int32),
        "frequencies": frequencies.astype(np.int32),
        "stem": np.array([_STEMS.index(stem)], np.int8),
        **Strings.build(vocabulary, hashed(vocabulary)).arrays(),
    }


@dataclass(frozen=True, kw_only=True, eq=False)
class _Segment:
    """The postings of one segment; ``places`` says where its rows stand among the live passages."""

    vocabulary: Strings
    starts: Ints
    documents: NDArray[np.int32]
    frequencies: NDArray[np.int32]
    places: Ints | None  # -1 for dead rows; None where every row stands where it stood
    whole: bool  # no row is dead

    def postings(self, term: int) -> tuple[Ints, NDArray[np.int32]]:
        """Places of the live passages that hold a term, and how often they do."""
        here = slice(int(self.starts[term]), int(self.starts[term + 1]))
        documents, frequencies = self.documents[here], self.frequencies[here]
        if self.places is None:
            return documents.astype(np.int64), frequencies
        places = self.places[documents]
        if self.whole:
            return places, frequencies
        alive = places >= 0
        return places[alive], frequencies[alive]


@dataclass(frozen=True, kw_only=True, eq=False)
class Lexical:
    """BM25 with the inverse document frequency ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative.

    S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework, 2009, section 3.4; the 1 is Lucene's.
    """

    numbers: Ints  # the live passages, ascending
    lengths: Ints  # in terms
    segments: tuple[_Segment, ...]
    stem: Stem
    k1: float
    b: float

    @classmethod
    def open(cls, folders: Sequence[Path], live: Ints, *, k1: float = 1.2, b: float = 0.75) -> Self:
        """Open segments for the passages in ``live``; other passages are never found and never counted.

        Raises IndexCorrupt, and ModelMismatch where segments were made with different stemming.
        """
        return cls.of([read_arrays(folder, _ARRAYS) for folder in folders], live, k1=k1, b=b)

    @classmethod
    def of(cls, parts: Sequence[Arrays], live: Ints, *, k1: float = 1.2, b: float = 0.75) -> Self:
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
            segments.append(_segment(part, places[first : first + len(part["numbers"])]))
            first += len(part["numbers"])
        stem = _STEMS[stems.pop()]
        return cls(numbers=numbers, lengths=lengths, segments=tuple(segments), stem=stem, k1=k1, b=b)

    def __len__(self) -> int:
        return len(self.numbers)

    def search(self, text: str, k: int, among: Ints | None = None) -> Ranked:
        """The ``k`` passages that match a text best, best first, ties by lower number; only passages with a score.

        ``among`` restricts the answer to some passages; it does not change their scores.
        """
        asked = Counter(tokens(text, self.stem))
        if not asked or not len(self.numbers) or k <= 0:
            return nothing()
        wanted = None if among is None else np.isin(self.numbers, among)
        scores = self._scores(asked, wanted).astype(np.float32)
        matched = np.flatnonzero(scores)
        order = matched[best(scores[matched], k)]
        return self.numbers[order], scores[order]

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

    def _scores(self, asked: Counter[str], wanted: Bools | None) -> Doubles:
        """Scores of all live passages; the terms are added up in alphabetical order, however they were stored."""
        scores = np.zeros(len(self.numbers))
        found = self._found(sorted(asked))
        for term in sorted(found):
            postings = [segment.postings(place) for segment, place in found[term]]
            rarity = self._rarity(sum(len(places) for places, _ in postings))
            weight = asked[term] * rarity * (self.k1 + 1)
            for places, frequencies in postings:
                if wanted is not None:
                    chosen = wanted[places]
                    places, frequencies = places[chosen], frequencies[chosen]
                scores[places] += weight * (frequencies / (frequencies + self._saturation[places]))
        return scores

    def _found(self, terms: Sequence[str]) -> dict[str, list[tuple[_Segment, int]]]:
        """For each term, where it stands in the vocabularies of the segments that know it."""
        hashes = hashed(terms)
        found: dict[str, list[tuple[_Segment, int]]] = {}
        for segment in self.segments:
            for i, place in segment.vocabulary.candidates(hashes):
                if segment.vocabulary[place] == terms[i]:
                    found.setdefault(terms[i], []).append((segment, place))
        return found


def _segment(part: Arrays, places: Ints) -> _Segment:
    unmoved = np.array_equal(places, np.arange(len(places)))
    return _Segment(
        vocabulary=Strings(**{name: part[name] for name in STRING_ARRAYS}),
        starts=part["starts"],
        documents=part["documents"],
        frequencies=part["frequencies"],
        places=None if unmoved else places,
        whole=bool((places >= 0).all()),
    )

"""Where among the tokens of a hyperrelation a span may begin and end.

A model's tokens know nothing of letters and words: some begin inside a word, some end inside a character. What is cut
along them is no text. So a span is cut where the text may be cut, and each token says whether that is so at its ends.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from polyhop.indexes.csr import offsets, spread
from polyhop.indexes.folding import words_at
from polyhop.indexes.substrings import TokenKind, TokenStrings
from polyhop.layers.parsekg.graph import MASK
from polyhop.ports import ConstrainedModel

WORD = 1  # a word begins with this token
BREAK = 2  # a masked entity does, or an opening bracket or quotation mark
WHOLE = 4  # the character that this token ends with is whole
GAP = 8  # stands for a masked entity

_OPENING = frozenset({"Ps", "Pi"})  # categories of Unicode
_GAPS = re.compile(f"( ?{re.escape(MASK)})")
_SPACES = re.compile(r"(?<=\S)(?= \S)")
KNOWN = 1 << 17  # words whose tokens are remembered: about 30 MB


@dataclass(frozen=True, slots=True)
class EdgedTokens:
    """The tokens of a hyperrelation, with the flags of each."""

    tokens: list[int]
    flags: list[int]


def edged(hyperrelation: str, model: ConstrainedModel) -> EdgedTokens:
    """The tokens of a hyperrelation; masks have tokens of their own, which they share with no other text."""
    starts = {start for start, _ in words_at(hyperrelation)}
    parts = parts_of(hyperrelation)
    made = EdgedTokens([], [])
    at = 0
    for part, (tokens, spans) in zip(parts, model.encode_spans(parts), strict=True):
        gap = GAP if _GAPS.fullmatch(part) else 0
        for position, (start, end) in enumerate(spans):
            cut = position == 0 or spans[position - 1][1] <= start
            whole = position + 1 == len(spans) or end <= spans[position + 1][0]
            first = at + start + (part[start] == " ")  # the space before a word belongs to its first token
            letter = hyperrelation[first : first + 1]
            flags = gap | (WHOLE if whole else 0)
            if cut and first in starts:
                flags |= WORD
            elif cut and (gap or (letter and unicodedata.category(letter) in _OPENING)):
                flags |= BREAK
            made.flags.append(flags)
        made.tokens.extend(tokens)
        at += len(part)
    return made


@dataclass(frozen=True, eq=False)
class EdgedWords:
    """The tokens of many hyperrelations as ``edged`` has them, with the flags of each; a word is put into tokens once.

    A word has the space before it, and the masks and marks that stand beside it. Neither it nor a flag looks past a
    mask or a single space; where tokens do, because the model has some that stand for several words, what stands
    between two masks is one piece.
    """

    model: ConstrainedModel
    _places: dict[str, int] = field(default_factory=dict)
    _tokens: array[int] = field(default_factory=lambda: array("i"))
    _flags: array[int] = field(default_factory=lambda: array("B"))
    _lengths: array[int] = field(default_factory=lambda: array("i"))

    def strings(self, hyperrelations: Sequence[str], kind: type[TokenKind] | None = None) -> TokenStrings:
        """The tokens of some hyperrelations, in order (``kind``: see ``TokenStrings.laid``)."""
        cut = words_of if self.model.cuts_at_spaces else parts_of
        words = [cut(hyperrelation) for hyperrelation in hyperrelations]
        self._learn(chain.from_iterable(words))
        each = np.fromiter(map(len, words), np.int64, len(words))
        said = map(self._places.__getitem__, chain.from_iterable(words))
        places = np.fromiter(said, np.int64, int(each.sum()))
        starts = offsets(np.array(self._lengths, np.int64))
        taken = spread(starts[places], starts[places + 1])
        ends = offsets(starts[places + 1] - starts[places])[offsets(each)]
        strings = TokenStrings.laid(np.array(self._tokens)[taken], np.array(self._flags)[taken], np.diff(ends), kind)
        if len(self._places) > KNOWN:
            self._forget()
        return strings

    def _learn(self, words: Iterable[str]) -> None:
        for word in words:
            if word not in self._places:
                made = edged(word, self.model)
                self._places[word] = len(self._lengths)
                self._tokens.extend(made.tokens)
                self._flags.extend(made.flags)
                self._lengths.append(len(made.tokens))

    def _forget(self) -> None:
        self._places.clear()
        for remembered in (self._tokens, self._flags, self._lengths):
            del remembered[:]


def words_of(hyperrelation: str) -> list[str]:
    """A hyperrelation cut before each space that stands alone between two words."""
    first, *rest = hyperrelation.split(" ")
    if hyperrelation == " ".join(hyperrelation.split()):
        return [first, *map(" ".__add__, rest)]
    return _SPACES.split(hyperrelation)


def parts_of(hyperrelation: str) -> list[str]:
    """A hyperrelation cut before and behind each mask."""
    return [part for part in _GAPS.split(hyperrelation) if part]

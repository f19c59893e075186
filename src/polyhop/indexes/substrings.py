"""All substrings of chosen rows of token ids, as a grammar: what may be said is what some row says."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import UsageError
from polyhop.indexes.csr import Small, flat, offsets, small, spread
from polyhop.indexes.segments import KeptArrays
from polyhop.ports import Bools, Ints

Tokens = NDArray[np.int32]
StoredTokens = NDArray[np.integer[Any]]
TokenKind = np.uint16 | np.int32
Flags = NDArray[np.uint8]
_FEW = 64  # up to here a Python set is faster than arrays
_END = -1  # stands after every row


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenStrings(KeptArrays):
    """Rows of token ids, laid end to end with a mark after each.

    Tokens may have flags, bits that say something about a token where it stands; what, is up to
    whoever sets them. Tokens of a small vocabulary take two bytes each.
    """

    text: StoredTokens  # all bits of a mark are set
    flags: Flags  # of each token, 0 for the mark after a row
    bounds: Small  # row i is text[bounds[i]:bounds[i + 1] - 1]
    size: Ints  # shape (1,): one more than the highest token id

    @classmethod
    def build(cls, rows: Sequence[Sequence[int]], flags: Sequence[Sequence[int]] | None = None) -> Self:
        """From rows of token ids (at least 0, below 2**31), and the flags of each token (below 256; none: 0)."""
        said, laid = flat(rows)
        marks = np.zeros(len(said), np.int64) if flags is None else flat(flags)[0]
        return cls.laid(said, marks, np.diff(laid))

    @classmethod
    def laid(cls, said: NDArray[Any], marks: NDArray[Any], lengths: Ints, kind: type[TokenKind] | None = None) -> Self:
        """The same from tokens and flags that are laid end to end, and how many of them each row has.

        ``kind``: of what numbers the tokens are to be; none: of what is enough. Raises OverflowError where it is not.
        """
        bounds, size = offsets(lengths + 1), int(said.max(initial=-1)) + 1
        kind = kind or (np.uint16 if size <= np.iinfo(np.uint16).max else np.int32)
        if size > np.iinfo(kind).max:
            raise OverflowError("The tokens do not fit.")
        text: StoredTokens = np.full(int(bounds[-1]), _END).astype(kind)
        flags = np.zeros(len(text), np.uint8)
        places = np.ones(len(text), np.bool_)
        places[bounds[1:] - 1] = False
        text[places], flags[places] = said, marks
        return cls(text=text, flags=flags, bounds=small(bounds), size=np.array([size]))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def row(self, row: int) -> StoredTokens:
        """The tokens of a row."""
        return self.text[self.bounds[row] : self.bounds[row + 1] - 1]

    def grammar(self, rows: Ints, *, begins: int = 0, ends: int = 0, never: int = 0) -> SubstringGrammar:
        """The grammar of all substrings of some rows.

        A span begins with a token that has one of the flags ``begins``, and ends with one that has one of ``ends``; 0
        is any token. A token with one of the flags ``never`` is not said, and a span ends before it.
        Raises UsageError for a row that does not exist.
        """
        return JoinedStrings((self,)).grammar(rows, begins=begins, ends=ends, never=never)


@dataclass(frozen=True, eq=False)
class JoinedStrings:
    """Rows of several parts, numbered one part behind the other."""

    parts: tuple[TokenStrings, ...]

    @cached_property
    def _firsts(self) -> list[int]:
        return [*accumulate(map(len, self.parts), initial=0)]

    def __len__(self) -> int:
        return self._firsts[-1]

    def row(self, row: int) -> StoredTokens:
        """The tokens of a row."""
        at = bisect_right(self._firsts, row, hi=len(self.parts)) - 1
        return self.parts[at].row(row - self._firsts[at])

    def grammar(self, rows: Ints, *, begins: int = 0, ends: int = 0, never: int = 0) -> SubstringGrammar:
        """See ``TokenStrings.grammar``."""
        rows = np.unique(rows)
        if len(rows) and not 0 <= rows[0] <= rows[-1] < len(self):
            raise UsageError(f"Rows are numbered 0 to {len(self) - 1}; asked for {rows[0]} to {rows[-1]}.")
        said, marks, lengths = [np.empty(0, np.int32)], [np.empty(0, np.uint8)], [np.empty(0, np.int64)]
        for part, first, end in zip(self.parts, self._firsts, self._firsts[1:], strict=False):
            here = rows[(rows >= first) & (rows < end)] - first
            if len(here):
                places = spread(part.bounds[here], part.bounds[here + 1])
                said.append(part.text[places].astype(np.int32, copy=False))
                marks.append(part.flags[places])
                lengths.append(part.bounds[here + 1] - part.bounds[here])
        flags, text, bounds = np.concatenate(marks), np.concatenate(said), offsets(np.concatenate(lengths))
        text[bounds[1:] - 1] = _END
        if never:
            text[(flags & never) != 0] = _END
        return SubstringGrammar(
            text=text,
            opening=np.where(flags & begins, text, np.int32(_END)) if begins else text,
            closing=(flags & ends).astype(np.bool_) if ends else None,
            bounds=bounds,
            subset=rows,
            size=max((int(part.size[0]) for part in self.parts), default=0),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Everywhere in the rows that what was said so far has just been said."""

    positions: Ints  # of the token after it
    following: Tokens  # that token; -1 where the row ends
    length: int  # tokens said so far


@dataclass(frozen=True, kw_only=True, eq=False)
class SubstringGrammar:
    """Substrings of a subset of rows; serves as a ``ports.Grammar``.

    A state is the set of places where the span was found, narrowed token by token; spans never cross the end of a row.
    The rows are copied side by side: a narrow stretch of memory is read faster than the whole text.
    """

    text: Tokens  # -1 where a row ends, and for what is never said
    opening: Tokens  # the same, but -1 also where no span may begin
    closing: Bools | None  # whether a span may end with a token; none: with any
    bounds: Ints
    subset: Ints  # ascending; row subset[i] is text[bounds[i]:bounds[i + 1] - 1]
    size: int  # one more than the highest token id

    def root(self) -> Matches:
        """Every place where a span may begin."""
        return self._root

    @cached_property
    def _root(self) -> Matches:
        return Matches(np.arange(len(self.opening)), self.opening, 0)

    @cached_property
    def _first(self) -> Ints:
        return self._tokens(self._root.following)

    def allowed(self, state: Matches) -> Ints:
        """The tokens that some row says next, sorted, without repetition."""
        return self._first if state is self._root else self._tokens(state.following)

    def _tokens(self, following: Tokens) -> Ints:
        if len(following) <= _FEW:
            return np.array(sorted(set(following.tolist()) - {_END}), np.int64)
        said = np.zeros(self.size + 1, np.bool_)
        said[following] = True
        return np.flatnonzero(said[:-1])  # the last stands for -1

    def advance(self, state: Matches, token: int) -> Matches:
        """The state after one more token. Raises UsageError for a token that is not allowed."""
        positions = state.positions[np.flatnonzero(state.following == token)] + 1
        if not len(positions) or token == _END:
            raise UsageError(f"Token {token} may not follow here.", remedy="Choose one of the allowed tokens.")
        return Matches(positions, self.text[positions], state.length + 1)

    def complete(self, state: Matches) -> bool:
        """Whether something was said that may end where it does, in some row."""
        if not state.length:
            return False
        return self.closing is None or bool(self.closing[state.positions - 1].any())

    def rows(self, state: Matches) -> Ints:
        """The rows of the subset that hold what was said so far, ascending; before the first token, all of them."""
        return self.subset[np.unique(np.searchsorted(self.bounds, state.positions, side="right") - 1)]

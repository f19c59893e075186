"""All substrings of chosen rows of token ids, as a grammar: what may be said is what some row says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import UsageError
from polyhop.indexes.csr import flat, offsets, spread
from polyhop.indexes.segments import read_arrays, write_arrays
from polyhop.ports import Bools, Ints

Tokens = NDArray[np.int32]
_FEW = 64  # up to here a Python set is faster than arrays
_END = -1  # stands after every row


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenStrings:
    """Rows of token ids, laid end to end with a mark after each."""

    text: Tokens
    bounds: Ints  # row i is text[bounds[i]:bounds[i + 1] - 1]
    size: Ints  # shape (1,): one more than the highest token id

    @classmethod
    def build(cls, rows: Sequence[Sequence[int]]) -> Self:
        """From rows of token ids (at least 0, below 2**31)."""
        said, laid = flat(rows)
        bounds = laid + np.arange(len(rows) + 1)
        text = np.full(int(bounds[-1]), _END, np.int32)
        text[spread(bounds[:-1], bounds[1:] - 1)] = said
        return cls(text=text, bounds=bounds, size=np.array([said.max(initial=-1) + 1]))

    def save(self, folder: Path) -> None:
        """Write the rows as a folder. Raises StorageFull."""
        write_arrays(folder, {"text": self.text, "bounds": self.bounds, "size": self.size})

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Map saved rows into memory. Raises IndexCorrupt."""
        return cls(**read_arrays(folder, ("text", "bounds", "size")))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def row(self, row: int) -> Tokens:
        """The tokens of a row."""
        return self.text[self.bounds[row] : self.bounds[row + 1] - 1]

    def grammar(self, rows: Ints, *, starts: Bools | None = None, forbidden: Iterable[int] = ()) -> SubstringGrammar:
        """The grammar of all substrings of some rows.

        ``starts``, one flag a token id, says with which tokens a span may begin (those that begin a word, say; a token
        past its end may not); a row's first token may always. ``forbidden`` tokens are never said, and a span ends
        before them.
        Raises UsageError for a row that does not exist.
        """
        rows = np.unique(rows)
        if len(rows) and not 0 <= rows[0] <= rows[-1] < len(self):
            raise UsageError(f"Rows are numbered 0 to {len(self) - 1}; asked for {rows[0]} to {rows[-1]}.")
        banned = np.zeros(int(self.size[0]) + 1, np.bool_)
        banned[[token for token in forbidden if 0 <= token < len(banned) - 1]] = True
        banned[_END] = True
        first, last = self.bounds[rows], self.bounds[rows + 1]
        text = self.text[spread(first, last)]
        return SubstringGrammar(text=text, bounds=offsets(last - first), subset=rows, starts=starts, banned=banned)


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

    text: Tokens
    bounds: Ints
    subset: Ints  # ascending; row subset[i] is text[bounds[i]:bounds[i + 1] - 1]
    starts: Bools | None
    banned: Bools  # one flag a token id, and one for the end of a row, which is -1: the last

    def root(self) -> Matches:
        """Every place where a span may begin."""
        return self._root

    @cached_property
    def _root(self) -> Matches:
        following = self.text
        if self.starts is not None:
            begins = np.zeros(len(self.banned), np.bool_)
            begins[: len(self.starts)] = self.starts[: len(begins)]
            here = begins[self.text]
            here[self.bounds[:-1]] = True
            following = np.where(here, self.text, np.int32(_END))
        return Matches(np.arange(len(following)), following, 0)

    @cached_property
    def _first(self) -> Ints:
        return self._tokens(self._root.following)

    def allowed(self, state: Matches) -> Ints:
        """The tokens that some row says next, sorted, without repetition."""
        return self._first if state is self._root else self._tokens(state.following)

    def _tokens(self, following: Tokens) -> Ints:
        if len(following) <= _FEW:
            few = sorted(set(following.tolist()))
            return np.array([token for token in few if not self.banned[token]], np.int64)
        said = np.zeros(len(self.banned), np.bool_)
        said[following] = True
        said[self.banned] = False
        return np.flatnonzero(said)

    def advance(self, state: Matches, token: int) -> Matches:
        """The state after one more token. Raises UsageError for a token that is not allowed."""
        positions = state.positions[np.flatnonzero(state.following == token)] + 1
        if not len(positions) or self.banned[token]:
            raise UsageError(f"Token {token} may not follow here.", remedy="Choose one of the allowed tokens.")
        return Matches(positions, self.text[positions], state.length + 1)

    def complete(self, state: Matches) -> bool:
        """Whether anything was said: a span may end anywhere."""
        return state.length > 0

    def rows(self, state: Matches) -> Ints:
        """The rows of the subset that hold what was said so far, ascending; before the first token, all of them."""
        return self.subset[np.unique(np.searchsorted(self.bounds, state.positions, side="right") - 1)]

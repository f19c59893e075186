"""A prefix trie over rows of token ids: the grammar of everything that is in a list, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyhop.errors import UsageError
from polyhop.indexes.csr import Small, flat, small
from polyhop.indexes.segments import KeptArrays
from polyhop.ports import Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenTrie(KeptArrays):
    """A trie as four arrays, nodes numbered level by level, so that the children of a node stand side by side.

    Node 0 is the root; node n > 0 is entered by ``tokens[n - 1]``. A ``ports.Grammar`` whose states are nodes.
    """

    tokens: Small
    children: Small  # the children of node n are nodes children[n] + 1 to children[n + 1], by token
    ends: Small  # the rows that end at node n are ending[ends[n]:ends[n + 1]]
    ending: Small

    @classmethod
    def build(cls, rows: Sequence[Sequence[int]]) -> Self:
        """A trie of rows of token ids (at least 0); equal rows end at the same node, an empty one at the root."""
        return cls.laid(*flat(rows))

    @classmethod
    def laid(cls, text: NDArray[Any], bounds: Ints) -> Self:
        """The same of rows that are laid end to end, and where each begins."""
        lengths = np.diff(bounds)
        node = np.zeros(len(lengths), np.int64)  # that each row has reached
        base = int(text.max(initial=0)) + 1
        tokens: list[Small] = []
        children: list[Small] = [np.zeros(1, np.int32)]
        nodes, last = 1, 0
        for depth in range(int(lengths.max(initial=0)) + 1):
            alive = np.flatnonzero(lengths > depth)
            steps, reached = np.unique(node[alive] * base + text[bounds[alive] + depth], return_inverse=True)
            node[alive] = nodes + reached
            tokens.append(small(steps % base))
            each = np.bincount(steps // base - last, minlength=nodes - last)  # of the nodes before these
            children.append(small(nodes - 1 + np.cumsum(each)))
            last, nodes = nodes, nodes + len(steps)
        ends = np.bincount(node, minlength=nodes)
        np.cumsum(ends, out=ends)  # there may be many millions: no copies
        return cls(
            tokens=np.concatenate(tokens),
            children=np.concatenate(children),
            ends=np.concatenate([np.zeros(1, np.int32), small(ends)]),
            ending=small(np.argsort(node, kind="stable")),
        )

    def root(self) -> int:
        """The node before the first token."""
        return 0

    def allowed(self, state: int) -> Ints:
        """The tokens that lead on from a node, sorted."""
        return self.tokens[self.children[state] : self.children[state + 1]].astype(np.int64)

    def after(self, state: int, token: int) -> int | None:
        """The node that a token leads to, if any."""
        first, end = int(self.children[state]), int(self.children[state + 1])
        place = first + int(self.tokens[first:end].searchsorted(self.tokens.dtype.type(token)))
        return place + 1 if place < end and self.tokens[place] == token else None

    def advance(self, state: int, token: int) -> int:
        """The node that a token leads to. Raises UsageError for a token that is not allowed."""
        found = self.after(state, token)
        if found is None:
            raise UsageError(f"Token {token} may not follow here.", remedy="Choose one of the allowed tokens.")
        return found

    def complete(self, state: int) -> bool:
        """Whether a row ends at a node."""
        return bool(self.ends[state] != self.ends[state + 1])

    def rows(self, state: int) -> Ints:
        """Which of the rows end at a node, ascending."""
        return self.ending[self.ends[state] : self.ends[state + 1]].astype(np.int64)

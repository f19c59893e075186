"""A prefix trie over rows of token ids: the grammar of everything that is in a list, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from polyhop.errors import UsageError
from polyhop.indexes.csr import flat
from polyhop.indexes.segments import KeptArrays
from polyhop.ports import Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenTrie(KeptArrays):
    """A trie as four arrays, nodes numbered level by level, so that the children of a node stand side by side.

    Node 0 is the root; node n > 0 is entered by ``tokens[n - 1]``. A ``ports.Grammar`` whose states are nodes.
    """

    tokens: Ints
    children: Ints  # the children of node n are nodes children[n] + 1 to children[n + 1], by token
    ends: Ints  # the rows that end at node n are ending[ends[n]:ends[n + 1]]
    ending: Ints

    @classmethod
    def build(cls, rows: Sequence[Sequence[int]]) -> Self:
        """A trie of rows of token ids (at least 0); equal rows end at the same node, an empty one at the root."""
        text, bounds = flat(rows)
        lengths = np.diff(bounds)
        node = np.zeros(len(rows), np.int64)  # that each row has reached
        base = int(text.max(initial=0)) + 1
        tokens, parents, nodes = [np.empty(0, np.int64)], [np.empty(0, np.int64)], 1
        for depth in range(int(lengths.max(initial=0))):
            alive = np.flatnonzero(lengths > depth)
            steps, reached = np.unique(node[alive] * base + text[bounds[alive] + depth], return_inverse=True)
            node[alive] = nodes + reached
            parents.append(steps // base)
            tokens.append(steps % base)
            nodes += len(steps)
        ending = np.argsort(node, kind="stable")
        return cls(
            tokens=np.concatenate(tokens),
            children=np.searchsorted(np.concatenate(parents), np.arange(nodes + 1)),
            ends=np.searchsorted(node[ending], np.arange(nodes + 1)),
            ending=ending,
        )

    def root(self) -> int:
        """The node before the first token."""
        return 0

    def allowed(self, state: int) -> Ints:
        """The tokens that lead on from a node, sorted; a view, nothing is copied."""
        return self.tokens[self.children[state] : self.children[state + 1]]

    def advance(self, state: int, token: int) -> int:
        """The node that a token leads to. Raises UsageError for a token that is not allowed."""
        tokens = self.allowed(state)
        place = int(tokens.searchsorted(token))
        if place == len(tokens) or tokens[place] != token:
            raise UsageError(f"Token {token} may not follow here.", remedy="Choose one of the allowed tokens.")
        return int(self.children[state]) + place + 1

    def complete(self, state: int) -> bool:
        """Whether a row ends at a node."""
        return bool(self.ends[state] != self.ends[state + 1])

    def rows(self, state: int) -> Ints:
        """Which of the rows end at a node, ascending."""
        return self.ending[self.ends[state] : self.ends[state + 1]]

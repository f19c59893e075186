"""Several tries as one grammar, with rows that are gone left out: a list of names grows without being written again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from polyhop.errors import UsageError
from polyhop.indexes.trie import TokenTrie
from polyhop.ports import Bools, Ints

NOWHERE = -1  # of a trie in which nothing begins so

Nodes = tuple[int, ...]  # one a trie


@dataclass(frozen=True, eq=False)
class LivingTrie:
    """A trie some of whose rows are gone; nodes below which nothing is left are not gone to."""

    trie: TokenTrie
    gone: Ints  # rows, ascending
    dead: Bools | None  # by node; None: nothing is gone

    @classmethod
    def of(cls, trie: TokenTrie, gone: Ints) -> Self:
        """A trie without these rows; in time for them, and not for those that stay."""
        return cls(trie, gone, _dead_nodes(trie, gone) if len(gone) else None)

    def allowed(self, node: int) -> Ints:
        """The tokens that lead on to something that is left, sorted."""
        tokens = self.trie.allowed(node)
        if self.dead is None:
            return tokens
        return tokens[~self.dead[self.trie.children[node] + 1 : self.trie.children[node + 1] + 1]]

    def after(self, node: int, token: int) -> int:
        """The node that a token leads to; NOWHERE where none is left."""
        found = self.trie.after(node, token)
        return NOWHERE if found is None or (self.dead is not None and self.dead[found]) else found

    def rows(self, node: int) -> Ints:
        """The rows that end at a node and are left, ascending."""
        rows = self.trie.rows(node)
        return rows if self.dead is None else rows[~np.isin(rows, self.gone)]


@dataclass(frozen=True, eq=False)
class JoinedTries:
    """A ``ports.Grammar`` that allows what any of some tries allows; its states have a node of each."""

    tries: tuple[LivingTrie, ...]

    def root(self) -> Nodes:
        """The nodes before the first token."""
        return (0,) * len(self.tries)

    def allowed(self, state: Nodes) -> Ints:
        """The tokens that lead on in some trie, sorted, without repetition."""
        return self._first if not any(state) else self._allowed(state)

    @cached_property
    def _first(self) -> Ints:
        return self._allowed(self.root())

    def _allowed(self, state: Nodes) -> Ints:
        found = [trie.allowed(node) for trie, node in self._at(state)]
        return found[0] if len(found) == 1 else np.unique(np.concatenate([np.empty(0, np.int64), *found]))

    def advance(self, state: Nodes, token: int) -> Nodes:
        """The nodes that a token leads to. Raises UsageError for a token that is not allowed."""
        nodes = tuple(
            NOWHERE if node == NOWHERE else trie.after(node, token)
            for trie, node in zip(self.tries, state, strict=True)
        )
        if all(node == NOWHERE for node in nodes):
            raise UsageError(f"Token {token} may not follow here.", remedy="Choose one of the allowed tokens.")
        return nodes

    def complete(self, state: Nodes) -> bool:
        """Whether a row of some trie ends here."""
        return any(len(trie.rows(node)) for trie, node in self._at(state))

    def rows(self, state: Nodes) -> list[Ints]:
        """Of each trie, the rows that end here, ascending."""
        nothing = np.empty(0, np.int64)
        return [nothing if node == NOWHERE else trie.rows(node) for trie, node in zip(self.tries, state, strict=True)]

    def _at(self, state: Sequence[int]) -> Iterator[tuple[LivingTrie, int]]:
        return ((trie, node) for trie, node in zip(self.tries, state, strict=True) if node != NOWHERE)


def _dead_nodes(trie: TokenTrie, gone: Ints) -> Bools:
    """The nodes at which only such rows end, and below which nothing else does."""
    place = np.empty(len(trie.ending), np.int64)
    place[trie.ending] = np.arange(len(trie.ending))
    ends_at = np.searchsorted(trie.ends, place[gone], side="right") - 1  # the node of each row
    at, lost = np.unique(ends_at, return_counts=True)
    left = dict(zip(at.tolist(), (trie.ends[at + 1] - trie.ends[at] - lost).tolist(), strict=True))
    dead = np.zeros(len(trie.ends) - 1, np.bool_)
    children: Counter[int] = Counter()  # that are dead
    empty = [node for node, rows in left.items() if not rows]
    while empty:
        node = empty.pop()
        if not node or dead[node] or children[node] < trie.children[node + 1] - trie.children[node]:
            continue  # something is left below it; it is looked at again once that is dead
        dead[node] = True
        parent = int(np.searchsorted(trie.children, trie.children.dtype.type(node), side="left")) - 1
        children[parent] += 1
        if not left.get(parent, int(trie.ends[parent + 1] - trie.ends[parent])):
            empty.append(parent)
    return dead

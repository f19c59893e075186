"""How a tree of summaries grows from its passages, level by level; the same passages always give the same tree."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from polyhop.layers.layer import words_of
from polyhop.layers.text.layer import vectors_of
from polyhop.layers.tree.index import Node
from polyhop.layers.tree.levels import TreeShape, clusters_of
from polyhop.layers.tree.node_summaries import Work
from polyhop.models.accounting import estimated_tokens
from polyhop.models.choice import Models
from polyhop.ports import Embed, Floats, Ints
from polyhop.store.record import Record
from polyhop.types import Passage

READ_AT_ONCE = 1000  # passages held in memory
SUMMED_UP_AT_ONCE = 100  # clusters whose texts are held in memory
FEWEST = 4  # nodes that another level is made of

Summarise = Callable[[Sequence[Work]], list[str]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Leaves:
    """Passages as the leaves of a tree, in an order that depends on what they say, not on when they came."""

    numbers: Ints
    marks: tuple[str, ...]  # of document, title and text
    vectors: Floats  # unit, shape (leaves, dimensions)
    tokens: Ints  # of each, about
    reading: Ints  # the place of each in its document, among all: texts are summed up in this order


def leaves_of(record: Record, numbers: Ints, models: Models) -> Leaves:
    """The passages with these numbers as leaves; vectors come from the layer text, where it has them."""
    marks, sizes, order = [], [], []
    vectors = np.empty((len(numbers), models.embedder.dimensions), np.float32)
    for start in range(0, len(numbers), READ_AT_ONCE):
        chunk = numbers[start : start + READ_AT_ONCE].tolist()
        passages = record.passages(chunk)
        texts = [words_of(passage) for passage in passages]
        vectors[start : start + len(chunk)] = vectors_of(record, chunk, texts, models)
        marks += [_mark(passage) for passage in passages]
        sizes += [estimated_tokens(text) for text in texts]
        order += [(passage.document_id, passage.ordinal, passage.id) for passage in passages]
    by_mark = np.array(sorted(range(len(marks)), key=lambda place: (marks[place], order[place])), np.int64)
    reading = np.empty(len(marks), np.int64)
    reading[sorted(range(len(marks)), key=order.__getitem__)] = np.arange(len(marks))
    return Leaves(
        numbers=numbers[by_mark],
        marks=tuple(marks[place] for place in by_mark.tolist()),
        vectors=vectors[by_mark],
        tokens=np.array(sizes, np.int64)[by_mark],
        reading=reading[by_mark],
    )


def grown(
    record: Record, leaves: Leaves, shape: TreeShape, levels: int, summarise: Summarise, embed: Embed
) -> tuple[list[Node], Floats]:
    """The summaries above some leaves, children first, and their vectors; ``shape`` says how they are clustered.

    What is in no cluster of a level is there again for the next. A level that is no smaller than the one below it is
    the last, and is left out.
    """
    growth = _Growth(record, leaves, summarise, embed)
    for level in range(1, levels + 1):
        if len(growth.frontier) < FEWEST or not growth.grow(level, shape):
            break
    return growth.nodes, growth.vectors[len(leaves.numbers) :]


class _Growth:
    """A tree under way: places below the number of leaves are leaves, later ones summaries."""

    def __init__(self, record: Record, leaves: Leaves, summarise: Summarise, embed: Embed) -> None:
        self.nodes: list[Node] = []
        self.vectors = leaves.vectors
        self.frontier = list(range(len(leaves.numbers)))  # what the next level sums up, in the order of their marks
        self._record, self._summarise, self._embed = record, summarise, embed
        self._leaves = leaves
        self._marks = list(leaves.marks)
        self._tokens = leaves.tokens.tolist()
        self._reading = leaves.reading.tolist()  # of a summary: that of the first leaf below it
        self._below: list[frozenset[int]] = []  # the leaves below each summary

    def grow(self, level: int, shape: TreeShape) -> bool:
        """Add a level of summaries; whether there was one to add."""
        frontier = np.array(self.frontier, np.int64)
        tokens = np.array(self._tokens, np.int64)[frontier]
        clusters = [frontier[list(rows)].tolist() for rows in clusters_of(self.vectors[frontier], tokens, shape)]
        loose = set(self.frontier) - {place for cluster in clusters for place in cluster}
        if not clusters or len(clusters) + len(loose) >= len(self.frontier):
            return False
        clusters = [sorted(cluster, key=self._reading.__getitem__) for cluster in clusters]
        clusters.sort(key=self._mark_of)
        first, starts = len(self._marks), range(0, len(clusters), SUMMED_UP_AT_ONCE)
        added = [self._add(level, clusters[start : start + SUMMED_UP_AT_ONCE]) for start in starts]
        self.vectors = np.concatenate([self.vectors, *added])  # once, not for every few clusters
        self.frontier = sorted([*loose, *range(first, len(self._marks))], key=self._marks.__getitem__)
        return True

    def _add(self, level: int, clusters: Sequence[list[int]]) -> Floats:
        """Add the summaries of some clusters; their vectors."""
        below = [self._leaves_below(cluster) for cluster in clusters]
        texts = self._summed_up(clusters, below)
        for text, cluster, leaves in zip(texts, clusters, below, strict=True):
            self.nodes.append(Node(text=text, level=level, children=tuple(cluster)))
            self._marks.append(self._mark_of(cluster))
            self._tokens.append(estimated_tokens(text))
            self._reading.append(min(self._reading[place] for place in cluster))
            self._below.append(leaves)
        return self._embed(texts)

    def _summed_up(self, clusters: Sequence[list[int]], below: Sequence[frozenset[int]]) -> list[str]:
        texts = self._texts({place for cluster in clusters for place in cluster})
        works = [
            Work(
                texts=tuple(texts[place] for place in cluster),
                passages=tuple(sorted(self._leaves.marks[leaf] for leaf in leaves)),
            )
            for cluster, leaves in zip(clusters, below, strict=True)
        ]
        return self._summarise(works)

    def _texts(self, places: set[int]) -> dict[int, str]:
        count = len(self._leaves.numbers)
        leaves = sorted(place for place in places if place < count)
        passages = self._record.passages(self._leaves.numbers[leaves].tolist())
        found = {place: words_of(passage) for place, passage in zip(leaves, passages, strict=True)}
        return found | {place: self.nodes[place - count].text for place in places if place >= count}

    def _leaves_below(self, cluster: Sequence[int]) -> frozenset[int]:
        count = len(self._leaves.numbers)
        return frozenset().union(*([place] if place < count else self._below[place - count] for place in cluster))

    def _mark_of(self, cluster: Sequence[int]) -> str:
        return _digest(sorted(self._marks[place] for place in cluster))


def _mark(passage: Passage) -> str:
    return _digest([passage.document_id, passage.title, passage.text])


def _digest(parts: Sequence[str]) -> str:
    content = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=10).hexdigest()

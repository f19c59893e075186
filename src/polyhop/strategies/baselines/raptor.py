"""RAPTOR: summaries of passages and of summaries are searched beside the passages, or walked down to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from polyhop.documents.chunking import count_tokens
from polyhop.english.numbers import counted
from polyhop.indexes.ranking import Ranked, best
from polyhop.layers.layer import words_of
from polyhop.layers.tree.index import TreeIndex
from polyhop.layers.view import View
from polyhop.ports import Floats, Ints
from polyhop.strategies.shared.judge import best_first, judge
from polyhop.strategies.shared.support import overlapping_span
from polyhop.types import Budget, Evidence, Hop, Passage

SHOWN = 5  # summaries that the trace shows
LETTERS = 120  # of each


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage, by its number, or a summary, by its node, that is near to the question."""

    place: int
    score: float  # cosine
    level: int  # 0: a passage
    tokens: int


@dataclass(frozen=True, kw_only=True)
class Raptor:
    """Search a tree of summaries: all of its nodes at once, or level by level; evidence is the passages found there."""

    mode: Literal["collapsed", "traversal"] = "collapsed"  # all nodes at once, or from the top down
    k: int = 20  # nodes found, at most
    tokens: int = 2000  # of all nodes found, at most; the first is found whatever its length
    width: int = 10  # nodes of each level that a traversal goes on from
    rerank: bool = False  # whether the cross-encoder orders the first k passages (not in the paper)

    needs: ClassVar[tuple[str, ...]] = ("text", "tree")
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {"from the top down": {"mode": "traversal"}}
    )

    def __post_init__(self) -> None:
        if min(self.k, self.tokens, self.width) < 1:
            raise ValueError("k, tokens and width must be at least 1")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """Passages that were found themselves, then those below the summaries that were found."""
        vector = over.vector(question)
        near = self._collapsed(vector, over) if self.mode == "collapsed" else self._traversed(vector, over)
        hits = list(self._within(near))
        ranking = list(_passages(hits, vector, over))
        trail = _trail(hits, over)
        if self.rerank:
            head = [number for number, _ in ranking[: self.k]]
            ranking = [*best_first(head, judge(question, head, over)), *ranking[self.k :]]
            trail.append(
                f"the cross-encoder ({over.models.reranker.name}) ordered the first {counted(len(head), 'passages')}"
            )
        numbers, scores = [number for number, _ in ranking], [score for _, score in ranking]
        passages = over.ranked(numbers, scores, budget.passages)
        hop = _hop(question, hits, passages, over)
        return Evidence(question=question, strategy="raptor", passages=passages, hops=(hop,), trail=tuple(trail))

    def _collapsed(self, vector: Floats, over: View) -> list[Hit]:
        """The nodes of all levels nearest to the question, best first."""
        tree = over.tree
        passages = over.text.vectors.search(vector, self.k)
        nodes = _nearest(vector, tree, tree.nodes, self.k)
        return _hits(passages, nodes, over)[: self.k]

    def _traversed(self, vector: Floats, over: View) -> list[Hit]:
        """The nearest nodes at the top, of what they sum up the nearest, and so on down; deepest first.

        A passage that is met with again on the way down is found once.
        """
        tree = over.tree
        passages, nodes = tree.top()
        found: dict[tuple[bool, int], Hit] = {}
        while len(passages) or len(nodes):
            ranked = over.text.vectors.search(vector, self.width, among=passages)
            near = _hits(ranked, _nearest(vector, tree, nodes, self.width), over)[: self.width]
            new = [hit for hit in near if (hit.level > 0, hit.place) not in found]
            found |= {(hit.level > 0, hit.place): hit for hit in new}
            below = [tree.below(hit.place) for hit in new if hit.level]
            passages, nodes = (_together([part[side] for part in below]) for side in (0, 1))
        return sorted(found.values(), key=lambda hit: (hit.level, -hit.score, hit.place))

    def _within(self, hits: Sequence[Hit]) -> Iterator[Hit]:
        """The first hits, as many as there is room for."""
        room = self.tokens
        for count, hit in enumerate(hits[: self.k]):
            room -= hit.tokens
            if room < 0 and count:
                return
            yield hit


def _together(parts: Sequence[Ints]) -> Ints:
    """Numbers of several parts, each once, ascending."""
    return np.unique(np.concatenate([np.empty(0, np.int64), *parts]))


def _nearest(vector: Floats, tree: TreeIndex, nodes: Ints, k: int) -> Ranked:
    """The k summaries nearest to a question among some, best first."""
    scores = tree.similarities(vector, nodes)
    order = best(scores, k)
    return nodes[order], scores[order]


def _hits(passages: Ranked, nodes: Ranked, over: View) -> list[Hit]:
    """Passages and summaries in one ranking; of equals passages first."""
    tree, (numbers, scores) = over.tree, (part.tolist() for part in passages)
    sizes = [count_tokens(words_of(passage)) for passage in over.passages(numbers)]
    hits = [
        Hit(place=number, score=score, level=0, tokens=size)
        for number, score, size in zip(numbers, scores, sizes, strict=True)
    ]
    for node, score in zip(*(part.tolist() for part in nodes), strict=True):
        hits.append(Hit(place=node, score=score, level=int(tree.levels[node]), tokens=count_tokens(tree.texts[node])))
    return sorted(hits, key=lambda hit: (-hit.score, hit.level, hit.place))


def _passages(hits: Sequence[Hit], vector: Floats, over: View) -> Iterator[tuple[int, float]]:
    """Passages with their cosines: those that are hits, then those below each summary, the nearest first; each once."""
    tree = over.tree
    seen = {hit.place for hit in hits if not hit.level}
    yield from ((hit.place, hit.score) for hit in hits if not hit.level)
    for hit in hits:
        if hit.level:
            below = tree.passages_below(hit.place)
            numbers, scores = over.text.vectors.search(vector, len(below), among=below)
            for number, score in zip(numbers.tolist(), scores.tolist(), strict=True):
                if number not in seen:
                    seen.add(number)
                    yield number, score


def _trail(hits: Sequence[Hit], over: View) -> list[str]:
    """How many nodes were found, and the summaries among them."""
    tree, summaries = over.tree, [hit for hit in hits if hit.level]
    kinds = ((len(hits) - len(summaries), "passages"), (len(summaries), "summaries"))
    lines = [f"{counted(len(hits), 'nodes')}: {', '.join(counted(number, kind) for number, kind in kinds)}"]
    for hit in summaries[:SHOWN]:
        text = " ".join(tree.texts[hit.place].split())
        shown = text if len(text) <= LETTERS else f"{text[:LETTERS].rsplit(' ', 1)[0]} ..."
        below = len(tree.passages_below(hit.place))
        lines.append(f"level {hit.level}, {counted(below, 'passages')}, similarity {hit.score:.2f}: {shown}")
    return lines


def _hop(question: str, hits: Sequence[Hit], passages: Sequence[Passage], over: View) -> Hop:
    """The question as the one hop that there is, with the passages that were found themselves."""
    found = over.passages([hit.place for hit in hits if not hit.level])
    summaries = sum(hit.level > 0 for hit in hits)
    return Hop(
        question=question,
        status="resolved" if passages else "unresolved",
        passages=tuple(found),
        sentences=tuple(overlapping_span(question, passage) for passage in found),
        score=passages[0].score if passages else None,
        note=f"near: {counted(len(found), 'passages')} and {counted(summaries, 'summaries')}",
    )

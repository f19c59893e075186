"""Generated questions that a question matches, those next to them, and the passages they elect (QCG-RAG, 3.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np

from polyhop.indexes.lexical import Lexical
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.ports import Floats
from polyhop.strategies.shared.fuse import score_fusion

WALKED = 30  # nodes whose neighbours are looked for at once
RANKED = 100  # nodes taken from each ranking that is fused


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A node of the graph of questions that counts for the question that was asked."""

    node: int
    similarity: float  # to the question: cosine + 1, 0 to 2
    worth: float  # what its passage is elected by: its similarity or, with words, what its scores come to
    hops: int = 0  # neighbours walked to it
    beside: int | None = None  # the node it was walked to from
    near: float | None = None  # its cosine with that one


@dataclass(frozen=True, slots=True, kw_only=True)
class Elected:
    """A passage with the nodes that elect it, best first."""

    number: int
    score: float  # their mean worth, or that of the best
    by: tuple[Match, ...]


def matches(vector: Floats, graph: QuestionGraph, *, n: int, least: float, alpha: float) -> list[Match]:
    """The at most ``n`` nodes that are at least that similar to a question's unit vector, best first (step 1)."""
    nodes, cosines = graph.search(vector, n, alpha, least - 1)
    pairs = zip(nodes.tolist(), cosines.tolist(), strict=True)
    return [Match(node=node, similarity=cosine + 1, worth=cosine + 1) for node, cosine in pairs]


def matches_with_words(
    question: str, vector: Floats, graph: QuestionGraph, words: Lexical, *, n: int, least: float
) -> tuple[list[Match], dict[int, float]]:
    """Like ``matches``, but by the scores of nodes among the nearest and among those that share the question's words.

    ``words`` is BM25 over the nodes (``QuestionGraph.words``). Also the worth of all ranked nodes, for those that are
    walked to. Pairs that are unlike their passage count, too: often they are all that asks for what it says only once.
    """
    rankings = (graph.search(vector, RANKED), words.search(question, RANKED))
    ranking = score_fusion([(nodes.tolist(), scores.tolist()) for nodes, scores in rankings], RANKED)
    found = ((node, worth, similarity(vector, graph, node)) for node, worth in ranking)
    similar = (Match(node=node, similarity=own, worth=worth) for node, worth, own in found if own >= least)
    return list(islice(similar, n)), dict(ranking)


def similarity(vector: Floats, graph: QuestionGraph, node: int) -> float:
    """Cosine + 1 of a question's unit vector with a node: 0 to 2."""
    return float(np.dot(graph.vector(node).astype(np.float64), vector)) + 1


def walked(
    vector: Floats,
    graph: QuestionGraph,
    matched: Sequence[Match],
    *,
    k: int,
    hops: int,
    alpha: float,
    worths: Mapping[int, float] | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> list[Match]:
    """The nodes that are reached over the edges to the ``k`` nearest, hop by hop, each once (step 2).

    Each has its own similarity to the question, whatever it was reached from. ``worths``, where given, says what else
    nodes are worth; what it lacks would elect nothing, so that the walk stays among those that it has. The walk ends
    where it is not to go on, which is asked before every WALKED nodes.
    """
    among = None if worths is None else np.array(sorted(worths), np.int64)
    seen = {match.node for match in matched}
    found: list[Match] = []
    frontier = list(matched)
    for hop in range(1, hops + 1):
        reached: list[Match] = []
        steps = (frontier[start : start + WALKED] for start in range(0, len(frontier), WALKED))
        for some in takewhile(lambda _: goes_on(), steps):
            around = graph.around([match.node for match in some], k, alpha, among)
            pairs = ((match, *one) for match, near in zip(some, around, strict=True) for one in near)
            for match, node, cosine in pairs:
                if node not in seen:
                    seen.add(node)
                    own = similarity(vector, graph, node)
                    worth = own if worths is None else worths[node]
                    found_here = Match(node=node, similarity=own, worth=worth, hops=hop, beside=match.node, near=cosine)
                    reached.append(found_here)
        found += reached
        frontier = reached
    return found


def elected(graph: QuestionGraph, matched: Sequence[Match], *, by_best: bool = False) -> list[Elected]:
    """The passages of these nodes by the mean worth of their nodes (step 3), or by their best node, best first."""
    by_passage: defaultdict[int, list[Match]] = defaultdict(list)
    for match in sorted(matched, key=lambda one: (-one.worth, one.node)):
        by_passage[graph.place(match.node)[0]].append(match)
    found = [
        Elected(
            number=number,
            score=own[0].worth if by_best else sum(one.worth for one in own) / len(own),
            by=tuple(own),
        )
        for number, own in by_passage.items()
    ]
    return sorted(found, key=lambda one: (-one.score, one.number))

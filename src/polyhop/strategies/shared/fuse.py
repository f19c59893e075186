"""Fusing rankings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from polyhop.layers.view import View


def reciprocal_rank_fusion(rankings: Iterable[Sequence[int]], constant: int = 60) -> list[tuple[int, float]]:
    """Passages by the sum of 1/(constant + rank) over the rankings (Cormack et al. 2009), best first."""
    scores: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, number in enumerate(ranking, start=1):
            scores[number] += 1 / (constant + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def fused(question: str, over: View, depth: int) -> list[tuple[int, float]]:
    """The ``depth`` nearest by vector and by BM25, fused, best first; between ``depth`` and twice as many."""
    return fused_each([question], over, depth)[0]


def fused_each(questions: Sequence[str], over: View, depth: int) -> list[list[tuple[int, float]]]:
    """What ``fused`` finds for each of some questions, whose vectors are compared together."""
    if not questions:
        return []
    dense = over.nearest(over.vectors(questions), depth)
    sparse = (over.text.lexical.search(question, depth) for question in questions)
    return [
        reciprocal_rank_fusion([near.tolist(), worded.tolist()])
        for (near, _), (worded, _) in zip(dense, sparse, strict=True)
    ]

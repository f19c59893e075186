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
    dense, _ = over.text.vectors.search(over.vector(question), depth)
    sparse, _ = over.text.lexical.search(question, depth)
    return reciprocal_rank_fusion([dense.tolist(), sparse.tolist()])

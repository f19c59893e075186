"""Hybrid retrieval: vectors and BM25 fused, then read by the cross-encoder, and ordered by what all three say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from polyhop.english.numbers import counted
from polyhop.layers.view import View
from polyhop.strategies.shared.fuse import fused, reranked
from polyhop.types import Budget, Evidence


@dataclass(frozen=True, kw_only=True)
class Hybrid:
    """Fuse dense and BM25 rankings, and order the best of them by the cross-encoder's scores and by the fused ones."""

    depth: int = 30  # passages taken from each ranking, and read by the cross-encoder
    rerank: bool = True  # whether the cross-encoder has half a say in their order

    needs: ClassVar[tuple[str, ...]] = ("text",)

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise ValueError("depth is at least 1")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The best of both rankings."""
        depth = max(self.depth, budget.passages)
        ranking = fused(question, over, depth)[:depth]
        trail = [f"fused {counted(len(ranking), 'passages')} from vectors and BM25"]
        if self.rerank:
            ranking = reranked(question, ranking, over)
            trail.append(f"the cross-encoder ({over.models.reranker.name}) has half a say in their order")
        numbers, scores = [number for number, _ in ranking], [score for _, score in ranking]
        passages = over.ranked(numbers, scores, budget.passages)
        return Evidence(question=question, strategy="hybrid", passages=passages, trail=tuple(trail))

"""Dense retrieval: the passages whose vectors are nearest to the question's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from polyhop.layers.view import View
from polyhop.types import Budget, Evidence


@dataclass(frozen=True, kw_only=True)
class Dense:
    """Rank passages by the cosine of their vector and the question's: the baseline of every paper."""

    needs: ClassVar[tuple[str, ...]] = ("text",)

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The nearest passages."""
        numbers, scores = over.text.vectors.search(over.vector(question), budget.passages)
        passages = over.ranked(numbers.tolist(), scores.tolist(), budget.passages)
        trail = (f"{len(numbers)} passages have the nearest vectors ({over.models.embedder.name})",)
        return Evidence(question=question, strategy="dense", passages=passages, trail=trail)

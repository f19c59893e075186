"""BM25: the passages that share the question's rare words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from polyhop.layers.view import View
from polyhop.types import Budget, Evidence


@dataclass(frozen=True, kw_only=True)
class BM25:
    """Rank passages by BM25 over title and text (Robertson and Zaragoza 2009; k1 and b as in Lucene)."""

    k1: float = 1.2  # how soon more of the same word stops counting
    b: float = 0.75  # how much long passages are held back

    needs: ClassVar[tuple[str, ...]] = ("text",)

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """The best-matching passages."""
        lexical = replace(over.text.lexical, k1=self.k1, b=self.b)
        numbers, scores = lexical.search(question, budget.passages)
        passages = over.ranked(numbers.tolist(), scores.tolist(), budget.passages)
        trail = (f"{len(numbers)} passages share words with the question",)
        return Evidence(question=question, strategy="bm25", passages=passages, trail=trail)

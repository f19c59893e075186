"""Closed book: no retrieval at all, so that the bench shows what a language model knows by heart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from polyhop.layers.view import View
from polyhop.types import Budget, Evidence


@dataclass(frozen=True, kw_only=True)
class ClosedBook:
    """Look nothing up: the language model answers by heart, marked as not grounded; the floor below every retrieval."""

    needs: ClassVar[tuple[str, ...]] = ()

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """No passages, and word for the reader that none are to be had."""
        answers = over.models.language_model is not None
        who = "the language model answers by heart" if answers else "without a language model nobody answers"
        trail = (f"nothing is looked for: {who}",)
        return Evidence(question=question, strategy="closed-book", passages=(), trail=trail, by_heart=True)

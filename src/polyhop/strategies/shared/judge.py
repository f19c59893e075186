"""Judging texts with the cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.layers.layer import words_of
from polyhop.layers.view import View


def judge(question: str, numbers: Sequence[int], over: View) -> list[float]:
    """The cross-encoder's logit for each passage, in the order given."""
    texts = [words_of(passage) for passage in over.passages(numbers)]
    scores: list[float] = over.models.reranker.score(question, texts).tolist()
    return scores


def best_first(numbers: Sequence[int], scores: Sequence[float]) -> list[tuple[int, float]]:
    """Passages with their scores, best first, ties by number."""
    return sorted(zip(numbers, scores, strict=True), key=lambda item: (-item[1], item[0]))

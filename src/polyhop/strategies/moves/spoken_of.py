"""Whether documents speak of what is asked at all: a question that none of them answers has nearest texts, too."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.layers.view import View

COVERED = 20.0  # logits that a passage with all words of the question is worth
LEAST = -11.0  # the cross-encoder's logit for what says nothing about a question


def spoken_of(question: str, texts: Sequence[str], over: View) -> float:
    """The cross-encoder's best logit for some short texts, and what the passage with most of the question's words adds.

    The nearest vectors tell nothing here: something is always near. What a question with no answer asks for is spread
    over passages each of which has some of its words.
    """
    logits: list[float] = over.models.reranker.score(question, texts).tolist() if texts else []
    return max(logits, default=LEAST) + COVERED * over.text.lexical.coverage(question)

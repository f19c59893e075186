"""The exact sentence behind a hop."""

from __future__ import annotations

from polyhop.documents.sentences import sentence_spans
from polyhop.indexes.folding import tokens
from polyhop.layers.view import View
from polyhop.types import Passage, Span


def supporting_span(question: str, passage: Passage, over: View, *, must_name: str | None = None) -> Span:
    """The sentence of a passage that says most about the question, as a span of its document.

    Where ``must_name`` is given, only sentences that contain it count, if there are any.
    """
    spans = sentence_spans(passage.text)
    if must_name:
        naming = [(start, end) for start, end in spans if must_name.casefold() in passage.text[start:end].casefold()]
        spans = naming or spans
    if len(spans) > 1:
        texts = [f"{passage.title}: {passage.text[start:end]}" for start, end in spans]
        scores = over.models.reranker.score(question, texts)
        spans = [spans[int(scores.argmax())]]
    start, end = spans[0] if spans else (0, len(passage.text))
    return Span(passage.document_id, passage.start + start, passage.start + end)


def overlapping_span(question: str, passage: Passage) -> Span:
    """The sentence of a passage that shares most words with the question, the first of them: no model is asked."""
    asked = set(tokens(question))
    spans = sentence_spans(passage.text) or [(0, len(passage.text))]
    start, end = max(spans, key=lambda span: len(asked.intersection(tokens(passage.text[span[0] : span[1]]))))
    return Span(passage.document_id, passage.start + start, passage.start + end)

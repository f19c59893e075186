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
    spans = _naming(must_name, passage)
    if len(spans) > 1:
        texts = [f"{passage.title}: {passage.text[start:end]}" for start, end in spans]
        scores = over.models.reranker.score(question, texts)
        spans = [spans[int(scores.argmax())]]
    start, end = spans[0] if spans else (0, len(passage.text))
    return Span(passage.document_id, passage.start + start, passage.start + end)


def overlapping_span(question: str, passage: Passage, *, must_name: str | None = None) -> Span:
    """The sentence of a passage that shares most words with the question, the first of them: no model is asked.

    Where ``must_name`` is given, only sentences that contain it count, if there are any.
    """
    asked = set(tokens(question))
    spans = _naming(must_name, passage) or [(0, len(passage.text))]
    start, end = max(spans, key=lambda span: len(asked.intersection(tokens(passage.text[span[0] : span[1]]))))
    return Span(passage.document_id, passage.start + start, passage.start + end)


def _naming(name: str | None, passage: Passage) -> list[tuple[int, int]]:
    """Start and end of the sentences of a passage that contain a name; of all, where none does or none is given."""
    spans = sentence_spans(passage.text)
    if not name:
        return spans
    return [one for one in spans if name.casefold() in passage.text[slice(*one)].casefold()] or spans

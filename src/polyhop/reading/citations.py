"""Citations: every quotation is checked against the stored passage it is said to come from."""

from __future__ import annotations

from collections.abc import Sequence

from polyhop.documents.chunking import count_tokens
from polyhop.reading.reader import Quote
from polyhop.store.record import Record
from polyhop.types import AnswerItem, Citation, Passage, Span


def citations_of(quotes: Sequence[Quote], record: Record) -> tuple[Citation, ...]:
    """Quotations as spans of their documents, each once; what does not stand there word for word is left out."""
    citations: dict[Span, Citation] = {}
    for quote in quotes:
        passage = quote.passage
        span = Span(passage.document_id, passage.start + quote.start, passage.start + quote.end)
        text = passage.text[quote.start : quote.end]
        stored = record.passages_by_id([passage.id])[0]
        if text and text == stored.text[quote.start : quote.end]:
            document = record.row(passage.document_id)
            citations.setdefault(
                span,
                Citation(
                    span=span,
                    quote=text,
                    uri=document.uri,
                    title=document.title,
                    passage_id=passage.id,
                    page=record.page_of(span),
                ),
            )
    return tuple(citations.values())


def items_of(items: Sequence[tuple[str, Quote]], record: Record) -> tuple[AnswerItem, ...]:
    """The items of a list, each with its citation; one whose quotation does not stand there is left out."""
    cited = ((text, citations_of([quote], record)) for text, quote in items)
    return tuple(AnswerItem(text=text, citation=citations[0]) for text, citations in cited if citations)


def within_tokens(passages: Sequence[Passage], tokens: int) -> tuple[Passage, ...]:
    """The best passages that fit into a budget of tokens together; at least one."""
    kept: list[Passage] = []
    left = tokens
    for passage in passages:
        left -= count_tokens(passage.text)
        if left < 0 and kept:
            break
        kept.append(passage)
    return tuple(kept)

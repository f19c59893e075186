"""Citations: every quotation is checked against the stored passage it is said to come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polyhop.documents.chunking import beginning, count_tokens
from polyhop.reading.reader import Quote
from polyhop.store.record import Record
from polyhop.types import AnswerItem, Citation, Passage, Span
from polyhop.whereabouts import Whereabouts


def citations_of(quotes: Sequence[Quote], record: Record) -> tuple[Citation, ...]:
    """Quotations as spans of their documents, each once; what does not stand there word for word is left out."""
    citations: dict[Span, Citation] = {}
    for quote in quotes:
        passage, span = quote.passage, quote.span
        text = passage.text[quote.start : quote.end]
        stored = record.passages_by_id([passage.id])[0]
        if text and text == stored.text[quote.start : quote.end]:
            stands = Whereabouts.of(span, record)
            citations.setdefault(
                span,
                Citation(
                    span=span,
                    quote=text,
                    uri=stands.uri,
                    title=record.row(passage.document_id).title,
                    passage_id=passage.id,
                    page=stands.page,
                    line=stands.line,
                    where=stands.where,
                ),
            )
    return tuple(citations.values())


def items_of(items: Sequence[tuple[str, *tuple[Quote, ...]]], record: Record) -> tuple[AnswerItem, ...]:
    """The items of an answer, each with its citations; one whose quotations do not stand there is left out."""
    cited = ((text, quotes, citations_of(quotes, record)) for text, *quotes in items)
    return tuple(AnswerItem(text=text, citations=found) for text, quotes, found in cited if found or not quotes)


def within_tokens(passages: Sequence[Passage], tokens: int) -> tuple[Passage, ...]:
    """The best passages that fit into a budget of tokens together; of one that is too long alone, the beginning."""
    kept: list[Passage] = []
    left = tokens
    for passage in passages:
        left -= count_tokens(passage.text)
        if left < 0:
            break
        kept.append(passage)
    if passages and not kept:
        text = beginning(passages[0].text, tokens)
        headings = tuple(heading for heading in passages[0].headings if heading[1] <= len(text))
        return (replace(passages[0], text=text, headings=headings),)
    return tuple(kept)

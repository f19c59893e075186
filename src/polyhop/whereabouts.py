"""Where stretches of documents stand, as citations say it of a quotation and searches of a passage."""

from __future__ import annotations

from dataclasses import dataclass

from polyhop.documents.loading import OF_SHEETS, OF_SLIDES
from polyhop.documents.source_units import MEDIA_TYPE as SOURCE
from polyhop.store.record import Record
from polyhop.types import Serialisable, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts(Serialisable):
    """Where a stretch of a document begins, in words and numbers."""

    uri: str  # of the document
    page: int | None  # from 1; None where a document has no pages
    line: int | None  # from 1; None where a document is no source code
    where: str  # the same in words, and more: page 3, sheet “Fares”, line 12, under “Fares > Dogs”; or empty

    @classmethod
    def of(cls, span: Span, record: Record) -> Whereabouts:
        """Where a stretch of a document of the record stands. Raises DocumentMissing."""
        return cls(
            uri=record.row(span.document_id).uri,
            page=record.page_of(span),
            line=record.line_of(span),
            where=", ".join(filter(None, (_part_of(span, record), _section_of(span, record)))),
        )


def _part_of(span: Span, record: Record) -> str:
    """The page, slide, sheet or line that a stretch begins on; empty for documents that have none of these."""
    kind = record.row(span.document_id).media_type
    if kind == SOURCE:
        return f"line {record.line_of(span)}"
    if kind in OF_SHEETS:
        document = record.document(span.document_id)
        above = [document.text[start:end] for start, end in document.headings if start <= span.start]
        return f"sheet “{above[-1]}”" if above else ""
    page = record.page_of(span)
    return "" if page is None else f"{'slide' if kind in OF_SLIDES else 'page'} {page}"


def _section_of(span: Span, record: Record) -> str:
    """The headings that a stretch begins under; not the title, which is told beside it, nor a sheet."""
    row, passage = record.row(span.document_id), record.passage_at(span)
    if passage is None or row.media_type in OF_SHEETS:
        return ""
    section = " > ".join(passage.headings_over(span.start - passage.start))
    return f"under “{section}”" if section and section != row.title else ""

"""Where stretches of documents stand, as citations say it of a quotation and searches of a passage."""

from __future__ import annotations

from dataclasses import dataclass

from polyhop.store.record import Record
from polyhop.types import Serialisable, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts(Serialisable):
    """Where a stretch of a document begins, in words and numbers."""

    uri: str  # of the document
    page: int | None  # from 1; None where a document has no pages
    line: int | None  # from 1; None where a document is no source code
    where: str  # the same in words, and more: page 3, slide 2, sheet “Fares”, line 12; or empty

    @classmethod
    def of(cls, span: Span, record: Record) -> Whereabouts:
        """Where a stretch of a document of the record stands. Raises DocumentMissing."""
        return cls(
            uri=record.row(span.document_id).uri,
            page=record.page_of(span),
            line=record.line_of(span),
            where=record.where(span),
        )

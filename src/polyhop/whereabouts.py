"""Where passages stand in their documents, for whoever only searches: what a citation says of a quotation."""

from __future__ import annotations

from dataclasses import dataclass

from polyhop.store.record import Record
from polyhop.types import Passage, Serialisable, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts(Serialisable):
    """Where a passage begins, in the words and numbers of a ``Citation``."""

    uri: str  # of the document
    page: int | None  # from 1; None where a document has no pages
    line: int | None  # from 1; None where a document is no source code
    where: str  # the same in words, and more: page 3, slide 2, sheet “Fares”, line 12; or empty

    @classmethod
    def of(cls, passage: Passage, record: Record) -> Whereabouts:
        """Where a passage of the record stands. Raises DocumentMissing."""
        span = Span(passage.document_id, passage.start, passage.end)
        return cls(
            uri=record.row(passage.document_id).uri,
            page=record.page_of(span),
            line=record.line_of(span),
            where=record.where(span),
        )

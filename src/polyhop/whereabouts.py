"""Where stretches of documents stand, as citations say it of a quotation and searches of a passage."""

from __future__ import annotations

from dataclasses import dataclass

from polyhop.documents.loading import OF_SHEETS, OF_SLIDES
from polyhop.serialisable import Serialisable
from polyhop.store.record import Record
from polyhop.types import Span


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
        row, page, line = record.row(span.document_id), record.page_of(span), record.line_of(span)
        if row.media_type in OF_SHEETS:
            where = _sheet_of(span, record)  # a sheet is its own heading
        else:
            kind = "slide" if row.media_type in OF_SLIDES else "page"
            section = _section_of(span, record)
            where = ", ".join(
                (
                    *([f"{kind} {page}"] if page is not None else []),
                    *([f"line {line}"] if line is not None else []),
                    *([f"under “{section}”"] if section and section != row.title else []),  # a title is told beside it
                )
            )
        return cls(uri=row.uri, page=page, line=line, where=where)


def _sheet_of(span: Span, record: Record) -> str:
    """The sheet that a stretch begins on; empty before the first."""
    document = record.document(span.document_id)
    above = [document.text[start:end] for start, end in document.headings if start <= span.start]
    return f"sheet “{above[-1]}”" if above else ""


def _section_of(span: Span, record: Record) -> str:
    """The headings that a stretch begins under; empty where there are none."""
    passage = record.passage_at(span)
    return "" if passage is None else " > ".join(passage.headings_over(span.start - passage.start))

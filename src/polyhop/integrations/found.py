"""What a search found, as libraries for retrieval want it: texts with where they stand and why they are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polyhop.engine import Polyhop
from polyhop.types import Hop, Passage, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """A passage of the evidence, with its place and the hops that it belongs to."""

    passage: Passage
    source: str  # the document's URI
    page: int | None  # from 1, on which it begins; None where a document has no pages
    hops: tuple[int, ...]  # from 1
    asked: tuple[str, ...]  # what each of these hops asks

    @property
    def metadata(self) -> dict[str, Any]:
        """Everything but the text, as plain data."""
        one = self.passage
        return {
            "document": one.document_id,
            "title": one.title,
            "source": self.source,
            "page": self.page,
            "start": one.start,
            "end": one.end,
            "score": float(one.score),
            "hops": list(self.hops),
            "hop_questions": list(self.asked),
        }


def found(engine: Polyhop, query: str, *, k: int, strategy: str | None) -> list[FoundPassage]:
    """The k best passages for a query, best first. Raises what ``Polyhop.search`` raises."""
    evidence = engine.search(query, k=k, strategy=strategy)
    with engine.view() as view:
        return [
            FoundPassage(
                passage=passage,
                source=view.record.row(passage.document_id).uri,
                page=view.record.page_of(Span(passage.document_id, passage.start, passage.end)),
                hops=tuple(number for number, _ in _of(passage, evidence.hops)),
                asked=tuple(hop.question for _, hop in _of(passage, evidence.hops)),
            )
            for passage in evidence.passages
        ]


def _of(passage: Passage, hops: Sequence[Hop]) -> list[tuple[int, Hop]]:
    """The hops that show a passage, with their numbers."""
    return [(number, hop) for number, hop in enumerate(hops, 1) if any(one.id == passage.id for one in hop.passages)]

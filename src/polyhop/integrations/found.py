"""What a search found, as libraries for retrieval want it: texts with where they stand and why they are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polyhop.engine import Polyhop
from polyhop.types import Hop, Passage, Span
from polyhop.whereabouts import Whereabouts


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """A passage of the evidence, with its place and the hops that it belongs to."""

    passage: Passage
    stands: Whereabouts
    hops: tuple[int, ...]  # from 1
    asked: tuple[str, ...]  # what each of these hops asks

    @property
    def metadata(self) -> dict[str, Any]:
        """Everything but the text, as plain data."""
        one = self.passage
        return {
            "document": one.document_id,
            "title": one.title,
            "source": self.stands.uri,
            "page": self.stands.page,
            "where": self.stands.where,
            "start": one.start,
            "end": one.end,
            "score": float(one.score),
            "hops": list(self.hops),
            "hop_questions": list(self.asked),
        }


def found(engine: Polyhop, query: str, *, k: int, strategy: str | None) -> list[FoundPassage]:
    """The k best passages for a query, best first. Raises what ``Polyhop.search`` raises."""
    with engine.view() as view:
        evidence = engine.search(query, k=k, strategy=strategy)
        return [
            FoundPassage(
                passage=passage,
                stands=Whereabouts.of(Span.of(passage), view.record),
                hops=tuple(number for number, _ in _of(passage, evidence.hops)),
                asked=tuple(hop.question for _, hop in _of(passage, evidence.hops)),
            )
            for passage in evidence.passages
        ]


def _of(passage: Passage, hops: Sequence[Hop]) -> list[tuple[int, Hop]]:
    """The hops that show a passage, with their numbers."""
    return [(number, hop) for number, hop in enumerate(hops, 1) if any(one.id == passage.id for one in hop.passages)]

"""A fact as a hop shows it."""

from __future__ import annotations

from polyhop.layers.view import View
from polyhop.types import Span, Triple


def shown(position: int, score: float, over: View) -> Triple:
    """A fact of the graph with its evidence in the document, and how well it fits what was asked."""
    fact = over.facts.fact(position)
    number, start, end = over.facts.place(position)
    passage = over.passages([number])[0]
    return Triple(
        head=fact.head,
        relation=fact.relation,
        tail=fact.tail,
        passage_id=passage.id,
        span=Span(passage.document_id, passage.start + start, passage.start + end),
        score=score,
    )

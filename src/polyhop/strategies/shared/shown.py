"""A fact as a hop shows it."""

from __future__ import annotations

from polyhop.layers.view import View
from polyhop.types import Fact, Passage, Span, Triple


def shown(position: int, score: float, over: View) -> Triple:
    """A fact of the whole graph with its evidence in the document, and how well it fits what was asked."""
    passage = over.passages([over.facts.place(position)[0]])[0]
    return shown_in(over.facts.fact(position), passage, score)


def shown_in(fact: Fact, passage: Passage, score: float) -> Triple:
    """A fact of a passage with its evidence in the document."""
    return Triple(
        head=fact.head,
        relation=fact.relation,
        tail=fact.tail,
        passage_id=passage.id,
        span=Span(passage.document_id, passage.start + fact.start, passage.start + fact.end),
        score=score,
    )

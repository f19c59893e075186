"""How tests ask C2RAG: plans that are given as triples, and what hops show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.planning.planner import Planning
from polyhop.plans import Constant, Constraint, End, Placeholder
from polyhop.registry import configured
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.strategies.c2rag.bind import GroundedConstraint
from polyhop.strategies.c2rag.ground import Grounding
from polyhop.strategies.c2rag.pattern import Anchor, Pattern
from polyhop.strategies.c2rag.recover import Recovery
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.strategies.c2rag.sufficiency import FactCandidate, Verdict
from polyhop.types import Budget, Evidence, Hop

BUDGET = Budget()
QUICK: dict[str, Any] = {"grounding.relations": 4, "recovery.retrieved": 3}
DEEP: C2RAG = configured(C2RAG, QUICK, "c2rag")
GROUNDING = Grounding(anchors=3, relations=8, kept=3)
RECOVERY = Recovery(retrieved=3, kept=2, titled=2, named_bonus=2.0)

BUILT = ("?ferry", "was built by", "Ada Brook")  # the Gull and the Tern
SAILS = ("?ferry", "sails to", "Mirl")  # the Tern and the Pike
MOTHER = ("Ada Brook", "mother", "?mother")
KEEPER = ("Sable Light", "keeper", "?keeper")  # the graph does not know, but its passage does

MakeIndex = Callable[..., Polyhop]
Retrieve = Callable[..., Evidence]


def replaying(plans: Path, over: View) -> View:
    """The same view, in which questions are taken apart as a file says."""
    settings = Settings.from_mapping({"planner": {"name": "recorded", "file": str(plans)}})
    return replace(over, planning=Planning(settings=settings))


def titles(hop: Hop) -> list[str]:
    return [passage.title for passage in hop.passages]


def stated(hop: Hop) -> list[tuple[str, str, str]]:
    return [(fact.head, fact.relation, fact.tail) for fact in hop.facts]


def assert_exact(evidence: Evidence, engine: Polyhop) -> None:
    """Every sentence and every fact of every hop stands in its document, in a passage that the hop shows."""
    with Record.open(engine.path) as record:
        for hop in evidence.hops:
            for span in [*hop.sentences, *(fact.span for fact in hop.facts)]:
                said = record.document(span.document_id).text[span.start : span.end]
                assert said.strip() == said != ""
                assert any(
                    passage.document_id == span.document_id and passage.start <= span.start and span.end <= passage.end
                    for passage in hop.passages
                )
            shown = {passage.id: passage for passage in hop.passages}
            for fact in hop.facts:
                assert fact.span in hop.sentences
                assert fact.passage_id in shown


def end(text: str) -> End:
    return Placeholder.named(text) if text.startswith("?") else Constant(text)


def constraint(head: str, relation: str, tail: str, *more: str, question: str = "") -> Constraint:
    """A constraint with further phrasings of its relation."""
    return Constraint(end(head), relation, (relation, *more), end(tail), question)


def numbered(view: View, title: str) -> int:
    """The number of the passage with a title."""
    return view.record.numbers_by_id([title])[title]


def grounded(
    position: int, found: Sequence[int], *, name: str = "?x", resolved: bool = True, n: float = 1.0
) -> GroundedConstraint:
    """A constraint whose placeholder may stand for some entities."""
    one = constraint("Gull", "knows", name) if name else constraint("Gull", "knows", "Tern")
    pattern = Pattern(
        constraint=one,
        line="",
        asked="",
        anchors={0: Anchor(1.0, 1.0)},
        open=one.placeholders[0] if name else None,
        open_is_head=False,
    )
    candidates = tuple(
        FactCandidate(fact=place, value=value, score=0.0, relevance=0.0) for place, value in enumerate(found)
    )
    verdict = Verdict(resolved, tuple(1.0 for _ in found), n)
    return GroundedConstraint(position=position, pattern=pattern, candidates=candidates, verdict=verdict)

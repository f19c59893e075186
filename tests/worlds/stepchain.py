"""How tests ask StepChain, and what they read off its evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from polyhop.engine import Polyhop
from polyhop.reports import LayerStatus
from polyhop.store.record import Record
from polyhop.strategies.strategy import variant_name
from polyhop.types import Answer, Budget, Evidence, Hop

BORN = "Where was the builder of the Gull born?"  # Ada Brook, Velm
MOTHER = "Who was the mother of the builder of the Gull?"  # Ada Brook, Wilma Fenn
PIKE = "Who built the Pike?"
Open = Callable[..., Polyhop]


def ask(engine: Polyhop, question: str = BORN, budget: Budget | None = None, **changes: Any) -> Answer:
    """An answer of StepChain with some settings changed."""
    return engine.ask(question, strategy=variant_name("stepchain", changes), budget=budget)


def search(engine: Polyhop, question: str = BORN, k: int = 5, **changes: Any) -> Evidence:
    """The evidence alone, which takes half the time."""
    return engine.search(question, k=k, strategy=variant_name("stepchain", changes))


def walk(**changes: Any) -> dict[str, Any]:
    """Settings of a step's walk by their full names."""
    return {f"walk.{name}": value for name, value in changes.items()}


def told(evidence: Evidence) -> str:
    return "\n".join(evidence.trail)


def extracted(evidence: Evidence) -> int:
    """How many passages a question had extracted, as the trail says."""
    found = re.search(r"(\d+) passages extracted now", told(evidence))
    assert found is not None
    return int(found[1])


def titles(evidence: Evidence) -> list[str]:
    return [passage.title for passage in evidence.passages]


def chains(hops: Sequence[Hop]) -> list[str]:
    return [str(chain) for hop in hops for chain in hop.chains]


def facts(engine: Polyhop) -> LayerStatus:
    """What ``polyhop status`` says of the facts."""
    return next(layer for layer in engine.status().layers if layer.name == "facts")


def assert_exact(evidence: Evidence, engine: Polyhop) -> None:
    """Every sentence, and every arrow of every chain, stands in its document."""
    with Record.open(engine.path) as record:
        for hop in evidence.hops:
            for chain in hop.chains:
                assert len(chain.entities) == len(chain.facts) + 1 == len(chain.forward) + 1
            for fact in (fact for chain in hop.chains for fact in chain.facts):
                [passage] = record.passages_by_id([fact.passage_id])
                sentence = record.document(fact.span.document_id).text[fact.span.start : fact.span.end]
                assert sentence.strip() == sentence
                assert sentence in passage.text
                assert fact.tail in sentence
                assert fact.head in f"{passage.title} {sentence}"
            for span in hop.sentences:
                sentence = record.document(span.document_id).text[span.start : span.end]
                assert any(sentence in passage.text for passage in hop.passages)

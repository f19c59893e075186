"""What a strategy sets up for a question of StepChain, and steps and chains as its moves leave them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polyhop.layers.view import View
from polyhop.strategies.shared.leads import Leads
from polyhop.strategies.stepchain.asked_step import AskedStep
from polyhop.strategies.stepchain.step_graph import EvidenceChain, StepGraph
from polyhop.strategies.stepchain.stepping import Stepping
from polyhop.strategies.stepchain.strategy import StepChain
from polyhop.types import Budget, Chain, Span, Triple
from tests.worlds.stepchain import BORN

MakeGraph = Callable[..., StepGraph]


def stepping(view: View, question: str = BORN, **changes: Any) -> Stepping:
    """What a strategy sets up for a question."""
    return StepChain(**{"retrieved": 4, **changes})._stepping(question, view, Budget(), None)


def leads_of(view: View, question: str = BORN, **changes: Any) -> Leads:
    return stepping(view, question, **changes).leads


def step(position: int, *way: int, **more: Any) -> AskedStep:
    logit = 1.0 if way else None
    return AskedStep(
        position=position, question="Who?", passages=[(one, 1.0) for one in way], way=way, logit=logit, **more
    )


def chain_of(*facts: tuple[str, str, str], sentence: int = 0) -> EvidenceChain:
    """A chain whose facts stand in one sentence of a passage."""
    span = Span("d", sentence, sentence + 9)
    stated = [
        Triple(head=head, relation=relation, tail=tail, passage_id="p", span=span, score=1.0)
        for head, relation, tail in facts
    ]
    entities = (facts[0][0], *(tail for _, _, tail in facts))
    return EvidenceChain(
        Chain(entities=entities, facts=tuple(stated), forward=(True,) * len(facts), score=1.0), (1,) * len(facts)
    )

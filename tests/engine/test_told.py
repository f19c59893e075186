"""Whoever asks may be told each hop as soon as it is settled; many may ask one engine at once."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from polyhop import AsyncPolyhop, registry
from polyhop.engine import Polyhop
from polyhop.layers.hops_told import HopsTold
from polyhop.strategies.strategy import layers_read, strategy_of
from polyhop.types import Answer, Hop
from tests.worlds.documents import BRIDGE, HARBOUR_BRIDGE
from tests.worlds.settings import QUICK

STEP_BY_STEP = ("c2rag", "iterative", "paths", "stepchain", "translator")


def untimed(answer: Answer) -> Answer:
    return replace(answer, evidence=replace(answer.evidence, cost=replace(answer.evidence.cost, seconds=0.0)))


@pytest.mark.parametrize("strategy", registry.names("strategies"))
def test_the_last_hops_told_are_those_of_the_evidence_and_the_answer_stays(engine: Polyhop, strategy: str) -> None:
    told: dict[int, Hop] = {}
    answer = engine.ask(BRIDGE, strategy=strategy, told=told.__setitem__)
    assert tuple(told[position] for position in range(len(told))) == answer.evidence.hops
    again = engine.ask(BRIDGE, strategy=strategy)
    assert untimed(answer).to_dict() == untimed(again).to_dict()


@pytest.mark.parametrize("name", STEP_BY_STEP)
def test_strategies_that_go_step_by_step_tell_while_they_go(engine: Polyhop, name: str) -> None:
    """Not first when they are done: the engine has no part in this."""
    strategy, told = strategy_of(name, QUICK), list[tuple[int, Hop]]()
    with engine.view() as whole:
        over = whole.restricted(layers_read(strategy))
        told_of = HopsTold(lambda position, hop: told.append((position, hop)))
        evidence = strategy.retrieve(BRIDGE, replace(over, hops_told=told_of), QUICK.budget)
    assert told
    assert {position for position, _ in told} <= set(range(len(evidence.hops)))


def test_a_hop_is_told_again_only_where_it_has_changed() -> None:
    first, changed = Hop(question="Who?", status="unresolved"), Hop(question="Who?", status="resolved")
    told: list[tuple[int, Hop]] = []
    hops = HopsTold(lambda position, hop: told.append((position, hop)))
    hops.settle(0, first)
    hops.complete([first, first])
    hops.complete([changed, first])
    assert told == [(0, first), (1, first), (0, changed)]


def test_what_a_listener_raises_ends_the_work(engine: Polyhop) -> None:
    def refuse(position: int, hop: Hop) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        engine.ask(BRIDGE, strategy="paths", told=refuse)
    assert engine.ask(BRIDGE, strategy="paths").text == "Pellingrove", "nothing stays behind"


def test_the_asynchronous_engine_tells_too(harbour_engine: Polyhop) -> None:
    told: dict[int, Hop] = {}

    async def asked() -> Answer:
        async with AsyncPolyhop(harbour_engine.path, settings=QUICK) as engine:
            return await engine.ask(HARBOUR_BRIDGE, strategy="paths", told=told.__setitem__)

    answer = asyncio.run(asked())
    assert tuple(told.values()) == answer.evidence.hops


def test_many_threads_may_ask_at_once(engine: Polyhop) -> None:
    """Different questions, by different strategies: each gets the answer that it gets alone."""
    questions = (BRIDGE, "Who invented the lissandra?", "Which is longer, the Long Bridge or the River Teshel?")
    asked = [(question, name) for question in questions for name in ("auto", "paths", "bm25", "stepchain")]
    alone = [untimed(engine.ask(question, strategy=name)).to_dict() for question, name in asked]
    with ThreadPoolExecutor(6) as threads:
        at_once = list(threads.map(lambda one: untimed(engine.ask(one[0], strategy=one[1])).to_dict(), asked))
    assert at_once == alone

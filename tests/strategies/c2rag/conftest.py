"""The ferries with the graph made by hand, and evidence of C2RAG over them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.view import View
from polyhop.registry import configured
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.types import Budget, Evidence
from tests.worlds.c2rag import BUDGET, QUICK, MakeIndex, Retrieve, replaying
from tests.worlds.ferries import CHAIN, CORPUS, graph_of, recorded, viewed


@pytest.fixture(scope="module")
def ferries(index_of: MakeIndex) -> Polyhop:
    """An index of the ferries."""
    return index_of(CORPUS)


@pytest.fixture(scope="module")
def graph(ferries: Polyhop) -> FactGraph:
    """The graph made by hand."""
    return graph_of(ferries)


@pytest.fixture
def over(ferries: Polyhop, graph: FactGraph) -> Iterator[View]:
    """The index of the ferries with that graph."""
    with viewed(ferries, graph) as view:
        yield view


@pytest.fixture
def retrieve(over: View, tmp_path: Path) -> Retrieve:
    """Evidence for a plan that is given as triples, with some settings changed."""

    def evidence(*triples: tuple[str, ...], question: str = CHAIN, budget: Budget = BUDGET, **changes: Any) -> Evidence:
        plans = recorded(tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl", question, *triples)
        strategy: C2RAG = configured(C2RAG, {**QUICK, **changes}, "c2rag")
        return strategy.retrieve(question, replaying(plans, over), budget)

    return evidence

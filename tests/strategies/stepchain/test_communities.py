"""Summaries of what hangs together in the graph are background for a question."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from polyhop.layers.view import View
from polyhop.strategies.stepchain.community_context import background
from tests.worlds.documents import write
from tests.worlds.ferries import CORPUS
from tests.worlds.stepchain import BORN, PIKE, Open, search, told
from tests.worlds.stepchain_moves import MakeGraph


def test_communities_are_background(opened: Open) -> None:
    """Summaries of them are made once."""
    engine = opened()
    without, evidence = (search(engine, communities=most) for most in (0, 3))
    background = [line for line in evidence.trail if line.startswith("background: ")]
    assert 0 < len(background) <= 3
    assert "Background: " in evidence.synthesis
    assert re.search(r"[1-9]\d* communities, [1-9]\d* summaries made now, 0 left", told(evidence))
    assert ", 0 summaries made now" in told(search(engine, communities=3))
    assert "ackground: " not in told(without) + without.synthesis
    assert evidence.passages == without.passages


def test_one_generation_is_clustered_once(opened: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also by the next process: what was found is kept beside the index."""
    from polyhop.layers.facts import communities
    from polyhop.layers.facts.grown_graph import GrownGraph

    clusterings: list[object] = []
    original = communities.clustered

    def counted(graph: GrownGraph, **more: Any) -> tuple[communities.Community, ...]:
        clusterings.append(graph)
        return original(graph, **more)

    monkeypatch.setattr(communities, "clustered", counted)
    engine = opened()
    engine.index(write(tmp_path / "documents", CORPUS), layers=["text", "parsekg", "facts"])
    for question in (BORN, PIKE):
        assert "Background: " in search(engine, question, communities=3).synthesis
    assert len(clusterings) == 1
    engine.close()
    assert "Background: " in search(engine, PIKE, communities=3).synthesis
    assert len(clusterings) == 1


def test_background_is_what_is_nearest_to_the_question(view: View, graph: MakeGraph, number: dict[str, int]) -> None:
    mine = graph()
    mine.pull(number.values())
    one, told = background("Who is the mayor of Velm?", mine.graph, view, 1, None)
    assert len(one) == 1
    assert "Jory Pell" in one[0]
    assert "communities" in told
    assert background("Who is the mayor of Velm?", mine.graph, view, 0, None)[0] == []
    assert background("Who?", graph().graph, view, 3, None)[0] == []

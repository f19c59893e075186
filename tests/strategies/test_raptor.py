"""RAPTOR: the tree of summaries is searched all at once or level by level."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing, SettingError
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.strategies.strategy import strategy_of
from polyhop.types import Budget
from tests.worlds.guild import guild_in, tree_in, works, write


@pytest.fixture(scope="module")
def guild(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of forty makers, with its tree; not to be changed."""
    return guild_in(tmp_path_factory.mktemp("guild"))


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(SettingError, match="at least 1"):
        strategy_of("raptor(width=0)", Settings())


@pytest.mark.parametrize("mode", ["collapsed", "traversal"])
def test_passages_of_what_was_asked_for_come_first(guild: Path, mode: str) -> None:
    with Polyhop(guild) as engine:
        evidence = engine.search("Who sold ropes in Low Ness?", k=3, strategy=f"raptor(mode={mode})")
    assert any("ropes" in passage.text for passage in evidence.passages)
    assert re.match(r"\d+ nodes: \d+ passages, \d+ summaries", evidence.trail[0])
    (hop,) = evidence.hops
    assert hop.status == "resolved"
    assert hop.found is None
    assert len(hop.sentences) == len(hop.passages)


def test_where_no_summary_is_found_the_collapsed_tree_is_dense_retrieval(guild: Path) -> None:
    """Passages that were found themselves stand in the order of their cosines, before those below summaries."""
    with Polyhop(guild) as engine:
        dense = engine.search("Who sold ropes in Low Ness?", k=5, strategy="dense")
        raptor = engine.search("Who sold ropes in Low Ness?", k=5, strategy="raptor")
        own = {passage.id for passage in raptor.hops[0].passages}
    ids = [passage.id for passage in raptor.passages]
    assert ids[: len(own)] == [passage.id for passage in dense.passages][: len(own)]


def test_passages_below_a_summary_follow_the_nearest_first(guild: Path) -> None:
    """With room for one node only, and that a summary, all evidence lies below it."""
    tree = tree_in(guild)
    node = int(tree.nodes[-1])
    with Polyhop(guild) as engine:
        evidence = engine.search(tree.texts[node], k=4, strategy="raptor(k=1)")
    assert evidence.trail[0] == "1 node: 0 passages, 1 summary"
    assert evidence.trail[1].startswith("level ")
    with Record.open(guild) as record:
        below = {passage.id for passage in record.passages(tree.passages_below(node).tolist())}
    assert len(evidence.passages) == 4
    assert {passage.id for passage in evidence.passages} <= below
    scores = [passage.score for passage in evidence.passages]
    assert scores == sorted(scores, reverse=True)


def test_nodes_are_found_while_there_is_room(guild: Path) -> None:
    with Polyhop(guild) as engine:
        trails = [engine.search("Who sold maps?", k=1, strategy=f"raptor(tokens={n})").trail[0] for n in (1, 200, 9999)]
    counts = [int(trail.split()[0]) for trail in trails]
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert counts[2] == 20


def test_the_cross_encoder_may_order_what_was_found(guild: Path) -> None:
    with Polyhop(guild) as engine:
        evidence = engine.search("Who sold ropes in Low Ness?", k=2, strategy="raptor(rerank=true,k=5)")
    assert "cross-encoder" in evidence.trail[-1]
    assert evidence.passages[0].score >= evidence.passages[1].score


def test_without_a_tree_it_is_said_how_to_make_one(tmp_path: Path) -> None:
    with Polyhop(tmp_path / "an.index") as engine:
        engine.index(write(tmp_path / "makers.jsonl", works(2)), layers=("text",))
        with pytest.raises(LayerMissing, match="no tree layer") as caught:
            engine.search("Who sold ropes?", strategy="raptor")
    assert "--layers" in caught.value.remedy


def test_evidence_stays_within_the_budget(guild: Path) -> None:
    with Polyhop(guild) as engine:
        answer = engine.ask("Who sold ropes in Low Ness?", strategy="raptor", budget=Budget(passages=2))
    assert len(answer.evidence.passages) <= 2

"""PageRank: from the question's facts through the graph to passages that the question does not resemble."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing
from polyhop.layers.facts.passage_graph import passage_graph
from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.strategies.baselines.dense import Dense
from polyhop.strategies.baselines.pagerank import PageRank
from polyhop.types import Budget, Evidence, Triple
from tests.worlds.documents import HARBOUR, HARBOUR_BRIDGE, write
from tests.worlds.opened import opened

LAYERS = ("text", "parsekg", "facts")
SETTINGS = Settings.from_mapping({"layers": {"facts": {"extractor": "syntax"}}})
UNFILTERED = PageRank(filtered=False)


@pytest.fixture(scope="module")
def harbour_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The harbour with its facts; not to be changed."""
    folder = tmp_path_factory.mktemp("pagerank")
    with Polyhop(folder / "polyhop.index", settings=SETTINGS) as engine:
        engine.index(write(folder / "documents", HARBOUR), layers=LAYERS)
    return folder / "polyhop.index"


@pytest.fixture(scope="module")
def harbour_view(harbour_index: Path, models: Models) -> Iterator[View]:
    """The harbour, open."""
    with opened(harbour_index, models, PageRank.needs, SETTINGS) as view:
        yield view


def titles(evidence: Evidence) -> list[str]:
    return [passage.title for passage in evidence.passages]


def names(facts: Sequence[Triple]) -> set[str]:
    return {name for fact in facts for name in (fact.head, fact.tail)}


def test_the_walk_reaches_what_an_entity_joins(harbour_view: View) -> None:
    """The question names the lighthouse; where its engineer was born stands in her passage, and leads to the town."""
    evidence = PageRank(accepted=-99.0).retrieve(HARBOUR_BRIDGE, harbour_view, Budget(passages=2))
    assert set(titles(evidence)) == {"quillmouth", "ada brisk"}
    scores = [passage.score for passage in evidence.passages]
    assert scores == sorted(scores, reverse=True)
    assert 0 < sum(scores) < 1
    assert evidence.strategy == "pagerank"


def test_the_hop_shows_the_facts_with_the_sentences_that_state_them(harbour_view: View) -> None:
    evidence = PageRank(accepted=-99.0).retrieve("Who built the lighthouse of Quillmouth?", harbour_view, Budget())
    (hop,) = evidence.hops
    assert hop.status == "resolved"
    assert "Ada Brisk" in names(hop.facts)
    assert hop.sentences
    shown = {passage.id: passage for passage in hop.passages}
    for fact in hop.facts:
        passage = shown[fact.passage_id]
        assert passage.start <= fact.span.start < fact.span.end <= passage.end
        document = harbour_view.record.document(fact.span.document_id)
        assert document.text[fact.span.start : fact.span.end].strip()
        assert fact.span in hop.sentences


def test_only_facts_that_the_cross_encoder_accepts_are_seeds(harbour_view: View) -> None:
    everything = PageRank(accepted=-99.0).retrieve("Who built the lighthouse of Quillmouth?", harbour_view, Budget())
    logits = sorted(fact.score for fact in everything.hops[0].facts)
    assert len(logits) == 5
    best = PageRank(accepted=logits[-2]).retrieve("Who built the lighthouse of Quillmouth?", harbour_view, Budget())
    assert [fact.score for fact in best.hops[0].facts] == [logits[-1]]
    assert best.hops[0].note == "1 of 5 facts help"


def test_where_no_fact_helps_the_ranking_is_the_dense_one(harbour_view: View) -> None:
    evidence = PageRank(accepted=99.0).retrieve(HARBOUR_BRIDGE, harbour_view, Budget(passages=3))
    assert evidence.passages == Dense().retrieve(HARBOUR_BRIDGE, harbour_view, Budget(passages=3)).passages
    assert evidence.hops[0].status == "unresolved"
    assert evidence.hops[0].facts == ()
    assert any("by similarity alone" in line for line in evidence.trail)


def test_a_question_without_any_known_word_is_answered_all_the_same(harbour_view: View) -> None:
    for strategy in (PageRank(), UNFILTERED):
        assert len(strategy.retrieve("Zzyxq wvuut?", harbour_view, Budget(passages=3)).passages) == 3


def test_the_seeds_are_entities_by_weight_and_rarity(harbour_view: View) -> None:
    """The trace names them: the weight of their facts, divided by the number of their passages."""
    evidence = UNFILTERED.retrieve("Where was Ada Brisk born?", harbour_view, Budget())
    seeds = next(line for line in evidence.trail if line.startswith("seeds: "))
    assert "Ada Brisk" in seeds
    assert seeds.count("passages)") <= UNFILTERED.entities
    one = replace(UNFILTERED, entities=1).retrieve("Where was Ada Brisk born?", harbour_view, Budget())
    assert sum(line.count("passages)") for line in one.trail if line.startswith("seeds: ")) == 1


def test_the_ranking_is_that_of_igraph(harbour_view: View) -> None:
    """The strategy's graph and seeds, walked by another implementation."""
    igraph = pytest.importorskip("igraph")
    strategy = replace(UNFILTERED, passage_weight=0.0, facts=1)
    evidence = strategy.retrieve("Where was Ada Brisk born?", harbour_view, Budget())
    (fact,) = evidence.hops[0].facts
    graph = passage_graph(harbour_view, least=strategy.synonym, most=strategy.synonyms)
    rows = np.repeat(graph.walk.rows, np.diff([*graph.walk.starts.tolist(), len(graph.walk.neighbours)]))
    flows = igraph.Graph(graph.walk.nodes, list(zip(graph.walk.neighbours.tolist(), rows.tolist(), strict=True)), True)
    reset = np.zeros(graph.walk.nodes)
    for name in (fact.head, fact.tail):
        entity = harbour_view.facts.find(name)
        assert entity is not None
        reset[entity] = 1 / int(graph.occurrences[entity])
    scores = flows.personalized_pagerank(damping=0.5, reset=reset.tolist(), weights=graph.walk.shares.tolist())
    expected = np.array(scores)[graph.entities :]
    found = {passage.id: passage.score for passage in evidence.passages}
    ids = [passage.id for passage in harbour_view.passages(graph.numbers.tolist())]
    np.testing.assert_allclose([found[id_] for id_ in ids], expected, atol=1e-6)


def test_deleted_passages_are_neither_found_nor_passed_through(tmp_path: Path, models: Models) -> None:
    with Polyhop(tmp_path / "polyhop.index", settings=SETTINGS) as engine:
        engine.index(write(tmp_path / "documents", HARBOUR), layers=LAYERS)
    with Record.create_or_open(tmp_path / "polyhop.index") as record:
        record.drop(record.at((tmp_path / "documents" / "ada_brisk.txt").as_posix()))  # and nothing is gathered yet
    with opened(tmp_path / "polyhop.index", models, PageRank.needs, SETTINGS) as view:
        evidence = UNFILTERED.retrieve(HARBOUR_BRIDGE, view, Budget(passages=10))
        assert sorted(titles(evidence)) == ["fennick", "quillmouth", "tarn school"]
        assert all("Fennick" not in names(hop.facts) for hop in evidence.hops)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, []),
        ({"quillmouth.txt": HARBOUR["quillmouth.txt"]}, ["quillmouth"]),
        ({"sounds.txt": "Hush. Hush! Oh?", "more.txt": "Ah! Well?"}, ["more", "sounds"]),
    ],
)
def test_small_worlds_are_searched(files: dict[str, str], expected: list[str], tmp_path: Path, models: Models) -> None:
    """Without documents, with one passage, without any fact."""
    with Polyhop(tmp_path / "polyhop.index", settings=SETTINGS) as engine:
        engine.index(write(tmp_path / "documents", files), layers=LAYERS)
    with opened(tmp_path / "polyhop.index", models, PageRank.needs, SETTINGS) as view:
        for strategy in (UNFILTERED, PageRank(), replace(UNFILTERED, passage_weight=0.0, synonyms=0)):
            evidence = strategy.retrieve(HARBOUR_BRIDGE, view, Budget(passages=5))
            assert sorted(titles(evidence)) == expected
            assert all(line.strip() and "\n" not in line for line in evidence.trail)


def test_the_same_question_gives_the_same_evidence_whatever_k_is(harbour_index: Path, models: Models) -> None:
    """Also when the graph is opened anew, from what was kept on disk."""
    with (
        opened(harbour_index, models, PageRank.needs, SETTINGS) as first,
        opened(harbour_index, models, PageRank.needs, SETTINGS) as second,
    ):
        more = PageRank().retrieve(HARBOUR_BRIDGE, first, Budget(passages=4))
        assert PageRank().retrieve(HARBOUR_BRIDGE, second, Budget(passages=4)) == more
        assert PageRank().retrieve(HARBOUR_BRIDGE, second, Budget(passages=1)).passages == more.passages[:1]


def test_each_declared_layer_is_needed(harbour_view: View) -> None:
    for needed in PageRank.needs:
        with pytest.raises(LayerMissing, match=needed):
            PageRank().retrieve(HARBOUR_BRIDGE, harbour_view.restricted(set(PageRank.needs) - {needed}), Budget())


@pytest.mark.parametrize("wrong", [{"damping": 1.0}, {"facts": 0}, {"entities": 0}, {"passage_weight": -0.1}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        PageRank(**wrong)  # type: ignore[arg-type]


def test_every_ablation_changes_the_strategy() -> None:
    for changes in PageRank.ablations.values():
        assert PageRank(**changes) != PageRank()  # type: ignore[arg-type]

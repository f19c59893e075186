"""The passage graph joins what facts join; synonyms are the nearest names, compared once and kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.layers.facts import passage_graph as module
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.passage_graph import PassageGraph, Synonyms, similar, synonyms
from polyhop.models.choice import Models
from polyhop.ports import Floats, Ints
from polyhop.store.phrase_store import PhraseStore
from polyhop.types import Fact, Passage
from tests.worlds.noted import NotingEmbedder

Edges = dict[tuple[int, int], float]


def stated(texts: Sequence[Sequence[tuple[str, str, str]]]) -> Iterator[tuple[int, Passage, list[Fact]]]:
    """Passages 0, 10, 20, ... that state some triples."""
    for place, triples in enumerate(texts):
        passage = Passage(id=str(place), document_id=str(place), ordinal=0, start=0, end=9, title="", text="Some text")
        yield 10 * place, passage, [Fact(head=h, relation=r, tail=t, start=0, end=9) for h, r, t in triples]


def graph_of(texts: Sequence[Sequence[tuple[str, str, str]]]) -> FactGraph:
    return FactGraph.of(stated(texts), lambda relations: np.ones((len(relations), 1), np.float32))


def edges_of(graph: PassageGraph) -> Edges:
    """Each edge, the lower node first, with its weight relative to all that leaves its higher node."""
    walk = graph.walk
    found: Edges = {}
    bounds = [*walk.starts.tolist(), len(walk.neighbours)]
    for row, begin, end in zip(walk.rows.tolist(), bounds, bounds[1:], strict=False):
        for place in range(begin, end):
            if row < walk.neighbours[place]:
                found[row, int(walk.neighbours[place])] = float(walk.shares[place])
    return found


@pytest.fixture
def embedder(models: Models) -> NotingEmbedder:
    return NotingEmbedder(models.embedder)


@pytest.fixture
def phrases(embedder: NotingEmbedder) -> PhraseStore:
    """The vectors of such an embedder, in memory."""
    return PhraseStore.open(None, embedder)


NAMES = st.sampled_from(["Ada", "Brisk", "Fennick", "Oar", "Tarn"])
TRIPLES = st.lists(st.lists(st.tuples(NAMES, st.just("knows"), NAMES), max_size=5), max_size=5)


@settings(deadline=None)
@given(TRIPLES, st.data())
def test_edges_are_facts_and_the_entities_of_passages(
    texts: list[list[tuple[str, str, str]]], data: st.DataObject
) -> None:
    """Counted by hand, with some passages deleted and some that state nothing."""
    graph = graph_of(texts)
    alive = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))), np.bool_)
    found = PassageGraph.of(replace(graph, alive=alive), np.array([-5, 1000]), Synonyms.none())
    numbers = [-5, *(10 * place for place in np.flatnonzero(alive)), 1000]
    weights: Counter[tuple[int, int]] = Counter()
    for place in np.flatnonzero(alive).tolist():
        ends = [(graph.find(head), graph.find(tail)) for head, _, tail in texts[place]]
        for head, tail in ends:
            assert head is not None
            assert tail is not None
            weights[min(head, tail), max(head, tail)] += head != tail
        passage = len(graph) + numbers.index(10 * place)
        weights.update({(entity, passage): 1 for pair in set(ends) for entity in set(pair) if entity is not None})
    assert found.numbers.tolist() == numbers
    assert found.occurrences.tolist() == [
        sum(entity == low and high >= len(graph) for low, high in weights) for entity in range(len(graph))
    ]
    strengths: Counter[int] = Counter()
    for (low, high), weight in weights.items():
        strengths[low] += weight
        strengths[high] += weight
    expected = {pair: weight / strengths[pair[1]] for pair, weight in weights.items() if weight}
    assert edges_of(found) == pytest.approx(expected)


def test_synonyms_join_entities_by_their_cosine() -> None:
    graph = graph_of([[("Ada", "knows", "Brisk")], [("Oar", "knows", "Tarn")]])
    pair = [[graph.find("Ada"), graph.find("Oar")]]
    found = PassageGraph.of(graph, np.empty(0, np.int64), Synonyms(pairs=np.array(pair), cosines=np.array([0.5], "f4")))
    start = np.zeros(found.walk.nodes)
    start[graph.find("Ada")] = 1.0
    scores = found.walk.personalised(start).scores
    assert scores[found.entities + 1] > 0
    assert scores[found.entities] > scores[found.entities + 1]


def naive(vectors: Floats, least: float, most: int) -> set[tuple[int, int]]:
    cosines = vectors @ vectors.T
    pairs = set()
    for row in range(len(vectors)):
        near = [other for other in range(len(vectors)) if other != row and cosines[row, other] >= least]
        near.sort(key=lambda other: (-cosines[row, other], other))
        pairs |= {(min(row, other), max(row, other)) for other in near[:most]}
    return pairs


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(1, 5), st.integers(0, 999), st.sampled_from([0.2, 0.5, 0.8]))
def test_synonyms_equal_comparing_all_with_all(count: int, most: int, seed: int, least: float) -> None:
    """In one block or in many, and in groups that between them hold every pair."""
    vectors = np.random.default_rng(seed).normal(size=(count, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = naive(vectors, least, most)
    groups: list[Ints] = [np.array([i, j]) for i in range(count) for j in range(i)]
    for block, among in ((1 << 24, None), (64, None), (1 << 24, groups)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "BLOCK", block)
            pairs, cosines = similar(vectors, least, most, among)
        assert {(low, high) for low, high in pairs.tolist()} == expected
        assert len(pairs) == len(expected)
        np.testing.assert_allclose(cosines, np.vecdot(vectors[pairs[:, 0]], vectors[pairs[:, 1]]), atol=1e-6)


SIMILAR = [
    [("Harrowmere Lighthouse", "stands in", "Pellingrove"), ("The lighthouse of Harrowmere", "was lit in", "1301")],
    [("Old Harrowmere Lighthouse", "was lit in", "1302"), ("Glass", "is", "it")],
]


def test_like_names_are_synonyms_but_dates_and_short_names_are_not(
    embedder: NotingEmbedder, phrases: PhraseStore
) -> None:
    texts = [*SIMILAR, [("Glass", "was blown in", "1303")]]
    triples = [
        (number, passage, [replace(fact, tail_label="DATE") if fact.tail.isdigit() else fact for fact in facts])
        for number, passage, facts in stated(texts)
    ]
    graph = FactGraph.of(triples, embedder.inner.embed_passages)
    found = synonyms(graph, phrases, least=0.8, most=3)
    names = {frozenset(graph.entity(entity).name for entity in pair) for pair in found.pairs.tolist()}
    assert frozenset({"Harrowmere Lighthouse", "Old Harrowmere Lighthouse"}) in names
    assert not any({"1301", "1302", "1303", "it"} & pair for pair in names)
    assert not {"1301", "it"} & set(embedder.read)
    assert synonyms(graph, phrases, least=0.8, most=0).pairs.shape == (0, 2)
    assert (found.pairs[:, 0] < found.pairs[:, 1]).all()


def test_names_are_embedded_once_and_compared_once_for_each_setting(embedder: NotingEmbedder, tmp_path: Path) -> None:
    graph_of(SIMILAR).save(tmp_path / "graph")
    graph = FactGraph.open(tmp_path / "graph", np.array([0, 10]))
    phrases = PhraseStore.open(tmp_path, embedder)
    in_memory = synonyms(replace(graph, folder=None), PhraseStore.open(None, embedder.inner), least=0.7, most=2)
    first = synonyms(graph, phrases, least=0.7, most=2)
    asked = len(embedder.read)
    for least, most in ((0.7, 2), (0.9, 2)):
        again = synonyms(graph, PhraseStore.open(tmp_path, embedder), least=least, most=most)
        assert len(embedder.read) == asked
    assert len(again.pairs) < len(first.pairs)
    for other in (in_memory, synonyms(graph, phrases, least=0.7, most=2)):
        assert other.pairs.tolist() == first.pairs.tolist()
        assert other.cosines.tolist() == first.cosines.tolist()


def test_a_changed_graph_embeds_only_the_names_that_are_new(embedder: NotingEmbedder, tmp_path: Path) -> None:
    graph_of(SIMILAR).save(tmp_path / "layer")
    phrases = PhraseStore.open(tmp_path, embedder)
    synonyms(FactGraph.open(tmp_path / "layer", np.array([0, 10])), phrases, least=0.8, most=2)
    embedder.read.clear()
    changed = graph_of([*SIMILAR, [("Glass", "is made in", "Fennick")]])
    found = synonyms(changed, phrases, least=0.5, most=2)
    assert embedder.read == ["Fennick"]
    alone = synonyms(changed, PhraseStore.open(None, embedder), least=0.5, most=2)
    assert found.pairs.tolist() == alone.pairs.tolist()
    assert found.cosines.tolist() == alone.cosines.tolist()


def test_of_very_many_names_those_that_share_a_word_are_compared(
    phrases: PhraseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = graph_of(SIMILAR)
    found = synonyms(graph, phrases, least=0.3, most=9)
    monkeypatch.setattr(module, "MOST_COMPARED", 1)
    fewer = synonyms(graph, phrases, least=0.3, most=9)
    names = {frozenset(graph.entity(entity).name for entity in pair) for pair in fewer.pairs.tolist()}
    assert frozenset({"Harrowmere Lighthouse", "Old Harrowmere Lighthouse"}) in names
    assert frozenset({"Harrowmere Lighthouse", "Glass"}) not in names
    assert {tuple(pair) for pair in fewer.pairs.tolist()} < {tuple(pair) for pair in found.pairs.tolist()}


def test_an_empty_graph_has_no_nodes_but_passages(phrases: PhraseStore) -> None:
    graph = graph_of([])
    assert synonyms(graph, phrases, least=0.8, most=3).pairs.shape == (0, 2)
    found = PassageGraph.of(graph, np.array([3, 4]), Synonyms.none())
    assert (found.entities, found.walk.nodes, found.walk.edges) == (0, 2, 0)


def test_a_damaged_cache_is_made_again(phrases: PhraseStore, tmp_path: Path) -> None:
    graph_of(SIMILAR).save(tmp_path / "graph")
    graph = FactGraph.open(tmp_path / "graph", np.array([0, 10]))
    first = synonyms(graph, phrases, least=0.7, most=2)
    for file in (tmp_path / "graph").glob("synonyms-*/*.npy"):
        file.write_bytes(b"")
    assert synonyms(graph, phrases, least=0.7, most=2).pairs.tolist() == first.pairs.tolist()

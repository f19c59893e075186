"""The graph of questions: nodes with their places, what is nearest to a question, and variants of it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.sentences import sentence_spans
from polyhop.errors import IndexCorrupt, ModelMismatch, UsageError
from polyhop.indexes import digests
from polyhop.indexes.segments import Packed
from polyhop.indexes.streamed import streamed
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.questions.segment import KINDS, NodeKind, shares_of, text_of
from polyhop.ports import Floats
from polyhop.types import GeneratedQuestion
from tests.worlds.question_graphs import (
    BUILT,
    Corpus,
    about,
    content_of,
    found_by,
    graph_of,
    node_of,
    pair,
    there,
    vectors,
)


@pytest.mark.parametrize("live", [None, [3, 8], [9]])
@pytest.mark.parametrize("groups", [(BUILT,), ({3: BUILT[3], 9: BUILT[9]}, {5: BUILT[5], 8: BUILT[8]})])
def test_words_that_were_gathered_are_those_that_nodes_have(
    tmp_path: Path, groups: tuple[Corpus, ...], live: list[int] | None
) -> None:
    """Without those of passages that are gone, which no score remembers, and however many segments there are."""
    graph = graph_of(tmp_path / "graph", *groups, live=live)
    assert graph.saved_words is not None
    found = found_by(graph.words)
    assert found == found_by(replace(graph, saved_words=None).words)
    assert found[0][0] or live == [9]


def test_words_of_sentences_are_made_when_they_are_asked_for(tmp_path: Path) -> None:
    sentences = graph_of(tmp_path / "graph", BUILT).variant("sentence")
    assert sentences.saved_words is None
    assert sorted(sentences.words.search("sentences", 9)[0].tolist()) == [node_of(number, 0) for number in BUILT]


@pytest.mark.parametrize("part", ["words", "expanded", "questions"])
def test_parts_of_other_nodes_are_refused(tmp_path: Path, part: str) -> None:
    graph_of(tmp_path / "a", {3: BUILT[3], 8: BUILT[8]})
    graph_of(tmp_path / "b", {9: BUILT[9]})
    a, b = (Packed.open(tmp_path / graph / "0" / digests.PACKED) for graph in "ab")
    of_others = {name: b.array(name) for name in b.table if name.startswith(f"{part}.")}
    arrays = {name: a.array(name) for name in a.table} | of_others
    shutil.rmtree(tmp_path / "a" / "0")
    with streamed(tmp_path / "a" / "0") as writer:
        writer.put(arrays)
    with pytest.raises(IndexCorrupt):
        QuestionGraph.open([tmp_path / "a" / "0"], np.array([3, 8]), vectors, there([3, 8]))


def nearest_to(graph: QuestionGraph, vector: Floats, alpha: float = 1.0) -> list[tuple[int, float]]:
    """The plain reference: all nodes that count, best first."""
    nodes = graph.nodes[graph.shares < np.float32(alpha)].tolist()
    cosines = {node: float(np.float32(graph.vector(node).astype(np.float64) @ vector)) for node in nodes}
    return sorted(cosines.items(), key=lambda item: (-item[1], item[0]))


def test_a_node_is_a_pair_with_its_place(tmp_path: Path) -> None:
    graph = graph_of(tmp_path / "graph", BUILT)
    assert len(graph) == 6
    assert graph.counts == {"questions": 6, "passages": 3}
    known = [[node_of(3, place) for place in range(3)], [], [node_of(8, 0), node_of(8, 1)], [node_of(9, 0)], []]
    assert [graph.nodes[graph.of_passage(number)].tolist() for number in (3, 5, 8, 9, 4)] == known
    assert graph.question(node_of(8, 0)) == BUILT[8][0]
    assert graph.place(node_of(8, 0)) == (8, 2, 9)
    assert graph.vector(node_of(8, 0)).tobytes() == vectors(["Where was Ada Brisk born? Fennick"]).tobytes()


@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.3])
def test_a_search_finds_the_nearest_nodes_that_count(tmp_path: Path, alpha: float) -> None:
    graph = graph_of(tmp_path / "graph", BUILT, live=[3, 8])
    query = vectors(["anything"])[0]
    nodes, cosines = graph.search(query, 4, alpha)
    expected = nearest_to(graph, query, alpha)[:4]
    assert nodes.tolist() == [node for node, _ in expected]
    assert cosines.tolist() == pytest.approx([cosine for _, cosine in expected], abs=1e-6)
    enough = graph.search(query, 4, alpha, least=float(cosines[0]))
    assert enough[0].tolist() == nodes[:1].tolist()
    assert len(graph.search(query, 0)[0]) == 0
    with pytest.raises(ModelMismatch):
        graph.search(np.ones(3, np.float32), 1)


def test_a_share_is_the_rank_within_the_passage(tmp_path: Path) -> None:
    """Doc2Query--: alpha keeps so many of each passage, and never none."""
    rows = np.array([0, 0, 0, 0, 0, 2, 2], np.int64)
    similarities = np.array([0.1, 0.5, 0.3, 0.5, 0.2, -0.1, 0.4], np.float32)
    assert shares_of(rows, similarities).tolist() == pytest.approx([0.8, 0, 0.4, 0.2, 0.6, 0.5, 0])
    assert len(shares_of(rows[:0], similarities[:0])) == 0
    graph = graph_of(tmp_path / "graph", BUILT)
    kept = graph.search(vectors(["anything"])[0], 9, alpha=0.01)[0]
    assert sorted(graph.place(node)[0] for node in kept.tolist()) == [3, 8, 9]


def test_neighbours_are_the_nearest_other_nodes(tmp_path: Path) -> None:
    """The same for some nodes at once as for each alone."""
    graph = graph_of(tmp_path / "graph", BUILT)
    together = graph.around(graph.nodes.tolist(), 9)
    for node, around in zip(graph.nodes.tolist(), together, strict=True):
        expected = [found for found in nearest_to(graph, graph.vector(node)) if found[0] != node]
        assert [found for found, _ in around] == [found for found, _ in expected]
        assert [c for _, c in around] == pytest.approx([c for _, c in expected], abs=1e-6)
        assert graph.around([node], 3) == [around[:3]]
    assert [other for other, _ in graph.around([node_of(8, 0)], 1)[0]] == [node_of(9, 0)]  # the same question elsewhere
    assert graph.around([node_of(8, 0)], 0) == [[]]
    assert graph.around([], 3) == []


def test_neighbours_are_the_nearest_of_those_that_alpha_keeps(tmp_path: Path) -> None:
    """QCG-RAG links what Doc2Query-- has kept; a node that is not kept itself is next to them, too."""
    corpus = {number: [pair(f"What is {n}?", f"number {n}") for n in range(number, number + 5)] for number in range(9)}
    graph = graph_of(tmp_path / "graph", corpus)
    for node, around in zip(graph.nodes.tolist(), graph.around(graph.nodes.tolist(), 3, alpha=0.5), strict=True):
        expected = [found for found in nearest_to(graph, graph.vector(node), 0.5) if found[0] != node]
        assert [other for other, _ in around] == [other for other, _ in expected[:3]]


def test_neighbours_that_are_gone_or_left_out_are_passed_over(tmp_path: Path) -> None:
    graph = graph_of(tmp_path / "graph", BUILT, live=[3, 8])
    assert node_of(9, 0) not in {node for node, _ in graph.around([node_of(8, 0)], 9)[0]}
    assert graph.nodes[graph.of_passage(9)].tolist() == []
    assert graph.counts == {"questions": 5, "passages": 2}
    best = set(graph.nodes[graph.shares == 0].tolist())
    assert {node for node, _ in graph.around([node_of(8, 0)], 9, alpha=0.01)[0]} <= best


@pytest.mark.parametrize("kind", ["question", "answer"])
def test_a_variant_has_other_vectors_of_the_same_nodes(tmp_path: Path, kind: NodeKind) -> None:
    graph = graph_of(tmp_path / "graph", BUILT, live=[3, 8])
    variant = graph.variant(kind)
    texts = [text_of(graph.question(node), kind) for node in graph.nodes.tolist()]
    assert variant.vectors_of(kind).tobytes() == vectors(texts).tobytes() == graph.vectors_of(kind).tobytes()
    assert variant.question(node_of(8, 0)) == graph.question(node_of(8, 0))
    query = vectors(["anything"])[0]
    expected = [node for node, _ in nearest_to(variant, query)]
    assert variant.search(query, 9)[0].tolist() == expected
    first = int(variant.nodes[0])
    around = [node for node, _ in nearest_to(variant, variant.vector(first)) if node != first]
    assert [node for node, _ in variant.around([first], 3)[0]] == around[:3]
    assert variant.variant(kind) is variant


def test_sentences_are_nodes_too(tmp_path: Path) -> None:
    """Also of passages that nothing is asked of."""
    graph = graph_of(tmp_path / "graph", BUILT, live=[3, 5, 8])
    variant = graph.variant("sentence")
    spans = {number: sentence_spans(about(number).text) for number in (3, 5, 8)}
    assert [variant.place(node) for node in variant.nodes.tolist()] == [
        (number, *span) for number, own in spans.items() for span in own
    ]
    assert [variant.question(node).answer for node in variant.nodes[variant.of_passage(5)].tolist()] == [
        "Passage 5 has two sentences.",
        "This is the other one.",
    ]
    assert variant.search(vectors(["This is the other one."])[0], 3, alpha=0.1)[1].tolist() == pytest.approx([1, 1, 1])
    assert {node for node, _ in variant.around([node_of(3, 1)], 2)[0]} == {node_of(5, 1), node_of(8, 1)}
    with pytest.raises(UsageError):
        variant.variant("answer")
    with pytest.raises(UsageError, match="Did you mean 'sentence'"):
        graph.variant("sentences")  # type: ignore[arg-type]


def test_the_graph_itself_is_its_first_variant(tmp_path: Path) -> None:
    graph = graph_of(tmp_path / "graph", BUILT)
    assert graph.variant(KINDS[0]) is graph


some_pairs = st.lists(st.builds(pair, st.sampled_from("abcdefgh"), st.sampled_from("xy")), max_size=4, unique=True)
some_passages = st.dictionaries(st.integers(0, 12), some_pairs, max_size=8)


@settings(max_examples=25, deadline=None)  # files are synced, which takes its time
@given(some_passages, st.lists(st.integers(0, 3), min_size=13, max_size=13), st.sets(st.integers(0, 12)))
def test_however_many_segments_there_are_the_graph_is_that_of_all_passages(
    corpus: dict[int, list[GeneratedQuestion]], groups: list[int], gone: set[int]
) -> None:
    """Whichever passages stand in which segment, and whatever is gone of them."""
    parts = [{n: pairs for n, pairs in corpus.items() if groups[n] == group} for group in range(4)]
    live = sorted(corpus.keys() - gone)
    with TemporaryDirectory() as place:
        graph = graph_of(Path(place) / "parts", *filter(None, parts), live=live)
        assert content_of(graph) == content_of(graph_of(Path(place) / "whole", {n: corpus[n] for n in live}))

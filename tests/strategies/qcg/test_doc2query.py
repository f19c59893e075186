"""Doc2Query: questions that a passage answers are searched with its text."""

from __future__ import annotations

import numpy as np
import pytest

from polyhop.indexes import lexical
from polyhop.indexes.lexical import Lexical
from polyhop.layers.layer import words_of
from polyhop.layers.view import View
from polyhop.strategies.baselines.d2q import Doc2Query
from polyhop.types import Budget
from tests.worlds.documents import HARBOUR_BRIDGE
from tests.worlds.questioned_harbour import BUILDER, shares, titles


def test_appended_questions_are_searched_with_the_text(view: View) -> None:
    """BM25 over the expanded texts, as if they had been indexed so."""
    graph = view.questions
    numbers = view.text.vectors.numbers
    texts = []
    for number, passage in zip(numbers.tolist(), view.passages(numbers.tolist()), strict=True):
        pairs = [graph.question(node) for node in graph.nodes[graph.of_passage(number)].tolist()]
        lines = [passage.title, passage.text, *(f"{pair.question} {pair.answer}" for pair in pairs)]
        texts.append("\n".join(lines))
    expected, scores = Lexical.of([lexical.build(numbers, texts)], numbers).search(HARBOUR_BRIDGE, 4)
    found = Doc2Query(ranking="bm25").retrieve(HARBOUR_BRIDGE, view, Budget(passages=4))
    assert list(found.passages) == view.passages(expected.tolist())
    assert [passage.score for passage in found.passages] == pytest.approx(scores.tolist())


def test_fewer_questions_are_appended_below_alpha(view: View) -> None:
    """Doc2Query--: what remains are those most like their passage."""
    _, whole = Doc2Query()._texts(view)
    _, fewer = Doc2Query(alpha=0.5)._texts(view)
    _, bare = Doc2Query(answers=False)._texts(view)
    assert sum(map(len, fewer)) < sum(map(len, whole))
    assert sum(map(len, bare)) < sum(map(len, whole))
    graph = view.questions
    numbers = view.text.vectors.numbers.tolist()
    for node in graph.nodes.tolist():
        text = fewer[numbers.index(graph.place(node)[0])]
        assert (graph.question(node).question in text) == (shares(graph)[node] < 0.5)


def test_questions_without_answers_are_left_out_by_what_they_say_alone(view: View) -> None:
    """Doc2Query-- as it is: the similarity is that of the question to its passage, not of the pair."""
    graph = view.questions
    _, fewer = Doc2Query(alpha=0.5, answers=False)._texts(view)
    passages = view.text.vectors.of(graph.numbers).astype(np.float64)
    asked = graph.vectors_of("question").astype(np.float64)
    rows = np.searchsorted(graph.numbers, graph.owners)
    cosines = (asked * passages[rows]).sum(axis=1)
    for row, passage in enumerate(view.passages(graph.numbers.tolist())):
        own = np.flatnonzero(rows == row)
        best = own[np.argsort(-cosines[own], kind="stable")][: -(-len(own) // 2)].tolist()
        lines = [graph.question(node).question for node in graph.nodes[sorted(best)].tolist()]
        assert fewer[row] == "\n".join([words_of(passage), *lines])
    assert graph.shares_by(graph.kind, view.text.vectors.of(graph.numbers)).tolist() == graph.shares.tolist()
    assert graph.shares_by("question", view.text.vectors.of(graph.numbers)).tolist() != graph.shares.tolist()


def test_each_ranking_of_doc2query_finds_the_passage(view: View) -> None:
    for ranking in ("hybrid", "dense", "bm25"):
        evidence = Doc2Query(ranking=ranking).retrieve(BUILDER, view, Budget(passages=2))
        assert titles(evidence)[0] == "quillmouth"
        assert ranking in evidence.trail[0]


def test_expanded_passages_are_made_once(view: View) -> None:
    Doc2Query().retrieve(BUILDER, view, Budget())
    kept = {name: view.kept[name] for name in view.kept if name.startswith("doc2query")}
    Doc2Query().retrieve(HARBOUR_BRIDGE, view, Budget())
    assert len(kept) >= 2
    assert all(view.kept[name] is one for name, one in kept.items())

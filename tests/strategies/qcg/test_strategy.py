"""QCG-RAG on a small harbour: matches, neighbours, elections, thresholds, and what a hop shows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.questions.segment import KINDS, NodeKind
from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.models.timed import Timed
from polyhop.store.record import Record
from polyhop.strategies.baselines.d2q import Doc2Query
from polyhop.strategies.baselines.dense import Dense
from polyhop.strategies.qcg import matched_questions
from polyhop.strategies.qcg.matched_questions import Match, elected, matches, matches_with_words, walked
from polyhop.strategies.qcg.strategy import QCG
from polyhop.strategies.strategy import layers_read
from polyhop.types import Budget, Passage
from tests.worlds.documents import HARBOUR, HARBOUR_BRIDGE, write
from tests.worlds.opened import opened
from tests.worlds.questioned_harbour import BUILDER, UNANSWERED, shares, titles

VECTORS = QCG(words=False)  # without words, and filled up
ONLY = replace(VECTORS, fill=False)


def similarities(question: str, view: View) -> dict[int, float]:
    """Of every node to a question, computed here."""
    graph, vector = view.questions, view.vector(question).astype(np.float64)
    return {node: float(graph.vector(node).astype(np.float64) @ vector) + 1 for node in graph.nodes.tolist()}


def test_the_passage_whose_questions_match_comes_first(view: View) -> None:
    evidence = VECTORS.retrieve(BUILDER, view, Budget(passages=3))
    assert titles(evidence)[0] == "quillmouth"
    assert evidence.strategy == "qcg"
    scores = [passage.score for passage in evidence.passages]
    assert scores == sorted(scores, reverse=True)
    assert 0 <= scores[-1] <= scores[0] <= 2


def test_matches_are_the_most_similar_nodes_of_those_kept(view: View) -> None:
    """Equation of step 1: cosine plus 1, at least gamma, at most n, of each passage the best share alpha."""
    graph, expected = view.questions, similarities(BUILDER, view)
    for n, gamma, alpha in ((3, 0.0, 1.0), (100, 1.5, 1.0), (5, 1.4, 0.5)):
        found = matches(view.vector(BUILDER), graph, n=n, least=gamma, alpha=alpha)
        kept = [node for node, share in shares(graph).items() if expected[node] >= gamma and share < alpha]
        best = sorted(kept, key=lambda node: -expected[node])[:n]
        assert [match.similarity for match in found] == pytest.approx([expected[node] for node in best], abs=1e-5)
        assert all(match.hops == 0 and match.beside is None for match in found)


def test_neighbours_are_walked_to_hop_by_hop_with_their_own_similarity(view: View) -> None:
    """Equation of step 2: the union of the k nearest of what the hop before reached."""
    graph, expected = view.questions, similarities(BUILDER, view)
    matched = matches(view.vector(BUILDER), graph, n=2, least=0.0, alpha=1.0)
    frontier = {match.node for match in matched}
    seen = set(frontier)
    for hops in (1, 2, 3):
        frontier = {node for near in graph.around(sorted(frontier), 2) for node, _ in near} - seen
        seen |= frontier
        found = walked(view.vector(BUILDER), graph, matched, k=2, hops=hops, alpha=1.0)
        assert {match.node for match in found} | {match.node for match in matched} == seen
        assert {match.node for match in found if match.hops == hops} == frontier
    assert walked(view.vector(BUILDER), graph, matched, k=2, hops=0, alpha=1.0) == []
    for match in found:
        assert match.similarity == pytest.approx(expected[match.node], abs=1e-5)
        assert match.beside is not None
        assert dict(graph.around([match.beside], 2)[0])[match.node] == pytest.approx(match.near)


def test_a_walk_ends_when_the_time_is_over(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    """What matches is there all the same, and the trail says what is not."""
    monkeypatch.setattr(matched_questions, "WALKED", 1)
    graph = view.questions
    matched = matches(view.vector(BUILDER), graph, n=2, least=0.0, alpha=1.0)
    answers = itertools.chain([True], itertools.repeat(False))
    some = walked(view.vector(BUILDER), graph, matched, k=3, hops=3, alpha=1.0, goes_on=lambda: next(answers))
    every = walked(view.vector(BUILDER), graph, matched, k=3, hops=3, alpha=1.0)
    assert every[: len(some)] == some != every
    evidence = VECTORS.retrieve(BUILDER, view, Budget(passages=3, seconds=0.0))
    assert titles(evidence)[0] == "quillmouth"
    assert any("the time allowed was over" in line for line in evidence.trail)


def test_a_passage_scores_the_mean_of_its_nodes(view: View) -> None:
    """Equation of step 3, for nodes in any order."""
    graph = view.questions
    some = [Match(node=node, similarity=1.0, worth=1 + node % 7 / 10) for node in graph.nodes.tolist()]
    some = some[1::2] + some[::-2]  # in no order
    ranking = elected(graph, some)
    assert {one.number for one in ranking} == {graph.place(node)[0] for node in graph.nodes.tolist()}
    for one in ranking:
        own = [match.worth for match in some if graph.place(match.node)[0] == one.number]
        assert one.score == pytest.approx(sum(own) / len(own))
        assert [match.worth for match in one.by] == sorted(own, reverse=True)
    assert [one.score for one in ranking] == sorted((one.score for one in ranking), reverse=True)


def test_with_words_a_passage_scores_its_best_node(view: View) -> None:
    """Ranks of a node that is far down say little, and would only pull the mean down."""
    graph = view.questions
    some = [Match(node=node, similarity=1.0, worth=1 + node % 7 / 10) for node in graph.nodes.tolist()]
    for one in elected(graph, some, by_best=True):
        assert one.score == max(match.worth for match in some if graph.place(match.node)[0] == one.number)


def test_with_words_no_pair_is_left_out_for_being_unlike_its_passage(view: View) -> None:
    """Alpha says which nodes are walked to; the vectors' own matches keep to it, too."""
    graph, vector = view.questions, view.vector(BUILDER)
    matched, _ = matches_with_words(BUILDER, vector, graph, graph.words, n=len(graph), least=0.0)
    assert max(shares(graph)[match.node] for match in matched) >= 0.8
    alone = matches(vector, graph, n=len(graph), least=0.0, alpha=0.8)
    assert max(shares(graph)[match.node] for match in alone) < 0.8


def test_the_hop_shows_the_questions_with_where_their_answers_stand(view: View) -> None:
    evidence = replace(VECTORS, n=3).retrieve(BUILDER, view, Budget())
    (hop,) = evidence.hops
    assert hop.status == "resolved"
    assert {one.hops for one in hop.questions} <= {0, 1}
    assert sum(one.hops == 0 for one in hop.questions) == 3
    shown = [one.similarity for one in hop.questions]
    assert shown == sorted(shown, reverse=True)
    for one in hop.questions:
        document = view.record.document(one.span.document_id)
        assert document.text[one.span.start : one.span.end].strip()
        assert 0 <= one.similarity <= 2
    passages = {passage.document_id: passage for passage in hop.passages}
    assert hop.sentences
    for span in hop.sentences:
        passage = passages[span.document_id]
        assert passage.start <= span.start < span.end <= passage.end


def test_the_trace_shows_matches_neighbours_and_elections_with_their_numbers(view: View) -> None:
    evidence = replace(VECTORS, n=2).retrieve(BUILDER, view, Budget(passages=2))
    lines = evidence.trail
    at = [next(i for i, line in enumerate(lines) if part in line) for part in ("match from 1.50", "next to", "elected")]
    assert at == sorted(at)
    best = evidence.hops[0].questions[0]
    assert best.question in lines[at[0] + 1]
    assert f"{best.similarity:.2f}" in lines[at[0] + 1]
    assert all("hop 1" in line for line in lines[at[1] + 1 : at[2]])
    assert f"{evidence.passages[0].score:.3f}" in lines[at[2] + 1]
    assert "of nodes worth" in lines[at[2] + 1]


def test_where_nothing_matches_there_is_no_evidence(view: View) -> None:
    """Then a reader says that nothing was found."""
    evidence = replace(VECTORS, gamma=2.0).retrieve("What is the price of fish on the moon?", view, Budget())
    assert evidence.passages == ()
    assert evidence.hops[0].status == "unresolved"
    assert "nothing matches" in evidence.trail[-1]


def test_the_nearest_passages_fill_what_is_left(view: View) -> None:
    few = replace(ONLY, n=1, hops=0).retrieve(BUILDER, view, Budget(passages=4))
    filled = replace(ONLY, n=1, hops=0, fill=True).retrieve(BUILDER, view, Budget(passages=4))
    assert titles(few) == titles(filled)[:1]
    near = titles(Dense().retrieve(BUILDER, view, Budget(passages=4)))
    assert titles(filled)[1:] == [title for title in near if title not in titles(few)]
    scores = [passage.score for passage in filled.passages]
    assert scores == sorted(scores, reverse=True)


def test_the_papers_way_hands_on_what_its_nodes_elect_and_no_more(view: View) -> None:
    """No filling, no look at what documents speak of, no days: whatever is asked."""
    papers = QCG(**QCG.ablations["vectors alone (the paper's)"], n=1, hops=0)  # type: ignore[arg-type]
    for asked in (BUILDER, UNANSWERED, "What did Ada say on 4 February 2031?"):
        evidence = replace(papers, gamma=0.0).retrieve(asked, view, Budget(passages=5))
        assert len(evidence.passages) == 1
        assert len(evidence.hops) == 1
        assert not evidence.doubtful
        assert not any("speaks of what is asked" in line for line in evidence.trail)


def test_words_are_fused_with_vectors_and_with_bm25_over_passages(view: View) -> None:
    """A matched node is worth its scores in both rankings; its similarity stays what it was."""
    evidence = QCG(n=3, hops=0).retrieve(BUILDER, view, Budget(passages=4))
    assert titles(evidence)[0] == "quillmouth"
    assert evidence.passages[0].score == pytest.approx(1.0)  # first of both rankings
    assert "ranked by this and by BM25 together" in evidence.trail
    expected = similarities(BUILDER, view)
    graph: QuestionGraph = view.questions
    matched, worths = matches_with_words(BUILDER, view.vector(BUILDER), graph, graph.words, n=5, least=1.4)
    for match in matched:
        assert match.similarity == pytest.approx(expected[match.node], abs=1e-5)
        assert match.similarity >= 1.4
        assert match.worth == worths[match.node] <= 1


def test_with_words_a_walk_stays_among_the_nodes_that_are_worth_something(view: View) -> None:
    """What neither ranking has would elect nothing: it need not be looked for among all nodes."""
    graph: QuestionGraph = view.questions
    matched, worths = matches_with_words(BUILDER, view.vector(BUILDER), graph, graph.words, n=2, least=0.0)
    some = dict(list(worths.items())[:6])
    found = walked(view.vector(BUILDER), graph, matched, k=3, hops=3, alpha=1.0, worths=some)
    assert {match.node for match in found} <= set(some)
    for match in found:
        assert match.worth == worths[match.node]
        assert match.beside is not None
        near = graph.around([match.beside], 3, among=np.array(sorted(some)))[0]
        assert dict(near)[match.node] == match.near
    assert walked(view.vector(BUILDER), graph, matched, k=3, hops=1, alpha=1.0, worths={}) == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_node_finds_the_passage(kind: NodeKind, view: View) -> None:
    evidence = replace(VECTORS, nodes=kind).retrieve(
        "Ada Brisk built the lighthouse of Quillmouth", view, Budget(passages=2)
    )
    assert "quillmouth" in titles(evidence)
    texts = [one.question for one in evidence.hops[0].questions]
    assert all(texts) if kind != "sentence" else not any(texts)


def test_deleted_passages_are_neither_elected_nor_walked_through(tmp_path: Path, models: Models) -> None:
    with Polyhop(tmp_path / "polyhop.index") as engine:
        engine.index(write(tmp_path / "documents", HARBOUR), layers=("text", "parsekg", "questions"))
    with Record.create_or_open(tmp_path / "polyhop.index") as record:
        record.drop(record.at((tmp_path / "documents" / "ada_brisk.txt").as_posix()))  # and nothing is gathered yet
    with opened(tmp_path / "polyhop.index", models, QCG.needs) as view:
        for strategy in (
            replace(ONLY, hops=2, gamma=0.0, n=50),
            Doc2Query(),
            replace(VECTORS, nodes="sentence", gamma=0.0),
        ):
            evidence = strategy.retrieve(HARBOUR_BRIDGE, view, Budget(passages=10))
            assert "ada brisk" not in titles(evidence)
            assert evidence.passages


def test_the_same_question_gives_the_same_evidence_whatever_k_is(place: Path, view: View, models: Models) -> None:
    for strategy in (QCG(), VECTORS, Doc2Query()):
        more = strategy.retrieve(HARBOUR_BRIDGE, view, Budget(passages=4))
        assert strategy.retrieve(HARBOUR_BRIDGE, view, Budget(passages=1)).passages == more.passages[:1]
        with opened(place, models, QCG.needs) as another:
            assert strategy.retrieve(HARBOUR_BRIDGE, another, Budget(passages=4)) == more


def test_each_declared_layer_is_needed(view: View) -> None:
    for strategy in (QCG(), VECTORS, Doc2Query()):
        for needed in strategy.needs:
            with pytest.raises(LayerMissing, match=needed):
                strategy.retrieve(BUILDER, view.restricted(set(strategy.needs) - {needed}), Budget())


def test_sentences_as_nodes_need_no_generated_questions(view: View) -> None:
    strategy = QCG(nodes="sentence")
    alone = view.restricted(layers_read(strategy))
    assert list(alone.layers) == ["text"]
    assert strategy.retrieve(BUILDER, alone, Budget(passages=3)) == strategy.retrieve(BUILDER, view, Budget(passages=3))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("alpha", 0.0),
        ("alpha", 1.1),
        ("n", 0),
        ("k", 0),
        ("hops", -1),
        ("gamma", 2.1),
    ],
)
def test_settings_that_make_no_sense_are_refused(setting: str, value: float) -> None:
    with pytest.raises(ValueError, match=setting):
        QCG(**{setting: value})  # type: ignore[arg-type]


def test_every_ablation_can_be_built() -> None:
    """Figures 3 to 6; what an ablation shares with the defaults is left out where variants are made."""
    assert len({str(QCG(**changes)) for changes in QCG.ablations.values()}) > 15  # type: ignore[arg-type]
    assert {one for changes in QCG.ablations.values() for one in changes} <= set(QCG.__dataclass_fields__)
    assert all(Doc2Query(**changes) != Doc2Query() for changes in Doc2Query.ablations.values())  # type: ignore[arg-type]


def test_what_documents_do_not_speak_of_is_doubtful(view: View) -> None:
    """Passages are handed on all the same, as what came closest."""
    asked, unasked = (QCG(gamma=0).retrieve(text, view, Budget()) for text in (BUILDER, UNANSWERED))
    assert (asked.doubtful, asked.hops[0].status) == (False, "resolved")
    assert (unasked.doubtful, unasked.hops[0].status) == (True, "unresolved")
    assert unasked.passages
    assert asked.trail[-1].startswith("speaks of what is asked: at least ")
    assert unasked.trail[-1].startswith("speaks of what is asked: -")
    assert not QCG(gamma=0, answerable=None).retrieve(UNANSWERED, view, Budget()).doubtful


def test_what_there_was_no_time_to_read_is_not_doubted(view: View) -> None:
    timed = replace(view, models=view.models.with_reranker(Timed(view.models.reranker, 0.0)))
    evidence = QCG(gamma=0).retrieve(BUILDER, timed, Budget(seconds=0.0))
    assert (evidence.doubtful, evidence.hops[0].status) == (False, "resolved")
    assert evidence.trail[-1].endswith(", as far as there was time to read")


def test_two_events_are_each_looked_for_by_themselves(view: View) -> None:
    """Their passages are handed on by turns, and each is a hop with its own questions."""
    asked = "Did Piet Rook found the Tarn School before Ada Brisk built the lighthouse of Quillmouth?"
    for strategy in (QCG(gamma=0), replace(VECTORS, gamma=0.0)):
        evidence = strategy.retrieve(asked, view, Budget(passages=4))
        events = [hop.question for hop in evidence.hops]
        assert events == ["Piet Rook found the Tarn School", "Ada Brisk built the lighthouse of Quillmouth"]
        assert titles(evidence)[:2] == ["tarn school", "quillmouth"]
        assert [f"event: {event}" in evidence.trail for event in events] == [True, True]
        alone = [strategy.retrieve(event, view, Budget(passages=4)) for event in events]
        assert [hop.questions for hop in evidence.hops] == [one.hops[0].questions for one in alone]
        scores = [passage.score for passage in evidence.passages]
        assert scores == sorted(scores, reverse=True)
        (hop,) = replace(strategy, events=False).retrieve(asked, view, Budget()).hops
        assert hop.question == asked


def test_where_one_event_matches_nothing_the_other_is_handed_on(view: View) -> None:
    asked = "Did Wagner finish an opera before Ada Brisk built the lighthouse of Quillmouth?"
    evidence = VECTORS.retrieve(asked, view, Budget(passages=3))
    assert [hop.status for hop in evidence.hops] == ["unresolved", "resolved"]
    assert titles(evidence)[0] == "quillmouth"
    assert not evidence.doubtful
    assert "nothing matches" in evidence.trail


def test_what_is_shown_is_looked_up_at_once(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    """The passages of all nodes, and those that are handed on."""
    asked: list[Sequence[int]] = []
    passages = Record.passages

    def noted(self: Record, numbers: Sequence[int]) -> list[Passage]:
        asked.append(numbers)
        return passages(self, numbers)

    monkeypatch.setattr(Record, "passages", noted)
    QCG(gamma=0).retrieve(BUILDER, view, Budget())
    assert len(asked) == 2


def test_a_search_is_not_doubted_unless_it_is_asked_to_be(place: Path) -> None:
    """It finds the same passages, and the cross-encoder is asked nothing."""
    with Polyhop(place) as engine:
        found = engine.search(UNANSWERED, strategy="qcg(gamma=0)")
        doubted = engine.search(UNANSWERED, strategy="qcg(gamma=0,answerable=12)")
        assert found.passages == doubted.passages == engine.ask(UNANSWERED, strategy="qcg(gamma=0)").evidence.passages
        assert (found.doubtful, found.hops[0].status) == (False, "resolved")
        assert (doubted.doubtful, doubted.hops[0].status) == (True, "unresolved")


def test_the_reader_abstains_where_evidence_is_doubtful(place: Path) -> None:
    with Polyhop(place) as engine:
        assert engine.ask(BUILDER, strategy="qcg").text == "Ada Brisk"
        assert engine.ask(UNANSWERED, strategy="qcg(gamma=0)").text is None

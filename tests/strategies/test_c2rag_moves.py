"""The moves of C2RAG one by one: grounding, binding, recovery, and what becomes of plans before they are resolved."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.errors import UsageError
from polyhop.indexes.ranking import Ranked
from polyhop.indexes.vectors import Vectors
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.looked_up import LookedUp
from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.planning.mending import mended
from polyhop.planning.planner import Planning
from polyhop.plans import Constant, Constraint, End, Placeholder, Plan, plan_of_constraints
from polyhop.ports import Floats
from polyhop.reading.reader import text_of
from polyhop.strategies.c2rag.aligned_context import aligned_context
from polyhop.strategies.c2rag.bind import GroundedConstraint, bound_by, consistent
from polyhop.strategies.c2rag.block import ConstraintBlock
from polyhop.strategies.c2rag.ground import Grounding
from polyhop.strategies.c2rag.own_paragraphs import OwnParagraphs
from polyhop.strategies.c2rag.pattern import Anchor, Bound, Pattern
from polyhop.strategies.c2rag.recover import Recovery, own_passage, read_values
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.strategies.c2rag.sufficiency import FactCandidate, Verdict, judged
from polyhop.strategies.shared import phrases as phrases_module
from polyhop.strategies.shared.phrases import PhraseVectors
from polyhop.types import Budget, Hop, Span, Triple
from tests.worlds.ferries import CORPUS, facts_of, graph_of, viewed

GROUNDING = Grounding(anchors=3, relations=8, kept=3)
RECOVERY = Recovery(retrieved=3, kept=2, titled=2, named_bonus=2.0)


@pytest.fixture(scope="module")
def ferries(index_of: Callable[..., Polyhop]) -> Polyhop:
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


def end(text: str) -> End:
    return Placeholder.named(text) if text.startswith("?") else Constant(text)


def constraint(head: str, relation: str, tail: str, *more: str, question: str = "") -> Constraint:
    """A constraint with further phrasings of its relation."""
    return Constraint(end(head), relation, (relation, *more), end(tail), question)


def numbered(view: View, title: str) -> int:
    """The number of the passage with a title."""
    return view.record.numbers_by_id([title])[title]


def values(found: Sequence[FactCandidate], graph: FactGraph) -> list[str]:
    return [graph.entity(candidate.value).name for candidate in found]


# --- grounding (Eq. 3 to 6) -------------------------------------------------------------------------------------------


def test_a_pattern_has_at_most_so_many_anchors_and_one_open_end(over: View) -> None:
    """Both constants of a constraint have anchors; nothing is open then."""
    pattern = GROUNDING.pattern(constraint("?ferry", "sails to", "Mirl"), {}, over)
    assert [over.facts.entity(entity).name for entity in pattern.anchors] == ["Mirl"]
    assert (pattern.open, pattern.open_is_head) == (Placeholder("?ferry", "ferry"), True)
    many = constraint("Ada Brook Wilma Fenn", "knew", "?x")
    assert len(GROUNDING.pattern(many, {}, over).anchors) == 2
    assert len(replace(GROUNDING, anchors=1).pattern(many, {}, over).anchors) == 1
    both = GROUNDING.pattern(constraint("Gull", "was built by", "Ada Brook"), {}, over)
    assert (len(both.anchors), both.open) == (2, None)


def test_a_bound_placeholder_is_an_anchor(over: View) -> None:
    """By the entities that the graph has bound, or by the words of what was read in a text."""
    who = constraint("?person", "mother", "?mother", question="Who is the mother of ?person?")
    ada = over.facts.find("Ada Brook")
    assert ada is not None
    for bound in (Bound(values=("Ada Brook",), entities=(ada,)), Bound(values=("Ada Brook",))):
        pattern = GROUNDING.pattern(who, {"?person": bound}, over)
        assert list(pattern.anchors) == [ada]
        assert (pattern.line, pattern.asked) == ("Ada Brook mother ?mother", "Who is the mother of Ada Brook?")
        assert pattern.named == [ada]
    assert GROUNDING.pattern(who, {}, over).open is None, "two ends are open: neither is the one to be bound"


def test_a_question_may_speak_of_more_than_its_ends(over: View) -> None:
    """Such as a harbour, which is no end of the constraint: what was found for it is written in all the same."""
    asks = constraint("?ferry", "was first seen", "?year", question="In which year was ?ferry first seen in ?harbour?")
    known = {"?ferry": Bound(values=("Gull",)), "?harbour": Bound(values=("Oster",))}
    assert GROUNDING.pattern(asks, known, over).asked == "In which year was Gull first seen in Oster?"


def test_what_is_put_as_if_it_were_known_is_asked_for(over: View) -> None:
    """Of "Did ?person become mayor?" a text would be asked for yes or no, and not for a person."""
    asks = constraint("?person", "became", "Mayor of Velm", question="Did ?person become Mayor of Velm?")
    assert GROUNDING.pattern(asks, {}, over).asked == "Who became Mayor of Velm?"
    known = GROUNDING.pattern(asks, {"?person": Bound(values=("Jory Pell",))}, over)
    assert known.asked == "Did Jory Pell become Mayor of Velm?"


def test_a_question_that_asks_for_the_open_end_keeps_its_words_where_values_are_narrowed_down(over: View) -> None:
    """Whoever planned it words it better than a rule does from the relation."""
    several = {"?person": Bound(values=("Ada Brook", "Wilma Fenn"), entities=(1, 2))}
    asks = constraint("?person", "from", "Velm", question="Which person comes from Velm?")
    assert GROUNDING.pattern(asks, several, over).asked == "Which person comes from Velm?"
    known = constraint("?person", "from", "Velm", question="Where does ?person come from?")
    assert GROUNDING.pattern(known, several, over).asked == "Who is from Velm?"


def test_facts_are_found_from_both_of_their_ends(over: View) -> None:
    """Whoever built the Gull is the tail of a fact; what she built are heads (Eq. 4)."""
    built = GROUNDING.pattern(constraint("Gull", "was built by", "?person"), {}, over)
    assert values(GROUNDING.candidates("?", built, over), over.facts)[0] == "Ada Brook"
    ferries = GROUNDING.pattern(constraint("?ferry", "was built by", "Ada Brook"), {}, over)
    assert set(values(GROUNDING.candidates("?", ferries, over), over.facts)[:2]) == {"Gull", "Tern"}
    turned = GROUNDING.pattern(constraint("Ada Brook", "built", "?ferry"), {}, over)
    assert set(values(GROUNDING.candidates("?", turned, over), over.facts)[:2]) == {"Gull", "Tern"}


def test_candidates_are_cut_by_their_relation_and_then_by_the_cross_encoder(over: View) -> None:
    pattern = GROUNDING.pattern(constraint("Ada Brook", "was born in", "?x"), {}, over)
    everything = replace(GROUNDING, kept=8).candidates("?", pattern, over)
    assert len(everything) == 4
    assert [one.score for one in everything] == sorted((one.score for one in everything), reverse=True)
    assert GROUNDING.candidates("?", pattern, over) == everything[:3]
    nearest = replace(GROUNDING, relations=1).candidates("?", pattern, over)
    assert [one.relevance for one in nearest] == [max(one.relevance for one in everything)]


@dataclass
class Noting:
    """A cross-encoder that notes what it is to judge, and holds all of it to be alike."""

    name: str = "noting"
    asked: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """None is better than another."""
        self.asked.append(question)
        self.texts += texts
        return np.zeros(len(texts), np.float32)


def test_in_context_facts_and_passages_are_judged_as_in_the_papers_equations(over: View) -> None:
    """A bare triple, and a whole passage, each for the question and the constraint behind it (Eq. 6 and 12)."""
    asked, line = "Who is the mother of the Gull's builder?", "Gull was built by ?builder"
    for in_context in (True, False):
        judge = Noting()
        seen = replace(over, models=over.models.with_reranker(judge))
        pattern = GROUNDING.pattern(constraint("Gull", "was built by", "?builder"), {}, seen)
        replace(GROUNDING, in_context=in_context).candidates(asked, pattern, seen)
        assert ("Gull was built by Ada Brook" in judge.texts) == in_context
        replace(RECOVERY, in_context=in_context).passages(asked, pattern, seen)
        assert judge.asked == [f"{asked} {line}" if in_context else pattern.asked] * 2


def test_a_relation_is_as_near_as_the_nearest_of_its_phrasings(over: View) -> None:
    """Eq. 5; without phrasings candidates are told by their entities alone."""
    far = GROUNDING.pattern(constraint("Gull", "shipwright", "?person"), {}, over)
    near = GROUNDING.pattern(constraint("Gull", "shipwright", "?person", "was built by"), {}, over)
    assert GROUNDING.candidates("?", near, over)[0].relevance == pytest.approx(1.0, abs=1e-5)
    assert GROUNDING.candidates("?", far, over)[0].relevance < 0.95
    blind = replace(GROUNDING, without=("relation_variants",))
    assert {one.relevance for one in blind.candidates("?", near, over)} == {0.0}


class Judged:
    """The cross-encoder, and what it was given to judge."""

    def __init__(self, models: Models) -> None:
        self.reranker = models.reranker
        self.texts: list[str] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self.reranker, name)

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        """What the cross-encoder says of them."""
        self.texts = list(texts)
        return self.reranker.score(query, texts)


def test_without_relations_candidates_are_chosen_and_judged_by_their_names(over: View) -> None:
    """Neither their sentence nor the wording of the relation tells it, and the nearest are kept, not the first."""
    judge = Judged(over.models)
    watched = replace(over, models=over.models.with_reranker(judge))  # type: ignore[arg-type]
    blind = replace(GROUNDING, without=("relation_variants",))
    pattern = blind.pattern(constraint("Gull", "was built by", "?x"), {}, over)
    found = blind.candidates("?", pattern, watched)
    assert set(judge.texts) == {"Gull Ada Brook", "Gull 1801", "Gull Oster"}
    assert not any(one.worded or one.relevance for one in found)
    said = blind.pattern(constraint("Gull", "sails to", "Oster"), {}, over)
    [nearest] = replace(blind, relations=1).candidates("?", said, over)
    assert over.facts.fact(nearest.fact).tail == "Oster"


def test_without_reranking_the_relation_decides(over: View) -> None:
    pattern = GROUNDING.pattern(constraint("Gull", "sails to", "?x"), {}, over)
    found = replace(GROUNDING, reranked=False).candidates("?", pattern, over)
    assert all(one.score == one.relevance for one in found)
    assert values(found, over.facts)[0] == "Oster"


def test_a_value_is_of_the_kind_asked_for_and_not_named_in_the_question(over: View) -> None:
    when = constraint("Gull", "was built", "?date")
    typed = GROUNDING.candidates("?", GROUNDING.pattern(when, {}, over), over)
    assert values(typed, over.facts) == ["1801"]
    anything = constraint("Gull", "was built", "?x")
    assert len(GROUNDING.candidates("?", GROUNDING.pattern(anything, {}, over), over)) == 3
    who = constraint("Gull", "was built by", "?x")
    ada = over.facts.find("Ada Brook")
    assert ada is not None
    found = GROUNDING.candidates("?", GROUNDING.pattern(who, {}, over, frozenset({ada})), over)
    assert "Ada Brook" not in values(found, over.facts)


def test_unfiltered_any_fact_about_an_anchor_is_a_candidate(over: View) -> None:
    """Whatever the kind of its value, and whether the question names it: as in the paper."""
    ada = over.facts.find("Ada Brook")
    assert ada is not None
    when = GROUNDING.pattern(constraint("Gull", "was built in", "?date"), {}, over, frozenset({ada}))
    assert values(GROUNDING.candidates("?", when, over), over.facts) == ["1801"]
    found = values(replace(GROUNDING, filtered=False).candidates("?", when, over), over.facts)
    assert sorted(found) == ["1801", "Ada Brook", "Oster"]


def test_what_the_question_names_twice_is_verified_by_the_fact_that_joins_it(over: View) -> None:
    """A constraint between two constants binds nothing, so nothing that it names is left out."""
    gull, ada = over.facts.find("Gull"), over.facts.find("Ada Brook")
    assert gull is not None
    assert ada is not None
    one = constraint("Gull", "was built by", "Ada Brook", question="Was the Gull built by Ada Brook?")
    best = GROUNDING.candidates("?", GROUNDING.pattern(one, {}, over, frozenset({gull, ada})), over)[0]
    fact = over.facts.fact(best.fact)
    assert (fact.head, fact.relation, fact.tail) == ("Gull", "was built by", "Ada Brook")


def test_similar_facts_need_no_anchor(over: View) -> None:
    """What an unchecked retriever would take: the nearest facts, whatever they touch."""
    pattern = GROUNDING.pattern(constraint("Nobody Known", "was born in", "?place"), {}, over)
    assert GROUNDING.candidates("?", pattern, over) == []
    similar = GROUNDING.similar(pattern, over)
    assert len(similar) == 3
    assert [one.score for one in similar] == sorted((one.score for one in similar), reverse=True)
    near = GROUNDING.pattern(constraint("Tern", "sails to", "?port"), {}, over)
    fact = over.facts.fact(GROUNDING.similar(near, over)[0].fact)
    assert (fact.head, fact.tail) == ("Tern", "Mirl")
    free = replace(GROUNDING, without=("constraint",))
    assert len(free.candidates("?", pattern, over)) == 3


def test_a_constraint_about_nothing_known_has_no_candidates(over: View) -> None:
    for strange in ("雨の町", "?!", "zzyxq"):
        pattern = GROUNDING.pattern(constraint(strange, "is in", "?place"), {}, over)
        assert (dict(pattern.anchors), GROUNDING.candidates("?", pattern, over)) == ({}, [])


# --- binding (Eq. 13 and 14) ------------------------------------------------------------------------------------------


def grounded(
    position: int, found: Sequence[int], *, name: str = "?x", resolved: bool = True, n: float = 1.0
) -> GroundedConstraint:
    """A constraint whose placeholder may stand for some entities."""
    one = constraint("Gull", "knows", name) if name else constraint("Gull", "knows", "Tern")
    pattern = Pattern(
        constraint=one,
        line="",
        asked="",
        anchors={0: Anchor(1.0, 1.0)},
        open=one.placeholders[0] if name else None,
        open_is_head=False,
    )
    candidates = tuple(
        FactCandidate(fact=place, value=value, score=0.0, relevance=0.0) for place, value in enumerate(found)
    )
    verdict = Verdict(resolved, tuple(1.0 for _ in found), n)
    return GroundedConstraint(position=position, pattern=pattern, candidates=candidates, verdict=verdict)


def test_a_placeholder_stands_for_what_all_its_constraints_allow(graph: FactGraph) -> None:
    both = [grounded(0, [1, 2, 3]), grounded(1, [3, 2])]
    assert bound_by(both, graph, intersection=True)["?x"].entities == (2, 3)
    assert bound_by(both, graph, intersection=False)["?x"].entities == (1, 2, 3)


def test_where_constraints_share_nothing_any_value_will_do(graph: FactGraph) -> None:
    """In the order of the surest constraint, which has the lowest effective number of candidates."""
    apart = [grounded(0, [1, 2], n=1.4), grounded(1, [3], n=1.1)]
    bound = bound_by(apart, graph, intersection=True)["?x"]
    assert bound.entities == (3, 1, 2)
    assert bound.values == tuple(graph.entity(entity).name for entity in (3, 1, 2))
    assert bound.entities


def test_only_resolved_constraints_with_an_open_end_bind(graph: FactGraph) -> None:
    nothing = [grounded(0, [1], resolved=False), grounded(1, [2], name="")]
    assert bound_by(nothing, graph, intersection=True) == {}
    one_of_two = [grounded(0, [1], resolved=False), grounded(1, [2]), grounded(2, [3], name="?y")]
    found = bound_by(one_of_two, graph, intersection=True)
    assert {name: bound.entities for name, bound in found.items()} == {"?x": (2,), "?y": (3,)}


def test_what_the_check_certifies_is_what_is_bound(graph: FactGraph) -> None:
    """Not what the cross-encoder likes best: the calibrated check knows more than its score."""
    liked = FactCandidate(fact=0, value=1, score=6.0, relevance=0.3, likeness=0.5)
    sound = FactCandidate(fact=1, value=2, score=5.5, relevance=1.0, worded=True, fitting=True)
    verdict = judged([liked, sound], "calibrated", gamma=None, threshold=0.5, reranked=True)
    assert verdict.resolved
    one = GroundedConstraint.of(0, grounded(0, [1]).pattern, [liked, sound], verdict)
    assert one.values == [2, 1]
    assert one.verdict.shares == tuple(sorted(verdict.shares, reverse=True))
    assert bound_by([one], graph, intersection=True)["?x"].entities == (2, 1)


def test_facts_of_a_model_suffice_where_the_constraint_is_worded_like_them(ferries: Polyhop, over: View) -> None:
    """They have no confidence, and not even labels where an older version has extracted them."""
    numbers = over.record.numbers().tolist()
    bare = [
        (number, one, [replace(fact, head_label="", tail_label="", confidence=1.0) for fact in facts_of(one)])
        for number, one in zip(numbers, over.passages(numbers), strict=True)
    ]
    graph = FactGraph.of(bare, over.models.embedder.embed_passages)
    assert not graph.rated
    resolved = 0
    with viewed(ferries, graph) as view:
        for _, _, facts in bare:
            for fact in facts:
                pattern = GROUNDING.pattern(constraint(fact.head, fact.relation, "?x"), {}, view)
                found = GROUNDING.candidates("?", pattern, view)
                verdict = judged(found, "calibrated", gamma=None, threshold=0.5, reranked=True, rated=graph.rated)
                one = GroundedConstraint.of(0, pattern, found, verdict)
                assert graph.entity(one.values[0]).name == fact.tail
                resolved += verdict.resolved
    assert resolved == sum(len(facts) for _, _, facts in bare)


def test_a_fact_that_denies_what_is_asked_for_binds_nothing(ferries: Polyhop, over: View) -> None:
    """Whoever was not born in Velm is not who was; but it is just what tells that she was not."""
    numbers = over.record.numbers().tolist()
    said = {"sails to": "did not sail to", "lies on": "did not open until", "was born in": "was not born in"}
    graph = FactGraph.of(
        [
            (number, one, [replace(fact, relation=said.get(fact.relation, fact.relation)) for fact in facts_of(one)])
            for number, one in zip(numbers, over.passages(numbers), strict=True)
        ],
        over.models.embedder.embed_passages,
    )
    with viewed(ferries, graph) as view:

        def told(*triple: str) -> list[str]:
            pattern = GROUNDING.pattern(constraint(*triple), {}, view)
            return [graph.relations[graph.relation_ids[one.fact]] for one in GROUNDING.candidates("?", pattern, view)]

        assert "was not born in" not in told("?person", "was born in", "Velm")
        assert told("?person", "was not born in", "Velm") == ["was not born in"]
        assert "was not born in" in told("Ada Brook", "was born in", "Velm")
        assert told("Hallow", "opened in", "?river") == ["did not open until"]


@pytest.mark.parametrize("rated", [True, False])
def test_a_namesakes_fact_does_not_bind_what_the_graph_knows(ferries: Polyhop, over: View, rated: bool) -> None:
    """Nobody says who painted the one ferry boat; who painted the other is a fact about half of its name."""
    numbers = over.record.numbers().tolist()
    graph = FactGraph.of(
        [
            (number, one, [replace(fact, head=f"{fact.head} ferry boat", confidence=fact.confidence if rated else 1.0)])
            for number, one in zip(numbers, over.passages(numbers), strict=True)
            for fact in facts_of(one)
            if (fact.head, fact.relation) in {("Gull", "sails to"), ("Tern", "was painted by")}
        ],
        over.models.embedder.embed_passages,
    )
    with viewed(ferries, graph) as view:
        for name, of_another in (("Tern", False), ("Gull", True)):
            asks = constraint(f"{name} ferry boat", "was painted by", "?painter", question=f"Who painted the {name}?")
            pattern = GROUNDING.pattern(asks, {}, view)
            found = GROUNDING.candidates("?", pattern, view)
            verdict = judged(found, "calibrated", gamma=None, threshold=0.5, reranked=True, rated=graph.rated)
            painter = next(one for one in found if graph.entity(one.value).name == "Nell Orme")
            assert painter.another == of_another
            assert verdict.resolved == (not of_another)


def test_what_a_question_speaks_of_is_found_before_it_is_asked(over: View) -> None:
    """The graph could say at once who built the Gull; but the question speaks of somebody whom a text names."""
    keeper = constraint("Sable Light", "keeper", "?keeper", question="Who was the keeper of the Sable Light?")
    builder = constraint("Gull", "was built by", "?builder", question="Who built the Gull, which ?keeper liked?")
    for order in ([keeper, builder], [builder, keeper]):
        plan = plan_of_constraints(order, "nobody")
        blocks = C2RAG().resolver("Who built it?", over).resolve(plan, 0.0, Budget())
        told = {block.pattern.constraint: block for block in blocks}
        assert told[builder].pattern.asked == "Who built the Gull, which Mina Stroud liked?"
        assert told[builder].found == "Ada Brook"
    assert plan_of_constraints([keeper, builder], "nobody").steps[1].refers_to == (0,)


def test_a_model_is_not_told_facts_that_are_clearly_about_something_else(graph: FactGraph) -> None:
    """Nor what they would bind: of a resolved constraint the lesser candidates are there to be weighed."""
    facts = [
        Triple(head="Gull", relation=relation, tail=name, passage_id="p", span=Span("d", 0, 1), score=score)
        for relation, name, score in (("was built by", "Ada Brook", 9.5), ("sails to", "Oster", -11.2))
    ]
    one = grounded(0, [1, 2])
    scored = (replace(candidate, score=fact.score) for candidate, fact in zip(one.candidates, facts, strict=True))
    one = replace(one, candidates=tuple(scored))
    block = ConstraintBlock(pattern=one.pattern, status="resolved", grounded=one, values=("Ada Brook", "Oster"))
    hop = Hop(question="?", status="resolved", passages=(), facts=tuple(facts), placeholder="?x")
    context = aligned_context([block], [hop], [])
    assert "Binding: ?x = Ada Brook\n" in context
    assert "Oster" not in context


def test_candidates_that_contradict_the_binding_are_dropped(graph: FactGraph) -> None:
    left = consistent(grounded(0, [1, 2, 1, 3]), {"?x": Bound(values=("a",), entities=(1, 3))}, graph)
    assert [(one.fact, one.value) for one in left.candidates] == [(0, 1), (2, 1), (3, 3)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=5), min_size=1, max_size=4))
def test_bindings_are_the_intersection_or_else_the_union(graph: FactGraph, pools: list[list[int]]) -> None:
    """Laws of Eq. 13 and 14: and every constraint keeps at least one candidate that agrees."""
    made = [grounded(position, pool) for position, pool in enumerate(pools)]
    common, union = set.intersection(*map(set, pools)), set.union(*map(set, pools))
    bound = bound_by(made, graph, intersection=True)["?x"]
    assert set(bound.entities) == (common or union)
    assert len(bound.entities) == len(set(bound.entities)) == len(bound.values)
    for one in made:
        left = consistent(one, {"?x": bound}, graph)
        assert left.candidates
        assert {candidate.value for candidate in left.candidates} <= set(bound.entities)


# --- recovery (Eq. 11 and 12) -----------------------------------------------------------------------------------------

KEEPER = constraint("Sable Light", "keeper", "?keeper", question="Who was the keeper of Sable Light?")


def test_recovery_keeps_the_best_of_what_is_near(over: View) -> None:
    pattern = GROUNDING.pattern(KEEPER, {}, over)
    found = RECOVERY.passages("?", pattern, over)
    assert len(found) == 2
    assert over.passages([found[0][0]])[0].title == "Sable Light"
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert replace(RECOVERY, kept=1).passages("?", pattern, over) == found[:1]


def test_what_constraints_of_a_round_say_is_searched_for_in_one_pass(
    over: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the question, which is searched for in the end; what is found is the same as without."""
    plan = plan_of_constraints([KEEPER, constraint("Sable Light", "bees", "?bees", question="Whose bees?")], "nobody")
    passes: list[int] = []
    search_each = Vectors.search_each

    def noted(vectors: Vectors, queries: Floats, k: int, candidates: int | None = None) -> list[Ranked]:
        passes.append(len(queries))
        return search_each(vectors, queries, k, candidates)

    monkeypatch.setattr(Vectors, "search_each", noted)
    monkeypatch.setattr(Planning, "plan", lambda *_, **__: plan)
    alone = C2RAG().retrieve("Who kept bees?", over, Budget())
    assert passes == [1, 1, 1]
    passes.clear()
    assert C2RAG().retrieve("Who kept bees?", replace(over, looked_up=LookedUp()), Budget()) == alone
    assert passes == [3]


def test_recovery_without_the_cross_encoder_ranks_by_vectors(over: View) -> None:
    pattern = GROUNDING.pattern(KEEPER, {}, over)
    plain = replace(RECOVERY, reranked=False, titled=0).passages("?", pattern, over)
    near, cosines = over.text.vectors.search(over.models.embedder.embed_passages([pattern.line])[0], 2)
    assert [number for number, _ in plain] == near.tolist()
    assert [score for _, score in plain] == pytest.approx(cosines.tolist(), abs=1e-4)


def test_a_passage_about_an_anchor_is_ranked_by_its_vector_too_where_nothing_is_reranked(over: View) -> None:
    """Otherwise what leaves the cross-encoder out would put it first for its title alone."""
    pattern = GROUNDING.pattern(constraint("Hallow", "is known for", "?glass"), {}, over)
    without = replace(RECOVERY, reranked=False, retrieved=1, kept=3)
    found = without.passages("?", pattern, over)
    assert numbered(over, "Hallow") in dict(found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert max(score for _, score in found) < 1


def test_closed_recovery_reads_a_questions_own_paragraphs_alone(over: View) -> None:
    pattern = GROUNDING.pattern(constraint("Gull", "was built by", "?x"), {}, over)
    own = [numbered(over, "Velm"), numbered(over, "Hallow")]
    assert {number for number, _ in RECOVERY.passages("?", pattern, over, among=own)} == set(own)
    assert RECOVERY.passages("?", pattern, over, among=[]) == []


def test_passages_about_an_anchor_are_read_though_they_are_not_near(over: View) -> None:
    """And are favoured; without it only the nearest are read, as in the paper."""
    pattern = GROUNDING.pattern(constraint("Hallow", "was born in the rain by", "?rower"), {}, over)
    narrow = replace(RECOVERY, retrieved=1, kept=3)
    assert numbered(over, "Hallow") in dict(narrow.passages("?", pattern, over))
    assert len(replace(narrow, titled=0).passages("?", pattern, over)) == 1
    favoured = dict(narrow.passages("?", pattern, over))[numbered(over, "Hallow")]
    plain = dict(replace(narrow, named_bonus=0.0).passages("?", pattern, over))[numbered(over, "Hallow")]
    assert favoured == pytest.approx(plain + 2.0)


def test_a_value_is_read_with_the_sentence_that_says_it(over: View) -> None:
    found = read_values(GROUNDING.pattern(KEEPER, {}, over), [numbered(over, "Sable Light")], over)
    name, quote = found[0]
    assert name == "Mina Stroud"
    assert "Mina Stroud" in text_of(quote)
    assert read_values(GROUNDING.pattern(KEEPER, {}, over), [], over) == []


def test_a_name_has_its_own_passage_where_a_title_is_just_that(over: View) -> None:
    assert own_passage("Ada Brook", over) == numbered(over, "Ada Brook")
    assert own_passage("ada brook", over) == numbered(over, "Ada Brook")
    assert own_passage("Brook", over) is None
    assert own_passage("Otto Reed", over) is None, "he is spoken of, but no passage is about him"


# --- mending plans ----------------------------------------------------------------------------------------------------


def plan_of(*constraints: Constraint) -> Plan:
    return plan_of_constraints(constraints, "recorded")


@pytest.mark.parametrize(
    ("name", "encoding"), [("Löwen Tide", "gbk"), ("Löwen Tide", "latin-1"), ("Žofia", "cp1252"), ("Márta", "latin-1")]
)
def test_a_name_in_a_broken_encoding_is_spelled_as_the_question_spells_it(name: str, encoding: str) -> None:
    """Also in the words of the constraint, by which texts are judged."""
    broken = name.encode("utf-8").decode(encoding)
    assert broken != name
    question = f"Who is the mother of {name}?"
    found = mended(plan_of(constraint(broken, "mother", "?m", question=f"Who is the mother of {broken}?")), question)
    assert found.constraints == (constraint(name, "mother", "?m", question=question),)
    assert found.source == "recorded"


def test_names_that_the_question_has_or_that_cannot_be_mended_stay() -> None:
    question = "Who is the mother of Ada Brook?"
    for name in ("Ada Brook", "ada brook", "Wilma", "Löwe", "雨"):
        plan = plan_of(constraint(name, "mother", "?m"))
        assert mended(plan, question) == plan


def test_a_kinship_word_becomes_a_constraint_for_each_step() -> None:
    found = mended(plan_of(constraint("Ada Brook", "Maternal grandfather", "?man", question="Who?")), "?")
    first, second = found.constraints
    assert (first.head, first.relation) == (Constant("Ada Brook"), "mother")
    assert first.tail == second.head
    assert isinstance(first.tail, Placeholder)
    assert first.tail.type == "mother"
    assert (second.relation, second.tail) == ("father", Placeholder("?man", "man"))
    assert first.variants[0] == "mother"
    assert len(first.variants) > 1
    three = mended(plan_of(constraint("Ada Brook", "has great-grandmother", "?w")), "?")
    assert [one.relation for one in three.constraints] == ["parent", "parent", "mother"]


def test_two_kinship_words_about_one_placeholder_do_not_mix_their_steps() -> None:
    found = mended(plan_of(constraint("A", "uncle", "?x"), constraint("B", "grandmother", "?y")), "?")
    assert len({one.tail for one in found.constraints}) == 4


def test_a_kinship_word_between_known_ends_is_left_to_be_verified() -> None:
    plan = plan_of(constraint("Ada Brook", "uncle", "Otto Reed"))
    assert mended(plan, "?") == plan


@given(st.lists(st.tuples(st.text(max_size=12), st.sampled_from(["uncle", "mother", "aunt"])), max_size=3), st.text())
def test_mending_what_is_mended_changes_nothing(rows: list[tuple[str, str]], question: str) -> None:
    """Law, whatever letters a name has."""
    plan = plan_of(*(Constraint(Constant(name), word, (word,), Placeholder("?p")) for name, word in rows))
    once = mended(plan, question)
    assert mended(once, question) == once


# --- a question's own paragraphs --------------------------------------------------------------------------------------


def test_own_paragraphs_are_found_by_the_question(tmp_path: Path) -> None:
    """Spacing aside; a file of questions serves as it is."""
    rows = [{"question": "Who  built it?", "context": ["a", 7], "answer": "x"}, {"question": "No context?"}]
    file = tmp_path / "own.jsonl"
    file.write_text("\ufeff" + "\n\n".join(json.dumps(row) for row in rows) + "\r\n", encoding="utf-8")
    own = OwnParagraphs.read(file)
    assert own.of(" Who built it? ") == ("a", "7")
    for missing in ("No context?", "Never asked?"):
        with pytest.raises(UsageError, match="No paragraphs are given") as caught:
            own.of(missing)
        assert "recovery.paragraphs" in caught.value.remedy


@pytest.mark.parametrize(
    "bad",
    [
        "{",
        "[]",
        '"text"',
        "7",
        '{"context": []}',
        '{"question": 7}',
        '{"question": "Who?", "context": "abc"}',
        "[" * 9999,
    ],
)
def test_rows_that_are_no_questions_are_reported_with_their_line(tmp_path: Path, bad: str) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text('{"question": "Who?", "context": ["a"]}\n\n' + bad + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"own\.jsonl, line 3"):
        OwnParagraphs.read(file)


def test_files_of_paragraphs_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"question": "\xff"}')
    for file in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            OwnParagraphs.read(file)
    with pytest.raises(UsageError, match=r"latin\.jsonl, line 1: not UTF-8"):
        OwnParagraphs.read(tmp_path / "latin.jsonl")


# --- phrases ----------------------------------------------------------------------------------------------------------


class Counting:
    """The embedder, and how many texts it was given."""

    def __init__(self, models: Models) -> None:
        self.embedder = models.embedder
        self.texts = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self.embedder, name)

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """What the embedder makes of them."""
        self.texts += len(texts)
        return self.embedder.embed_passages(texts)


def test_phrases_are_embedded_once(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until others have taken their place; the vectors are those of the embedder, in the order asked for."""
    monkeypatch.setattr(phrases_module, "_KEPT", 2)
    counting = Counting(models)
    phrases = PhraseVectors(counting)  # type: ignore[arg-type]
    found = phrases.vectors(["mother", "father", "mother"])
    assert counting.texts == 2
    expected = models.embedder.embed_passages(["mother", "father"])
    np.testing.assert_allclose(found, expected[[0, 1, 0]], atol=1e-5)
    phrases.vectors(["father", "mother"])
    assert counting.texts == 2
    phrases.vectors(["uncle"])
    phrases.vectors(["mother", "uncle"])
    assert counting.texts == 3
    phrases.vectors(["father"])
    assert counting.texts == 4


def test_phrases_may_be_shared_by_threads(models: Models) -> None:
    phrases, found = PhraseVectors(models.embedder), []
    words = ["mother", "father", "uncle", "aunt"]

    def ask(turn: int) -> None:
        turned = [*words[turn:], *words[:turn]]
        found.append(np.roll(phrases.vectors(turned), turn, axis=0))

    threads = [threading.Thread(target=ask, args=(turn,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for one in found:
        np.testing.assert_allclose(one, found[0], atol=1e-5)

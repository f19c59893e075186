"""Facts that a constraint may mean: from its anchors, by its relation, and by the cross-encoder (Eq. 3 to 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.view import View
from polyhop.plans import Placeholder
from polyhop.strategies.c2rag.pattern import Bound
from polyhop.strategies.c2rag.sufficiency import FactCandidate
from tests.worlds.c2rag import GROUNDING, RECOVERY, constraint
from tests.worlds.ferries import facts_of, viewed
from tests.worlds.noted import NotingReranker


def values(found: Sequence[FactCandidate], graph: FactGraph) -> list[str]:
    return [graph.entity(candidate.value).name for candidate in found]


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


def test_in_context_facts_and_passages_are_judged_as_in_the_papers_equations(over: View) -> None:
    """A bare triple, and a whole passage, each for the question and the constraint behind it (Eq. 6 and 12)."""
    asked, line = "Who is the mother of the Gull's builder?", "Gull was built by ?builder"
    for in_context in (True, False):
        judge = NotingReranker(over.models.reranker)
        seen = replace(over, models=over.models.with_reranker(judge))
        pattern = GROUNDING.pattern(constraint("Gull", "was built by", "?builder"), {}, seen)
        replace(GROUNDING, in_context=in_context).candidates(asked, pattern, seen)
        assert ("Gull was built by Ada Brook" in judge.read) == in_context
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


def test_without_relations_candidates_are_chosen_and_judged_by_their_names(over: View) -> None:
    """Neither their sentence nor the wording of the relation tells it, and the nearest are kept, not the first."""
    judge = NotingReranker(over.models.reranker)
    watched = replace(over, models=over.models.with_reranker(judge))
    blind = replace(GROUNDING, without=("relation_variants",))
    pattern = blind.pattern(constraint("Gull", "was built by", "?x"), {}, over)
    found = blind.candidates("?", pattern, watched)
    assert set(judge.read) == {"Gull Ada Brook", "Gull 1801", "Gull Oster"}
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

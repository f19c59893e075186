"""What a placeholder stands for: what all of its constraints allow (Eq. 13 and 14), and what becomes of the others."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.layers.facts.graph import FactGraph
from polyhop.strategies.c2rag.bind import GroundedConstraint, bound_by, consistent
from polyhop.strategies.c2rag.pattern import Bound
from polyhop.strategies.c2rag.sufficiency import FactCandidate, judged
from tests.worlds.c2rag import BUILT, KEEPER, SAILS, Retrieve, grounded, stated, titles
from tests.worlds.ferries import CHAINED


def test_constraints_on_one_placeholder_are_intersected(retrieve: Retrieve) -> None:
    """The Tern alone was built by her and sails there; the facts about other ferries go (Eq. 13 and 14)."""
    for hop in retrieve(BUILT, SAILS, check="off").hops:
        assert (hop.found, titles(hop)) == ("Tern", ["Tern"])
        assert [fact[0] for fact in stated(hop)] == ["Tern"]


def test_without_intersection_the_other_candidates_stay(retrieve: Retrieve) -> None:
    built, sails = retrieve(BUILT, SAILS, check="off", intersection=False).hops
    assert {"Gull", "Tern"} <= {fact[0] for fact in stated(built)}
    assert {"Pike", "Tern"} <= {fact[0] for fact in stated(sails)}


def test_constraints_that_share_no_value_keep_their_own(retrieve: Retrieve) -> None:
    """Where the intersection is empty, the union counts."""
    built, sails = retrieve(("?ferry", "was built by", "Otto Reed"), ("?ferry", "sails to", "Oster"), check="off").hops
    assert (built.found, sails.found) == ("Pike", "Gull")


def test_what_several_constraints_bind_is_asked_about_further_on(retrieve: Retrieve) -> None:
    found = retrieve(BUILT, SAILS, ("?ferry", "was painted by", "?painter"), check="off").hops[2]
    assert "Tern" in found.question
    assert (found.found, stated(found)[0][0]) == ("Nell Orme", "Tern")


def test_two_constants_bind_nothing(retrieve: Retrieve) -> None:
    """What the question states is verified: the fact that joins both ends is its evidence."""
    [hop] = retrieve(("Gull", "was built by", "Ada Brook"), check="off").hops
    assert (hop.placeholder, hop.found, hop.status) == (None, None, "resolved")
    assert stated(hop)[0] == ("Gull", "was built by", "Ada Brook")
    [read] = retrieve(("Gull", "was built by", "Ada Brook"), gamma=0.5).hops
    assert (read.placeholder, read.found, read.status) == (None, None, "unresolved")
    assert titles(read)[0] == "Gull"


def test_intersection_reaches_across_rounds(retrieve: Retrieve) -> None:
    """She built the Gull, too; that only the Tern sails where the Pike does is known one round later."""
    evidence = retrieve(BUILT, ("Pike", "sails to", "?port"), ("?ferry", "sails to", "?port"), check="off")
    assert evidence.hops[2].question.startswith("Which ferry")
    for hop in evidence.hops:
        assert hop.found == ("Mirl" if hop.placeholder == "?port" else "Tern")
    apart = retrieve(
        BUILT, ("Pike", "sails to", "?port"), ("?ferry", "sails to", "?port"), check="off", intersection=False
    )
    assert {"Gull", "Tern"} <= {fact[0] for fact in stated(apart.hops[0])}


def test_what_the_graph_can_still_settle_is_not_left_to_text(retrieve: Retrieve) -> None:
    """The text has a keeper at once; that the graph has a painter for the same placeholder it says a round later."""
    painted = ("?ferry", "was painted by", "?keeper")
    keeper, *_, painter = retrieve(KEEPER, BUILT, SAILS, painted, check="off", **{"grounding.kept": 1}).hops
    assert (painter.status, painter.found) == ("resolved", "Nell Orme")
    assert keeper.found is None
    assert keeper.question == "Who is the keeper of Sable Light?"


def test_two_bound_ends_that_no_fact_joins_are_not_resolved(retrieve: Retrieve) -> None:
    """They are left to the reader, with what texts say; their passages do not come before those that bound them."""
    gull, pike = ("Gull", "was built by", "?builder1"), ("Pike", "was built by", "?builder2")
    evidence = retrieve(gull, pike, ("?builder1", "older than", "?builder2"))
    *known, compared = evidence.hops
    assert [hop.found for hop in known] == ["Ada Brook", "Otto Reed"]
    assert "Ada Brook" in compared.question
    assert "Otto Reed" in compared.question
    assert (compared.placeholder, compared.found) == (None, None)
    assert (compared.status, compared.facts) == ("unresolved", ())
    assert compared.note == "both ends are known: what remains is to compare them"
    assert compared.passages
    assert [passage.title for passage in evidence.passages[:2]] == ["Gull", "Pike"]


@pytest.mark.parametrize(
    "unreachable", [[("?x", "painted", "?y")], [("?x", "painted", "?y"), ("?y", "sold", "?x")]], ids=["apart", "circle"]
)
def test_what_nothing_can_bind_goes_to_text(retrieve: Retrieve, unreachable: list[tuple[str, ...]]) -> None:
    *known, last = retrieve(CHAINED[0], *unreachable).hops
    assert (known[0].found, last.status, last.placeholder, last.found) == ("Ada Brook", "unresolved", None, None)
    assert last.passages
    assert not last.facts


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

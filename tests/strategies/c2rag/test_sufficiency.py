"""The sufficiency check: the paper's to the letter, with its lemmas, and the calibrated one with what it must know."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.view import View
from polyhop.strategies.c2rag.bind import GroundedConstraint
from polyhop.strategies.c2rag.sufficiency import (
    ALIGNED_ONLY,
    RERANKED,
    Check,
    FactCandidate,
    effective_number,
    judged,
    paper_shares,
    utility,
)
from tests.worlds.c2rag import GROUNDING, MOTHER, Retrieve, constraint
from tests.worlds.ferries import CHAINED, facts_of, viewed

scores = st.floats(-11, 11)
CHECKS: list[Check] = ["calibrated", "paper", "fixed", "off"]


def candidate(score: float, *, value: int = 0, relevance: float = 0.8, likeness: float = 1.0) -> FactCandidate:
    return FactCandidate(fact=value, value=value, score=score, relevance=relevance, likeness=likeness)


def strong(value: int) -> FactCandidate:
    """A candidate for which everything speaks."""
    return FactCandidate(fact=value, value=value, score=9.0, relevance=1.0, likeness=1.0, worded=True, fitting=True)


def pool(*logits: float) -> list[FactCandidate]:
    """Candidates for as many values."""
    return [candidate(score, value=value) for value, score in enumerate(logits)]


candidates = st.builds(
    candidate,
    scores,
    value=st.integers(0, 4),
    relevance=st.floats(-1, 1),
    likeness=st.floats(0, 1),
)


def resolved(options: list[FactCandidate], check: Check = "paper", gamma: float = 1.5, threshold: float = 0.5) -> bool:
    return judged(options, check, gamma=gamma, threshold=threshold, reranked=True).resolved


def test_the_weights_of_the_paper_are_smoothed_shares_above_the_lowest_score() -> None:
    assert paper_shares([0.9, 0.2, 0.2]) == pytest.approx((0.8, 0.1, 0.1))
    assert paper_shares([0.7, 0.7]) == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize(
    ("logits", "printed"),
    [
        ((1.5, -2.9, -4.0), (0.79, 0.12, 0.09)),  # one fact says what is asked
        ((-4.3, -4.6, -4.9), (0.35, 0.33, 0.32)),  # none does
    ],
)
def test_the_paper_weighs_facts_as_its_figure_5_does(logits: tuple[float, ...], printed: tuple[float, ...]) -> None:
    """The last of three has a weight, too, and three unlikely facts are as good as equal."""
    verdict = judged(pool(*logits), "paper", gamma=1.5, threshold=0.5, reranked=True)
    assert verdict.shares == pytest.approx(printed, abs=0.015)


@given(st.lists(scores, min_size=1, max_size=9))
def test_the_effective_number_lies_between_one_and_all(values: list[float]) -> None:
    """Lemma A.1."""
    shares = paper_shares(values)
    assert sum(shares) == pytest.approx(1)
    assert 1 - 1e-9 <= effective_number(shares) <= len(values) + 1e-6


@given(st.lists(scores, min_size=1, max_size=9), st.floats(1, 3))
def test_what_is_resolved_has_a_dominant_candidate(values: list[float], gamma: float) -> None:
    """Proposition A.3: the largest share is at least one part in gamma."""
    verdict = judged(pool(*values), "paper", gamma=gamma, threshold=0.5, reranked=True)
    if verdict.resolved:
        assert max(verdict.shares) >= 1 / gamma - 1e-9


def test_the_weights_of_the_papers_example_have_an_effective_number_of_1_55() -> None:
    """Its figure prints 0.65, which is the sum of the squares; by its own Eq. 8 the inverse is meant."""
    assert effective_number((0.79, 0.12, 0.09)) == pytest.approx(1.55, abs=0.005)


@pytest.mark.parametrize("check", CHECKS)
def test_nothing_resolves_an_empty_pool(check: Check) -> None:
    verdict = judged([], check, gamma=9.0, threshold=0.0, reranked=True)
    assert not verdict.resolved
    assert verdict.effective == math.inf


def test_below_one_gamma_resolves_nothing_and_at_one_only_a_point_mass() -> None:
    assert not resolved(pool(9.0, -9.0), gamma=0.99)
    assert resolved(pool(9.0), gamma=1.0)
    assert not resolved(pool(9.0, -9.0, -8.0), gamma=1.0)


def test_a_lone_candidate_is_always_resolved_by_the_paper_however_weak() -> None:
    """What the calibrated check is for: there is nothing that a lone candidate could be held against."""
    weak = [candidate(-9.0, relevance=0.2)]
    assert resolved(weak, "paper")
    assert not resolved(weak, "calibrated")


def test_the_paper_leaves_weak_candidates_undecided() -> None:
    assert resolved(pool(2.0, -6.0, -7.0))
    assert not resolved(pool(-6.0, -7.0, -8.0))


def test_the_calibrated_check_resolves_a_strong_candidate_that_stands_alone() -> None:
    assert resolved([strong(0), candidate(-6.0, value=1, relevance=0.4)], "calibrated")


def test_the_calibrated_check_leaves_two_strong_candidates_undecided() -> None:
    assert not resolved(
        [candidate(8.0, value=0, relevance=0.95), candidate(8.0, value=1, relevance=0.95)], "calibrated"
    )


def test_a_fact_about_a_namesake_does_not_suffice_however_alike_it_reads() -> None:
    """To the cross-encoder the painter of one Annunciation reads much like that of another."""
    own = FactCandidate(fact=0, value=0, score=6.7, relevance=0.88, likeness=0.33, fitting=True)
    assert resolved([own], "calibrated", gamma=2.0)
    assert not resolved([replace(own, another=True)], "calibrated", gamma=2.0)


def test_facts_that_name_the_same_value_do_not_compete() -> None:
    assert resolved([strong(0), strong(0)], "calibrated")
    assert not resolved([strong(0), strong(0), strong(1)], "calibrated")


@given(st.lists(candidates, min_size=1, max_size=6), scores.filter(lambda score: score < 0))
def test_a_weaker_pool_is_never_surer(options: list[FactCandidate], change: float) -> None:
    """The calibrated check is not blind to scale: all scores lowered by the same amount leave less certainty."""
    weaker = [
        candidate(one.score + change, value=one.value, relevance=one.relevance, likeness=one.likeness)
        for one in options
    ]
    before, after = (judged(each, "calibrated", gamma=1.5, threshold=0.5, reranked=True) for each in (options, weaker))
    assert max(after.shares) <= max(before.shares) + 1e-9
    assert before.resolved or not after.resolved


@given(st.lists(candidates, min_size=1, max_size=6))
def test_a_larger_gamma_resolves_no_less(options: list[FactCandidate]) -> None:
    for check in ("paper", "calibrated"):
        decided = [resolved(options, check, gamma) for gamma in (0.5, 1.0, 1.5, 2.0, 2.5, 9.0)]
        assert decided == sorted(decided)


@given(st.lists(candidates, min_size=2, max_size=6, unique_by=lambda one: one.value))
def test_the_surest_value_is_the_one_that_most_speaks_for(options: list[FactCandidate]) -> None:
    for reranked, weights in ((True, RERANKED), (False, ALIGNED_ONLY)):
        verdict = judged(options, "calibrated", gamma=1.5, threshold=0.5, reranked=reranked)
        utilities = [utility(one, weights) for one in options]
        most, next_most = sorted(utilities, reverse=True)[:2]
        assume(most - next_most > 1e-9)  # what differs by less has the same share
        assert utilities.index(max(utilities)) == verdict.shares.index(max(verdict.shares))
        assert sum(verdict.shares) <= 1 + 1e-9


def test_a_fixed_threshold_looks_at_the_best_candidate_alone() -> None:
    assert resolved(pool(1.0, 1.0), "fixed", threshold=0.7)
    assert not resolved(pool(0.5, -9.0), "fixed", threshold=0.7)


def test_without_a_check_any_candidate_suffices() -> None:
    assert resolved(pool(-11.0, -11.0, -11.0), "off", gamma=0.0)


def test_each_check_has_its_usual_gamma() -> None:
    options = [candidate(6.0, value=0, relevance=0.9), candidate(4.0, value=1, relevance=0.7)]
    usual_gammas: list[tuple[Check, float]] = [("paper", 1.5), ("calibrated", 2.0)]
    for check, usual in usual_gammas:
        left, given = (judged(options, check, gamma=gamma, threshold=0.5, reranked=True) for gamma in (None, usual))
        assert left == given


@pytest.mark.parametrize("check", ["paper", "calibrated"])
def test_below_one_gamma_resolves_nothing(retrieve: Retrieve, check: str) -> None:
    """N_eff is never below 1 (Lemma A.1), so everything is read in texts."""
    evidence = retrieve(*CHAINED, check=check, gamma=0.99)
    assert "resolved" not in {hop.status for hop in evidence.hops}
    assert all(hop.passages and not hop.facts for hop in evidence.hops)


def test_only_the_calibrated_check_sees_that_a_lone_candidate_is_bad(retrieve: Retrieve) -> None:
    """All that the graph has about Oster is a ferry: no spouse. Eq. 7 to 9 are sure of any pool of one."""
    spouse = ("Oster", "spouse", "?person")
    for check, trusted in (("off", True), ("paper", True), ("calibrated", False), ("fixed", False)):
        [hop] = retrieve(spouse, check=check).hops
        assert (hop.status == "resolved", bool(hop.facts)) == (trusted, trusted), check
    assert retrieve(spouse, check="fixed", threshold=0.0).hops[0].status == "resolved"
    assert retrieve(MOTHER, check="fixed", threshold=0.9).hops[0].status == "resolved"


def test_the_effective_number_is_shown_with_a_hop(retrieve: Retrieve) -> None:
    hop = retrieve(MOTHER).hops[0]
    assert hop.note.startswith("N_eff 1.")
    assert retrieve(("Nobody Known", "mother", "?mother")).hops[0].note == "no candidates"


@pytest.mark.parametrize(("unchecked", "served"), [(0, 0), (1, 1), (2, 2), (-1, 3)])
def test_leading_hops_may_be_served_unchecked(retrieve: Retrieve, unchecked: int, served: int) -> None:
    """By similarity alone: the harness of the paper's Figure 3."""
    evidence = retrieve(*CHAINED, unchecked=unchecked)
    assert sum(line.endswith(", unchecked") for line in evidence.trail) == served
    assert {hop.status for hop in evidence.hops[:served]} <= {"resolved"}
    assert all(-1 <= fact.score <= 1.001 for hop in evidence.hops[:served] for fact in hop.facts)


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

"""C2RAG as a whole: constraints are resolved one by one, by the graph or by text, in worlds large and small."""

from __future__ import annotations

import pytest

from polyhop.engine import Polyhop
from polyhop.types import Budget
from tests.worlds.c2rag import KEEPER, MOTHER, MakeIndex, Retrieve, assert_exact, stated, titles
from tests.worlds.documents import BRIDGE, HARBOUR, HARBOUR_BRIDGE
from tests.worlds.ferries import CHAINED


def test_a_question_of_two_hops_is_answered_constraint_by_constraint(engine: Polyhop) -> None:
    """One hop a constraint, in the order of the plan, and what the first one finds is asked about in the second."""
    evidence = engine.search(BRIDGE, k=3, strategy="c2rag")
    first, second = evidence.hops
    assert (first.placeholder, first.found) == ("?architect", "Edda Marrish")
    assert (second.placeholder, second.found) == ("?place", "Pellingrove")
    assert "Harrowmere Lighthouse" in first.question
    assert second.question == "Where was Edda Marrish born?"
    assert {first.status, second.status} <= {"resolved", "recovered"}
    assert {"Harrowmere Lighthouse", "Edda Marrish"} <= {passage.title for passage in evidence.passages}
    assert evidence.strategy == "c2rag"
    assert_exact(evidence, engine)


def test_the_answer_quotes_what_the_hops_found(engine: Polyhop) -> None:
    answer = engine.ask(BRIDGE, strategy="c2rag")
    assert answer.text == "Pellingrove"
    assert any("Pellingrove" in citation.quote for citation in answer.citations)
    assert answer.evidence.cost.llm_calls == 0


def test_what_one_constraint_binds_is_propagated_to_the_next(retrieve: Retrieve, ferries: Polyhop) -> None:
    """Over three hops (Eq. 15), each of which the graph resolves, with the fact and the sentence behind it."""
    evidence = retrieve(*CHAINED, check="fixed")
    assert [(hop.placeholder, hop.found, hop.status) for hop in evidence.hops] == [
        ("?builder", "Ada Brook", "resolved"),
        ("?mother", "Wilma Fenn", "resolved"),
        ("?place", "Hallow", "resolved"),
    ]
    assert [stated(hop)[0] for hop in evidence.hops] == [
        ("Gull", "was built by", "Ada Brook"),
        ("Ada Brook", "mother was", "Wilma Fenn"),
        ("Wilma Fenn", "was born in", "Hallow"),
    ]
    assert [titles(hop)[0] for hop in evidence.hops] == ["Gull", "Ada Brook", "Wilma Fenn"]
    assert_exact(evidence, ferries)


def test_the_order_of_the_plan_is_kept_whatever_is_resolved_first(retrieve: Retrieve) -> None:
    """A constraint that waits for another keeps its place (Eq. 16)."""
    evidence = retrieve(*reversed(CHAINED))
    assert [hop.placeholder for hop in evidence.hops] == ["?place", "?mother", "?builder"]
    assert evidence.hops[0].found == "Hallow"


def test_each_constraint_hands_on_its_best_passage_first(retrieve: Retrieve) -> None:
    evidence = retrieve(*CHAINED, budget=Budget(passages=3))
    assert [passage.title for passage in evidence.passages] == ["Gull", "Ada Brook", "Wilma Fenn"]


def test_the_trail_shows_anchors_weights_effective_numbers_and_bindings(retrieve: Retrieve) -> None:
    """Like Figure 5 of the paper."""
    trail = "\n".join(retrieve(*CHAINED).trail)
    for shown in (
        "plan by recorded",
        "resolved: Gull was built by ?builder",
        "resolved: Ada Brook mother ?mother",
        "anchors: Gull (1.00)",
        "Gull -(was built by)-> Ada Brook   relation 1.00, score +",
        "N_eff 1.",
        "none of them 0.",
        "?builder = Ada Brook",
        "?place = Hallow",
    ):
        assert shown in trail
    initial = "nearest by relation: Gull -(was built by)-> Ada Brook; Gull -("
    assert initial not in trail, "all of them are candidates"
    assert initial in "\n".join(retrieve(*CHAINED, typed=False, **{"grounding.kept": 1}).trail)
    recovered = "\n".join(retrieve(KEEPER).trail)
    assert "recovered: Sable Light keeper ?keeper" in recovered
    assert "recovered from: Sable Light (+" in recovered


@pytest.mark.parametrize(
    ("check", "shown"),
    [
        ("paper", "N_eff 1.00 ≤ γ 1.5"),
        ("calibrated", " is likelier: the graph does not suffice"),
        ("fixed", " < 0.5: the graph does not suffice"),
        ("off", "N_eff 1.00, unchecked"),
    ],
    ids=["paper", "calibrated", "fixed", "off"],
)
def test_the_trail_says_what_decided_whether_the_graph_suffices(retrieve: Retrieve, check: str, shown: str) -> None:
    assert any(line.endswith(shown) for line in retrieve(("Oster", "spouse", "?person"), check=check).trail)


def test_the_trail_says_what_the_effective_number_was_held_against(retrieve: Retrieve) -> None:
    """Otherwise a number below the usual gamma looks like a check that went wrong."""
    assert any("≤ γ 2, none of them 0." in line for line in retrieve(MOTHER).trail)
    assert any("> γ 1, none of them 0." in line for line in retrieve(MOTHER, gamma=1.0).trail)


def test_time_that_is_over_leaves_constraints_unresolved(retrieve: Retrieve) -> None:
    """But there is evidence all the same, and every constraint has its hop."""
    evidence = retrieve(*CHAINED, budget=Budget(seconds=0.0))
    assert [(hop.status, hop.note) for hop in evidence.hops] == [("unresolved", "the time allowed was over")] * 3
    assert evidence.passages


@pytest.mark.parametrize(
    ("files", "question", "found"),
    [
        ({}, HARBOUR_BRIDGE, set()),
        ({"sea.txt": "Calm. Blue. Wide."}, "Where was the architect of the light born?", {"sea"}),
        ({"雨の町.txt": "雨の町には古い灯台がある。"}, "灯台は誰が建てた？", {"雨の町"}),
        ({"quay.txt": HARBOUR["quillmouth.txt"]}, "من بنى الجسر القديم على النهر؟", {"quay"}),
    ],
    ids=["empty", "no facts", "japanese", "arabic"],
)
def test_small_and_strange_worlds_are_searched(
    index_of: MakeIndex, files: dict[str, str], question: str, found: set[str]
) -> None:
    engine = index_of(files)
    evidence = engine.search(question, strategy="c2rag")
    assert {passage.title for passage in evidence.passages} == found
    assert evidence.hops
    assert all(hop.question.strip() for hop in evidence.hops)
    assert_exact(evidence, engine)


def test_names_over_two_lines_do_not_break_the_trail(index_of: MakeIndex) -> None:
    engine = index_of({"mole.txt": "The mole of Sarn was built by\nPiet\nRook. The keeper of the mole is Ida\nVole."})
    for question in ("Who built the mole of Sarn?", "Who is the keeper of the mole?"):
        evidence = engine.search(question, strategy="c2rag(gamma=0.5)")
        assert all("\n" not in line for line in evidence.trail)
        assert all("\n" not in hop.question for hop in evidence.hops)
        assert all("\n" not in (hop.found or "") for hop in evidence.hops)

"""Whether bound values are right, and how much of a hop's evidence is no gold evidence."""

from __future__ import annotations

from typing import Any

import pytest

from polyhop.evaluation.bindings import bindings, gold_values, matches
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.outcome import HopOutcome, Outcome, QuestionRecord
from polyhop.evaluation.unsupported import unsupported
from polyhop.types import Hop, HopStatus, Passage, Span, Triple

STEPS = [
    {"id": 1, "question": "Harrowmere Lighthouse >> architect", "answer": "Edda Marrish", "supporting": "p1"},
    {"id": 2, "question": "#1 >> place of birth", "answer": "Pellingrove", "supporting": "p2"},
]
TRIPLES = [["Harrowmere Lighthouse", "architect", "Edda Marrish"], ["Edda Marrish", "place of birth", "Pellingrove"]]


def asked(decomposition: object = STEPS, **changes: Any) -> Question:
    fields: dict[str, Any] = {
        "id": "q1",
        "text": "Where was Harrowmere Lighthouse's architect born?",
        "answer": "Pellingrove",
        "aliases": ("Pelling Grove",),
        "supporting": ("p1", "p2"),
        "extra": {} if decomposition is None else {"decomposition": decomposition},
    }
    return Question(**{**fields, **changes})


def bound(found: str | None, status: HopStatus = "resolved", placeholder: str | None = "?x") -> HopOutcome:
    return HopOutcome(status=status, placeholder=placeholder, found=found)


def record(question: Question, *hops: HopOutcome) -> QuestionRecord:
    return QuestionRecord(question=question, outcome=Outcome(hops=hops), metrics={})


@pytest.mark.parametrize("decomposition", [STEPS, TRIPLES])
def test_gold_values_are_read_from_steps_and_from_triples(decomposition: object) -> None:
    assert gold_values(asked(decomposition)) == ("Edda Marrish", "Pellingrove", "Pelling Grove")


def test_gold_values_have_heads_that_the_question_does_not_name() -> None:
    rows = [["The Harrowmere Old Lighthouse", "country", "Veldt"], ["Ada Brisk", "employer", "Veldt"]]
    assert gold_values(asked(rows, answer="no", aliases=())) == ("Veldt", "Ada Brisk", "no")


@pytest.mark.parametrize("decomposition", [None, [], "text", {"a": 1}, [["one", "two"], {"question": "?"}, 3]])
def test_a_question_without_a_decomposition_has_no_gold_values(decomposition: object) -> None:
    assert gold_values(asked(decomposition)) == ()


def test_gold_values_of_a_question_without_an_answer_are_its_steps() -> None:
    assert gold_values(asked([{"answer": 1841}, {"answer": ""}], answer=None, aliases=())) == ("1841",)


@pytest.mark.parametrize(
    ("found", "value", "right"),
    [
        ("The Edda Marrish", "edda marrish", True),
        ("Marrish", "Edda Marrish", True),
        ("Edda Maria Marrish", "Edda Marrish", True),
        ("12 March 1841", "1841", True),
        ("Edda Brisk", "Edda Marrish", False),
        ("of", "Duke of Veldt", False),
        ("no", "No Cross", False),
        ("E.", "E Marrish", False),
        ("no", "No", True),
        ("X", "x", True),
        ("!", "?", False),
        ("京", "京 都", True),
    ],
)
def test_a_value_matches_another_that_holds_its_words(found: str, value: str, right: bool) -> None:
    assert matches(found, ["Nobody", value]) is right
    assert matches(value, [found]) is right


def test_bindings_are_counted_over_hops_that_bind_a_placeholder() -> None:
    good = asked()
    found = bindings(
        [
            record(good, bound("Edda Marrish"), bound("Pelling Grove")),
            record(good, bound("Tobren Lisk"), bound("Pellingrove", "recovered"), bound(None, "unresolved")),
            record(good, bound("Tobren Lisk", placeholder=None)),
            record(asked(None), bound("Tobren Lisk")),
        ]
    )
    assert found is not None
    assert (found.hops, found.resolved, found.recovered, found.right) == (5, 3, 1, 2)
    assert (found.resolved_rate, found.confident_wrong) == (0.6, 0.2)
    assert found.precision == pytest.approx(2 / 3)


def test_bindings_are_none_where_nothing_is_bound_or_known() -> None:
    assert bindings([]) is None
    assert bindings([record(asked(), bound("x", placeholder=None)), record(asked(None), bound("x"))]) is None
    nothing = bindings([record(asked(), bound(None, "unresolved"))])
    assert nothing is not None
    assert (nothing.resolved_rate, nothing.precision, nothing.confident_wrong) == (0.0, None, 0.0)


def test_a_resolved_hop_without_a_value_is_wrong() -> None:
    found = bindings([record(asked(), bound(None))])
    assert found is not None
    assert found.confident_wrong == 1.0


def test_a_hop_is_kept_with_the_passages_of_its_facts() -> None:
    def passage(name: str) -> Passage:
        return Passage(id=name, document_id=name, ordinal=0, start=0, end=4, title="", text="text")

    def triple(name: str) -> Triple:
        return Triple(head="a", relation="b", tail="c", passage_id=name, span=Span(name, 0, 4), score=1.0)

    hop = Hop(
        question="Who?",
        status="resolved",
        found="Edda Marrish",
        placeholder="?architect",
        passages=(passage("p1"), passage("p2")),
        facts=(triple("p2"), triple("p3"), triple("p3")),
    )
    assert HopOutcome.of(hop) == HopOutcome(
        status="resolved", placeholder="?architect", found="Edda Marrish", passages=("p1", "p2", "p3"), facts=3
    )


def hop_with(*passages: str) -> HopOutcome:
    return HopOutcome(status="recovered", passages=passages)


def test_unsupported_evidence_is_counted_by_the_position_of_the_hop() -> None:
    records = [
        record(asked(), hop_with("p1", "x"), hop_with("x", "y")),
        record(asked(), hop_with("p2"), hop_with(), hop_with("p1")),
        record(asked(supporting=()), hop_with("x")),
    ]
    found = unsupported(records)
    assert [(hop.hop, hop.questions, hop.passages, hop.unsupported) for hop in found] == [
        (1, 2, 3, 1),
        (2, 1, 2, 2),
        (3, 1, 1, 0),
    ]
    assert [hop.share for hop in found] == [pytest.approx(1 / 3), 1.0, 0.0]


def test_unsupported_evidence_can_be_limited_to_questions_of_several_hops() -> None:
    records = [record(asked(), hop_with("x")), record(asked(None, type="3hop1"), hop_with("p1"))]
    assert [hop.passages for hop in unsupported(records)] == [2]
    assert [(hop.passages, hop.unsupported) for hop in unsupported(records, min_hops=3)] == [(1, 0)]
    assert unsupported(records, min_hops=4) == ()

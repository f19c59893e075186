"""Answers to what one question asks, put together."""

from __future__ import annotations

from dataclasses import replace

from polyhop.plans import Plan, Step, plan_of_questions
from polyhop.reading.several_answers import as_one
from polyhop.types import Answer, AnswerKind, AnswerStatus, Citation, Evidence, Hop, Passage, Span


def passage(name: str, score: float) -> Passage:
    return Passage(id=name, document_id=name, ordinal=0, start=0, end=4, title=name, text="text", score=score)


def answer(question: str, text: str | None, plan: Plan, *names: str, confidence: float = 0.9) -> Answer:
    """An answer that rests on passages with these names, each the only one of a hop."""
    passages = tuple(passage(name, 1.0 - place) for place, name in enumerate(names))
    hops = tuple(
        Hop(
            question=step.question,
            status="resolved",
            found=f"{place}",
            passages=passages[place : place + 1],
            step=place,
        )
        for place, step in enumerate(plan.steps)
    )
    cited = tuple(
        Citation(span=Span(name, 0, 4), quote="text", uri=name, title=name, passage_id=name) for name in names
    )
    return Answer(
        question=question,
        text=text,
        citations=cited,
        confidence=confidence,
        evidence=Evidence(question=question, strategy="auto", passages=passages, hops=hops, plan=plan),
        reader="trained",
        manifest={},
    )


WHO = "Who is the architect of the mill?"
BORN = answer("When was she born?", "1271", plan_of_questions([WHO, "When was #1 born?"]), "mill", "Ada")
WHERE = answer("Where?", "Harl", plan_of_questions([WHO, "Where was #1 born?"]), "mill", "Harl", confidence=0.6)
UNKNOWN = answer("Why?", None, plan_of_questions(["Why?"]), "inn", confidence=0.2)


def test_parts_are_told_with_their_own_quotations() -> None:
    one = as_one("When and where was she born, and why?", [BORN, WHERE, UNKNOWN], seconds=1.0)
    assert (one.text, one.kind, one.status) == ("1271; Harl", AnswerKind.PARTS, AnswerStatus.ANSWERED)
    assert one.confidence == 0.2, "of which one part was not answered"
    assert [item.confidence for item in one.items] == [0.9, 0.6, 0.2]
    assert [item.said for item in one.items] == ["When was she born? 1271", "Where? Harl", "Why? not found"]
    assert [[citation.uri for citation in item.citations] for item in one.items] == [
        ["mill", "Ada"],
        ["mill", "Harl"],
        [],
    ]
    assert [citation.uri for citation in one.citations] == ["mill", "Ada", "Harl"]


def test_what_two_parts_have_in_common_is_one_step_and_one_hop() -> None:
    one = as_one("When and where was she born?", [BORN, WHERE], seconds=1.0)
    assert one.evidence.plan is not None
    assert one.evidence.plan.steps == (
        Step(question=WHO),
        Step(question="When was #1 born?", refers_to=(0,)),
        Step(question="Where was #1 born?", refers_to=(0,)),
    )
    assert [hop.step for hop in one.evidence.hops] == [0, 1, 2]


def test_hops_of_one_question_that_came_to_nothing_are_one() -> None:
    weighs = "How much does the mill weigh?"
    hops = [Hop(question=weighs, status="unresolved", passages=(passage(name, 0.5),)) for name in ("inn", "ferry")]
    unknown = replace(UNKNOWN, question=weighs, evidence=replace(UNKNOWN.evidence, hops=tuple(hops)))
    [*resolved, last] = as_one(
        "When was she born, and what does the mill weigh?", [BORN, unknown], seconds=1.0
    ).evidence.hops
    assert [hop.status for hop in resolved] == ["resolved", "resolved"]
    assert (last.question, [one.id for one in last.passages]) == (weighs, ["inn", "ferry"])


def test_passages_come_by_turns_and_none_is_above_a_better_one() -> None:
    passages = as_one("?", [BORN, WHERE, UNKNOWN], seconds=1.0).evidence.passages
    assert [one.id for one in passages] == ["mill", "inn"]
    assert [one.score for one in passages] == sorted((one.score for one in passages), reverse=True)


def test_a_passage_of_two_parts_comes_where_the_first_has_it() -> None:
    later = answer("Where?", "Harl", plan_of_questions([WHO, "Where was #1 born?"]), "Ada", "Harl")
    passages = as_one("?", [later, BORN], seconds=1.0).evidence.passages
    assert [one.id for one in passages] == ["Ada", "mill"]

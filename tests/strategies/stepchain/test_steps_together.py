"""Steps that need nothing of each other are asked in one call, and some are answered from earlier answers."""

from __future__ import annotations

from tests.worlds.prompts import inside
from tests.worlds.stepchain import Open, ask, assert_exact
from tests.worlds.stepchain_sage import ASKED, COMPARED, FIRST, YEARS, Sage, passages_in, sagely


def test_a_comparison_is_answered_from_earlier_answers_with_their_quotations(opened: Open) -> None:
    """No passage says which of two ferries is older, so that none can be quoted for it."""
    compared = "Which was first, the Gull (1801) or the Pike (1810)?"
    quotes = [quote for _, quote in YEARS.values()]
    sage = Sage(plans=[COMPARED], knows=YEARS, follows={compared: "the Gull"}, answer=("the Gull", *quotes))
    with sagely(opened, sage) as (engine, _):
        answer = ask(engine, FIRST, merge="always")
        assert_exact(answer.evidence, engine)
    assert sage.tasks == ["decompose", "together", "combine", "merge", "read"]
    last = answer.evidence.hops[-1]
    assert (last.question, last.found, last.status) == (compared, "the Gull", "recovered")
    assert [passage.title for passage in last.passages] == ["Gull", "Pike"]
    assert len(last.sentences) == 2
    assert "STEP 3, ESTABLISHED" in sage.prompts["merge"][0]
    assert f"answered from earlier answers: {compared}" in answer.evidence.trail
    assert answer.text == "the Gull"


def test_apart_each_step_is_looked_up_in_a_call_of_its_own(opened: Open) -> None:
    """As in the paper, a comparison, too: it has passages and chains, and is not asked of earlier answers first."""
    sage = Sage(plans=[COMPARED], knows=YEARS, answer=("the Gull", *(quote for _, quote in YEARS.values())))
    with sagely(opened, sage) as (engine, _):
        answer = ask(engine, FIRST, together=False, retry=False)
    assert sage.tasks == ["decompose", "step", "step", "step", "read"]
    assert answer.evidence.hops[-1].chains


def test_steps_that_need_nothing_of_each_other_are_answered_in_one_call(opened: Open) -> None:
    """With the passages of both, and the same two hops as if each had been asked by itself."""
    compared = "Which was first, the Gull (1801) or the Pike (1810)?"
    sage = Sage(
        plans=[COMPARED], knows=YEARS, follows={compared: "the Gull"}, answer=("the Gull", YEARS[COMPARED[0]][1])
    )
    with sagely(opened, sage) as (engine, _):
        answer = ask(engine, FIRST)
        apart = ask(engine, FIRST, together=False)
        assert_exact(answer.evidence, engine)
    assert sage.tasks[:4] == ["decompose", "together", "combine", "read"]
    shown = [text.splitlines()[0] for _, text in passages_in(sage.prompts["together"][0])]
    assert shown[:2] == ["Title: Gull", "Title: Pike"]
    assert [hop.found for hop in answer.evidence.hops] == ["1801", "1810", "the Gull"]
    hops = (
        [(hop.question, hop.found, hop.step, hop.sentences) for hop in one.evidence.hops[:2]] for one in (answer, apart)
    )
    assert next(hops) == next(hops)
    assert inside(sage.prompts["read"][0], "FINDINGS").splitlines() == [
        "Established: When was the Gull built? 1801",
        "Established: When was the Pike built? 1810",
        "Established: Which was first, the Gull (1801) or the Pike (1810)? the Gull",
    ]


def test_a_step_that_was_answered_with_others_in_vain_is_asked_of_other_text_in_its_turn(opened: Open) -> None:
    """By itself, and of nothing that it was shown before."""
    sage = Sage(plans=[COMPARED], knows={COMPARED[0]: YEARS[COMPARED[0]]})
    with sagely(opened, sage) as (engine, _):
        evidence = ask(engine, FIRST).evidence
    assert sage.tasks[:4] == ["decompose", "together", "step", "decompose"]
    assert inside(sage.prompts["step"][0], "QUESTION") == COMPARED[1]
    before, again = ({text for _, text in passages_in(sage.prompts[task][0])} for task in ("together", "step"))
    assert before.isdisjoint(again)
    assert [hop.status == "unresolved" for hop in evidence.hops[:2]] == [False, True]


def test_a_step_that_was_asked_in_vain_before_its_turn_is_not_asked_with_the_next_one(opened: Open) -> None:
    plan = (*ASKED, "Who built the Heron?")
    sage = Sage(plans=[plan])
    with sagely(opened, sage) as (engine, _):
        hops = ask(engine, "Who built the Heron where the builder of the Gull was born?", retry=False).evidence.hops
    assert [task for task in sage.tasks if task in ("together", "step")] == ["together", "step"]
    assert [hop.found for hop in hops[:3]] == ["Ada Brook", "Velm", "a guess"]


def test_what_was_answered_before_its_turn_outlives_the_plan(opened: Open) -> None:
    """The second step fails, the third was answered with the first: the new plan begins with both."""
    plan = ("Who built the Gull?", "Which bird did #1 paint?", "When was the Pike built?")
    knows = {plan[0]: Sage().knows[plan[0]], plan[2]: YEARS[COMPARED[1]]}
    sage = Sage(plans=[plan, ("Who was a painter of birds?",)], knows=knows)
    with sagely(opened, sage) as (engine, _):
        hops = ask(engine, "Which bird did the builder of the Gull paint when the Pike was built?").evidence.hops
    assert [(hop.step, hop.found) for hop in hops[:3]] == [(0, "Ada Brook"), (1, "a guess"), (2, "1810")]
    assert hops[3].question == "Who was a painter of birds?"
    assert "STEP 3, ANSWERED" in sage.prompts["decompose"][1]


def test_a_step_that_does_not_follow_from_earlier_answers_is_looked_up(opened: Open) -> None:
    """With their passages before it, so that what is worked out can be quoted.

    A place that is not there yet cannot follow, so that nobody is asked whether it does.
    """
    tasks = []
    for last in ("Did the ferries of #1 and #2 sail there?", "Where do the ferries of #1 and #2 sail?"):
        sage = Sage(plans=[(*COMPARED[:2], last)], knows=YEARS)
        with sagely(opened, sage) as (engine, _):
            ask(engine, FIRST, retry=False)
        tasks.append(sage.tasks)
        shown = " ".join(text for _, text in passages_in(sage.prompts["step"][-1]))
        assert "in 1801" in shown
        assert "in 1810" in shown
    assert tasks == [["decompose", "together", *also, "step", "read"] for also in (["combine"], [])]

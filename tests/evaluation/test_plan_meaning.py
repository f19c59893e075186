"""Whether the steps of a plan mean what the question means, as a language model judges."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from polyhop.errors import ModelMissing
from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.metric import metric_named
from polyhop.evaluation.metrics.plan_meaning import Of, PlanMeaning
from polyhop.evaluation.outcome import Outcome, steps_followed
from polyhop.models.endpoint import OpenAICompatible
from polyhop.plans import Constant, Constraint, Placeholder, Plan, plan_of_constraints, plan_of_questions
from polyhop.types import Evidence, Hop
from tests.worlds.endpoint import EndpointServer, Played, says, serving
from tests.worlds.prompts import inside

STEPS = ("Who built the Gull?", "Who was the mother of #1?", "Where was #1 buried?")
GOLD = [{"question": "Gull >> builder"}, {"question": "#1 >> father"}, {"question": "#2 >> place of burial"}]
ASKED = Question(
    id="q", text="Where is the father of the Gull's builder buried?", answer="Velm", extra={"decomposition": GOLD}
)


def verdict(step: int, *, relation: bool = True, references: bool = True) -> dict[str, Any]:
    return {"step": step, "reason": "so", "relation": relation, "references": references}


RIGHT, DRIFTED, SWAPPED = verdict(1), verdict(2, relation=False), verdict(3, references=False)


@contextmanager
def judging(said: Sequence[Mapping[str, Any]], of: Of = "steps") -> Iterator[tuple[PlanMeaning, EndpointServer]]:
    """The metric with a judge who says this of every plan, and the endpoint that the judge is behind."""

    def reply(_: Mapping[str, Any]) -> Played:
        return says(json.dumps({"steps": said}))

    with serving(reply) as server:
        model = OpenAICompatible(base_url=server.url, model="judge")
        try:
            yield PlanMeaning(of=of).judged_by(model), server
        finally:
            model.close()


@pytest.mark.parametrize(
    ("of", "share"), [("steps", 1 / 3), ("relations", 2 / 3), ("references", 2 / 3), ("plans", 0.0)]
)
def test_it_is_the_share_of_steps_that_are_right(of: Of, share: float) -> None:
    """A step is wrong where its relation is or its references are; a plan where any of its steps is."""
    with judging([RIGHT, DRIFTED, SWAPPED], of) as (metric, server):
        assert metric(ASKED, Outcome(steps=STEPS)) == pytest.approx(share)
        prompt = server.requests[0]["messages"][1]["content"]
    assert inside(prompt, "PLAN").splitlines()[1] == "2. Who was the mother of #1?"
    assert inside(prompt, "REFERENCE").splitlines()[1] == "2. #1 >> father"


def test_steps_of_which_nothing_is_said_do_not_count() -> None:
    with judging([RIGHT, verdict(9)]) as (metric, _):
        assert metric(ASKED, Outcome(steps=STEPS)) == 1.0
    with judging([]) as (metric, _):
        assert metric(ASKED, Outcome(steps=STEPS)) is None


def test_without_a_plan_nobody_is_asked_and_without_a_reference_the_question_decides() -> None:
    bare = Question(id="q", text="Who built the Gull?", answer="Ada Brook")
    with judging([RIGHT]) as (metric, server):
        assert metric(ASKED, Outcome()) is None
        assert server.requests == []
        assert metric(bare, Outcome(steps=STEPS[:1])) == 1.0
        assert "<<<REFERENCE" not in server.requests[0]["messages"][1]["content"]


def test_a_judge_who_gives_no_verdict_is_not_counted() -> None:
    with serving(lambda _: says("I cannot say.")) as server:
        model = OpenAICompatible(base_url=server.url, model="judge")
        assert PlanMeaning().judged_by(model)(ASKED, Outcome(steps=STEPS)) is None
        model.close()


def test_what_is_judged_are_the_steps_that_hops_followed() -> None:
    """Constraints stand behind their question: a relation may drift where the question does not."""
    built = Constraint(Constant("Gull"), "was built by", ("was built by",), Placeholder("?who"), "Who built the Gull?")

    def evidence(plan: Plan, step: int | None) -> Evidence:
        hops = (Hop(question="?", status="resolved", step=step),)
        return Evidence(question="?", strategy="c2rag", passages=(), hops=hops, plan=plan)

    asked = plan_of_questions(STEPS[:2])
    assert steps_followed(evidence(asked, 0)) == STEPS[:2]
    assert steps_followed(evidence(asked, None)) == ()
    constrained = steps_followed(evidence(plan_of_constraints([built], "nobody"), 0))
    assert constrained == ("Who built the Gull? (Gull was built by ?who)",)


def test_it_is_asked_for_by_name_and_needs_a_model() -> None:
    assert [metric_named(f"plan_meaning(of={of})").name for of in ("steps", "plans")] == [
        "meaning of steps",
        "meaning of plans",
    ]
    with pytest.raises(ModelMissing):
        PlanMeaning()(ASKED, Outcome())
    assert "stepchain" in PlanMeaning.needs

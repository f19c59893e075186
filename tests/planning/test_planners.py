"""The contract of every planner, built in or from another package: a plan that holds together, whatever is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from polyhop import registry
from polyhop.engine import Polyhop
from polyhop.errors import SettingError, UnknownComponent, UsageError
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.within import Within
from polyhop.planning.planner import Planner, Planning
from polyhop.plans import REFERENCE, Plan, Step
from polyhop.settings import Settings
from tests.worlds.documents import BRIDGE
from tests.worlds.endpoint import says, serving

QUESTIONS = (
    BRIDGE,
    "Which is older, the Quillmouth lighthouse or the Tarn School?",
    "Who?",
    "Was #1 born in #2?",
    "the " * 150,
)


@pytest.fixture(params=registry.names("planners"))
def planner(request: pytest.FixtureRequest, tmp_path: Path) -> Planner:
    """A planner with its defaults; one that needs a file gets an empty one."""
    (tmp_path / "plans.jsonl").write_text("", encoding="utf-8")
    own = {"file": str(tmp_path / "plans.jsonl")} if request.param == "recorded" else {}
    built: Planner = registry.build("planners", request.param, own)
    return built


def assert_holds_together(plan: Plan) -> None:
    """There are steps, each asks something, and refers only to steps before it."""
    assert plan.steps
    assert plan.source
    for place, step in enumerate(plan.steps):
        assert step.question.strip()
        assert all(0 <= index < place for index in step.refers_to)
        assert {index + 1 for index in step.refers_to} <= {int(one) for one in REFERENCE.findall(step.question)}
    assert plan.final is None or all(index < len(plan.steps) for index in plan.final.operands)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_plan_holds_together_where_no_model_may_be_asked(planner: Planner, question: str) -> None:
    assert isinstance(planner, Planner)
    plan = planner.plan(question, ["Tarn School"], None)
    assert_holds_together(plan)
    assert planner.plan(question, ["Tarn School"], None) == plan


def test_a_plan_holds_together_whatever_a_model_says(planner: Planner) -> None:
    """And where it has no calls left, nothing is asked."""
    with serving(says("no plan at all")) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        assert_holds_together(planner.plan(BRIDGE, [], Within(model, 4)))
        asked = len(server.requests)
        assert_holds_together(planner.plan(BRIDGE, [], Within(model, 0)))
        assert len(server.requests) == asked


# --- which one plans --------------------------------------------------------------------------------------------------


def settings(**section: object) -> Settings:
    """The settings that such a section makes."""
    return Settings.from_mapping({"planner": section})


def test_without_a_name_the_rules_plan_where_no_model_may_be_asked() -> None:
    assert Planning().plan(BRIDGE, [], None, prefer="steps").source == "rules"


def test_without_a_name_a_strategy_gets_the_form_of_plan_that_it_prefers() -> None:
    with (
        serving(says('{"steps": ["Who built the lighthouse?", "Where did #1 study?"]}')) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        plan = Planning().plan(BRIDGE, [], Within(model, 4), prefer="steps")
        assert (plan.source.split()[:2], len(plan.steps), plan.constraints) == (["language", "model"], 2, ())
        assert Planning().plan(BRIDGE, [], Within(model, 4)).source == "rules"


@dataclass(frozen=True, kw_only=True)
class Word:
    """A planner from elsewhere: one word is the whole plan."""

    word: str = "Who?"

    def plan(self, question: str, names: Sequence[str], model: Within | None) -> Plan:
        """The word."""
        return Plan(shape="single", steps=(Step(question=self.word),), source="a word")


def test_the_planner_that_is_named_plans_for_every_strategy(engine: Polyhop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for one that plans nothing itself: the reader has a plan in any case."""
    load = registry.load
    monkeypatch.setattr(registry, "load", lambda kind, name: Word if name == "word" else load(kind, name))
    asked = Settings.from_mapping({**engine.settings.to_mapping(), "planner": {"name": "word", "word": "Where?"}})
    with Polyhop(engine.path, settings=asked) as chosen:
        for strategy in ("bm25", "paths"):
            plan = chosen.ask(BRIDGE, strategy=strategy).evidence.plan
            assert plan is not None
            assert (plan.source, [step.question for step in plan.steps]) == ("a word", ["Where?"])


def test_a_planner_that_nobody_knows_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownComponent, match="no planner named 'rulse'") as caught:
        Planning(settings=settings(name="rulse")).plan("Who?", [], None)
    assert "'rules'" in caught.value.remedy
    with pytest.raises(SettingError, match="no setting 'setps'"):
        Planning(settings=settings(name="rules", setps=3)).plan("Who?", [], None)
    with pytest.raises(SettingError, match="recorded"):
        Planning(settings=settings(name="recorded")).plan("Who?", [], None)
    with pytest.raises(UsageError, match="cannot be read"):
        Planning(settings=settings(name="recorded", file="none.jsonl")).plan("Who?", [], None)

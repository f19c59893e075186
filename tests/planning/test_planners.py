"""The contract of every planner, built in or from another package: a plan that holds together, whatever is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from polyhop import registry
from polyhop.engine import Polyhop
from polyhop.errors import ModelMissing, SettingError, UnknownComponent, UsageError
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.within import Within
from polyhop.planning.planner import Planner, Planning
from polyhop.planning.recorded import PlanFile, RecordedPlans
from polyhop.plans import (
    REFERENCE,
    Combination,
    Constant,
    Constraint,
    Placeholder,
    Plan,
    Step,
    plan_of_constraints,
    plan_of_questions,
)
from polyhop.settings import Settings
from polyhop.training.marked_plans import marked_plans
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


def test_without_a_name_our_own_model_plans_where_no_language_model_may_be_asked() -> None:
    assert Planning().plan(BRIDGE, [], None, prefer="steps").source == "trained"


UNREAD = Path(__file__).parents[2] / "weights" / "marked_unread.jsonl"
HIDDEN = "What profession had the owner of the old tannery?"


def test_our_own_model_takes_apart_what_rules_leave_whole() -> None:
    plan = Planning().plan(HIDDEN, [], None)
    assert (plan.source, len(plan.steps)) == ("trained", 2)
    assert len(Planning(settings=settings(name="rules")).plan(HIDDEN, [], None).steps) == 1


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("Where was the man born who built the Orsa mill?", ["Who built the Orsa mill?", "Where was #1 born?"]),
        (
            "Could you tell me who founded the firm that built the Orsa mill?",
            ["Which firm built the Orsa mill?", "Who founded #1?"],
        ),
    ],
)
def test_a_clause_apart_from_its_noun_is_read_behind_it_and_what_only_asks_is_not(
    question: str, steps: list[str]
) -> None:
    assert [step.question for step in Planning().plan(question, [], None).steps] == steps


def test_most_questions_are_taken_apart_as_somebody_marked_them() -> None:
    """Six hundred that no training reads, in steps of a chain; grammar words them, so that their number is compared."""
    marked = [plan for plan in marked_plans(UNREAD, UNREAD.parent) if not plan.combines]
    planned = [len(Planning().plan(plan.question, [], None).steps) for plan in marked]
    right = [len(plan.marked or ()) + 1 == steps for plan, steps in zip(marked, planned, strict=True)]
    assert sum(right) >= 0.8 * len(marked)


def test_without_its_weights_the_rules_plan_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it was named: then it says what is missing."""

    def missing(folder: str | None) -> None:
        raise ModelMissing("no weights")

    monkeypatch.setattr("polyhop.planning.trained.planner_graph", missing)
    assert Planning().plan(HIDDEN, [], None).source == "rules"
    with pytest.raises(ModelMissing):
        Planning(settings=settings(name="trained")).plan(HIDDEN, [], None)


def test_without_a_name_a_strategy_gets_the_form_of_plan_that_it_prefers() -> None:
    with (
        serving(says('{"steps": ["Who built the lighthouse?", "Where did #1 study?"]}')) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        plan = Planning().plan(BRIDGE, [], Within(model, 4), prefer="steps")
        assert (plan.source.split()[:2], len(plan.steps), plan.constraints) == (["language", "model"], 2, ())
        assert Planning().plan(BRIDGE, [], Within(model, 4)).source == "trained"


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
    with pytest.raises(SettingError, match="no setting 'liekly'"):
        Planning(settings=settings(name="trained", liekly=0.5)).plan("Who?", [], None)
    with pytest.raises(SettingError, match="recorded"):
        Planning(settings=settings(name="recorded")).plan("Who?", [], None)
    with pytest.raises(UsageError, match="cannot be read"):
        Planning(settings=settings(name="recorded", file="none.jsonl")).plan("Who?", [], None)


# --- plans that are kept and taken again ------------------------------------------------------------------------------

PERSON = Placeholder("?p", "person")  # whose name does not tell its type
PLANS = {
    "chain": plan_of_questions(["Who built the Gull?", "Where was #1 born?"], "language model sage"),
    "comparison": Plan(
        shape="comparison",
        steps=(Step(question="When was A built?", target="date"), Step(question="When was B built?", target="date")),
        final=Combination(comparator="earlier", operands=(0, 1), options=("A", "B"), whether=True),
        source="rules",
    ),
    "constraints": plan_of_constraints(
        [
            Constraint(Constant("Gull"), "built by", ("built by", "builder"), PERSON, "Who built the Gull?"),
            Constraint(PERSON, "born in", ("born in",), Placeholder.named("?town"), "In which town was ?p born?"),
        ],
        "rules",
    ),
}


@pytest.mark.parametrize("form", PLANS)
def test_a_plan_that_was_kept_is_taken_again_as_it_was_made(form: str, tmp_path: Path) -> None:
    """With its shape, its references, the types of its placeholders and how its answers are put together."""
    plan = PLANS[form]
    file = tmp_path / "plans.jsonl"
    PlanFile(file).keep("Who  is it?", "rules", plan)
    again = registry.build("planners", "recorded", {"file": str(file)}).plan("who is it?", [], None)
    assert again == replace(plan, source="recorded")


def test_a_question_is_kept_once_for_each_planner_also_by_a_later_run(tmp_path: Path) -> None:
    file = tmp_path / "plans.jsonl"
    for _ in range(2):
        kept = PlanFile(file)
        kept.keep("Who?", "steps", PLANS["chain"])
        kept.keep("WHO?", "steps", PLANS["comparison"])
        kept.keep("Who?", "constraints", PLANS["constraints"])
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2
    found = RecordedPlans.read(file)
    assert found.find("Who?", "constraints") == replace(PLANS["constraints"], source="recorded")
    assert found.find("Who?", "nobody") == found.find("Who?") == replace(PLANS["chain"], source="recorded")


def test_plans_are_kept_in_a_file_that_an_editor_has_saved_in_its_own_way(tmp_path: Path) -> None:
    file = tmp_path / "plans.jsonl"
    PlanFile(file).keep("Who?", "steps", PLANS["chain"])
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes() + b"\r\n")
    kept = PlanFile(file)
    kept.keep("Who?", "steps", PLANS["comparison"])
    kept.keep("Where?", "steps", PLANS["comparison"])
    found = RecordedPlans.read(file)
    assert found.find("Who?") == replace(PLANS["chain"], source="recorded")
    assert found.find("Where?") == replace(PLANS["comparison"], source="recorded")


@pytest.mark.parametrize("left", [2, 100, 70_000])
def test_a_plan_that_a_kill_has_torn_costs_no_other(left: int, tmp_path: Path) -> None:
    file = tmp_path / "plans.jsonl"
    PlanFile(file).keep("Who?", "steps", PLANS["chain"])
    with file.open("a") as stream:
        stream.write(('{"question": "Where' + "e" * 100_000)[:left])
    assert len(RecordedPlans.read(file)) == 1
    PlanFile(file).keep("Where?", "steps", PLANS["chain"])
    assert len(RecordedPlans.read(file)) == len(file.read_text().splitlines()) == 2


def test_each_strategy_gets_the_plan_again_that_it_made(engine: Polyhop, tmp_path: Path) -> None:
    """Where a language model plans, one takes steps and the other constraints."""
    file = tmp_path / "plans.jsonl"
    kept = PlanFile(file)
    kept.keep(BRIDGE, "steps", PLANS["chain"])
    kept.keep(BRIDGE, "constraints", PLANS["constraints"])
    planning = Planning(settings=Settings.from_mapping({"planner": {"name": "recorded", "file": str(file)}}))
    for prefer in ("steps", "constraints"):
        plan = planning.plan(BRIDGE, [], None, prefer=prefer)
        assert bool(plan.constraints) == (prefer == "constraints")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question": "Who?", "steps": []}, "it has no steps"),
        ({"question": "Who?", "steps": [{"question": 3}]}, "3 is no str"),
        ({"question": "Who?", "steps": [{"question": "#1?", "refers_to": [1]}]}, "step 1 refers to what does not come"),
        ({"question": "Who?", "steps": [{}]}, "it lacks something"),
        ({"question": "Who?", "shape": "star", "steps": [{"question": "Who?"}]}, "'star' is none of single, chain"),
        (
            {"question": "Who?", "steps": [{"question": "Who?"}], "final": {"comparator": "both", "operands": [2]}},
            "what it combines are not its steps",
        ),
    ],
)
def test_a_row_that_is_no_plan_is_refused_with_its_line(row: object, message: str, tmp_path: Path) -> None:
    file = tmp_path / "plans.jsonl"
    file.write_text(json.dumps(row), encoding="utf-8")
    for opened in (RecordedPlans.read, PlanFile):
        with pytest.raises(UsageError, match=f"line 1: this is no plan: {message}"):
            opened(file)


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plans.jsonl").touch()
    with pytest.raises(UsageError, match="Plans cannot be kept in"):
        PlanFile(tmp_path / "plans.jsonl" / "there")

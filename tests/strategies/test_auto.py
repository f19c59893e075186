"""Auto: one look where that suffices, and further where it does not."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.models.within import Within
from polyhop.planning.planner import RULES
from polyhop.plans import Plan
from polyhop.strategies.auto import Auto
from polyhop.strategies.paths.strategy import Paths
from polyhop.strategies.stepchain.strategy import StepChain
from polyhop.types import Budget, Evidence
from tests.worlds.documents import BRIDGE

CHATS = {
    "rowers_monday.txt": "Time: 20250310_1830\nTansy: The oars are back from repair.\nCorin: Good, I'll fetch them.",
    "rowers_friday.txt": "Time: 20250314_1900\nCorin: Who steers on Sunday?\nTansy: Not me, my wrist still hurts.",
    "rowers_sunday.txt": "Time: 20250316_0900\nTansy: Two seats are wet.\nCorin: I'll bring the old towels along.",
}


def test_a_question_of_one_hop_has_one_hop_and_stops_there(engine: Polyhop) -> None:
    evidence = engine.search("Who designed Harrowmere Lighthouse?", strategy="auto(sure=0.2)")
    assert "one passage suffices" in evidence.trail[0]
    assert len(evidence.hops) == 1
    assert evidence.hops[0].found
    assert evidence.passages[0] == evidence.hops[0].passages[0]


def test_a_question_of_two_hops_goes_on_and_says_why(engine: Polyhop) -> None:
    evidence = engine.search(BRIDGE, strategy="auto")
    assert "because the plan has 2 steps" in evidence.trail[0]
    assert len(evidence.hops) > 1


def test_steps_have_the_best_path_beside_them(engine: Polyhop) -> None:
    """Behind the first three, and told to nobody as hops; scores fall all the same."""
    evidence = engine.search(BRIDGE, k=5, strategy="auto")
    steps = engine.search(BRIDGE, k=5, strategy="stepchain(scope=question)")
    path = engine.search(BRIDGE, k=5, strategy="paths")
    assert evidence.passages[:3] == steps.passages[:3]
    assert {passage.id for hop in path.hops for passage in hop.passages} <= {one.id for one in evidence.passages}
    assert [(hop.question, hop.found) for hop in evidence.hops] == [(hop.question, hop.found) for hop in steps.hops]
    assert evidence.trail[-1].startswith("beside it, along links")
    scores = [passage.score for passage in evidence.passages]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(("seconds", "asked"), [(None, [None]), (60.0, [pytest.approx(30.0, abs=30.0)]), (0.0, [])])
def test_the_path_has_the_time_that_steps_have_left(
    seconds: float | None, asked: list[object], engine: Polyhop, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float | None] = []
    retrieve = Paths.retrieve

    def noted(self: Paths, question: str, over: View, budget: Budget) -> Evidence:
        given.append(budget.seconds)
        return retrieve(self, question, over, budget)

    monkeypatch.setattr(Paths, "retrieve", noted)
    engine.ask(BRIDGE, strategy="auto", budget=Budget(seconds=seconds))
    assert given == asked
    assert seconds not in given or seconds is None


def test_steps_are_planned_by_the_names_that_auto_knows(engine: Polyhop, monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[bool] = []
    plan = View.plan

    def noted(self: View, question: str, model: Within | None = None, *, prefer: str = RULES) -> Plan:
        known.append("parsekg" in self.layers)
        return plan(self, question, model, prefer=prefer)

    monkeypatch.setattr(View, "plan", noted)
    engine.search(BRIDGE, strategy="auto")
    assert len(known) > 1
    assert all(known)


def test_steps_have_the_time_that_the_first_look_has_left(engine: Polyhop, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []
    retrieve = StepChain.retrieve

    def noted(self: StepChain, question: str, over: View, budget: Budget) -> Evidence:
        given.append(budget.seconds)
        return retrieve(self, question, over, budget)

    monkeypatch.setattr(StepChain, "retrieve", noted)
    engine.ask(BRIDGE, strategy="auto", budget=Budget(seconds=60.0))
    assert 0.0 < (given[0] or 0.0) < 60.0


def test_questions_that_a_reader_lacks_share_the_time_that_is_left(
    engine: Polyhop, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []

    def slow(self: Auto, question: str, over: View, budget: Budget) -> Evidence:
        given.append(budget.seconds or 0.0)
        time.sleep(0.06)
        return Evidence(question=question, strategy="auto", passages=())

    monkeypatch.setattr(Auto, "retrieve", slow)
    evidence = Evidence(question=BRIDGE, strategy="auto", passages=(), supplied=())
    with engine.view() as view:
        Auto().supply(("Who was it?", "Where was it?", "When was it?"), evidence, (), view, Budget(seconds=0.1))
    assert 0.1 >= given[0] > given[1] >= given[2] == 0.0


def test_what_no_near_passage_answers_is_looked_for_along_links(engine: Polyhop) -> None:
    evidence = engine.search("What is the capital of Mars?", strategy="auto(sure=1.0)")
    assert evidence.trail[0].startswith("paths, because no passage near the question answers it")


def test_conversations_are_searched_by_what_they_answer(index_of: Callable[[Mapping[str, str]], Polyhop]) -> None:
    """Where questions were generated: in chats few names lead anywhere, and steps would only part what was said."""
    chats = index_of(CHATS)
    evidence = chats.search("What hurts?", k=3, strategy="auto")
    assert evidence.trail[0].startswith("qcg, because what is nearest to the question was said in conversations")
    assert evidence.hops[0].questions
    assert evidence.passages[0].title == "rowers friday"
    in_steps = "Who is the brother of the man who steers on Sunday?"
    with chats.view() as view:
        assert view.plan(in_steps).shape == "chain"
    assert chats.search(in_steps, k=3, strategy="auto").trail[0].startswith("qcg")


def test_what_conversations_do_not_speak_of_is_doubted(index_of: Callable[[Mapping[str, str]], Polyhop]) -> None:
    asked = "Which seats did Tansy paint blue for the regatta?"
    assert index_of(CHATS).search(asked, strategy="auto").doubtful


def test_the_first_look_is_at_what_generated_questions_lead_to_too(engine: Polyhop) -> None:
    """By turns with the nearest by vector and words; documents are still followed along links."""
    asked = "Who designed Harrowmere Lighthouse?"
    by_questions = engine.search(asked, k=5, strategy="qcg(answerable=none)").passages
    evidence = engine.search(asked, k=5, strategy="auto(sure=0.2)")
    assert by_questions[0].id in {one.id for one in evidence.passages[:2]}
    assert engine.search(asked, k=5, strategy="auto(sure=1.0)").trail[0].startswith("paths")
    scores = [passage.score for passage in evidence.passages]
    assert scores == sorted(scores, reverse=True)

"""What is wrong with plans, by kind, told from the data set's own decomposition."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, Run
from polyhop.evaluation.outcome import Outcome, QuestionRecord, plan_followed
from polyhop.evaluation.plan_errors import depths, gold_references, kind_of, plan_errors
from polyhop.evaluation.reports.page import html
from polyhop.evaluation.reports.report import summary
from polyhop.evaluation.reports.terminal import render
from polyhop.plans import plan_of_questions
from polyhop.types import Evidence, Hop

STEPS = [{"question": "Harrowmere Lighthouse >> architect"}, {"question": "#1 >> place of birth"}]
TRIPLES = [["Harrowmere Lighthouse", "architect", "Edda Marrish"], ["The Edda Marrish", "born in", "Pellingrove"]]
CHAIN, APART, ONE = ((), (0,)), ((), ()), ((),)


@st.composite
def planned(draw: st.DrawFn) -> tuple[tuple[int, ...], ...]:
    """References of up to five steps, each to earlier ones."""
    count = draw(st.integers(1, 5))
    return tuple(
        tuple(sorted(draw(st.sets(st.integers(0, place - 1), max_size=2)))) if place else () for place in range(count)
    )


def record(plan: tuple[tuple[int, ...], ...], decomposition: Any) -> QuestionRecord:
    question = Question(id="q", text="?", answer="x", extra={"decomposition": decomposition})
    return QuestionRecord(question=question, outcome=Outcome(plan=plan), metrics={})


def asked_like(references: tuple[tuple[int, ...], ...]) -> list[dict[str, str]]:
    """A decomposition into steps with these references."""
    return [{"question": " ".join(f"#{one + 1}" for one in each) or "?"} for each in references]


@given(st.lists(st.tuples(planned(), planned()), max_size=4))
def test_plan_errors_are_those_of_a_naive_loop(pairs: list[Any]) -> None:
    found = plan_errors([record(plan, asked_like(gold)) for plan, gold in pairs])
    if not pairs:
        assert found is None
        return
    wrong = misplaced = steps = 0
    for plan, gold in pairs:
        left = [walked(gold, place) for place in range(len(gold))]
        steps += len(plan)
        for place in range(len(plan)):
            depth = walked(plan, place)
            if depth in left:
                left.remove(depth)
            else:
                misplaced += 1
        unequal = sorted(walked(plan, place) for place in range(len(plan))) != sorted(
            walked(gold, place) for place in range(len(gold))
        )
        wrong += len(plan) != len(gold) or unequal
    assert found is not None
    assert (found.plans, found.steps, found.misplaced) == (len(pairs), steps, misplaced)
    assert found.plan_error_rate == pytest.approx(wrong / len(pairs))
    assert found.step_error_rate == pytest.approx(misplaced / steps)


def walked(steps: tuple[tuple[int, ...], ...], place: int) -> int:
    """The longest way back from a step, walked anew each time."""
    return max((1 + walked(steps, one) for one in steps[place]), default=0)


@pytest.mark.parametrize(
    ("plan", "gold", "kind"),
    [
        (CHAIN, CHAIN, ""),
        (ONE, CHAIN, "undivided"),
        (CHAIN, ((), (0,), (1,)), "fewer"),
        (((), (0,), (1,)), CHAIN, "more"),
        (APART, CHAIN, "references"),
        (((), (), (0,), (1,)), ((), (0,), (), (2,)), ""),  # the same, in another order
    ],
)
def test_an_error_has_one_kind(plan: Any, gold: Any, kind: str) -> None:
    assert kind_of(plan, gold) == kind


def test_depths_count_answers_that_are_needed_first() -> None:
    assert depths(((), (0,), (), (1, 2))) == [0, 1, 0, 2]
    assert depths(((), (1,), (5,))) == [0, 0, 0], "what is not earlier is no reference"


@pytest.mark.parametrize("decomposition", [STEPS, TRIPLES])
def test_references_are_read_from_steps_and_from_triples(decomposition: Any) -> None:
    assert [list(one) for one in gold_references(decomposition)] == [[], [0]]


@pytest.mark.parametrize("decomposition", [[], ["text"], [["one", "two"]], [{"answer": "x"}], [STEPS[0], TRIPLES[0]]])
def test_a_decomposition_in_another_form_says_nothing(decomposition: Any) -> None:
    assert list(gold_references(decomposition)) == []
    assert plan_errors([record(CHAIN, decomposition)]) is None


def test_a_plan_counts_where_hops_follow_it() -> None:
    plan = plan_of_questions(["Who designed it?", "Where was #1 born?"])
    hop = Hop(question="Who designed it?", status="resolved", step=0)
    evidence = Evidence(question="?", strategy="paths", passages=(), hops=(hop,), plan=plan)
    assert plan_followed(evidence) == CHAIN
    assert plan_followed(replace(evidence, hops=(replace(hop, step=None),))) == ()
    assert plan_followed(replace(evidence, plan=None)) == ()


def test_a_report_has_a_table_of_plans() -> None:
    """In the terminal, on the page and in its JSON."""
    rows = (record(CHAIN, STEPS), replace(record(ONE, STEPS), question=Question(id="r", text="?", answer="x")))
    data = Dataset(
        folder=Path(), split=None, questions=tuple(row.question for row in rows), passages=frozenset(), hashes={}
    )
    experiment = Experiment(strategies=("paths",))
    values = dict.fromkeys((metric.name for metric in experiment.metrics(data)), 1.0)
    records = {"paths": tuple(replace(row, metrics=values) for row in rows)}
    report = summary(Run(experiment=experiment, records=records), data, {})
    assert (report["strategies"]["paths"]["plans"]["plans"], report["strategies"]["paths"]["plans"]["more"]) == (1, 0)
    console = Console(width=100)
    with console.capture() as shown:
        console.print(render(report))
    assert "misplaced" in shown.get()
    assert "<h2>Plans</h2>" in html(report)

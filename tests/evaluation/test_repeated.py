"""The same experiment several times: means, and how far the runs differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, Run
from polyhop.evaluation.outcome import Outcome, QuestionRecord
from polyhop.evaluation.repeated import Spread, averaged, settings_of_run, spreads
from polyhop.evaluation.reports.page import html
from polyhop.evaluation.reports.report import summary
from polyhop.evaluation.reports.terminal import render
from polyhop.settings import Settings
from polyhop.types import Cost

METRICS = ("em", "f1")
VALUES = st.none() | st.floats(0, 1)
TABLE = st.lists(st.lists(st.tuples(VALUES, VALUES), min_size=4, max_size=4), min_size=1, max_size=4)
DATASET = Dataset(
    folder=Path("towns"),
    split=None,
    questions=tuple(Question(id=f"q{number}", text="?", answer="Velm") for number in range(2)),
    passages=frozenset({"p"}),
    hashes={},
)
RUN = Run(experiment=Experiment(strategies=("words",)), records={})


def record(number: int, *values: float | None, seconds: float = 1.0, calls: int = 1) -> QuestionRecord:
    """What came of a question, by the values of its metrics."""
    outcome = Outcome(answer="Velm", seconds=seconds, cost=Cost(llm_calls=calls))
    question = Question(id=f"q{number}", text="?", answer="Velm")
    return QuestionRecord(question=question, outcome=outcome, metrics=dict(zip(METRICS, values, strict=True)))


def run_of(*rows: tuple[float | None, ...]) -> Run:
    """A run of one strategy, by the values of its questions."""
    return replace(RUN, records={"words": tuple(record(number, *values) for number, values in enumerate(rows))})


@given(TABLE)
def test_means_and_deviations_are_those_of_a_naive_loop(table: list[list[tuple[float | None, float | None]]]) -> None:
    """Over runs of each question, and over questions of each run."""
    runs = [run_of(*rows) for rows in table]
    together, found = averaged(runs[0], runs[1:])["words"], spreads(runs, METRICS)["words"]
    for place, metric in enumerate(METRICS):
        for number in range(4):
            known = [value for rows in table if (value := rows[number][place]) is not None]
            expected = sum(known) / len(known) if known else None
            assert together[number].metrics[metric] == (None if expected is None else pytest.approx(expected))
        means = []
        for rows in table:
            known = [value for values in rows if (value := values[place]) is not None]
            if known:
                means.append(sum(known) / len(known))
        if not means:
            assert metric not in found
            continue
        middle = sum(means) / len(means)
        variance = sum((mean - middle) ** 2 for mean in means) / max(1, len(means) - 1)
        assert found[metric].mean == pytest.approx(middle)
        assert found[metric].deviation == pytest.approx(variance**0.5, abs=1e-9)
    assert all(len(one.again) == len(runs) - 1 for one in together)


def test_a_run_that_ended_early_counts_for_what_it_asked() -> None:
    first, second = run_of((1.0, 1.0), (0.0, 0.0)), run_of((0.0, 0.5))
    both = averaged(first, [second])["words"]
    assert [one.metrics["f1"] for one in both] == [0.75, 0.0]
    assert [len(one.again) for one in both] == [1, 0]
    assert averaged(second, [first])["words"][1].metrics["f1"] == 0.0


def test_one_run_has_no_deviation() -> None:
    assert (Spread(values=(0.5,)).mean, Spread(values=(0.5,)).deviation) == (0.5, 0.0)


def test_each_run_has_a_seed_of_its_own() -> None:
    """Counted from the one that is set; models that take none are asked the same again."""

    def seeds(**section: object) -> list[object]:
        settings = Settings.from_mapping({"language_model": section})
        return [settings_of_run(settings, number).of("language_model").get("seed") for number in range(3)]

    assert seeds() == [None, 1, 2]
    assert seeds(seed="7", temperature=0.5) == ["7", 8, 9]
    assert seeds(seed="none") == ["none", 1, 2]
    for model in ("none", "smollm2"):
        settings = Settings.from_mapping({"models": {"language_model": model}})
        assert settings_of_run(settings, 2) == settings


def test_a_report_of_several_runs_has_means_costs_of_all_and_a_table() -> None:
    """Records, and what is said of hops and confidences, are those of the first run."""
    names = [metric.name for metric in RUN.experiment.metrics(DATASET)]

    def asked(found: float, seconds: float, calls: int) -> Run:
        row = QuestionRecord(
            question=DATASET.questions[0],
            outcome=Outcome(answer="Velm", confidence=0.5, seconds=seconds, cost=Cost(llm_calls=calls)),
            metrics=dict.fromkeys(names, found),
        )
        return replace(RUN, records={"words": (row, replace(row, question=DATASET.questions[1]))})

    first, *again = asked(1.0, 1.0, 1), asked(0.0, 2.0, 2), asked(0.5, 3.0, 6)
    report = summary(first, DATASET, {}, again=again)
    figures = report["strategies"]["words"]
    assert (figures["n"], figures["f1"], figures["llm_calls"], figures["seconds_p50"]) == (2, 0.5, 3.0, 2.0)
    assert report["runs"]["count"] == 3
    assert report["runs"]["strategies"]["words"]["f1"] == {"mean": 0.5, "deviation": 0.5, "values": [1.0, 0.0, 0.5]}
    assert report["records"]["words"][0]["metrics"]["f1"] == 1.0
    assert figures["reliability"]["right"] == 2
    console = Console(width=100, record=True)
    with console.capture() as shown:
        console.print(render(report))
    assert "3 runs" in shown.get()
    assert "50.0 ± 50.0" in shown.get()
    assert "50.0 ± 50.0" in html(report)
    once = summary(first, DATASET, {})
    assert "runs" not in once
    assert "±" not in html(once)


def test_trouble_of_any_run_is_told() -> None:
    runs = [run_of((1.0, 1.0)), replace(run_of((1.0, 1.0)), interrupted=True)]
    names = [metric.name for metric in RUN.experiment.metrics(DATASET)]
    full = [
        replace(run, records={"words": (replace(run.records["words"][0], metrics=dict.fromkeys(names, 1.0)),)})
        for run in runs
    ]
    report = summary(full[0], DATASET, {}, again=full[1:])
    assert report["interrupted"] is True
    assert any("interrupted" in warning for warning in report["warnings"])

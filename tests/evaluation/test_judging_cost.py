"""What a language model takes to judge answers: counted, reported, and kept apart from what answering takes."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from polyhop.cli.main import polyhop
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, Run
from polyhop.evaluation.metrics.accuracy import Accuracy
from polyhop.evaluation.metrics.metric import spent
from polyhop.evaluation.outcome import Outcome
from polyhop.evaluation.reports.page import html
from polyhop.evaluation.reports.report import summary
from polyhop.evaluation.reports.terminal import render
from polyhop.models.choice import load_models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.reports import CostListener
from polyhop.settings import Settings
from polyhop.types import Answer, Budget, Cost, Evidence
from tests.worlds.endpoint import Played, says, serving

QUESTIONS = tuple(
    Question(id=f"q{number}", text=f"Who landed at buoy {number}?", answer="Ada Brisk") for number in range(4)
)
ANSWERS = {"Who landed at buoy 0?": "Ada Brisk", "Who landed at buoy 1?": "Otto Fell", "Who landed at buoy 2?": "Ms A."}
ASKED = Cost(llm_calls=2, prompt_tokens=100, completion_tokens=20, money=0.5)  # what each answer took


def judging(request: Mapping[str, Any]) -> Played:
    """A judge who has 1,000 tokens to read, writes 50, and says of Ms A. what is no verdict."""
    asked = request["messages"][1]["content"].partition("<<<ANSWER")[2]
    verdict = json.dumps({"reason": "the name", "correct": "Brisk" in asked})
    usage = {"prompt_tokens": 1000, "completion_tokens": 50}
    return says("I cannot say." if "Ms A." in asked else verdict, usage=usage)


class Sage:
    """An engine that answers three of four questions, each for the same price."""

    def ask(
        self,
        question: str,
        *,
        strategy: str | None = None,
        budget: Budget | None = None,
        spent: CostListener | None = None,
    ) -> Answer:
        """What it knows; two strategies know the same."""
        evidence = Evidence(question=question, strategy=str(strategy), passages=(), cost=ASKED)
        text = ANSWERS.get(question)
        return Answer(
            question=question, text=text, citations=(), confidence=1.0, evidence=evidence, reader="sage", manifest={}
        )

    def search(
        self, question: str, *, k: int = 5, strategy: str | None = None, spent: CostListener | None = None
    ) -> Evidence:
        """Nothing."""
        return Evidence(question=question, strategy=str(strategy), passages=())

    def strategy_for(self, name: str | None) -> str:
        """Any."""
        return str(name)


def data(folder: Path) -> Dataset:
    return Dataset(folder=folder, split=None, questions=QUESTIONS, passages=frozenset(), hashes={})


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Two strategies that give the same answers, judged by a language model with prices and a cache."""
    experiment = Experiment(strategies=("old", "new"), extra_metrics=("accuracy(judge=language_model)",))
    with serving(judging) as server:
        endpoint = {"base_url": server.url, "model": "sage", "prompt_price": 1.0, "completion_price": 4.0}
        chosen = {"models": {"language_model": "openai"}, "language_model": endpoint | {"cache": str(tmp_path)}}
        models = load_models(Settings.from_mapping(chosen))
        found = experiment.run(Sage(), data(tmp_path), models=models)
        models.close()
    return found


def test_each_question_tells_what_its_verdict_cost_also_one_that_is_none(run: Run) -> None:
    """The third answer is asked about twice, because what comes back is repaired once; the fourth is an abstention."""
    judged = [record.judging for record in run.records["old"]]
    assert [cost.llm_calls for cost in judged if cost is not None] == [1, 1, 2, 0]
    assert [cost.tokens for cost in judged if cost is not None] == [1050, 1050, 2100, 0]
    assert judged[0] is not None
    assert judged[0].money == pytest.approx(0.0012)
    assert {record.outcome.cost.tokens for record in run.records["old"]} == {120}


def test_the_report_keeps_it_apart_from_what_strategies_cost(run: Run, tmp_path: Path) -> None:
    report = summary(run, data(tmp_path), {})
    old, new = report["strategies"]["old"], report["strategies"]["new"]
    assert (old["llm_calls"], old["llm_tokens"], old["money"]) == (2, 120, 0.5)
    assert old["judging"] == {"llm_calls": 1.0, "llm_tokens": 1050.0, "money": pytest.approx(0.0012)}
    assert new["judging"]["llm_tokens"] == 0, "the same answers were judged before"
    assert [row["judge_tokens"] for row in report["records"]["old"]] == [1050, 1050, 2100, 0]
    assert [row["llm_tokens"] for row in report["records"]["old"]] == [120] * 4


def test_the_page_and_the_terminal_have_a_table_of_it(run: Run, tmp_path: Path) -> None:
    report = summary(run, data(tmp_path), {}, records=False)
    page = html(report)
    table = page[page.index("<h2>Judging</h2>") :].partition("</table>")[0]
    assert table.count("<tr>") == 3
    assert "<td>1,050</td>" in table
    assert "no part of what strategies cost" in page
    drawn = io.StringIO()
    Console(width=100, file=drawn).print(render(report))
    rows = drawn.getvalue().partition("\nJudging")[2].splitlines()
    assert next(row for row in rows if row.startswith(" old ")).split() == ["old", "1", "1,050", "0.0012"]


def test_nothing_is_said_of_judging_where_rules_judge(tmp_path: Path) -> None:
    run = Experiment(strategies=("old",), extra_metrics=("accuracy",)).run(Sage(), data(tmp_path))
    report = summary(run, data(tmp_path), {})
    assert {record.judging for record in run.records["old"]} == {None}
    assert "judging" not in report["strategies"]["old"]
    assert "judge_tokens" not in report["records"]["old"][0]
    assert "Judging" not in html(report)


def test_nothing_is_said_of_judging_where_nothing_was_read(run: Run, tmp_path: Path) -> None:
    unread = replace(run.records["old"][0], outcome=Outcome(read=False), judging=Cost())
    report = summary(replace(run, records={"old": (unread,)}), data(tmp_path), {})
    assert "judging" not in report["strategies"]["old"]


def test_a_metric_that_asks_counts_what_it_asks() -> None:
    assert spent([Accuracy()]) is None
    with serving(judging) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        judge = Accuracy(judge="language_model").judged_by(model)
        assert spent([Accuracy(), judge]) == Cost()
        judge(QUESTIONS[0], Outcome(answer="Ada Brisk"))
        cost = spent([Accuracy(), judge])
    assert cost is not None
    assert (cost.llm_calls, cost.tokens) == (1, 1050)


def test_the_command_line_reports_it(tmp_path: Path) -> None:
    """Where the configured model both answers and judges."""
    text = "Ada Brisk landed at buoy 0."
    row = {"id": "p1", "title": "Buoy 0", "text": text}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(row), encoding="utf-8")
    asked = {"id": "q0", "question": QUESTIONS[0].text, "answer": "Ada Brisk", "supporting": ["p1"]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(asked), encoding="utf-8")
    answer = {"support": [{"passage": 1, "quote": text}], "found": True, "answer": "Ada Brisk"}

    def script(request: Mapping[str, Any]) -> Played:
        return judging(request) if "<<<REFERENCE" in request["messages"][1]["content"] else says(json.dumps(answer))

    found, page = tmp_path / "found.json", tmp_path / "found.html"
    with serving(script) as server:
        chosen = {
            "models.language_model": "openai",
            "language_model.base_url": server.url,
            "language_model.model": "sage",
            "language_model.cache": tmp_path / "cache",
        }
        sets = [part for key, value in chosen.items() for part in ("--set", f"{key}={value}")]
        done = CliRunner().invoke(
            polyhop,
            [
                *("eval", str(tmp_path), "--strategy", "bm25", "--metric", "accuracy(judge=language_model)"),
                *("--json", str(found), "--report", str(page), "--index", str(tmp_path / "an.index"), *sets),
            ],
        )
    assert done.exit_code == 0, done.output
    figures = json.loads(found.read_text(encoding="utf-8"))["strategies"]["bm25"]
    assert (figures["accuracy"], figures["llm_tokens"]) == (1.0, 15.0)
    assert figures["judging"] == {"llm_calls": 1.0, "llm_tokens": 1050.0, "money": 0.0}
    assert "<h2>Judging</h2>" in page.read_text(encoding="utf-8")

"""Accuracy: what counts as the same answer, by rules and by a language model that judges."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

from polyhop.cli.main import polyhop
from polyhop.errors import ModelMissing, SettingError
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment
from polyhop.evaluation.metrics.accuracy import Accuracy, accurate
from polyhop.evaluation.metrics.equality import moments, terms
from polyhop.evaluation.metrics.equality import says as means
from polyhop.evaluation.metrics.metric import given_models, metric_named
from polyhop.evaluation.outcome import Outcome
from polyhop.models.choice import load_models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.recorded import Recorder
from polyhop.prompts.judge_answer import judge_answer
from polyhop.reports import CostListener
from polyhop.settings import Settings
from polyhop.types import Answer, Budget, Evidence
from tests.worlds.endpoint import refuses, says, serving

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
ASKED = Question(id="q1", text="Who built the lighthouse of Quillmouth?", answer="Ada Brisk", aliases=("A. Brisk",))
UNKNOWN = Question(id="q2", text="What did the lighthouse of Quillmouth cost?", answer=None)


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        ("It was Ada Brisk, the engineer", "Ada Brisk"),
        ("ADA BRØK", "ada brok"),
        ("Yes, in 1841", "yes"),
        ("No.", "no"),
        ("three late trains", "3 late trains"),
        ("1,200 sheep", "1200 sheep"),
        ("5.0 metres", "five metres"),
        ("3.50 km", "3.50 km"),
        ("3.0 km", "3 km"),
        ("at 17.30", "17:30"),
        ("the 4th bridge", "fourth bridge"),
        ("4 March 1895", "1895-03-04"),
        ("On March 4th, 1895", "4 March 1895"),
        ("4 March 1895", "in March 1895"),
        ("6 pm on 4 March 1895", "18950304_18:00"),
        ("18950304_18:00", "4 March 1895, 18:00"),
        ("glass, trains and the river", "the river & glass"),
        ("salt; glass", "glass; salt"),
        ("some salt, and glass", "glass and salt"),
        ("the heron, an otter and three owls", "owls, a heron, and the otter"),
        ("AdaBrisk", "Ada Brisk"),
        ("I think it was Ada Brisk", "AdaBrisk"),
        ("灯台を建てた", "灯台を建てた"),
    ],
)
def test_a_prediction_says_what_the_reference_says(prediction: str, reference: str) -> None:
    assert means(prediction, reference)


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        ("Ada Brook", "Ada Brisk"),
        ("Brisk", "Ada Brisk"),
        ("15 metres", "5 metres"),
        ("35 km", "3.5 km"),
        ("3.5 km", "35 km"),
        ("It ended 21 each.", "2:1"),
        ("Nobody says yes", "yes"),
        ("There is no harbour", "no"),
        ("1895", "4 March 1895"),
        ("5 March 1895", "1895-03-04"),
        ("4 March 1895", "18950304_18:00"),
        ("7 pm on 4 March 1895", "18950304_18:00"),
        ("glass and trains", "the river & glass"),
        ("glass and trains", "glass and the river"),
        ("Adab Risk", "AdaBrisk"),
        ("", "Ada Brisk"),
        ("Ada Brisk", "?"),
    ],
)
def test_a_prediction_that_says_something_else_or_less_is_wrong(prediction: str, reference: str) -> None:
    assert not means(prediction, reference)


@given(st.integers(1000, 2999), st.integers(1, 12), st.integers(1, 28))
def test_a_date_is_one_moment_however_it_is_written(year: int, month: int, day: int) -> None:
    """Law: stamps with and without hyphens, and the month written out."""
    name = MONTHS[month - 1]
    written = (
        f"{year}-{month:02}-{day:02}",
        f"{year}{month:02}{day:02}",
        f"{day} {name} {year}",
        f"{name} {day}, {year}",
    )
    assert {moment for text in written for moment in moments(text)} == {(year, month, day, -1)}


@given(st.text(max_size=40), st.text(max_size=40))
def test_every_text_says_itself_and_more_does_no_harm(reference: str, more: str) -> None:
    """Law, for any text with words that are no articles: it says itself, also with words after it."""
    assume(terms(reference))
    assert means(reference, reference)
    assert accurate(f"{reference} \n {more}", [reference]) == 1.0


def test_abstaining_is_right_exactly_where_nothing_is_known() -> None:
    judged = [
        (ASKED, "built by A. Brisk", 1.0),
        (ASKED, "Piet Rook", 0.0),
        (ASKED, None, 0.0),
        (UNKNOWN, "90 crowns", 0.0),
        (UNKNOWN, None, 1.0),
    ]
    assert [Accuracy()(question, Outcome(answer=answer)) for question, answer, _ in judged] == [
        expected for _, _, expected in judged
    ]
    assert Accuracy()(ASKED, Outcome(read=False)) is None


def test_the_metric_is_registered_and_takes_its_setting_in_brackets() -> None:
    assert metric_named("accuracy") == Accuracy()
    assert metric_named("accuracy(judge=language_model)") == Accuracy(judge="language_model")
    with pytest.raises(SettingError):
        metric_named("accuracy(judge=oracle)")


def test_a_judge_that_is_not_there_is_missed_before_anything_is_asked(tmp_path: Path) -> None:
    models = load_models(Settings.from_mapping({"models": {"language_model": "none"}}))
    assert given_models([Accuracy()], models) == (Accuracy(),)
    with pytest.raises(ModelMissing, match="judge"):
        given_models([Accuracy(judge="language_model")], models)
    with pytest.raises(ModelMissing):
        Accuracy(judge="language_model")(ASKED, Outcome(answer="Ada Brisk"))


def verdict(request: Mapping[str, Any]) -> str:
    """A judge who knows that Ada Brisk is right, and that saying so is not where nothing is known."""
    asked = request["messages"][1]["content"]
    right = "Brisk" in asked.partition("<<<ANSWER")[2] and "NONE" not in asked
    return json.dumps({"reason": "the names\nagree" if right else "another name", "correct": right})


def test_the_judge_sees_question_references_and_answer_and_gives_a_reason_on_one_line() -> None:
    with serving(lambda request: says(verdict(request))) as server:
        with OpenAICompatible(base_url=server.url, model="sage") as model:
            found = judge_answer(model, ASKED.text, "Ms Brisk", ASKED.references)
            assert (found.correct, found.reason, model.meter.total.llm_calls) == (True, "the names agree", 1)
            assert not judge_answer(model, ASKED.text, "Piet Rook", ASKED.references).correct
            assert not judge_answer(model, UNKNOWN.text, "Ada Brisk", ()).correct
        prompt = server.requests[0]["messages"][1]["content"]
        assert all(text in prompt for text in (ASKED.text, "REFERENCE 1", "REFERENCE 2", "A. Brisk", "Ms Brisk"))
        assert server.requests[0]["temperature"] == 0


def test_a_verdict_is_not_left_to_chance_where_answers_are(tmp_path: Path) -> None:
    """QCG-RAG, section 4.1: the judge decodes deterministically; its answers are drawn at temperature 0.7."""
    with serving(lambda request: says(verdict(request))) as server:
        with OpenAICompatible(base_url=server.url, model="sage", temperature=0.7, top_p=0.8) as model:
            for asked in (model, Recorder(model, tmp_path / "kept.jsonl")):
                judge = Accuracy(judge="language_model").judged_by(asked)
                assert judge(ASKED, Outcome(answer="Ada Brisk")) == 1.0
            assert (model.temperature, model.meter.total.llm_calls) == (0.7, 2), "one account of costs"
        assert [(one["temperature"], "top_p" in one) for one in server.requests] == [(0.0, False)] * 2


def test_nobody_is_asked_about_an_abstention() -> None:
    with serving(refuses(500, "no")) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        assert not judge_answer(model, ASKED.text, None, ASKED.references).correct
        assert judge_answer(model, UNKNOWN.text, None, ()).correct
        assert server.requests == []


def test_what_is_not_judged_is_not_counted() -> None:
    with serving(says("I cannot say.")) as server, OpenAICompatible(base_url=server.url, model="sage") as model:
        judge = Accuracy(judge="language_model").judged_by(model)
        assert judge(ASKED, Outcome(answer="Ada Brisk")) is None
        assert judge(ASKED, Outcome(answer=None)) == 0.0
        assert judge(ASKED, Outcome(read=False)) is None


class Sage:
    """An engine that knows one answer."""

    def ask(
        self,
        question: str,
        *,
        strategy: str | None = None,
        budget: Budget | None = None,
        spent: CostListener | None = None,
    ) -> Answer:
        """Ada Brisk, whatever is asked."""
        evidence = Evidence(question=question, strategy="sage", passages=())
        return Answer(
            question=question,
            text="Ada Brisk",
            citations=(),
            confidence=1.0,
            evidence=evidence,
            reader="sage",
            manifest={},
        )

    def search(
        self, question: str, *, k: int = 5, strategy: str | None = None, spent: CostListener | None = None
    ) -> Evidence:
        """Nothing."""
        return Evidence(question=question, strategy="sage", passages=())

    def strategy_for(self, name: str | None) -> str:
        """The sage."""
        return "sage"


def test_an_experiment_gives_the_judge_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Dataset(folder=tmp_path, split=None, questions=(ASKED, UNKNOWN), passages=frozenset(), hashes={})
    experiment = Experiment(strategies=("sage",), extra_metrics=("accuracy(judge=language_model)",))
    with serving(lambda request: says(verdict(request))) as server:
        monkeypatch.setenv("POLYHOP_BASE_URL", server.url)
        monkeypatch.setenv("POLYHOP_MODEL", "sage")
        models = load_models(Settings.from_mapping({"models": {"cache": str(tmp_path)}}))
        run = experiment.run(Sage(), data, models=models)
        models.close()
    assert [record.metrics["accuracy"] for record in run.records["sage"]] == [1.0, 0.0]


def test_the_command_line_measures_it(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text(
        json.dumps({"id": "p1", "title": "Quillmouth", "text": "The lighthouse of Quillmouth was built by Ada Brisk."}),
        encoding="utf-8",
    )
    row = {"id": "q1", "question": ASKED.text, "answer": "Ada Brisk", "supporting": ["p1"]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row), encoding="utf-8")
    found = tmp_path / "found.json"
    arguments = ["eval", str(tmp_path), "--strategy", "bm25", "--metric", "accuracy", "--json", str(found)]
    done = CliRunner().invoke(polyhop, [*arguments, "--index", str(tmp_path / "polyhop.index")])
    assert done.exit_code == 0, done.output
    assert json.loads(found.read_text(encoding="utf-8"))["strategies"]["bm25"]["accuracy"] == 1.0

"""What a report says in figures: means, breakdowns, comparisons and warnings, and the file of JSON that keeps them."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyhop.errors import StorageFull
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.outcome import Outcome
from polyhop.evaluation.reports.page import html
from polyhop.evaluation.reports.report import summary, write_json
from tests.worlds.reported import BAD, DATASET, GOOD, drawn, run_of


def test_summary_has_the_figures_of_each_strategy(report: dict[str, Any]) -> None:
    good = report["strategies"]["good<script>"]
    assert good["n"] == 4
    assert good["em"] == good["f1"] == 0.5
    assert good["recall@2"] == good["recall@5"] == 0.5  # 1, 0.5 and, for the error, 0; none for the Null question
    assert good["all@5"] == pytest.approx(1 / 3, abs=1e-6)
    assert (good["abstained"], good["abstained_on_null"], good["lost"]) == (0.0, 0.0, 0.0)
    assert (good["llm_calls"], good["llm_tokens"], good["errors"]) == (1.0, 3.0, 1)
    assert (good["seconds_p50"], good["seconds_p95"]) == (0.2, pytest.approx(0.29))
    assert good["intervals"]["f1"][0] <= 0.5 <= good["intervals"]["f1"][1]
    assert good["calibration"]["answers"] == 3
    assert good["calibration"]["threshold"] == 0.5
    bad = report["strategies"]["bad"]
    assert (bad["em"], bad["abstained"], bad["abstained_on_null"], bad["lost"]) == (0.25, 1.0, 1.0, 1.0)
    assert bad["calibration"] is None


def test_summary_tells_how_reliable_confidences_are(report: dict[str, Any]) -> None:
    """Of three answers two were right by F1: those of the confidences 0.9 and 0.8, not that of 0.2."""
    found = report["strategies"]["good<script>"]["reliability"]
    assert (found["metric"], found["answers"], found["right"]) == ("f1", 3, 2)
    assert [(row["low"], row["count"], row["right"]) for row in found["bins"]] == [
        (0.1, 1, 0),
        (0.7, 1, 1),
        (0.8, 1, 1),
    ]
    assert found["bins"][0]["gap"] == pytest.approx(0.2)
    assert found["error"] == pytest.approx((0.2 + 0.2 + 0.1) / 3, abs=1e-6)
    assert report["strategies"]["bad"]["reliability"] is None
    text, page = drawn(report), html(report)
    assert "0.7 to 0.8" in text
    assert "<h2>Reliability</h2>" in page
    assert "<title>Right over confidence</title>" in page


def test_summary_takes_answers_for_right_by_what_they_hold_where_evidence_is_in_sentences() -> None:
    """A sentence as the gold answer is never equal to a name, and the quotation may hold what the answer lacks."""
    asked = Question(id="q1", text="Who founded Velmora?", answer="Velmora was founded by Tessa Quill.")
    towns = Dataset(folder=Path("towns"), split=None, questions=(asked,), passages=None, hashes={})
    outcome = Outcome(answer="Velmora", quotations=("Tessa Quill came.",), confidence=0.6)
    found = summary(run_of({"dense": [outcome]}, towns), towns, {})["strategies"]["dense"]
    assert found["f1"] < 0.5
    assert (found["held"], found["wrong"]) == (1.0, 0.0)
    assert (found["reliability"]["metric"], found["reliability"]["right"]) == ("held", 1)


def test_summary_does_not_judge_confidences_where_nobody_knows_what_is_right() -> None:
    run = run_of({"dense": GOOD[:2]})
    known, unknown = run.records["dense"]
    unknown = replace(unknown, metrics=dict.fromkeys(unknown.metrics))
    found = summary(replace(run, records={"dense": (known, unknown)}), DATASET, {})["strategies"]["dense"]
    assert (found["reliability"]["answers"], found["reliability"]["right"]) == (1, 1)
    assert found["calibration"]["answers"] == 1


@pytest.mark.parametrize("confidence", [0.6, 0.7123454, 1.0])
def test_the_threshold_that_is_reported_catches_what_it_says(confidence: float) -> None:
    unanswerable = replace(DATASET, questions=(DATASET.questions[2],))
    found = summary(run_of({"dense": [Outcome(answer="Ulm", confidence=confidence)]}, unanswerable), unanswerable, {})
    calibration = found["strategies"]["dense"]["calibration"]
    assert calibration["abstained_on_null"] == 1.0
    assert calibration["threshold"] > confidence
    (shown,) = re.findall(r"below a confidence of ([\d.]+)", " ".join(drawn(found).split()))
    assert float(shown) > confidence


def test_the_threshold_that_is_shown_loses_no_more_than_it_says() -> None:
    confidences = (0.9003, 0.9002, 0.9001, 0.9003)
    answers = ("Ostrand", "Ulm", "Ulm", "Pell")  # all of them right, but the third question has none
    found = summary(
        run_of(
            {"sure": [Outcome(answer=said, confidence=sure) for said, sure in zip(answers, confidences, strict=True)]}
        ),
        DATASET,
        {},
    )
    (line,) = re.findall(r"below a confidence of .* of the right ones", " ".join(drawn(found).split()))
    shown, caught, lost = map(float, re.findall(r"\d+\.\d+", line))
    assert confidences[2] < shown <= confidences[1]
    assert (caught, lost) == (100.0, 0.0)


def test_summary_breaks_down_by_type_and_hops(report: dict[str, Any]) -> None:
    good = report["strategies"]["good<script>"]
    assert {kind: group["n"] for kind, group in good["by_type"].items()} == {"Null": 1, "bridge": 2, "untyped": 1}
    assert good["by_type"]["bridge"]["recall@5"] == 0.75
    assert good["by_type"]["Null"]["recall@5"] is None
    assert {hops: group["n"] for hops, group in good["by_hops"].items()} == {"2": 1, "3": 1, "untyped": 2}
    untyped = Dataset(folder=Path(), split=None, questions=DATASET.questions[3:], passages=frozenset(), hashes={})
    plain = summary(run_of({"bad": BAD}, untyped), untyped, {})["strategies"]["bad"]
    assert plain["by_type"] == {}
    assert "by_hops" not in plain


def test_summary_compares_with_the_first_strategy(report: dict[str, Any]) -> None:
    found = {row["metric"]: row for row in report["comparisons"]}
    assert set(found) == {"em", "f1", "recall@2", "recall@5", "all@5"}
    assert found["recall@5"]["against"] == "bad"
    assert (found["recall@5"]["n"], found["recall@5"]["difference"]) == (3, 0.5)


def test_summary_does_not_warn_of_questions_that_were_not_asked() -> None:
    run = run_of({"good": GOOD[:1]})
    run = replace(run, experiment=replace(run.experiment, limit=1))
    assert summary(run, DATASET, {})["warnings"] == []


def test_summary_warns_of_what_bends_the_figures() -> None:
    run = run_of({"good": GOOD, "bad": BAD[:1]}, stopped={"bad": "the disk is full"}, interrupted=True)
    warnings = "\n".join(summary(run, DATASET, {})["warnings"])
    for part in (
        "bad stopped early: the disk is full",
        "interrupted",
        "1 question names 1 supporting passage that the corpus lacks, such as 'gone'",
        "good failed on 1 of 4 questions",
        "bad found 1 passage outside the corpus",
    ):
        assert part in warnings


def test_summary_says_how_many_answers_were_not_judged() -> None:
    """A judge that gave no verdict leaves an answer out of the mean; whoever reads that must know."""
    run = run_of({"good": GOOD})
    verdicts = (1.0, None, None, 0.0)
    judged = tuple(
        replace(record, metrics={**record.metrics, "accuracy": verdict})
        for record, verdict in zip(run.records["good"], verdicts, strict=True)
    )
    found = summary(replace(run, records={"good": judged}), DATASET, {})
    assert "2 of 4 answers of good were not judged: accuracy is of the others." in found["warnings"]
    assert not any("judged" in warning for warning in summary(run, DATASET, {})["warnings"])


def test_summary_survives_a_run_that_was_interrupted_at_once() -> None:
    nothing = summary(run_of({"good": [], "bad": []}, interrupted=True), DATASET, {})
    assert nothing["strategies"]["good"]["n"] == 0
    assert nothing["strategies"]["good"]["f1"] is None
    assert "good" in drawn(nothing)
    assert "</html>" in html(nothing)


def test_summary_of_2000_questions_takes_less_than_two_seconds() -> None:
    questions = DATASET.questions * 500
    big = Dataset(folder=Path(), split=None, questions=questions, passages=DATASET.passages, hashes={})
    start = time.process_time()  # whatever else the machine is doing
    summary(run_of({"good": GOOD * 500, "bad": BAD * 500}, big), big, {})
    assert time.process_time() - start < 2.0


def test_rows_hold_all_that_exact_match_is_judged_by() -> None:
    """So that whoever reads the file can judge the answers again."""
    asked = replace(DATASET.questions[0], aliases=("Ostrand Bay", "Old Ostrand"))
    towns = replace(DATASET, questions=(asked,))
    (row,) = summary(run_of({"good": [Outcome(answer="Ostrand Bay")]}, towns), towns, {})["records"]["good"]
    assert (row["gold"], row["aliases"]) == ("Ostrand", ["Ostrand Bay", "Old Ostrand"])
    assert row["metrics"]["em"] == (row["answer"] in (row["gold"], *row["aliases"]))


def test_write_json_replaces_the_file_whole(tmp_path: Path, report: dict[str, Any]) -> None:
    file = tmp_path / "new" / "report.json"
    write_json(file, {"old": True})
    write_json(file, report)
    stored = json.loads(file.read_text(encoding="utf-8"))
    assert stored["strategies"]["bad"]["n"] == 4
    assert stored["records"]["bad"][0]["ranking"] == ["other"]
    assert [path.name for path in file.parent.iterdir()] == ["report.json"]


def test_write_json_leaves_the_old_file_where_it_cannot_finish(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    write_json(file, {"old": True})
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(file, {"value": float("nan")})
    assert json.loads(file.read_text(encoding="utf-8")) == {"old": True}
    (tmp_path / "folder").mkdir()
    with pytest.raises(StorageFull):
        write_json(tmp_path / "folder", {})
    with pytest.raises(StorageFull):
        write_json(file / "under-a-file.json", {})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "report.json"]

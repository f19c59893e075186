"""Reports: JSON, terminal and HTML."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from polyhop.cli.terminal import draw
from polyhop.errors import StorageFull
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, Run, standard
from polyhop.evaluation.outcome import HopOutcome, Outcome, QuestionRecord
from polyhop.evaluation.reports.page import html
from polyhop.evaluation.reports.report import summary, write_json
from polyhop.evaluation.reports.terminal import amount, percent, render
from polyhop.evaluation.variants import Variant
from polyhop.types import Cost, HopStatus

DATASET = Dataset(
    folder=Path("towns"),
    split="dev",
    questions=(
        Question(id="q1", text="?", answer="Ostrand", type="bridge", supporting=("p1", "p2"), extra={"hops": 2}),
        Question(id="q2", text="?", answer="Ulm", type="bridge", supporting=("p2", "gone"), extra={"hops": 3}),
        Question(id="q3", text="?", answer=None, type="Null"),
        Question(id="q4", text="?", answer="Pell", supporting=("p3",)),
    ),
    passages=frozenset({"p1", "p2", "p3"}),
    hashes={"corpus.jsonl": "0"},
)
GOOD = [
    Outcome(
        ranking=("p1", "p2"), answer="Ostrand", confidence=0.9, seconds=0.1, cost=Cost(llm_calls=1, prompt_tokens=8)
    ),
    Outcome(ranking=("p2", "p1"), answer="Ulm", confidence=0.8, seconds=0.2, cost=Cost(llm_calls=3, prompt_tokens=4)),
    Outcome(ranking=("p3",), answer="Pell", confidence=0.2, seconds=0.3),
    Outcome(seconds=9.0, error="EndpointError: down"),
]
BAD = [Outcome(ranking=("other",), confidence=0.0, seconds=0.1)] * 4


def run_of(outcomes: dict[str, list[Outcome]], dataset: Dataset = DATASET, **changes: Any) -> Run:
    records = {
        name: tuple(
            QuestionRecord(
                question=question,
                outcome=outcome,
                metrics={each.name: each(question, outcome) for each in standard(dataset)},
            )
            for question, outcome in zip(dataset.questions, found, strict=False)
        )
        for name, found in outcomes.items()
    }
    return Run(experiment=Experiment(strategies=tuple(outcomes)), records=records, **changes)


@pytest.fixture
def report() -> dict[str, Any]:
    manifest = {"dataset": {"name": "towns <b>", "split": "dev"}}
    return summary(run_of({"bad": BAD, "good<script>": GOOD}), DATASET, manifest)


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


def drawn(report: dict[str, Any]) -> str:
    console = Console(width=100, file=io.StringIO(), record=True)
    console.print(render(report))
    return console.export_text()


def test_a_threshold_is_told_only_where_it_catches_something(report: dict[str, Any]) -> None:
    assert "abstaining below a confidence of 0.500" in drawn(report)
    silent = [*GOOD[:2], Outcome(ranking=("p3",), confidence=0.0, seconds=0.3), GOOD[3]]
    assert "abstaining below" not in drawn(summary(run_of({"silent": silent}), DATASET, {}))


def test_terminal_shows_all_figures_in_100_columns(report: dict[str, Any]) -> None:
    text = drawn(report)
    assert max(map(len, text.splitlines())) <= 100
    for part in ("good<script>", "bridge", "untyped", "R@5", "75.0", "By hops", "paired bootstrap", "! bad found"):
        assert part in text


def test_terminal_leaves_out_columns_that_nobody_measured() -> None:
    searched = [Outcome(ranking=("p1", "p2"), read=False, seconds=0.1)] * 4
    text = drawn(summary(run_of({"dense": searched}), DATASET, {}))
    assert "R@2" in text
    assert "EM" not in text


def test_terminal_tells_right_abstentions_from_lost_questions_by_type(report: dict[str, Any]) -> None:
    """Of both together there is no column: 1.0 of them may be all that is wanted, or all that is not."""
    lines = drawn(report).splitlines()
    headings = [line.split() for line in lines if "R@5" in line]
    assert headings[0] == ["strategy", "n", "EM", "F1", "R@2", "R@5", "all@5", "null✓", "lost"]
    assert next(line for line in lines if "p50" in line).split()[:3] == ["strategy", "n", "calls"]  # a table of its own
    null = next(line for line in lines if line.strip().startswith("Null"))
    assert null.split() == ["Null", "bad", "1", "100.0", "100.0", "–", "–", "–", "100.0", "–"]
    assert report["strategies"]["bad"]["by_type"]["Null"]["abstained_on_null"] == 1.0
    assert report["strategies"]["bad"]["by_type"]["bridge"]["lost"] == 1.0
    assert report["strategies"]["bad"]["by_type"]["bridge"]["abstained_on_null"] is None


def test_terminal_keeps_numbers_whole_where_names_are_long() -> None:
    long = {f"qcg(answerable=none, nodes=question+answer, k={k})": GOOD for k in (2, 3)}
    console = Console(width=80, file=io.StringIO(), record=True)
    console.print(render(summary(run_of(long), DATASET, {})))
    for line in console.export_text().splitlines():
        if "bridge" in line:
            assert line.split()[-8:] == ["2", "100.0", "100.0", "75.0", "75.0", "50.0", "–", "0.0"]


def test_terminal_shows_names_and_whole_figures_however_narrow_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rather than that a name is missing or a figure cut, lines go on: a pipe counts as 80 columns."""
    monkeypatch.setenv("COLUMNS", "20")
    draw(render(summary(run_of({"stepchain": GOOD}), DATASET, {})))
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "stepchain" in line]
    assert rows[0] == ["stepchain", "4", "50.0", "50.0", "50.0", "50.0", "33.3", "0.0", "0.0"]
    assert ["bridge", "stepchain", "2", "100.0", "100.0", "75.0", "75.0", "50.0", "–", "0.0"] in rows


def test_numbers_are_shown_with_the_digits_that_matter() -> None:
    assert [percent(value) for value in (None, 0.0, 0.12345, 1.0)] == ["–", "0.0", "12.3", "100.0"]
    shown = {None: "–", 0.0: "0", 3.0: "3", 0.01234: "0.0123", 2.5: "2.5", 1234.4: "1,234", 123456.0: "123k"}
    assert {value: amount(value) for value in shown} == shown


class Outline(HTMLParser):
    """Checks that tags close in order, and notes what the page would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag opens; it must not refer to anything outside the page."""
        self.seen.append(tag)
        assert not {"src", "href"} & {name for name, _ in attrs}
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that closes itself."""
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """A tag closes: the one that opened last."""
        assert self.open.pop() == tag


def test_html_is_self_contained_well_formed_and_escaped(report: dict[str, Any]) -> None:
    page = html(report)
    outline = Outline()
    outline.feed(page)
    outline.close()
    assert outline.open == []
    assert {"table", "svg", "rect", "details"} <= set(outline.seen)
    assert not {"script", "link", "img", "b"} & set(outline.seen)
    assert "good&lt;script&gt;" in page
    assert "towns &lt;b&gt; dev" in page


STEPS = [{"question": "Who founded Velmora?", "answer": "Tessa Quill"}, {"question": "Where?", "answer": "Ostrand"}]
VELMORA = Question(
    id="q1",
    text="Where was the founder of Velmora born?",
    answer="Ostrand",
    supporting=("p1", "p2"),
    extra={"decomposition": STEPS},
)
HOPS = Dataset(folder=Path(), split=None, questions=(VELMORA,), passages=frozenset({"p1", "p2", "p3"}), hashes={})


def climbed(*hops: tuple[HopStatus, str | None, tuple[str, ...]]) -> list[Outcome]:
    found = tuple(
        HopOutcome(status=status, placeholder="?x", found=value, passages=passages) for status, value, passages in hops
    )
    return [Outcome(ranking=("p1",), read=False, hops=found)]


@pytest.fixture
def climbs() -> dict[str, Any]:
    """A strategy without hops, one with two, and that one at two values of a setting and without its check."""
    right: tuple[HopStatus, str, tuple[str, ...]] = ("resolved", "Tessa Quill", ("p1",))
    outcomes = {
        "dense": [Outcome(ranking=("p1",), read=False)],
        "c2": climbed(right, ("recovered", "Ostrand", ("p2", "p3"))),
        "c2(gamma=1)": climbed(("unresolved", None, ("p1",)), ("unresolved", None, ())),
        "c2(gamma=2)": climbed(right, ("resolved", "Ulm", ("p3",))),
        "c2(check=off)": climbed(("resolved", "Pell", ("p3",)), ("resolved", "Ulm", ("p3",))),
    }
    run = run_of(outcomes, HOPS)
    without = Variant(name="c2(check=off)", of="c2", label="c2: without the check <b>")
    experiment = Experiment(strategies=("dense", "c2", "c2(gamma=1)", "c2(gamma=2)"), variants=(without,))
    return summary(Run(experiment=experiment, records=run.records), HOPS, {})


def test_summary_tells_how_right_bindings_are_where_hops_bind(climbs: dict[str, Any]) -> None:
    strategies = climbs["strategies"]
    assert "bindings" not in strategies["dense"]
    assert strategies["c2(gamma=2)"]["bindings"] == {
        "hops": 2,
        "resolved": 2,
        "recovered": 0,
        "right": 1,
        "resolved_rate": 1.0,
        "precision": 0.5,
        "confident_wrong": 0.5,
    }
    assert strategies["c2(gamma=1)"]["bindings"]["precision"] is None
    assert [hop["right"] for hop in climbs["records"]["c2(gamma=2)"][0]["hops"]] == [True, False]
    assert climbs["records"]["c2"][0]["hops"][1] == {
        "status": "recovered",
        "placeholder": "?x",
        "found": "Ostrand",
        "passages": ("p2", "p3"),
        "facts": 0,
        "clues": (),
        "query": "",
        "right": True,
    }


def test_summary_tells_unsupported_evidence_by_hop(climbs: dict[str, Any]) -> None:
    assert climbs["strategies"]["c2"]["unsupported"] == [
        {"hop": 1, "questions": 1, "passages": 1, "unsupported": 0, "share": 0.0},
        {"hop": 2, "questions": 1, "passages": 2, "unsupported": 1, "share": 0.5},
    ]
    assert "unsupported" not in climbs["strategies"]["dense"]


def test_summary_compares_variants_with_the_strategy_that_they_vary(climbs: dict[str, Any]) -> None:
    against = {row["strategy"]: row["against"] for row in climbs["comparisons"]}
    assert against == {"c2": "dense", "c2(gamma=1)": "dense", "c2(gamma=2)": "dense", "c2(check=off)": "c2"}


def test_terminal_and_page_show_hops_and_plots_where_there_are_any(
    climbs: dict[str, Any], report: dict[str, Any]
) -> None:
    text, page = drawn(climbs), html(climbs)
    assert max(map(len, text.splitlines())) <= 100
    for part in ("Bindings", "confident wrong", "Unsupported evidence by hop", "50.0 of 2", "Difference from c2 "):
        assert part in text
    outline = Outline()
    outline.feed(page)
    outline.close()
    assert outline.open == []
    for part in (
        "<h2>c2 over gamma</h2>",
        "<title>Precision</title>",
        "<title>Confident wrong over resolved</title>",
        "<title>Unsupported evidence</title>",
        "<desc>percent by gamma. c2: 1: 0.0, 2: 100.0.</desc>",
        "c2: without the check &lt;b&gt;",
    ):
        assert part in page
    for nothing in ("Bindings", "Unsupported", " over gamma"):
        assert nothing not in drawn(report) + html(report)


def charts(part: str) -> list[str]:
    """The titles of the charts in a part of a page."""
    return [
        chart.partition("</title>")[0]
        for chart in part.split('class="chart"')[1:]
        for chart in [chart.split("<title>")[1]]
    ]


def test_page_draws_every_metric_over_a_word_as_bars_for_all_questions_and_for_each_type() -> None:
    names = ["dense", "qcg", "qcg(nodes=question)", "qcg(nodes=answer)"]
    page = html(summary(run_of(dict.fromkeys(names, GOOD)), DATASET, {}))
    _, _, rest = page.partition("<h2>qcg over nodes</h2>")
    whole, *types = rest.partition("<h2>")[0].split("<summary>")
    every = ["EM", "F1", "R@2", "R@5", "All@5", "Unanswerable, abstained", "Answerable, abstained (lost)"]
    assert charts(whole) == every
    assert "<desc>percent by nodes. qcg: question+answer: 50.0, question: 50.0, answer: 50.0; dense: 50.0" in whole
    assert [part.partition("</summary>")[0] for part in types] == [
        "Null, 1 question",
        "bridge, 2 questions",
        "untyped, 1 question",
    ]
    assert charts(types[0]) == ["EM", "F1", "Unanswerable, abstained"]
    assert charts(types[1]) == ["EM", "F1", "R@2", "R@5", "All@5", "Answerable, abstained (lost)"]


def test_page_draws_a_line_for_each_value_of_a_second_number() -> None:
    names = [f"qcg(n={n}, gamma={gamma})" for n in (5, 10) for gamma in (1.0, 1.5)]
    made = summary(run_of(dict.fromkeys(names, GOOD)), DATASET, {})
    assert json.loads(json.dumps(made["sweeps"])) == [
        {
            "strategy": "qcg",
            "setting": "n",
            "lines": {
                "gamma=1": [{"value": n, "strategy": f"qcg(n={n}, gamma=1.0)"} for n in (5, 10)],
                "gamma=1.5": [{"value": n, "strategy": f"qcg(n={n}, gamma=1.5)"} for n in (5, 10)],
            },
        }
    ]
    assert "<desc>percent by n. gamma=1: 5: 50.0, 10: 50.0; gamma=1.5: 5: 50.0, 10: 50.0.</desc>" in html(made)


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


def test_report_loads_rich_only_to_draw() -> None:
    rooms = "polyhop.evaluation.reports.terminal, polyhop.evaluation.reports.page"
    code = f"import {rooms}, sys; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

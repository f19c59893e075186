"""Reports as they are shown: tables in the terminal, and a page of HTML with its charts."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest
from rich.console import Console

from polyhop.cli.terminal import draw
from polyhop.evaluation.outcome import Outcome
from polyhop.evaluation.reports.page import html
from polyhop.evaluation.reports.report import summary
from polyhop.evaluation.reports.terminal import amount, percent, render
from tests.worlds.reported import DATASET, GOOD, Outline, drawn, run_of


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


def test_report_loads_rich_only_to_draw() -> None:
    rooms = "polyhop.evaluation.reports.terminal, polyhop.evaluation.reports.page"
    code = f"import {rooms}, sys; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

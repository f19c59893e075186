"""What a report says of hops: bindings, unsupported evidence, variants, and the plots of a setting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, Run
from polyhop.evaluation.outcome import HopOutcome, Outcome
from polyhop.evaluation.reports.page import html
from polyhop.evaluation.reports.report import summary
from polyhop.evaluation.variants import Variant
from polyhop.types import HopStatus
from tests.worlds.reported import Outline, drawn, run_of

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

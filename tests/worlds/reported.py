"""Outcomes of two strategies on questions about towns, and a report of them as terminal and browser show it."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from rich.console import Console

from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, Run, standard
from polyhop.evaluation.outcome import Outcome, QuestionRecord
from polyhop.evaluation.reports.terminal import render
from polyhop.types import Cost

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


def drawn(report: dict[str, Any]) -> str:
    console = Console(width=100, file=io.StringIO(), record=True)
    console.print(render(report))
    return console.export_text()


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

"""What clues lead to: validity, direction, and entity linking with and without names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from polyhop.evaluation.clues import ClueFigures, clue_figures, names
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, Run
from polyhop.evaluation.metrics.normalise import normalise
from polyhop.evaluation.outcome import ClueOutcome, HopOutcome, Outcome, QuestionRecord
from polyhop.evaluation.reports.page import html
from polyhop.evaluation.reports.report import summary
from polyhop.evaluation.reports.terminal import CLUES, render
from polyhop.types import Clue, Hop, Passage

ENTITIES = ("Edda Marrish", "Harrowmere Lighthouse", "the Harrowmere lighthouse", "Pellingrove", "")
CLUE = st.builds(
    ClueOutcome,
    entity=st.sampled_from(ENTITIES),
    relation=st.just("was designed by"),
    direction=st.sampled_from(["forward", "reverse"]),
)
HOP = st.builds(
    HopOutcome,
    status=st.just("resolved"),
    passages=st.lists(st.sampled_from(["p1", "p2", "p3"]), max_size=2, unique=True).map(tuple),
    clues=st.lists(CLUE, max_size=3).map(tuple),
    query=st.sampled_from(["", "Where was Edda Marrish born?"]),
)
TEXTS = st.sampled_from(["Who designed Harrowmere Lighthouse?", "Where was Edda Marrish's teacher born?"])


def record(number: int, text: str, supporting: tuple[str, ...], hops: tuple[HopOutcome, ...]) -> QuestionRecord:
    question = Question(id=f"q{number}", text=text, answer="x", supporting=supporting)
    return QuestionRecord(question=question, outcome=Outcome(hops=hops), metrics={})


@given(
    st.lists(
        st.tuples(TEXTS, st.sampled_from([(), ("p1",), ("p1", "p2")]), st.lists(HOP, max_size=3).map(tuple)), max_size=4
    )
)
def test_clue_figures_are_those_of_a_naive_loop(rows: list[Any]) -> None:
    records = [record(number, *row) for number, row in enumerate(rows)]
    counts = dict.fromkeys(("clues", "valid", "reverse", "named", "named_linked", "unnamed", "unnamed_linked"), 0)
    for one in records:
        if not one.question.supporting:
            continue
        entities: dict[str, list[bool]] = {}
        named: set[str] = set()
        for hop in one.outcome.hops:
            for clue in hop.clues:
                hit = False
                for passage in hop.passages:
                    if passage in one.question.supporting:
                        hit = True
                counts["clues"] += 1
                counts["valid"] += hit
                counts["reverse"] += hit and clue.direction == "reverse"
                entities.setdefault(normalise(clue.entity), []).append(hit)
                if names(hop.query or one.question.text, clue.entity):
                    named.add(normalise(clue.entity))
        for entity, hits in entities.items():
            kind = "named" if entity in named else "unnamed"
            counts[kind] += 1
            counts[f"{kind}_linked"] += any(hits)
    expected = ClueFigures(**counts) if counts["clues"] else None
    assert clue_figures(records) == expected
    if expected is not None:
        assert all((share := getattr(expected, name)) is None or 0 <= share <= 1 for name in CLUES)


@pytest.mark.parametrize(
    ("text", "entity", "named"),
    [
        ("Where was Edda Marrish\u2019s teacher born?", "Edda Marrish", True),
        ("Who designed the Harrowmere Lighthouse?", "harrowmere lighthouse", True),
        ("Who owned King's Arms?", "King's Arms", True),
        ("Which agency placed ECT machines there?", "Electroconvulsive therapy", False),
        ("Who kept the light of Harrowmere?", "Harrowmere Lighthouse", False),
        ("Who was Marrishes?", "Marrish", False),
        ("Who?", "The", False),
    ],
)
def test_a_query_names_an_entity_whose_words_it_has(text: str, entity: str, named: bool) -> None:
    assert names(text, entity) is named


def test_shares_of_clues_are_those_of_the_paper() -> None:
    forward, reverse = (
        ClueOutcome(entity="Edda Marrish", relation="was born", direction=way) for way in ("forward", "reverse")
    )
    other = ClueOutcome(entity="Pellingrove", relation="lies on", direction="forward")
    hops = (
        HopOutcome(status="resolved", passages=("p1",), clues=(forward, reverse)),
        HopOutcome(status="resolved", passages=("p9",), clues=(other,)),
    )
    found = clue_figures([record(1, "Where was Edda Marrish born?", ("p1",), hops)])
    assert found is not None
    assert found.validity == pytest.approx(2 / 3)
    assert (found.reverse_share, found.named_share) == (0.5, 1.0)
    assert (found.named_accuracy, found.unnamed_accuracy) == (1.0, 0.0)
    assert clue_figures([record(1, "?", (), hops)]) is None


def test_a_report_has_a_table_of_clues() -> None:
    """In the terminal, on the page and in its JSON."""
    clue = ClueOutcome(entity="Edda Marrish", relation="was born", direction="forward")
    hop = HopOutcome(status="resolved", passages=("p1",), clues=(clue,))
    one = record(1, "Where was Edda Marrish born?", ("p1",), (hop,))
    data = Dataset(folder=Path(), split=None, questions=(one.question,), passages=frozenset({"p1"}), hashes={})
    experiment = Experiment(strategies=("translator",))
    values = dict.fromkeys((metric.name for metric in experiment.metrics(data)), 1.0)
    report = summary(Run(experiment=experiment, records={"translator": (replace(one, metrics=values),)}), data, {})
    assert report["strategies"]["translator"]["clues"]["validity"] == 1.0
    console = Console(width=100)
    with console.capture() as shown:
        console.print(render(report))
    assert "named linked" in shown.get()
    assert "<h2>Clues</h2>" in html(report)


def test_a_hop_hands_on_its_clues() -> None:
    clue = Clue(entity="Edda Marrish", relation="was born", direction="reverse", score=-0.5, sentences=())
    passage = Passage(id="p1", document_id="d", ordinal=0, start=0, end=1, title="", text="x")
    outcome = HopOutcome.of(Hop(question="?", status="resolved", passages=(passage,), clues=(clue,)))
    assert outcome.clues == (ClueOutcome(entity="Edda Marrish", relation="was born", direction="reverse"),)

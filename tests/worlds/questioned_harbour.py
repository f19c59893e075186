"""The harbour with the questions that its passages answer, and how like a question they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from polyhop.layers.layer import layer_of
from polyhop.layers.questions.graph import QuestionGraph
from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.strategies.qcg.strategy import QCG
from polyhop.types import Evidence

BUILDER = "Who built the lighthouse of Quillmouth?"
UNANSWERED = "Which opera did Wagner finish last?"


@contextmanager
def view_of(path: Path, models: Models) -> Iterator[View]:
    """What the strategies may look at."""
    with Record.open(path) as record:
        layers = {
            name: layer_of(name, Settings()).open(record, path / "generations" / name, models) for name in QCG.needs
        }
        yield View(record=record, models=models, layers=layers)


def titles(evidence: Evidence) -> list[str]:
    return [passage.title for passage in evidence.passages]


def shares(graph: QuestionGraph) -> dict[int, float]:
    """Of every node how many of its passage's are more like the passage."""
    return dict(zip(graph.nodes.tolist(), graph.shares.tolist(), strict=True))

"""The times of strategies can be compared, in whatever order they are named."""

from __future__ import annotations

import json
from pathlib import Path

from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import Experiment
from polyhop.models.choice import Models
from polyhop.reports import CostListener
from polyhop.settings import Settings
from polyhop.types import Evidence


def test_no_strategy_is_fast_because_another_one_has_read_the_same(tmp_path: Path) -> None:
    """Models keep what they read last, so that a strategy that comes second would find its scores made."""
    told: list[str] = []

    class Remembering(Models):
        def forget(self) -> None:
            told.append("all is forgotten")

    class Engine:
        def strategy_for(self, name: str | None) -> str:
            return name or ""

        def search(
            self, question: str, *, k: int = 5, strategy: str | None = None, spent: CostListener | None = None
        ) -> Evidence:
            told.append(f"{strategy} is asked")
            return Evidence(question=question, strategy=strategy or "", passages=())

    (tmp_path / "corpus.jsonl").write_text(json.dumps({"id": "p1", "text": "Pell is a mountain."}))
    (tmp_path / "questions.jsonl").write_text(json.dumps({"id": "q1", "question": "Is Pell a mountain?"}))
    experiment = Experiment(strategies=("paths", "hybrid"), retrieval_only=True)
    experiment.run(Engine(), Dataset.read(tmp_path), models=Remembering(Settings()))  # type: ignore[arg-type]
    assert told == ["all is forgotten", "paths is asked", "all is forgotten", "hybrid is asked"]

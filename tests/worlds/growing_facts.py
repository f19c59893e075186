"""Facts that grow: a logbook that a language model reads, and what questions pulled, stored and left."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.facts.growth import Pulled
from polyhop.layers.facts.layer import FactsLayer
from polyhop.ports import Below, LanguageModel, Rows
from polyhop.reports import LayerStatus
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.types import Passage
from tests.worlds.endpoint import EndpointServer
from tests.worlds.logbook import shown_in

ROWS = 24  # passages of the logbook: six calls of four each, two at once


@dataclass
class Logbook:
    """Documents that are stored and nothing else, and an endpoint that extracts their facts."""

    folder: Path
    server: EndpointServer

    def engine(self, *changes: str, cache: str = "cache") -> Polyhop:
        """The index, as somebody opens it who has an endpoint."""
        mine = (
            "models.language_model=openai",
            f"language_model.base_url={self.server.url}",
            "language_model.model=sage",
            f"language_model.cache={self.folder / cache}",
            "language_model.concurrency=2",
            "language_model.attempts=1",
            "layers.facts.extractor=language_model",
        )
        return Polyhop(self.folder / "an.index", settings=Settings.read(None, [*mine, *changes]))

    @property
    def asked(self) -> list[str]:
        """The titles that the endpoint was shown, sorted."""
        return sorted(title for request in self.server.requests for _, title, _ in shown_in(request))

    def index(self, *layers: str, rows: int = ROWS) -> None:
        """Store the first rows of the logbook, and make layers of them."""
        documents = self.folder / "logbook.jsonl"
        with documents.open("w", encoding="utf-8") as file:
            for number in range(rows):
                text = f"{('Ada Brisk', 'Piet Rook')[number % 2]} landed at Quillmouth on day {number}."
                file.write(json.dumps({"id": f"r{number}", "title": f"Entry {number}", "text": text}) + "\n")
        with self.engine() as engine:
            engine.index(documents, layers=layers)


def pull(engine: Polyhop, numbers: Sequence[int], **more: LanguageModel) -> Pulled:
    """What a strategy does during a question."""
    with engine.view() as view:
        return view.growth.pull(numbers, **more)


def recent(engine: Polyhop) -> list[int]:
    """The passages that were pulled since facts were last gathered."""
    with engine.view() as view:
        return [number for number, _, _ in view.growth.shared().recent]


def stored(engine: Polyhop) -> dict[int, bytes]:
    """The rows of the facts layer."""
    with Record.open(engine.path) as record:
        return dict(record.payloads("facts"))


def status_of(engine: Polyhop) -> LayerStatus:
    """What ``polyhop status`` says of the facts."""
    return next(layer for layer in engine.status().layers if layer.name == "facts")


def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of all passages that are extracted from now on."""
    seen: list[str] = []
    extract = FactsLayer.extract

    def noting(layer: FactsLayer, passages: Sequence[Passage], models: Any, below: Below) -> Sequence[Rows]:
        seen.extend(passage.id for passage in passages)
        return extract(layer, passages, models, below)

    monkeypatch.setattr(FactsLayer, "extract", noting)
    return seen

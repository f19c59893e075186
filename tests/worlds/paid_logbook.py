"""A logbook that a language model reads, which is paid for: the file, its index, and the endpoint with its settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyhop.engine import Polyhop
from polyhop.reports import IndexReport, LayerReport
from polyhop.settings import Settings
from polyhop.store.record import Record
from tests.worlds.endpoint import EndpointServer, Played, Script
from tests.worlds.logbook import knowing

PEOPLE = ("Ada Brisk", "Piet Rook", "Nan Soller", "Ivo Tull", "Mira Dane")
PLACES = ("Quillmouth", "Fennick", "Tarn Bay", "Grebe Marsh", "Oar Falls", "Asper Point", "Low Ness")


def failing_from(call: int, trouble: Played) -> Script:
    """An endpoint that answers calls before that one, and all others with trouble."""
    calls = iter(range(1, 10_000))
    return lambda request: knowing(request) if next(calls) < call else trouble


@dataclass
class Place:
    """Documents, an index of them, and an endpoint with its settings."""

    folder: Path
    server: EndpointServer
    changes: dict[str, object]

    def tree(self, more: Mapping[str, object] = {}) -> list[str]:
        """The settings as ``section.key=value``."""
        return [f"{key}={value}" for key, value in {**self.changes, **more}.items()]

    @property
    def documents(self) -> Path:
        """The file."""
        return self.folder / "logbook.jsonl"

    def write(self, rows: int) -> None:
        """A file of so many rows, each a passage."""
        with self.documents.open("w", encoding="utf-8") as file:
            for number in range(rows):
                text = f"{PEOPLE[number % 5]} landed at {PLACES[number % 7]} on day {number}."
                file.write(json.dumps({"id": f"r{number}", "title": f"Entry {number}", "text": text}) + "\n")

    def engine(self, index: str = "an.index", **more: object) -> Polyhop:
        """The index, with these settings of the language model."""
        named = {f"language_model.{key}": value for key, value in more.items()}
        return Polyhop(self.folder / index, settings=Settings.read(None, self.tree(named)))

    def index(self, index: str = "an.index", *, dry_run: bool = False, **more: object) -> IndexReport:
        """One run over the documents."""
        with self.engine(index, **more) as engine:
            return engine.index(self.documents, layers=["facts"], dry_run=dry_run)

    def rows(self, index: str = "an.index") -> dict[int, bytes]:
        """What the layer holds."""
        with Record.open(self.folder / index) as record:
            return dict(record.payloads("facts"))

    def arguments(self, *more: str) -> list[str]:
        """A run as it is typed."""
        sets = [part for change in self.tree() for part in ("--set", change)]
        index = str(self.folder / "an.index")
        return ["index", str(self.documents), "--layers", "facts", "--index", index, *sets, *more]


def facts(report: IndexReport) -> LayerReport:
    (layer,) = report.layers
    return layer


PRICES: dict[str, Any] = {"prompt_price": 1.0, "completion_price": 4.0}  # a call costs 0.0022

"""Some layers of an index, opened as a strategy has them, without an engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from polyhop.layers.layer import layer_of
from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record


@contextmanager
def opened(path: Path, models: Models, layers: Iterable[str], settings: Settings | None = None) -> Iterator[View]:
    """What a strategy may look at that needs these layers."""
    with Record.open(path) as record:
        found = {
            name: layer_of(name, settings or Settings()).open(record, path / "generations" / name, models)
            for name in layers
        }
        yield View(record=record, models=models, layers=found)

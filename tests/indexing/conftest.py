"""A logbook with an endpoint that is paid for reading it, and an empty record with what reads inputs into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polyhop.indexing.ingest import Ingest, Tally
from polyhop.settings import Chunking
from polyhop.store.record import Record
from tests.worlds.endpoint import serving
from tests.worlds.logbook import ROWS, knowing
from tests.worlds.paid_logbook import Place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A logbook and an endpoint that knows what it says."""
    with serving(knowing) as server:
        changes: dict[str, object] = {
            "models.language_model": "openai",
            "language_model.base_url": server.url,
            "language_model.model": "sage",
            "language_model.cache": tmp_path / "cache",
            "language_model.concurrency": 2,
            "language_model.attempts": 2,
            "language_model.first_wait": 0.001,
            "language_model.longest_wait": 0.002,
            "layers.facts.extractor": "language_model",
        }
        here = Place(tmp_path, server, changes)
        here.write(ROWS)
        yield here


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    """An empty record."""
    with Record.create_or_open(tmp_path / "an.index") as record:
        yield record


@pytest.fixture
def ingest(record: Record) -> Callable[..., Tally]:
    """Reads paths into the record."""
    return lambda *paths: Ingest(record=record, chunking=Chunking()).run(paths)

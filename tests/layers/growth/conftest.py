"""Indexes whose facts grow: the harbour, read by rules, and the logbook, read by a language model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from tests.worlds.endpoint import serving
from tests.worlds.growing_facts import Logbook
from tests.worlds.logbook import knowing
from tests.worlds.settings import QUICK


@pytest.fixture
def engine(harbour: Path) -> Iterator[Polyhop]:
    """The harbour with its texts only: four passages, numbers 1 to 4."""
    with Polyhop(harbour.parent / "harbour.index", settings=QUICK) as engine:
        engine.index(harbour, layers=["text"])
        yield engine


@pytest.fixture
def logbook(tmp_path: Path) -> Iterator[Logbook]:
    """The logbook, stored."""
    with serving(knowing) as server:
        logbook = Logbook(tmp_path, server)
        logbook.index()
        yield logbook

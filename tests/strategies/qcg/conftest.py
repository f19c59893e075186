"""The harbour with the questions that its passages answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.models.choice import Models
from polyhop.strategies.qcg.strategy import QCG
from tests.worlds.documents import HARBOUR, write
from tests.worlds.opened import opened


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the harbour with its questions; not to be changed."""
    folder = tmp_path_factory.mktemp("qcg")
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(write(folder / "documents", HARBOUR), layers=("text", "parsekg", "questions"))
    return folder / "polyhop.index"


@pytest.fixture(scope="module")
def view(place: Path, models: Models) -> Iterator[View]:
    """The harbour, open."""
    with opened(place, models, QCG.needs) as view:
        yield view

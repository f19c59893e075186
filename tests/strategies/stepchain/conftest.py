"""The ferries with their texts only, so that facts grow as tests need them: as an index, a view and a graph."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.settings import Settings
from polyhop.strategies.stepchain.step_graph import GraphWalk, StepGraph
from tests.worlds.documents import write
from tests.worlds.ferries import CORPUS
from tests.worlds.settings import QUICK
from tests.worlds.stepchain import Open
from tests.worlds.stepchain_moves import MakeGraph


@pytest.fixture(scope="session")
def ferries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the ferries with its texts only; to be copied."""
    folder = tmp_path_factory.mktemp("ferries")
    with Polyhop(folder / "an.index", settings=QUICK) as engine:
        engine.index(write(folder / "documents", CORPUS), layers=["text"])
    return folder / "an.index"


@pytest.fixture
def opened(ferries: Path, tmp_path: Path) -> Iterator[Open]:
    """Opens a fresh copy of the index, with some settings changed."""
    engines: list[Polyhop] = []

    def fresh(changes: Mapping[str, Any] = {}) -> Polyhop:
        settings = Settings.from_mapping({**QUICK.to_mapping(), **changes})
        engines.append(Polyhop(shutil.copytree(ferries, tmp_path / f"{len(engines)}.index"), settings=settings))
        return engines[-1]

    yield fresh
    for engine in engines:
        engine.close()


@pytest.fixture(scope="module")
def grown(ferries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Polyhop]:
    """One copy for all tests of a file to which it does not matter what has grown."""
    copy = Path(shutil.copytree(ferries, tmp_path_factory.mktemp("grown") / "an.index"))
    with Polyhop(copy, settings=QUICK) as engine:
        yield engine


@pytest.fixture(scope="module")
def view(grown: Polyhop) -> Iterator[View]:
    """That copy, open."""
    with grown.view() as view:
        yield view


@pytest.fixture(scope="module")
def number(view: View) -> dict[str, int]:
    """The numbers of the passages by title."""
    numbers = view.record.numbers().tolist()
    return {passage.title: number for number, passage in zip(numbers, view.passages(numbers), strict=True)}


@pytest.fixture
def graph(view: View) -> MakeGraph:
    """Makes graphs of one question."""

    def make(*, shared: bool = False, support: float = 0.5, **changes: Any) -> StepGraph:
        walk = GraphWalk(**{"chains": 50, "tokens": 5000, **changes})
        return StepGraph(over=view, shared=shared, support=support, settings=walk)

    return make

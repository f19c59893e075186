"""A graph of facts that is changed, and how large it has to be before a change of it is a patch."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.layers.facts import gathering, graph_parts, patch
from tests.worlds.stated_facts import DAYS, gather, store


@pytest.fixture
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs, too, are patched, however much of them changes, and have room for it."""
    monkeypatch.setattr(patch, "LEAST", 0)
    monkeypatch.setattr(graph_parts, "ROOM", 30)
    monkeypatch.setattr(gathering, "SHARE", 1)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index of twelve days, gathered."""
    store(tmp_path / "index", DAYS)
    gather(tmp_path / "index")
    return tmp_path / "index"

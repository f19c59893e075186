"""How large a graph of facts has to be before a change of it is a patch."""

from __future__ import annotations

import pytest

from polyhop.layers.facts import gathering, graph_parts, patch


@pytest.fixture
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs, too, are patched, however much of them changes, and have room for it."""
    monkeypatch.setattr(patch, "LEAST", 0)
    monkeypatch.setattr(graph_parts, "ROOM", 30)
    monkeypatch.setattr(gathering, "SHARE", 1)

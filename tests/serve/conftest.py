"""One server for all tests that change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.worlds.serving import Served, serving


@pytest.fixture(scope="session")
def served(world_index: Path) -> Iterator[Served]:
    """The index of the world, served; not to be changed."""
    with serving(world_index, workers=2, waiting=8) as served:
        yield served


@pytest.fixture
def client(served: Served) -> httpx.Client:
    """A client of that server."""
    return served.client

"""Models that are tested are read, each time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.worlds import readings


@pytest.fixture(scope="package", autouse=True)
def _read_anew() -> Iterator[None]:
    with readings.anew():
        yield

"""A record in each kind of store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from polyhop.store.record import Record
from tests.worlds.records import Home


@pytest.fixture
def record(home: Home) -> Iterator[Record]:
    with Record.create_or_open(home("my index – ποῦ")) as record:
        yield record

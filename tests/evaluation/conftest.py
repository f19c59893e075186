"""A report of two strategies, a good one and a bad one."""

from __future__ import annotations

from typing import Any

import pytest

from polyhop.evaluation.reports.report import summary
from tests.worlds.reported import BAD, DATASET, GOOD, run_of


@pytest.fixture
def report() -> dict[str, Any]:
    manifest = {"dataset": {"name": "towns <b>", "split": "dev"}}
    return summary(run_of({"bad": BAD, "good<script>": GOOD}), DATASET, manifest)

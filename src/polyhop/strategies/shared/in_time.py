"""Whether the time allowed for a question is left."""

from __future__ import annotations

import time

from polyhop.types import Budget


def in_time(began: float, budget: Budget) -> bool:
    """Whether a further hop may begin, ``began`` being when the first one did (monotonic seconds)."""
    return budget.seconds is None or time.monotonic() - began < budget.seconds

"""Whether the time allowed for a question is left."""

from __future__ import annotations

import time
from dataclasses import replace

from polyhop.types import Budget


def in_time(began: float, budget: Budget) -> bool:
    """Whether a further hop may begin, ``began`` being when the first one did (monotonic seconds)."""
    return budget.seconds is None or time.monotonic() - began < budget.seconds


def left_of(budget: Budget, began: float) -> Budget:
    """What is left of a budget of time, began being when the question was taken up (monotonic seconds)."""
    if budget.seconds is None:
        return budget
    return replace(budget, seconds=max(0.0, budget.seconds - (time.monotonic() - began)))

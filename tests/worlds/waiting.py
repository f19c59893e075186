"""Waiting for something that others do: for as long as it takes, not for a time that a slow day makes too short."""

from __future__ import annotations

import time
from collections.abc import Callable

WAIT = 90.0  # seconds until something is wrong


def until(holds: Callable[[], bool], *, seconds: float = WAIT) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)

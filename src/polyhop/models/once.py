"""Loading things once a process: weights are shared by everything that uses them, and loaded by one thread only."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def once(function: Callable[P, T]) -> Callable[P, T]:
    """Like ``functools.cache``, but two threads that ask for the same thing get the same thing."""
    lock = threading.RLock()
    cached = cast("Callable[P, T]", functools.cache(function))

    @functools.wraps(function)
    def locked(*args: P.args, **kwargs: P.kwargs) -> T:
        with lock:
            return cached(*args, **kwargs)

    return locked

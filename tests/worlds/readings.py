"""What the small networks made of a text, kept for as long as tests run.

Hundreds of tests read the same few documents, and most of their time would go into reading them again. A network that
is nothing but its weights makes the same of the same tokens, whatever it read before and beside them: the tests of the
models make sure of it, and read anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from polyhop.models.encoder import Encoder
from polyhop.models.span_reader import Graph

READING = ((Encoder, "vector"), (Encoder, "paired"), (Graph, "run"))


@contextmanager
def kept() -> Iterator[None]:
    """Inside, no network reads the same twice."""
    with pytest.MonkeyPatch.context() as patch:
        for network, method in READING:
            patch.setattr(network, method, _once(getattr(network, method)))
        yield


@contextmanager
def anew() -> Iterator[None]:
    """Inside, networks read all that they are asked to."""
    with pytest.MonkeyPatch.context() as patch:
        for network, method in READING:
            patch.setattr(network, method, getattr(network, method).__wrapped__)
        yield


def _once(read: Callable[..., Any]) -> Callable[..., Any]:
    made: WeakKeyDictionary[object, dict[object, Any]] = WeakKeyDictionary()

    @wraps(read)
    def reading(network: object, *given: str | int | Sequence[Any], **how: object) -> Any:
        key = (*(one if isinstance(one, str | int) else tuple(one) for one in given), *sorted(how.items()))
        known = made.setdefault(network, {})
        if key not in known:
            known[key] = _unchanging(read(network, *given, **how))
        return known[key]

    return reading


def _unchanging(reading: Any) -> Any:
    """A reading whose arrays nobody can write to."""
    for array in reading if isinstance(reading, tuple) else (reading,):
        array.setflags(write=False)
    return reading

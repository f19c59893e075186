"""The two moves every compressed sparse row structure needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from polyhop.ports import Ints


def offsets(lengths: Iterable[int] | Ints) -> Ints:
    """Where rows of these lengths begin when laid end to end, and where the last one ends: one more than lengths."""
    ends = np.cumsum(np.fromiter(lengths, np.int64))
    return np.concatenate([np.zeros(1, np.int64), ends])


def spread(starts: Ints, ends: Ints) -> Ints:
    """The numbers of the half-open ranges from ``starts[i]`` to ``ends[i]``, one range after the other."""
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()), dtype=np.int64)


def flat(rows: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Rows laid end to end, and their offsets."""
    bounds = offsets(map(len, rows))
    return np.fromiter(chain.from_iterable(rows), np.int64, int(bounds[-1])), bounds

"""Several rankings as one, by turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

Ranked = TypeVar("Ranked")
Scored = Sequence[tuple[int, float]]  # passage numbers with scores, best first


def round_robin(rankings: Iterable[Iterable[Ranked]]) -> Iterator[Ranked]:
    """The first of each ranking, then the second of each, and so on; what several give comes as often."""
    return (item for turn in zip_longest(*rankings) for item in turn if item is not None)


def each_once(items: Iterable[tuple[int, float]]) -> dict[int, float]:
    """Passages with their scores, each where it comes first."""
    scores: dict[int, float] = {}
    for number, score in items:
        scores.setdefault(number, score)
    return scores


def by_turns(rankings: Iterable[Scored], first: Mapping[int, float] | None = None) -> dict[int, float]:
    """From each ranking by turns the best passage that none has given yet, with its score; after those in ``first``."""
    merged = dict(first or {})
    waiting = [iter(ranking) for ranking in rankings]
    while waiting:
        for ranking in list(waiting):
            fresh = next((item for item in ranking if item[0] not in merged), None)
            if fresh is None:
                waiting.remove(ranking)
            else:
                merged[fresh[0]] = fresh[1]
    return merged

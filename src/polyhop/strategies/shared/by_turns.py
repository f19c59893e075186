"""Several rankings as one, by turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Scored = Sequence[tuple[int, float]]  # passage numbers with scores, best first


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

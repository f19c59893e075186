"""A reranker with a time limit: what it did not come to is judged worst, and counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import numpy as np

from polyhop.ports import Floats, Reranker

AT_ONCE = 8  # texts between two looks at the clock, at least; each is read alone, so that scores do not depend on it
WORST = -12.0  # below all logits


class Timed:
    """Judges as another reranker does, until its time is over. Threads may share it."""

    def __init__(self, reranker: Reranker, seconds: float) -> None:
        """Time begins now."""
        self._reranker = reranker
        self._end = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._left = 0
        requests = getattr(reranker, "batch", 1) * getattr(reranker, "concurrency", 1)  # of an endpoint, side by side
        self._at_once = max(AT_ONCE, requests)

    @property
    def name(self) -> str:
        """That of the reranker."""
        return self._reranker.name

    @property
    def left(self) -> int:
        """Texts that were not judged."""
        with self._lock:
            return self._left

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """The reranker's logits, and ``WORST`` for each text that it had no time for."""
        scores = np.full(len(texts), WORST, np.float32)
        for start in range(0, len(texts), self._at_once):
            if time.monotonic() >= self._end:
                with self._lock:
                    self._left += len(texts) - start
                break
            some = slice(start, start + self._at_once)
            scores[some] = self._reranker.score(question, texts[some])
        return scores

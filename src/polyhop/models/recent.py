"""What a model read last: strategies and readers ask for much of the same within one question."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Readings by what was read; what was not asked for longest is forgotten first. Threads may share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[K, V] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def forget(self) -> None:
        """Read everything anew from now on."""
        with self._lock:
            self._kept.clear()

    def readings(self, keys: Sequence[K], read: Callable[[Sequence[K]], Iterable[V]]) -> list[V]:
        """A reading for each key, in their order; ``read`` gets those that are not known, each once."""
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        unread = [key for key in dict.fromkeys(keys) if key not in known]
        if unread:
            known |= zip(unread, read(unread), strict=True)
        with self._lock:
            for key in keys:
                self._kept.pop(key, None)
                self._kept[key] = known[key]
            for key in list(self._kept)[: -self._most]:
                del self._kept[key]
        return [known[key] for key in keys]

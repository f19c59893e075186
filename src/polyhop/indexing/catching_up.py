"""Taking over what other machines have indexed: before a question is answered, or beside questions."""

from __future__ import annotations

import logging
import threading
import time
from typing import Final

from polyhop import registry
from polyhop.errors import PolyhopError
from polyhop.indexing import remembered as making
from polyhop.indexing.run import IndexRun
from polyhop.store.record import Record

logger = logging.getLogger(__name__)

AGAIN: Final = 15.0  # seconds after a failure before it is tried once more
ENDING: Final = 5.0  # seconds to wait for what is under way; who goes on without it loses nothing


class CatchingUp:
    """Keeps a folder up to date with its record.

    ``beside``: who asks meanwhile is answered from what the folder has, without the passages that are gone since; so a
    server never pauses. Else who asks waits, and is never answered from what is behind.
    """

    def __init__(self, *, beside: bool) -> None:
        self._beside = beside
        self._work: threading.Thread | None = None
        self._not_before = 0.0
        self._lock = threading.Lock()

    def catch_up(self, run: IndexRun, record: Record) -> None:
        """Bring what is behind up to date, or see that it is being done. Raises like ``IndexRun.catch_up``."""
        behind = making.behind(record)
        if not behind:
            return
        if not self._beside or any(record.generation(name) is None for name in behind):
            run.catch_up(record)
            return
        with self._lock:
            if (self._work is None or not self._work.is_alive()) and time.monotonic() >= self._not_before:
                self._work = threading.Thread(target=self._catch_up, args=(run,), name="catching up", daemon=True)
                self._work.start()

    def lags(self, record: Record) -> bool:
        """Whether who asks would have to catch up first (once more), and could."""
        return not self._beside and not all(map(_is_paid_for, making.behind(record)))

    def served(self, record: Record) -> list[str]:
        """The layers that questions are answered from."""
        if not self._beside:
            return making.up_to_date(record)
        behind = making.behind(record)
        return [name for name in making.whole(record) if name not in behind or not _is_paid_for(name)]

    def close(self) -> None:
        """Wait a little for what is under way."""
        if self._work is not None:
            self._work.join(ENDING)

    def _catch_up(self, run: IndexRun) -> None:
        try:
            with Record.open(run.path, run.settings.index.store) as record:
                run.catch_up(record)
        except PolyhopError as error:
            self._not_before = time.monotonic() + AGAIN
            logger.warning("The index at %s stays behind for now: %s %s", run.path, error, error.remedy)


def _is_paid_for(name: str) -> bool:
    """Whether gathering a layer may cost money, so that catching up leaves it alone."""
    return bool(getattr(registry.load("layers", name), "pays_to_gather", False))

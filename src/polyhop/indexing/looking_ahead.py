"""Noticing beside questions that an index has changed, so that the next question finds it opened."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from polyhop.errors import PolyhopError

logger = logging.getLogger(__name__)

EVERY: Final = 0.05  # seconds between two looks
QUIET: Final = 60.0  # seconds without a question after which nobody looks any more


class Lookout:
    """Looks whether something has changed, in a thread of its own and as long as questions come.

    Nobody needs it: who asks looks, too, and opens what has changed since the last look.
    """

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self._until = 0.0
        self._work: threading.Thread | None = None
        self._ended = threading.Event()
        self._lock = threading.Lock()

    def asked(self) -> None:
        """Look on: a question has come."""
        self._until = time.monotonic() + QUIET
        with self._lock:
            if self._work is None or not self._work.is_alive():
                self._ended.clear()
                self._work = threading.Thread(target=self._watch, name="looking ahead", daemon=True)
                self._work.start()

    def close(self) -> None:
        """Look no more until the next question, without waiting for a look that is under way."""
        self._ended.set()

    def _watch(self) -> None:
        while time.monotonic() < self._until and not self._ended.wait(EVERY):
            try:
                self._look()
            except PolyhopError as error:  # the next question meets it, and says so
                logger.debug("looking ahead: %s", error)

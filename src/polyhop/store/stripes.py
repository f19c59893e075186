"""Locks on passages: whoever works on one holds its stripe, so that no two threads or processes do the same work."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import filelock

logger = logging.getLogger(__name__)

# A passage's stripe is its number modulo this. Two times 16 passages share a stripe in about one of five cases, and
# then one waits for the other for nothing. A stripe is an empty file that is made when it is first needed.
STRIPES = 1024


def stripes_of(numbers: Iterable[int]) -> list[int]:
    """The stripes of passages, in the one order in which they are taken: so nobody waits in a ring."""
    return sorted({number % STRIPES for number in numbers})


class Stripes:
    """The locks of one folder. Where it cannot be written, threads of this process exclude each other all the same."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._alone = threading.Lock()

    @contextmanager
    def held(self, numbers: Iterable[int]) -> Iterator[None]:
        """Hold the stripes of passages, waiting for them as long as it takes; not to be nested."""
        with ExitStack() as held:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                for stripe in stripes_of(numbers):
                    held.enter_context(filelock.FileLock(self._folder / f"{stripe:04}.lock", thread_local=False))
            except OSError as error:
                logger.debug("%s holds no locks (%s)", self._folder, error)
                held.close()
                held.enter_context(self._alone)
            yield

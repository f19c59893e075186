"""Space that is held for the end of a job: on a disk that is full it can still be said that it is."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from polyhop.errors import StorageFull

T = TypeVar("T")
NAME = "ballast"
BYTES = 1 << 19  # what a few changes of the queue and of the keys take
PAUSE = 2.0  # seconds between two tries where even that does not suffice

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ballast:
    """A file that says nothing, and goes where its space is needed."""

    folder: Path

    def hold(self) -> None:
        """Take the space, if there is any."""
        file = self.folder / NAME
        try:
            if not file.exists():
                file.write_bytes(bytes(BYTES))
        except OSError:  # full already
            self.release()

    def release(self) -> None:
        """Give the space back."""
        with suppress(OSError):
            (self.folder / NAME).unlink(missing_ok=True)

    def surely(self, work: Callable[[], T]) -> T:
        """Do what takes a little space: in what was held, or else as soon as there is any."""
        told = False
        while True:
            try:
                return work()
            except StorageFull as error:
                if not told:
                    logger.warning("%s", error)
                    self.release()
                    told = True
                else:
                    time.sleep(PAUSE)

"""Folders of this machine that a server follows: whenever something in them has changed, a job looks at them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polyhop.errors import PolyhopError
from polyhop.indexing.watching import changes_of, check_watching
from polyhop.serve.intake import Intake
from polyhop.serve.jobs.job import JobKind, JobState
from polyhop.serve.places import WorkspacePlace

logger = logging.getLogger(__name__)
AGAIN = 10.0  # seconds until a job is asked for again that was not taken


@dataclass(frozen=True, kw_only=True)
class Following:
    """Asks for a job at its start, and whenever files have changed and settled since."""

    intake: Intake
    place: WorkspacePlace
    paths: Sequence[Path]
    _stop: threading.Event = field(default_factory=threading.Event, init=False)

    def begin(self) -> None:
        """Follow from now on, in a thread of its own. Raises UsageError where the extra is missing."""
        check_watching()
        threading.Thread(target=self._follow, name="polyhop-following", daemon=True).start()

    def end(self) -> None:
        """Follow no longer; a job that was asked for is done at the next start."""
        self._stop.set()

    def ask(self) -> None:
        """Have a job look at the folders, unless one is going to."""
        counter = self.intake.counter(self.place)
        with counter.queue.transaction():
            waiting = (job.kind == JobKind.FOLDER and job.state == JobState.QUEUED for job in counter.queue.open_jobs())
            if not any(waiting):
                names = [path.name or str(path) for path in self.paths]
                paths = [str(path.absolute()) for path in self.paths]
                counter.queue.add(JobKind.FOLDER, names, asked={"paths": paths})
        self.intake.workers.nudge(self.place)

    def _follow(self) -> None:
        self._ask_until_taken()
        try:
            for changed in changes_of(self.paths, besides=self.place.index, stop=self._stop):
                logger.info("%d files have changed", len(changed))
                self._ask_until_taken()
        except OSError as error:  # the system watches no further folder, say
            if not self._stop.is_set():
                logger.warning("the folders are followed no longer: %s", error)

    def _ask_until_taken(self) -> None:
        """Ask for a job until there is room for it: too many may wait already, or the disk be full."""
        while not self._stop.is_set():
            try:
                self.ask()
                return
            except (PolyhopError, OSError) as error:
                logger.warning("the folders are looked at later: %s", error)
                self._stop.wait(AGAIN)

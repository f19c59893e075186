"""What a job tells while it works: how far it is, how long the rest may take, and what it has cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from polyhop.ports import LanguageModel
from polyhop.reports import Progress
from polyhop.serve.jobs.job import Job, JobProgress
from polyhop.serve.jobs.queue import JobQueue
from polyhop.types import Cost

OFTEN = 0.5  # seconds between two notes of how far a job is


class JobStopped(Exception):
    """Somebody has cancelled the job that is at work."""


@dataclass(kw_only=True)
class Reporter:
    """Notes a job's progress in the queue, and stops the job where somebody has cancelled it.

    A ProgressListener: it is called between two chunks, when what was done by then is stored.
    """

    queue: JobQueue
    job: Job
    model: LanguageModel | None  # that may be asked, and counts what it costs
    charge: Callable[[Cost], None]  # tells whoever pays what more was spent
    forecast: Mapping[str, float] = field(default_factory=dict)  # seconds by stage, of those that are still to come
    _before: Cost = field(init=False)
    _charged: Cost = field(default_factory=Cost, init=False)
    _told: float = field(default=0.0, init=False)
    _stage: str = field(default="", init=False)
    _began: float = field(default=0.0, init=False)  # when the stage did,
    _first: int = field(default=0, init=False)  # and what was done of it then
    _over: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self._before = self._metered()

    def __call__(self, progress: Progress) -> None:
        """How far the work is. Raises JobStopped."""
        now = time.monotonic()
        fresh = progress.stage != self._stage
        if fresh:
            self._over.add(self._stage)
            self._stage, self._began, self._first = progress.stage, now, progress.done
        if fresh or now - self._told >= OFTEN or progress.done == progress.total:
            self._told = now
            self._note(progress, now)
        if self.queue.is_stopping(self.job):
            raise JobStopped

    @property
    def cost(self) -> Cost:
        """What the job has cost in all, also before it was interrupted."""
        return self.job.cost + self._spent

    @property
    def _spent(self) -> Cost:
        return self._metered() - self._before

    def settle(self) -> None:
        """Tell whoever pays what was spent since the last time."""
        spent = self._spent
        self.charge(spent - self._charged)
        self._charged = spent

    def _note(self, progress: Progress, now: float) -> None:
        told = JobProgress(
            stage=progress.stage, done=progress.done, total=progress.total, seconds_left=self._left(progress, now)
        )
        self.queue.note(self.job, told, self.cost)
        self.settle()

    def _left(self, progress: Progress, now: float) -> float | None:
        """Seconds until the job ends: of this stage by how fast it has been, of later ones as forecast."""
        later = sum(
            seconds for stage, seconds in self.forecast.items() if stage not in self._over and stage != self._stage
        )
        done = progress.done - self._first
        if progress.total is None or (not done and self._stage not in self.forecast):
            return later or None
        if not done:
            return round(later + self.forecast[self._stage], 1)
        return round(later + (now - self._began) / done * (progress.total - progress.done), 1)

    def _metered(self) -> Cost:
        meter = getattr(self.model, "meter", None)
        return Cost() if meter is None else meter.total

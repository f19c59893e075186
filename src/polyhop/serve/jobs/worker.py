"""The process that does the jobs of one workspace: started as ``python -m polyhop.serve.jobs.worker``.

It is told what it needs as one JSON line on standard input, and ends when that closes, whatever it is doing then: what
it has stored is stored, and the next worker goes on with the same job. A lock keeps workers of one workspace apart.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import filelock

from polyhop.errors import IndexMissing, KeyMissing, PolyhopError
from polyhop.models.choice import Models, load_models
from polyhop.registry import fitted
from polyhop.serve.jobs.ballast import Ballast
from polyhop.serve.jobs.job import Job, JobError, JobKind, JobState
from polyhop.serve.jobs.queue import JobQueue, error_of
from polyhop.serve.jobs.reporting import JobStopped, Reporter
from polyhop.serve.jobs.work import IndexWork, WorkDone
from polyhop.serve.json_log import log_as_json
from polyhop.serve.kept_files import KeptFiles
from polyhop.serve.keys import KeyRing
from polyhop.serve.limits import Limits
from polyhop.serve.parsing import GuardedParser
from polyhop.serve.places import WorkspacePlace
from polyhop.settings import Settings

LOCK = "worker.lock"
POLL = 0.2  # seconds between two looks at an empty queue
IDLE = 20.0  # seconds without a job after which the worker ends; models are loaded until then
NICER = 5  # how much readier than a server's own process this one is to let others go first

logger = logging.getLogger("polyhop.serve.jobs.worker")  # it is run as __main__, which would be no name of ours


@dataclass(frozen=True, kw_only=True)
class WorkOrder:
    """What a worker has to know."""

    place: WorkspacePlace
    keys: Path  # the file of the server's keys, where what jobs cost is noted
    settings: Settings
    idle: float = IDLE

    def line(self) -> bytes:
        """All of it as one line of JSON."""
        place = {name: str(value) for name, value in asdict(self.place).items()}
        order = {"place": place, "keys": str(self.keys), "settings": self.settings.to_mapping(), "idle": self.idle}
        return json.dumps(order).encode() + b"\n"

    @classmethod
    def of(cls, line: bytes) -> Self:
        """The order that a line tells."""
        told: Mapping[str, Any] = json.loads(line)
        place = told["place"]
        return cls(
            place=WorkspacePlace(name=place["name"], index=Path(place["index"]), folder=Path(place["folder"])),
            keys=Path(told["keys"]),
            settings=Settings.from_mapping(told["settings"]),
            idle=told["idle"],
        )


class Worker:
    """Does one job after the other. The caller holds the workspace's lock."""

    def __init__(self, order: WorkOrder, queue: JobQueue, keys: KeyRing, parser: GuardedParser) -> None:
        self._order = order
        self._queue = queue
        self._keys = keys
        self._parser = parser
        self._limits = Limits(keys)
        self._files = KeptFiles(queue, order.place.files)
        self._models: tuple[Settings, Models] | None = None
        self._ballast = Ballast(order.place.folder)
        self._merging: threading.Thread | None = None

    def work(self) -> None:
        """Do what is in the queue, until there has been nothing for a while."""
        self._files.sweep()
        last = time.monotonic()
        while (job := self._ballast.surely(self._queue.take)) or time.monotonic() - last < self._order.idle:
            if job is None:
                time.sleep(POLL)
            else:
                self._do(job)
                last = time.monotonic()

    def _do(self, job: Job) -> None:
        self._ballast.hold()
        self._log(job, JobState.RUNNING)
        try:
            settings = self._within_limits(job)
            models = self._loaded(settings)
            reporter = Reporter(
                queue=self._queue,
                job=job,
                model=models.language_model,
                charge=lambda cost: self._limits.note(job.key, cost=cost),
            )
        except PolyhopError as error:
            failed = error_of(error)
            self._ballast.surely(lambda: self._queue.end(job, JobState.FAILED, error=failed))
            self._log(job, JobState.FAILED, error=failed)
            return
        state, done, failure = JobState.DONE, WorkDone(), None
        try:
            done = self._carried_out(job, settings, models, reporter)
        except JobStopped:
            state = JobState.CANCELLED
        except PolyhopError as error:
            state, failure = JobState.FAILED, error_of(error)
        except Exception as error:  # whatever it is, the next job is to be done
            logger.exception("job %s failed", job.id)
            state, failure = JobState.FAILED, _unforeseen(error)
        self._ballast.surely(reporter.settle)
        self._ballast.surely(lambda: self._queue.note(job, self._queue.job(job.id).progress, reporter.cost))
        self._ballast.surely(
            lambda: self._queue.end(job, state, skipped=done.skipped, error=failure, result=done.result)
        )
        self._log(job, state, error=failure)
        if job.kind != JobKind.EVAL:
            self._merge_beside(self._on_index(settings, models))

    def _merge_beside(self, work: IndexWork) -> None:
        """Write what jobs have made worth writing, while further ones are done."""
        if self._merging is None or not self._merging.is_alive():
            self._merging = threading.Thread(target=work.merge, name="merging", daemon=True)
            self._merging.start()

    def _log(self, job: Job, state: JobState, *, error: JobError | None = None) -> None:
        """Tell the log what has become of a job: what it was about is asked of the queue, by its id."""
        told = {"job": job.id, "workspace": self._order.place.name, "state": state.value}
        told |= {"key": job.key} if job.key else {}
        told |= {"error": error.type, "why": error.message} if error else {}
        level = logging.WARNING if state == JobState.FAILED else logging.INFO
        logger.log(level, "%s %s", job.kind.value, state.value, extra={"told": told})

    def _carried_out(self, job: Job, settings: Settings, models: Models, reporter: Reporter) -> WorkDone:
        asked = self._queue.asked(job)
        if job.kind == JobKind.EVAL:
            from polyhop.serve.jobs.measuring import measure  # all that answers, which no other job takes

            return measure(asked, self._order.place.index, settings, models.language_model, reporter)
        index = self._on_index(settings, models)
        if job.kind == JobKind.UPLOAD:
            return index.upload(job, reporter)
        return index.follow(asked, reporter) if job.kind == JobKind.FOLDER else index.remove(job, asked, reporter)

    def _on_index(self, settings: Settings, models: Models) -> IndexWork:
        return IndexWork(
            place=self._order.place, settings=settings, models=models, files=self._files, parser=self._parser
        )

    def _within_limits(self, job: Job) -> Settings:
        """The settings with what the job's key may still spend as caps. Raises LimitReached, SettingError."""
        settings = self._order.settings
        if not job.key or job.kind == JobKind.REMOVE:
            return settings
        with suppress(KeyMissing):
            tokens, money = self._limits.left(self._keys.of(job.key))
            section = settings.of("language_model")
            for name, kind, left in (("token_cap", int, tokens), ("money_cap", float, money)):
                own = fitted(section.get(name), kind | None, f"language_model.{name}")  # --set hands over text
                caps = [each for each in (own, left) if isinstance(each, int | float)]
                section = {**section, name: min(caps)} if caps else section
            return replace(settings, components={**settings.components, "language_model": section})
        return settings

    def _loaded(self, settings: Settings) -> Models:
        """The models of settings, kept for the next job where nothing is capped: a meter counts once."""
        if self._models is None or self._models[0] != settings or settings != self._order.settings:
            if self._models is not None:
                self._models[1].close()
            self._models = settings, load_models(settings)
        return self._models[1]

    def close(self) -> None:
        """Wait for what is being merged, and let go of the models."""
        if self._merging is not None:
            self._merging.join()
        if self._models is not None:
            self._models[1].close()


def main() -> None:
    """Be the worker of a workspace until there is nothing to do, or nobody who wants it done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to handle
    if hasattr(os, "nice"):
        os.nice(NICER)  # answers come first
    log_as_json()
    order = WorkOrder.of(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    lock = _lock_of(order.place)
    if lock is None:
        return
    with ExitStack() as opened:
        opened.callback(lock.release)
        queue = opened.enter_context(JobQueue(order.place.queue, made=True))
        keys = opened.enter_context(KeyRing(order.keys))
        parser = opened.enter_context(GuardedParser(limits=order.settings.server))
        worker = Worker(order, queue, keys, parser)
        opened.callback(worker.close)
        try:
            worker.work()
        except IndexMissing:
            logger.info("the workspace is gone, and its jobs with it")


def _lock_of(place: WorkspacePlace) -> filelock.BaseFileLock | None:
    """The lock of a workspace's worker, held; None where the workspace has gone since it was asked for.

    To try for a lock makes the folder that it lies in: so nobody tries once the queue has gone.
    """
    lock = filelock.FileLock(place.folder / LOCK)
    while place.queue.exists():
        try:
            lock.acquire(timeout=0)
        except (filelock.Timeout, FileNotFoundError):  # somebody works there, or it has just gone
            time.sleep(POLL)
        else:
            return lock
    return None


def _end_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 1):  # unbuffered: a buffer would be locked when this process ends by itself
        continue
    os._exit(0)


def _unforeseen(error: Exception) -> JobError:
    return JobError(
        type="internal_error",
        message=f"Something went wrong that should not ({type(error).__name__}).",
        remedy="What was done is stored. The server's log has the details.",
    )


if __name__ == "__main__":
    main()

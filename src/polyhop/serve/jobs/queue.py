"""The jobs of a workspace, in one SQLite file beside its index: what was asked for outlasts every kill."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from polyhop.errors import JobMissing, NotNow, Overloaded, PolyhopError
from polyhop.serve.jobs.job import Job, JobError, JobKind, JobProgress, JobState, LeftOut
from polyhop.serve.safe_messages import message_of, remedy_of, type_of
from polyhop.serve.server_file import ServerFile
from polyhop.types import Cost

KEPT = 1000  # jobs that have ended; older ones are forgotten
MOST_CRASHES = 3  # of the process that does a job, until the job counts as failed
PAGE = 100  # jobs told at a time
LATER = 60  # seconds after which a job is worth handing in again that found too many before it

TABLES = """
CREATE TABLE jobs(
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    about TEXT NOT NULL,
    key TEXT NOT NULL,
    created REAL NOT NULL,
    started REAL,
    ended REAL,
    progress TEXT NOT NULL DEFAULT '{}',
    cost TEXT NOT NULL DEFAULT '{}',
    skipped TEXT NOT NULL DEFAULT '[]',
    error TEXT,
    stopping INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    asked TEXT NOT NULL,
    result TEXT
);
CREATE INDEX jobs_by_state ON jobs(state, number);

-- files that were uploaded and that a job is to index
CREATE TABLE uploads(
    job INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
    name TEXT NOT NULL,
    stored TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY(job, name)
) WITHOUT ROWID;

-- files whose documents are in the index, as they came
CREATE TABLE files(
    name TEXT PRIMARY KEY,
    stored TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    added REAL NOT NULL
) WITHOUT ROWID;
"""

DO_AGAIN = {
    JobKind.UPLOAD: "Upload the files again to index them anew.",
    JobKind.REMOVE: "What it was to remove has gone; nothing is left to do.",
    JobKind.FOLDER: "Change a file of the folder, or start the server again: each has it looked at again.",
    JobKind.EVAL: "Measure anew with: POST /v1/eval",
}

_FIELDS = "number, id, kind, state, about, key, created, started, ended, progress, cost, skipped, error, stopping"


class JobQueue(ServerFile):
    """The jobs of one workspace, done one after the other. Threads and processes may share the file.

    Servers ``add``, ``cancel`` and ``retry``; the one process that works (which holds a lock, see ``worker.py``) takes
    jobs, notes how far it is, and ends them.
    """

    def __init__(self, path: Path, *, most: int | None = None, made: bool = False) -> None:
        super().__init__(path, TABLES, made=made)
        self._most = most  # jobs that may be open at once; None: any number

    def add(
        self,
        kind: JobKind,
        about: Sequence[str],
        *,
        key: str = "",
        asked: Mapping[str, Any] | None = None,
        skipped: Sequence[LeftOut] = (),
    ) -> Job:
        """Put a job at the end of the queue. ``asked``: all else that its work has to know, as JSON.

        Raises Overloaded where too many jobs are open already.
        """
        job_id = secrets.token_hex(8)
        with self.transaction():
            self._require_room()
            self.change(
                "INSERT INTO jobs(id, kind, state, about, key, created, asked, skipped)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                *(job_id, kind.value, JobState.QUEUED.value, json.dumps(list(about)), key, time.time()),
                *(json.dumps(asked or {}), _skipped(skipped)),
            )
            self._forget()
            return self.job(job_id)

    def job(self, job_id: str) -> Job:
        """One job. Raises JobMissing."""
        row = self.row(f"SELECT {_FIELDS} FROM jobs WHERE id = ?", job_id)  # noqa: S608
        if row is None:
            raise JobMissing("There is no such job in this workspace.", remedy="GET /v1/jobs lists those there are.")
        return _job(row)

    def jobs(self, *, before: int | None = None, limit: int = PAGE) -> list[Job]:
        """The latest jobs, newest first; ``before``: only those with a smaller number."""
        query = f"SELECT {_FIELDS} FROM jobs WHERE number < ? ORDER BY number DESC LIMIT ?"  # noqa: S608
        return [_job(row) for row in self.rows(query, 2**62 if before is None else before, limit)]

    def open_jobs(self) -> list[Job]:
        """The jobs that have not ended, the next one first."""
        query = f"SELECT {_FIELDS} FROM jobs WHERE state IN ('running', 'queued') ORDER BY state DESC, number"  # noqa: S608
        return [_job(row) for row in self.rows(query)]

    def asked(self, job: Job) -> Any:
        """What else the work of a job has to know, as it was added."""
        row = self.row("SELECT asked FROM jobs WHERE number = ?", job.number)
        return json.loads(row[0]) if row is not None else {}

    def result(self, job_id: str) -> Any:
        """What a job found. Raises JobMissing where there is no such job, or it has no result (yet)."""
        job = self.job(job_id)
        row = self.row("SELECT result FROM jobs WHERE number = ?", job.number)
        if row is None or row[0] is None:
            why = "has not ended" if job.is_open else "has none"
            raise JobMissing(
                f"There is no result: the job {why}.", remedy="Only jobs of the kind eval that are done have one."
            )
        return json.loads(row[0])

    def cancel(self, job_id: str) -> Job:
        """Have a job stop: one that waits at once, one that runs between two chunks. Raises JobMissing, NotNow."""
        with self.transaction():
            job = self.job(job_id)
            if not job.is_open:
                raise NotNow(f"The job has ended: it is {job.state}.", remedy="There is nothing left to cancel.")
            if job.state == JobState.QUEUED:
                self.end(job, JobState.CANCELLED)
            else:
                self.change("UPDATE jobs SET stopping = 1 WHERE number = ?", job.number)
            return self.job(job_id)

    def retry(self, job_id: str) -> Job:
        """Queue a job again that failed or was cancelled; it goes on with what is left. Raises JobMissing, NotNow."""
        with self.transaction():
            job = self.job(job_id)
            if job.state not in (JobState.FAILED, JobState.CANCELLED):
                raise NotNow(
                    f"Only a job that failed or was cancelled can be tried again; this one is {job.state}.",
                    remedy="Wait until it has ended." if job.is_open else DO_AGAIN[job.kind],
                )
            self.change(
                "UPDATE jobs SET state = 'queued', started = NULL, ended = NULL, error = NULL, stopping = 0,"
                " crashes = 0, progress = '{}' WHERE number = ?",
                job.number,
            )
            return self.job(job_id)

    def take(self) -> Job | None:
        """The job to do now: one that a killed worker left behind, else the one that has waited longest."""
        if not self.open_jobs():
            return None
        with self.transaction():
            waiting = self.open_jobs()
            if not waiting:  # cancelled in between
                return None
            self.change(
                "UPDATE jobs SET state = 'running', started = coalesce(started, ?) WHERE number = ?",
                time.time(),
                waiting[0].number,
            )
            return self.job(waiting[0].id)

    def note(self, job: Job, progress: JobProgress, cost: Cost) -> None:
        """Note how far a job has come, and what it has cost in all."""
        self.change(
            "UPDATE jobs SET progress = ?, cost = ? WHERE number = ?",
            json.dumps(asdict(progress)),
            json.dumps(asdict(cost)),
            job.number,
        )

    def is_stopping(self, job: Job) -> bool:
        """Whether somebody wants a job to stop."""
        return bool(self.row("SELECT 1 FROM jobs WHERE number = ? AND stopping", job.number))

    def end(
        self,
        job: Job,
        state: JobState,
        *,
        skipped: Iterable[LeftOut] = (),
        error: JobError | None = None,
        result: Any = None,
    ) -> None:
        """End a job; ``skipped`` is added to what it has left out already."""
        told = {each.file: each for each in (*job.skipped, *skipped)}
        self.change(
            "UPDATE jobs SET state = ?, ended = ?, skipped = ?, error = ?, result = ?, stopping = 0 WHERE number = ?",
            *(state.value, time.time(), _skipped(told.values())),
            None if error is None else json.dumps(asdict(error)),
            None if result is None else json.dumps(result),
            job.number,
        )

    def crashed(self) -> bool:
        """Note that the process that works has died by itself; whether it was at work then.

        The job that it does each time is given up.
        """
        with self.transaction():
            at_work = self.change("UPDATE jobs SET crashes = crashes + 1 WHERE state = 'running'")
            query = f"SELECT {_FIELDS} FROM jobs WHERE state = 'running' AND crashes >= ?"  # noqa: S608
            for job in map(_job, self.rows(query, MOST_CRASHES)):
                self.end(job, JobState.FAILED, error=CRASHED)
            return bool(at_work)

    def _require_room(self) -> None:
        if self._most is None:
            return
        row = self.row("SELECT count(*) FROM jobs WHERE state IN ('running', 'queued')")
        if row is not None and row[0] >= self._most:
            raise Overloaded(
                f"{row[0]:,} jobs of this workspace wait already.",
                remedy="Send it again when some of them are done, and as many files in one request as it takes.",
                retry_after=LATER,
            )

    def _forget(self) -> None:
        self.change(
            "DELETE FROM jobs WHERE state NOT IN ('queued', 'running') AND number <="
            " (SELECT max(number) FROM jobs) - ?",
            KEPT,
        )


def error_of(error: PolyhopError) -> JobError:
    """An error as a job tells it."""
    return JobError(type=type_of(error), message=message_of(error), remedy=remedy_of(error))


CRASHED = JobError(
    type="worker_died",
    message=f"The process that did this job has died {MOST_CRASHES} times (out of memory?).",
    remedy="What it did is stored. Free some memory or upload less at a time, and try the job again.",
)


def _skipped(skipped: Iterable[LeftOut]) -> str:
    return json.dumps([asdict(each) for each in skipped])


def _job(row: Sequence[Any]) -> Job:
    fields: dict[str, Callable[[Any], Any]] = {
        "kind": JobKind,
        "state": JobState,
        "about": lambda value: tuple(json.loads(value)),
        "progress": lambda value: JobProgress(**json.loads(value)),
        "cost": lambda value: Cost(**json.loads(value)),
        "skipped": lambda value: tuple(LeftOut(**each) for each in json.loads(value)),
        "error": lambda value: None if value is None else JobError(**json.loads(value)),
        "stopping": bool,
    }
    named = zip(_FIELDS.split(", "), row, strict=True)
    return Job(**{name: fields.get(name, lambda same: same)(value) for name, value in named})

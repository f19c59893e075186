"""What is known of a job: what it is to do, how far it has come, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from polyhop.serialisable import Serialisable
from polyhop.types import Cost


class JobKind(StrEnum):
    """What a job does."""

    UPLOAD = "upload"  # index uploaded files
    REMOVE = "remove"  # remove documents
    FOLDER = "folder"  # bring the index up to date with folders of this machine
    EVAL = "eval"  # measure strategies on questions


class JobState(StrEnum):
    """Where a job is: the first two are open, the others have ended."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProgress(Serialisable):
    """How far a job has come; None where it is not known."""

    stage: str = ""  # reading, gathering, or the name of a layer or a strategy
    done: int = 0
    total: int | None = None
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobError(Serialisable):
    """Why a job failed, in the shape in which the server tells errors."""

    type: str
    message: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut(Serialisable):
    """A file or a document that a job left out, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work of a workspace; times are seconds since 1970."""

    number: int  # in the order in which they are done
    id: str
    kind: JobKind
    state: JobState
    about: tuple[str, ...]  # names of files, or of what documents came from, or strategies
    key: str  # the id of the key that asked for it
    created: float
    started: float | None = None
    ended: float | None = None
    progress: JobProgress = JobProgress()
    cost: Cost = Cost()
    skipped: tuple[LeftOut, ...] = ()
    error: JobError | None = None
    stopping: bool = False  # whether it is to stop at the next chance

    @property
    def is_open(self) -> bool:
        """Whether something is still to be done."""
        return self.state in (JobState.QUEUED, JobState.RUNNING)

    def to_dict(self) -> dict[str, Any]:
        """What the server tells of it: times in ISO 8601, and not who asked."""
        return {
            "id": self.id,
            "kind": self.kind.value,
            "state": self.state.value,
            "about": list(self.about[:MOST_TOLD]),
            "created": _told(self.created),
            "started": _told(self.started),
            "ended": _told(self.ended),
            "progress": self.progress.to_dict(),
            "cost": self.cost.to_dict(),
            "skipped": [each.to_dict() for each in self.skipped],
            "error": None if self.error is None else self.error.to_dict(),
            "stopping": self.stopping,
        }


MOST_TOLD = 100  # names of what a job is about


def _told(moment: float | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")

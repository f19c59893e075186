"""Routes that write: documents that come and go, strategies that are measured, and workspaces. All of it is jobs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field

from polyhop.documents.reading import covers
from polyhop.errors import DocumentError, DocumentMissing, NotNow, UsageError
from polyhop.indexing.ingest import GIVEN, stands
from polyhop.serve.asking import allowed, named
from polyhop.serve.engines import Workspace
from polyhop.serve.intake import Counter
from polyhop.serve.jobs.job import Job, JobKind
from polyhop.serve.keys import Key
from polyhop.serve.multipart import FilesInRequest
from polyhop.serve.service import Service, TheKey, TheService, TheWorkspace
from polyhop.serve.uploads import Spool
from polyhop.store.port import DocumentRow

router = APIRouter(prefix="/v1", tags=["writing"])

MOST_QUESTIONS = 1000
ANOTHER_KIND = "Send files of the kinds that are read."
SMALLER = "Send it in smaller parts, or raise the limit with: polyhop serve --set server.file=BYTES"
FORM = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
        }
    }
}


class JobBody(BaseModel):
    """A job that was taken on: see /v1/jobs/{id}."""

    job: dict[str, Any]


class AskedOfEval(BaseModel):
    """A question with its right answer, if that is known; null: the documents do not tell it."""

    model_config = ConfigDict(extra="forbid")

    question: str
    answer: str | None = Field(default=None, max_length=10_000)


class Measured(BaseModel):
    """What is to be measured."""

    model_config = ConfigDict(extra="forbid")

    questions: Annotated[list[AskedOfEval], Field(min_length=1, max_length=MOST_QUESTIONS)]
    strategies: Annotated[list[str], Field(min_length=1, max_length=20)]


class NewWorkspace(BaseModel):
    """A workspace that is to be made."""

    model_config = ConfigDict(extra="forbid")

    name: str


class WorkspaceNames(BaseModel):
    """The workspaces that the key may use."""

    workspaces: list[str]


@router.post("/documents", status_code=202, openapi_extra={"requestBody": {"content": FORM, "required": True}})
async def upload(request: Request, service: TheService, workspace: TheWorkspace) -> JobBody:
    """Index files (several in one request), each in place of what was there under its name.

    The names may have folders, as in `reports/2031.pdf`; they become the documents' sources. Files of other
    kinds, files that are too large and files whose names cannot be kept are left out, and named in the job's `skipped`.
    """
    counter = service.intake.counter(workspace.place)
    spool = await run_in_threadpool(service.intake.spool, counter, workspace.key)
    files = FilesInRequest(spool=spool, content_type=request.headers.get("content-type"))
    job = None
    try:
        async for data in request.stream():
            await run_in_threadpool(files.feed, data)
        files.finish()
        job = await run_in_threadpool(_queued, service, counter, spool, workspace.key)
    finally:
        if job is None:
            spool.discard()
    return JobBody(job=job.to_dict())


@router.delete("/documents/{document_id:path}", status_code=202)
def remove(service: TheService, workspace: TheWorkspace, document_id: str) -> JobBody:
    """Remove a document, by its id, or all that came from a file, by the file's name.

    What lies in a folder that the server follows is removed by removing the file itself.
    """
    rows = _meant(workspace, document_id)
    _check_followed(rows, service.followed)
    asked = {"ids": [row.id for row in rows]}
    counter = service.intake.counter(workspace.place)
    with counter.queue.transaction():
        removing = (job for job in counter.queue.open_jobs() if job.kind == JobKind.REMOVE)
        job = next((job for job in removing if counter.queue.asked(job) == asked), None)
        job = job or counter.queue.add(JobKind.REMOVE, [*map(_source, rows)], key=workspace.key.id, asked=asked)
    service.intake.workers.nudge(workspace.place)
    return JobBody(job=job.to_dict())


@router.post("/eval", status_code=202)
def measure(body: Measured, service: TheService, workspace: TheWorkspace) -> JobBody:
    """Ask questions with several strategies and compare them; the result is at /v1/jobs/{id}/result."""
    strategies = list(dict.fromkeys(map(named, body.strategies)))  # one that is named twice is measured once
    questions = [
        {**each.model_dump(include=each.model_fields_set), "question": allowed(each.question, service)}
        for each in body.questions
    ]
    for name in strategies:
        workspace.engine.strategy_for(name)
    service.intake.limits.left(workspace.key)
    counter = service.intake.counter(workspace.place)
    asked = {"questions": questions, "strategies": strategies}
    job = counter.queue.add(JobKind.EVAL, strategies, key=workspace.key.id, asked=asked)
    service.intake.workers.nudge(workspace.place)
    return JobBody(job=job.to_dict())


@router.get("/workspaces")
def workspaces(service: TheService, key: TheKey) -> WorkspaceNames:
    """The workspaces that the key may use."""
    return WorkspaceNames(workspaces=[name for name in service.engines.names() if key.workspace in (None, name)])


@router.post("/workspaces", status_code=201)
def make_workspace(body: NewWorkspace, service: TheService, key: TheKey) -> WorkspaceNames:
    """Make a workspace, empty; one that is there stays as it is. Takes a key of the scope admin for all workspaces."""
    if key.workspace is not None:
        raise UsageError("The key is for one workspace.", remedy="Use one for all workspaces.")
    service.intake.places.make(body.name, service.intake.settings)
    return workspaces(service, key)


def _queued(service: Service, counter: Counter, spool: Spool, key: Key) -> Job:
    """The job that indexes what has come. Raises DocumentError where nothing of it can be read."""
    if not spool.received:
        reasons = "; ".join(f"{each.file}: {each.reason}" for each in spool.skipped[:5])
        remedies = [ANOTHER_KIND] if len(spool.skipped) > spool.oversized else []
        remedies += [SMALLER] if spool.oversized else []
        raise DocumentError(f"None of the files is read: {reasons}.", remedy="\n".join(remedies))
    return service.intake.take_in(counter, spool, key)


def _meant(workspace: Workspace, name: str) -> list[DocumentRow]:
    """The documents that an id, or the name of a file, means. Raises DocumentMissing."""
    with workspace.engine.view() as view:
        try:
            return [view.record.row(name)]
        except DocumentMissing:
            if ids := view.record.at(name):
                return [view.record.row(key) for key in ids]
            raise


def _source(row: DocumentRow) -> str:
    """What a document came from, as people know it: where files of this machine lie is told to nobody."""
    source = row.uri if row.stamp == GIVEN else row.uri.rpartition("/")[2]
    return source or row.title or row.id


def _check_followed(rows: Iterable[DocumentRow], followed: Sequence[Path]) -> None:
    """Refuse to remove what the next look at its folder would bring back. Raises NotNow."""
    from_files = (row for row in rows if row.stamp != GIVEN and stands(row))
    for row in from_files:
        folder = next((path for path in followed if covers([path], row.uri)), None)
        if folder is not None:
            raise NotNow(
                f"The document comes from a file of {folder.name or folder}, which this server follows.",
                remedy="Delete or move the file itself: the index then lets go of it.",
            )

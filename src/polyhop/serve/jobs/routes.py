"""Routes for jobs: how far they are, what came of them, and how to stop them or try them again."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from threading import Event
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, StreamingResponse
from fastapi.sse import format_sse_event
from pydantic import BaseModel, Field

from polyhop.errors import PolyhopError
from polyhop.evaluation.reports.page import html
from polyhop.serve.asking import UNBUFFERED
from polyhop.serve.jobs.queue import PAGE, JobQueue
from polyhop.serve.requests import STREAM
from polyhop.serve.service import TheService, TheWorkspace

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

LOOK = 0.3  # seconds between two looks at a job that somebody watches
ALIVE = 15.0  # seconds after which a watcher hears something in any case


class JobList(BaseModel):
    """A page of the jobs, newest first."""

    jobs: list[dict[str, Any]]
    next: str | None = Field(description="To be given as `before` for the next page; null on the last.")


@router.get("")
def jobs(
    service: TheService,
    workspace: TheWorkspace,
    before: Annotated[str, Query(pattern="^[0-9]{0,18}$", description="`next` of the page before.")] = "",
    limit: Annotated[int, Query(ge=1, le=PAGE)] = PAGE,
) -> JobList:
    """The jobs of the workspace: its last thousand."""
    queue = service.intake.counter(workspace.place).queue
    found = queue.jobs(before=int(before) if before else None, limit=limit + 1)  # one more tells that there are more
    after = str(found[limit - 1].number) if len(found) > limit else None
    return JobList(jobs=[job.to_dict() for job in found[:limit]], next=after)


@router.get("/{job_id}")
def job(service: TheService, workspace: TheWorkspace, job_id: str) -> dict[str, Any]:
    """One job: how far it is, what it has cost, and what it left out."""
    return service.intake.counter(workspace.place).queue.job(job_id).to_dict()


@router.get("/{job_id}/result")
def result(service: TheService, workspace: TheWorkspace, job_id: str) -> Any:
    """What a job of the kind eval has found."""
    return service.intake.counter(workspace.place).queue.result(job_id)


@router.get("/{job_id}/report", response_class=Response, responses={200: {"content": {"text/html": {}}}})
def report(service: TheService, workspace: TheWorkspace, job_id: str) -> HTMLResponse:
    """What a job of the kind eval has found, as the page that `polyhop eval --report` writes."""
    found = service.intake.counter(workspace.place).queue.result(job_id)
    headers = {"Content-Disposition": 'attachment; filename="report.html"', "Content-Security-Policy": "sandbox"}
    return HTMLResponse(html(found), headers=headers)


@router.post("/{job_id}/cancel", status_code=202)
def cancel(service: TheService, workspace: TheWorkspace, job_id: str) -> dict[str, Any]:
    """Stop a job: at once where it waits, between two chunks where it runs. An upload's new documents go again."""
    return service.intake.counter(workspace.place).queue.cancel(job_id).to_dict()


@router.post("/{job_id}/retry", status_code=202)
def retry(service: TheService, workspace: TheWorkspace, job_id: str) -> dict[str, Any]:
    """Go on with a job that failed or was cancelled."""
    again = service.intake.counter(workspace.place).queue.retry(job_id)
    service.intake.workers.nudge(workspace.place)
    return again.to_dict()


@router.get("/{job_id}/events", response_class=Response, responses={200: {"content": {STREAM: {}}}})
async def events(service: TheService, workspace: TheWorkspace, job_id: str) -> StreamingResponse:
    """The job as a stream: an event `job` whenever it has changed, until it has ended or the server stops."""
    queue = service.intake.counter(workspace.place).queue
    await run_in_threadpool(queue.job, job_id)  # an error before the first event
    return StreamingResponse(_changes(queue, job_id, service.stopping), media_type=STREAM, headers=UNBUFFERED)


async def _changes(queue: JobQueue, job_id: str, stopping: Event) -> AsyncIterator[bytes]:
    told, at = "", time.monotonic()
    while not stopping.is_set():
        try:
            now = await run_in_threadpool(queue.job, job_id)
        except PolyhopError:  # forgotten meanwhile, or its workspace has gone
            return
        content = json.dumps(now.to_dict(), ensure_ascii=False)
        if content != told or time.monotonic() - at >= ALIVE:
            told, at = content, time.monotonic()
            yield format_sse_event(event="job", data_str=content)
        if not now.is_open:
            return
        await asyncio.sleep(LOOK)

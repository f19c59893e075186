"""The queue of jobs: what was asked for is done once, in order, whoever is killed meanwhile."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from polyhop.errors import IndexMissing, JobMissing, NotNow
from polyhop.serve.jobs.job import Job, JobError, JobKind, JobProgress, JobState, LeftOut
from polyhop.serve.jobs.queue import KEPT, MOST_CRASHES, JobQueue
from polyhop.types import Cost


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[JobQueue]:
    with JobQueue(tmp_path / "server" / "jobs.sqlite") as queue:
        yield queue


def added(queue: JobQueue, *names: str) -> Job:
    return queue.add(JobKind.UPLOAD, names or ("a.txt",))


def test_jobs_are_taken_in_order_and_end(queue: JobQueue) -> None:
    first, second = added(queue, "a.txt"), added(queue, "b.txt")
    taken = queue.take()
    assert taken is not None
    assert (taken.id, taken.state) == (first.id, JobState.RUNNING)
    queue.note(taken, JobProgress(stage="text", done=5, total=9, seconds_left=2.0), Cost(llm_calls=1))
    queue.end(taken, JobState.DONE, skipped=[LeftOut(file="c.exe", reason="is not read")])
    told = queue.job(first.id).to_dict()
    assert told["state"] == "done"
    assert told["progress"] == {"stage": "text", "done": 5, "total": 9, "seconds_left": 2.0}
    assert told["cost"]["llm_calls"] == 1
    assert told["skipped"] == [{"file": "c.exe", "reason": "is not read"}]
    assert told["created"] <= told["started"] <= told["ended"]
    assert [job.id for job in queue.jobs()] == [second.id, first.id]
    assert [job.id for job in queue.jobs(before=second.number)] == [first.id]


def test_what_a_killed_worker_left_behind_is_taken_first(queue: JobQueue) -> None:
    first = added(queue)
    added(queue)
    taken = queue.take()
    again = queue.take()
    assert taken is not None
    assert again is not None
    assert first.id == taken.id == again.id
    assert again.started == taken.started, "it goes on; it does not begin anew"


def test_a_job_that_waits_is_cancelled_at_once_and_one_that_runs_when_it_looks(queue: JobQueue) -> None:
    running, waiting = added(queue), added(queue)
    queue.take()
    assert queue.cancel(waiting.id).state == JobState.CANCELLED
    assert queue.cancel(running.id).state == JobState.RUNNING
    assert queue.is_stopping(running)
    queue.end(queue.job(running.id), JobState.CANCELLED)
    with pytest.raises(NotNow, match="has ended: it is cancelled"):
        queue.cancel(running.id)
    assert queue.retry(running.id).state == JobState.QUEUED
    assert not queue.is_stopping(running)


def test_only_what_failed_or_was_cancelled_is_tried_again(queue: JobQueue) -> None:
    job = added(queue)
    for _ in range(2):
        with pytest.raises(NotNow, match="Only a job that failed or was cancelled"):
            queue.retry(job.id)
        queue.take()
    queue.end(job, JobState.FAILED, error=JobError(type="storage_full", message="Full."))
    again = queue.retry(job.id)
    assert (again.state, again.error, again.ended) == (JobState.QUEUED, None, None)


@pytest.mark.parametrize(
    ("kind", "remedy"),
    [
        (JobKind.UPLOAD, "Upload the files again"),
        (JobKind.REMOVE, "What it was to remove has gone"),
        (JobKind.FOLDER, "Change a file of the folder"),
        (JobKind.EVAL, "Measure anew with: POST /v1/eval"),
    ],
)
def test_a_job_that_is_done_says_how_its_like_is_done_again(queue: JobQueue, kind: JobKind, remedy: str) -> None:
    job = queue.add(kind, ["x"])
    queue.end(job, JobState.DONE)
    with pytest.raises(NotNow) as refused:
        queue.retry(job.id)
    assert refused.value.remedy.startswith(remedy)


def test_a_job_that_kills_its_worker_again_and_again_is_given_up(queue: JobQueue) -> None:
    job, other = added(queue), added(queue)
    assert not queue.crashed(), "nothing was at work"
    for _ in range(MOST_CRASHES):
        queue.take()
        assert queue.crashed()
    failed = queue.job(job.id)
    assert failed.state == JobState.FAILED
    assert failed.error is not None
    assert "has died 3 times" in failed.error.message
    taken = queue.take()
    assert taken is not None
    assert taken.id == other.id


def test_unknown_jobs_and_results(queue: JobQueue) -> None:
    job = added(queue)
    for call in (queue.job, queue.cancel, queue.retry, queue.result):
        with pytest.raises(JobMissing, match="no such job"):
            call("0123456789abcdef")
    with pytest.raises(JobMissing, match="has not ended"):
        queue.result(job.id)
    queue.end(job, JobState.DONE, result={"strategies": {}})
    assert queue.result(job.id) == {"strategies": {}}


def test_old_jobs_are_forgotten_and_open_ones_are_not(queue: JobQueue) -> None:
    waiting = added(queue)
    with queue.transaction():
        ended = added(queue)
        queue.end(ended, JobState.DONE)
        for _ in range(KEPT + 1):
            queue.end(added(queue), JobState.DONE)
    assert queue.job(waiting.id).is_open
    with pytest.raises(JobMissing):
        queue.job(ended.id)


def test_many_ask_at_once_and_nothing_is_lost(queue: JobQueue, tmp_path: Path) -> None:
    def ask() -> None:
        with JobQueue(tmp_path / "server" / "jobs.sqlite") as own:
            for _ in range(5):
                added(own)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({job.number for job in queue.jobs()}) == 20


def test_who_works_does_not_make_a_queue_that_has_gone(tmp_path: Path) -> None:
    """Neither where there was none, nor anew where its folder is there again, as the index makes it."""
    path = tmp_path / "server" / "jobs.sqlite"
    with JobQueue(path, made=True) as worker:
        with pytest.raises(IndexMissing):
            worker.take()
        assert not path.parent.exists()
        with JobQueue(path) as server:
            added(server)
        assert worker.take() is not None
        path.parent.rename(tmp_path / "away")
        path.parent.mkdir()
        with pytest.raises(IndexMissing):
            worker.take()
    assert not list(path.parent.iterdir())


def test_a_job_that_was_acknowledged_outlasts_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite"
    program = (
        "import os, sys; from pathlib import Path; from polyhop.serve.jobs.queue import JobQueue;"
        "from polyhop.serve.jobs.job import JobKind;"
        f"print(JobQueue(Path({str(path)!r})).add(JobKind.UPLOAD, ['a.txt']).id, flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert killed.returncode != 0
    with JobQueue(path) as queue:
        assert [job.id for job in queue.open_jobs()] == [killed.stdout.strip()]


class QueueMachine(RuleBasedStateMachine):
    """Whatever happens in whichever order, each job is in one state, and the next one is the right one."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.queue = JobQueue(Path(self.folder.name) / "jobs.sqlite")
        self.known: dict[str, JobState] = {}
        self.running: str | None = None

    @rule()
    def add(self) -> None:
        """Somebody asks for a job."""
        self.known[added(self.queue).id] = JobState.QUEUED

    @rule()
    def take(self) -> None:
        """The worker takes the next job, or is killed and takes the same again."""
        expected = self.running or next((job for job, state in self.known.items() if state == JobState.QUEUED), None)
        taken = self.queue.take()
        assert (taken.id if taken else None) == expected
        if expected is not None:
            self.known[expected], self.running = JobState.RUNNING, expected

    @precondition(lambda self: self.running)
    @rule(state=st.sampled_from([JobState.DONE, JobState.FAILED, JobState.CANCELLED]))
    def end(self, state: JobState) -> None:
        """The worker ends its job."""
        assert self.running is not None
        self.queue.end(self.queue.job(self.running), state)
        self.known[self.running], self.running = state, None

    @precondition(lambda self: self.known)
    @rule(choice=st.randoms(use_true_random=False))
    def cancel(self, choice: object) -> None:
        """Somebody cancels any of the jobs."""
        job = choice.choice(sorted(self.known))  # type: ignore[attr-defined]
        if self.known[job] == JobState.QUEUED:
            self.queue.cancel(job)
            self.known[job] = JobState.CANCELLED
        elif self.known[job] == JobState.RUNNING:
            self.queue.cancel(job)
        else:
            with pytest.raises(NotNow):
                self.queue.cancel(job)

    @invariant()
    def nothing_is_lost(self) -> None:
        """The queue tells what happened."""
        assert {job.id: job.state for job in self.queue.jobs(limit=1000)} == self.known

    def teardown(self) -> None:
        """Nothing stays."""
        self.queue.close()
        self.folder.cleanup()


TestQueueMachine = QueueMachine.TestCase
TestQueueMachine.settings = settings(max_examples=10, stateful_step_count=15, deadline=None)

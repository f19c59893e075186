"""Extraction in worker processes on this machine."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Self

from polyhop.errors import PolyhopError
from polyhop.indexing.executors.worker import decode_rows, encode_job
from polyhop.ports import Chunk, Failure, Rows
from polyhop.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Processes:
    """Runs a layer's extraction in ``workers`` processes; a chunk whose worker dies is retried passage by passage."""

    workers: int
    _idle: queue.SimpleQueue[subprocess.Popen[bytes] | None] = field(default_factory=queue.SimpleQueue, repr=False)
    _started: list[subprocess.Popen[bytes]] = field(default_factory=list, repr=False)

    def extract(self, layer: str, settings: Settings, chunks: Iterable[Chunk]) -> Iterator[Sequence[Rows]]:
        """The rows of each chunk, in order; twice as many chunks as workers are in flight."""
        with ThreadPoolExecutor(self.workers, thread_name_prefix="polyhop-worker") as threads:
            waiting: deque[Future[Sequence[Rows]]] = deque()
            try:
                for chunk in chunks:
                    waiting.append(threads.submit(self._run, layer, settings, chunk))
                    if len(waiting) >= 2 * self.workers:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def _run(self, layer: str, settings: Settings, chunk: Chunk) -> Sequence[Rows]:
        line = self._ask(encode_job(layer, settings, chunk))
        if line is not None:
            return decode_rows(line)
        if len(chunk.passages) == 1:
            return [Failure("The worker process died on this passage (out of memory?).")]
        return [rows for single in one_by_one(chunk) for rows in self._run(layer, settings, single)]

    def _ask(self, job: bytes) -> bytes | None:
        worker = self._idle.get()
        if worker is None:
            self._idle.put(None)  # for whoever waits as well
            raise _not_started("another could not be either")
        try:
            assert worker.stdin is not None  # noqa: S101  (both are pipes: see _start)
            assert worker.stdout is not None  # noqa: S101
            worker.stdin.write(job)
            worker.stdin.flush()
            line = worker.stdout.readline()
        except OSError:
            line = b""
        if line.endswith(b"\n"):
            self._idle.put(worker)
            return line
        worker.kill()
        worker.wait()
        self._start()
        return None

    def _start(self) -> None:
        try:
            worker = subprocess.Popen(
                [sys.executable, "-m", "polyhop.indexing.executors.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                process_group=0 if os.name == "posix" else None,  # Ctrl-C is for this process: it stops the workers
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            self._idle.put(None)  # instead of it: somebody may wait for one, and there may be no other
            raise _not_started(error) from error
        self._started.append(worker)
        self._idle.put(worker)

    def __enter__(self) -> Self:
        """Start the workers."""
        try:
            for _ in range(self.workers):
                self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        """Stop the workers."""
        for worker in self._started:
            for pipe in (worker.stdin, worker.stdout):
                if pipe is not None:
                    pipe.close()
            worker.kill()  # they hold nothing that could be lost
            worker.wait()


def _not_started(why: object) -> PolyhopError:
    return PolyhopError(f"A worker process could not be started: {why}.", remedy="Try --workers 1.")


def one_by_one(chunk: Chunk) -> Iterator[Chunk]:
    """Each passage of a chunk by itself."""
    for place, passage in enumerate(chunk.passages):
        yield Chunk([passage], {layer: [rows[place]] for layer, rows in chunk.below.items()})

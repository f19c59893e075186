"""The server's side of its workers: a process for each workspace that has something to do, and only so many at once."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from polyhop.errors import PolyhopError
from polyhop.serve.jobs.queue import JobQueue
from polyhop.serve.jobs.worker import WorkOrder
from polyhop.serve.places import WorkspacePlace

logger = logging.getLogger(__name__)
AGAIN = 10.0  # seconds until a process is tried again that could not be started


@dataclass(kw_only=True)
class Workers:
    """Starts workers where there is work, and again where one has died. Threads may share it."""

    order: Callable[[WorkspacePlace], WorkOrder]
    most: int = 2  # at once; further workspaces wait for their turn
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict, init=False)
    _waiting: deque[WorkspacePlace] = field(default_factory=deque, init=False)
    _one: threading.Lock = field(default_factory=threading.Lock, init=False)
    _closed: bool = field(default=False, init=False)

    def nudge(self, place: WorkspacePlace) -> None:
        """See to it that the jobs of a workspace are done, now or in its turn."""
        with self._one:
            if self._closed or place.name in self._running or place in self._waiting:
                return
            if len(self._running) >= self.most:
                self._waiting.append(place)
            else:
                self._start(place)

    def close(self) -> None:
        """End all workers at once: what they have stored is stored, and their jobs go on at the next start."""
        with self._one:
            self._closed = True
            self._waiting.clear()
            running = list(self._running.values())
        for process in running:
            process.kill()
            process.wait()

    def _start(self, place: WorkspacePlace) -> None:
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "polyhop.serve.jobs.worker"],
                stdin=subprocess.PIPE,
                process_group=0 if os.name == "posix" else None,  # Ctrl-C is for the server: it stops the workers
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:  # too many processes, say: the jobs are noted, and wait
            logger.warning("a process for the jobs of %s could not be started: %s", place.name, error)
            again = threading.Timer(AGAIN, self.nudge, (place,))
            again.daemon = True
            again.start()
            return
        self._running[place.name] = process
        threading.Thread(target=self._watch, args=(place, process), name="polyhop-jobs", daemon=True).start()

    def _watch(self, place: WorkspacePlace, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None  # noqa: S101  (a pipe: see _start)
        with process.stdin as orders:
            try:
                orders.write(self.order(place).line())
                orders.flush()
            except OSError:
                logger.debug("the worker of %s did not take its order", place.name)
            code = process.wait()
        with self._one:
            del self._running[place.name]
            if self._closed:
                return
        if code:
            logger.warning("the worker of %s died (%d)", place.name, code)
        if place.queue.exists():  # else the workspace is gone, and is not to be made again
            self._go_on(place, code)
        self._next()

    def _go_on(self, place: WorkspacePlace, code: int) -> None:
        try:
            with JobQueue(place.queue, made=True) as queue:
                at_work = queue.crashed() if code else True
                if at_work and queue.open_jobs():  # one that cannot even begin is not started again and again
                    self.nudge(place)
        except PolyhopError as error:
            logger.warning("the jobs of %s cannot be read: %s", place.name, error)

    def _next(self) -> None:
        with self._one:
            while self._waiting and len(self._running) < self.most and not self._closed:
                self._start(self._waiting.popleft())

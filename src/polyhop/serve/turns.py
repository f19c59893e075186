"""Turns: how many answers are worked on at once, how many questions wait, and when others are told to come back."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from polyhop.english.numbers import counted
from polyhop.errors import Overloaded
from polyhop.serve.metrics import Metrics
from polyhop.settings import Serving

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")
ANSWERING = "polyhop-answer"  # what the names of the threads begin with
WEDGED = 5.0  # seconds that work gets to end in when nobody waits for it any more
MEMORY = 0.8  # how much of the mean time of a turn stays when the next one ends


class Turns:
    """Threads for answers, and the queue before them: work in event loops of one server, never a wait without end.

    A turn ends when its work does, not when whoever asked has gone: work in a thread cannot be taken away from it.
    """

    def __init__(self, serving: Serving, metrics: Metrics) -> None:
        self._serving = serving
        self._metrics = metrics
        self._free = asyncio.Semaphore(serving.workers)
        self._threads = ThreadPoolExecutor(serving.workers, thread_name_prefix=ANSWERING)
        self._begun: set[Future[Any]] = set()
        self._waiting = 0
        self._seconds = 1.0  # that a turn takes, as far as was seen

    def check(self) -> None:
        """Raise Overloaded where too many wait already."""
        if self._free.locked() and self._waiting >= self._serving.waiting:
            raise self._overloaded(f"Waiting already: {counted(self._waiting, 'questions')}.")

    async def take(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Wait for a turn and begin the work in a thread; its future, once it has begun.

        Raises Overloaded where too many wait already, or where no turn comes in time.
        """
        await self._turn()
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._metrics.running.inc()

        def ended() -> None:
            self._seconds = MEMORY * self._seconds + (1 - MEMORY) * (loop.time() - began)
            self._metrics.running.dec()
            self._free.release()

        def working() -> T:
            try:
                return work()
            finally:
                with suppress(RuntimeError):  # the loop is closed: nobody waits for a turn any more
                    loop.call_soon_threadsafe(ended)

        begun = self._threads.submit(working)
        self._begun.add(begun)
        begun.add_done_callback(self._begun.discard)
        return asyncio.wrap_future(begun)

    async def _turn(self) -> None:
        self.check()
        if not self._free.locked():  # also for whoever has no patience at all
            await self._free.acquire()
            return
        with self._counted():
            try:
                await asyncio.wait_for(self._free.acquire(), self._serving.patience)
            except TimeoutError:
                raise self._overloaded(f"No turn came within {self._serving.patience:g} seconds.") from None

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._waiting += 1
        self._metrics.waiting.inc()
        try:
            yield
        finally:
            self._waiting -= 1
            self._metrics.waiting.dec()

    def _overloaded(self, message: str) -> Overloaded:
        self._metrics.refused.inc()
        turns = (self._waiting + 1) / self._serving.workers
        return Overloaded(f"The server is busy: {message}", retry_after=math.ceil(max(1.0, turns * self._seconds)))

    def close(self) -> None:
        """Begin no further work, and wait a little for what has begun."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        wait(self._begun, WEDGED)

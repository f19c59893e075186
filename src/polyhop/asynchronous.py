"""Polyhop under asyncio: the same methods, each run in a thread, so that the event loop goes on."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from polyhop.engine import Polyhop
from polyhop.ports import LanguageModel
from polyhop.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")


def _in_a_thread(
    method: Callable[Concatenate[Polyhop, P], T],
) -> Callable[Concatenate[AsyncPolyhop, P], Coroutine[Any, Any, T]]:
    """The method as a coroutine, with the same arguments, result and errors."""
    heard = {"progress", "told"} & inspect.signature(method).parameters.keys()

    @wraps(method)
    async def run(self: AsyncPolyhop, /, *args: P.args, **options: P.kwargs) -> T:
        cancelled = threading.Event()
        for name in heard:
            options[name] = _stopping(cancelled, options.get(name))
        call = partial(method, self.engine, *args, **options)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    return run


def _stopping(cancelled: threading.Event, told: Any) -> Callable[..., None]:
    """A listener that hands on what it hears, and ends the work where nobody waits for it any more."""

    def listen(*news: Any) -> None:
        if cancelled.is_set():
            raise asyncio.CancelledError
        if told is not None:
            told(*news)

    return listen


class AsyncPolyhop:
    """An index of documents, and the answers found in it, for programs under asyncio: ``Polyhop`` in threads.

    Methods have the arguments, results and errors of those of ``Polyhop``; calls may be under way side by side. A
    cancelled call that is indexing stops at its next progress report, with what it did by then stored; a cancelled
    question stops at the next hop that is settled, and any other call ends unheard. ``close`` waits for the calls under
    way, and calls that are made meanwhile wait for it. Listeners are called in the thread that does the work.
    """

    def __init__(
        self,
        path: str | Path = "polyhop.index",
        *,
        settings: Settings | None = None,
        language_model: LanguageModel | None = None,
    ) -> None:
        self.engine = Polyhop(path, settings=settings, language_model=language_model)
        self._threads = _threads()

    index = _in_a_thread(Polyhop.index)
    add_text = _in_a_thread(Polyhop.add_text)
    add_documents = _in_a_thread(Polyhop.add_documents)
    ask = _in_a_thread(Polyhop.ask)
    search = _in_a_thread(Polyhop.search)
    remove = _in_a_thread(Polyhop.remove)
    status = _in_a_thread(Polyhop.status)
    quote = _in_a_thread(Polyhop.quote)
    strategy_for = _in_a_thread(Polyhop.strategy_for)
    asking = _in_a_thread(Polyhop.asking)
    merges = _in_a_thread(Polyhop.merges)
    keep_apart = _in_a_thread(Polyhop.keep_apart)
    join_again = _in_a_thread(Polyhop.join_again)

    async def close(self) -> None:
        """Wait for the calls under way, and let go of files and models; the next call opens them again."""
        closed = threading.Event()
        threads, self._threads = self._threads, _threads(closed.wait)

        def close() -> None:
            try:
                threads.submit(lambda: None)  # which begins only when an earlier closing has ended
                threads.shutdown()
                self.engine.close()
            finally:
                closed.set()

        await asyncio.to_thread(close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _threads(begin: Callable[[], object] = lambda: None) -> ThreadPoolExecutor:
    """Threads, none of which is started before it is needed; ``begin``: what each waits for first."""
    return ThreadPoolExecutor(thread_name_prefix="polyhop", initializer=begin)

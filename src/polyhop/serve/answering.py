"""An answer on its way: worked on in a thread, told hop by hop and word by word, stopped when nobody waits any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from fastapi import Request, Response

from polyhop.conversation.thread import NO_THREAD, Thread
from polyhop.reports import CostListener
from polyhop.serve.engines import Workspace
from polyhop.serve.requests import NEVER_SENT
from polyhop.serve.service import Service
from polyhop.types import Answer, Budget, Hop

T = TypeVar("T")


class NobodyWaits(Exception):
    """Whoever asked has gone: the work on an answer stops here."""


@dataclass(frozen=True, slots=True)
class ToldHop:
    """A hop that is settled, and its place among the hops of the evidence; the last one told of a place holds."""

    position: int
    hop: Hop


@dataclass(frozen=True, slots=True)
class ToldDraft:
    """What a language model writes of the answer, before it is checked: from a character on the draft reads so."""

    start: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it is put to an engine."""

    question: str
    strategy: str | None = None
    thread: Thread = NO_THREAD
    passages: int | None = None  # that the reader may see; None: as the settings say

    def budget(self, service: Service) -> Budget | None:
        """The budget of this question."""
        return None if self.passages is None else replace(service.settings.budget, passages=self.passages)


def thread_of(turns: Iterable[tuple[str, str | None]]) -> Thread:
    """The thread that turns of a conversation make: (role, content), oldest first; a question may have no answer.

    An answer without content was none.
    """
    pairs: list[tuple[str, str | None]] = []
    for role, content in turns:
        if role == "user":
            pairs.append((content or "", None))
        elif pairs:
            pairs[-1] = (pairs[-1][0], content)
    return Thread.of(pairs)


Told = ToldHop | ToldDraft
Telling = AsyncGenerator[Told | Answer | None, None]  # of an answer on its way; None: its turn has come


async def answering(asked: Asked, workspace: Workspace, service: Service, *, drafted: bool = False) -> Telling:
    """None when the turn of the question has come, then each hop as it is settled, and at last the answer.

    ``drafted``: before it also what a language model writes of it. Whoever stops listening (``aclose``, a cancelled
    task) stops the work at its next hop, or at the next word of a draft. Raises Overloaded and what
    ``Polyhop.ask`` raises.
    """
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[Told | None] = asyncio.Queue()
    gone = threading.Event()

    def listen(event: Told) -> None:
        if gone.is_set():
            raise NobodyWaits
        loop.call_soon_threadsafe(told.put_nowait, event)

    def work() -> Answer:
        if gone.is_set():
            raise NobodyWaits
        budget = within_limits(asked.budget(service), workspace, service)
        return workspace.engine.ask(
            asked.question,
            strategy=asked.strategy,
            budget=budget,
            thread=asked.thread,
            told=lambda position, hop: listen(ToldHop(position, hop)),
            drafted=(lambda start, text: listen(ToldDraft(start, text))) if drafted else None,
            spent=charged(workspace, service),
        )

    future = await service.turns.take(work)
    future.add_done_callback(lambda _: told.put_nowait(None))
    try:
        yield None
        while (event := await told.get()) is not None:
            yield event
        answer = future.result()
        service.metrics.answer(answer)
        yield answer
    finally:
        gone.set()
        if not future.done():
            service.metrics.stopped.inc()
            future.add_done_callback(_heard)


def charged(workspace: Workspace, service: Service) -> CostListener:
    """Notes what a question took for the key that asked it, whether or not anybody waits for the answer."""
    return lambda cost: service.intake.limits.note(workspace.key.id, cost=cost)


def within_limits(budget: Budget | None, workspace: Workspace, service: Service) -> Budget | None:
    """A budget that is no larger than what the key may still spend today. Raises LimitReached."""
    tokens, money = service.intake.limits.left(workspace.key)
    if tokens is None and money is None:
        return budget
    asked = budget or service.settings.budget
    return replace(
        asked,
        llm_tokens=min((each for each in (asked.llm_tokens, tokens) if each is not None), default=None),
        money=min((each for each in (asked.money, money) if each is not None), default=None),
    )


async def streamed(asked: Asked, workspace: Workspace, service: Service, request: Request) -> Telling:
    """What ``answering`` still tells once the turn has come. Raises Overloaded and NobodyWaits.

    A stream cannot say any more that there is no turn once it has begun: so it begins with the turn.
    """
    events = answering(asked, workspace, service, drafted=True)
    try:
        await _unless_gone(anext(events), request)
    except NobodyWaits:
        await events.aclose()
        raise
    return events


async def answered(asked: Asked, workspace: Workspace, service: Service, request: Request) -> Answer:
    """The answer alone. Raises what ``answering`` raises, and NobodyWaits."""
    return await _unless_gone(_last(answering(asked, workspace, service)), request)


async def in_turn(work: Callable[[], T], service: Service, request: Request) -> T:
    """What work has found in its turn. Raises Overloaded, NobodyWaits and its errors."""

    async def taken() -> T:
        return await (await service.turns.take(work))

    return await _unless_gone(taken(), request)


async def unheard(_: Request, __: Exception) -> Response:
    """What is answered where whoever asked has gone: nobody is there to read it."""
    return Response(status_code=NEVER_SENT)


async def _unless_gone(work: Awaitable[T], request: Request) -> T:
    """What some work comes to. Raises what it raises, and NobodyWaits where whoever asked has gone, which ends it."""
    done, left = asyncio.ensure_future(work), asyncio.ensure_future(_disconnected(request))
    tasks: tuple[asyncio.Future[Any], ...] = (done, left)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not done.done():
            raise NobodyWaits
        return done.result()
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task


async def _last(events: Telling) -> Answer:
    async with aclosing(events):
        return [event async for event in events if isinstance(event, Answer)][-1]


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _heard(future: asyncio.Future[Answer]) -> None:
    """Look at how work ended that nobody waits for, so that it is not told as an error nobody looked at."""
    if not future.cancelled():
        future.exception()

"""The tools for an assistant that starts this process by itself: over standard input and output, a message a line."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterable, Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import anyio.to_thread
from anyio.abc import ObjectSendStream
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from polyhop.engine import Polyhop
from polyhop.errors import PolyhopError
from polyhop.serve.mcp import Desk, Tools, server_of

T = TypeVar("T")
Line = SessionMessage | Exception  # a message, or why the line is none
_NO_JSON: Final = ErrorData(code=PARSE_ERROR, message="The line is no JSON.")
_NO_MESSAGE: Final = ErrorData(code=INVALID_REQUEST, message="The line is no message of JSON-RPC 2.0.")


def serve_standard_input(engine: Polyhop, completed: Callable[[str], str]) -> None:
    """Serve whoever started this process, until standard input ends. Raises BrokenPipeError where nobody reads.

    ``completed``: commands that remedies name, as they are to be typed for this index.
    """

    def words(error: PolyhopError) -> str:
        return f"{error} {completed(error.remedy)}".strip()

    async def run(work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)

    server = server_of(Tools(desk_of=lambda _: Desk(engine=engine), run=run, words=words))
    try:
        anyio.run(_talk, server)
    except BaseExceptionGroup as errors:
        if errors.split(BrokenPipeError)[1] is not None:
            raise
        sys.unraisablehook = _without_broken_pipes  # what is still buffered is written, in vain, when Python ends
        raise BrokenPipeError from errors


async def _talk(server: MCPServer[Any]) -> None:
    """What ``server.run("stdio")`` does, which tells nobody of a line that is no message."""
    inner = server._lowlevel_server
    async with stdio_server() as (lines, answers), lines, anyio.create_task_group() as tasks:
        passed_on, messages = anyio.create_memory_object_stream[Line]()
        tasks.start_soon(_pass_on, lines, passed_on, answers.send)
        await inner.run(messages, answers, inner.create_initialization_options())


async def _pass_on(
    lines: AsyncIterable[Line], messages: ObjectSendStream[Line], answer: Callable[[SessionMessage], Awaitable[None]]
) -> None:
    """Pass messages on, and answer what is none."""
    async with messages:
        with suppress(anyio.BrokenResourceError):  # nobody reads answers any more, which is told elsewhere
            async for line in lines:
                if isinstance(line, Exception):
                    await answer(SessionMessage(_complaint(line)))
                else:
                    await messages.send(line)


def _complaint(fault: Exception) -> JSONRPCError:
    """What is wrong with a line: without an id, unless its own can be told, for whoever sent it may have meant any."""
    first = fault.errors()[0] if isinstance(fault, ValidationError) else None
    if first is None or first["type"] != "json_invalid":
        return JSONRPCError(jsonrpc="2.0", id=None, error=_NO_MESSAGE)
    try:
        sent = json.loads(first["input"])  # which reads more, such as halves of characters
    except (ValueError, RecursionError):
        return JSONRPCError(jsonrpc="2.0", id=None, error=_NO_JSON)
    own = sent.get("id") if isinstance(sent, dict) else None
    told = type(own) is int or (isinstance(own, str) and own.isascii())
    unread = ErrorData(code=PARSE_ERROR, message=f"The line cannot be read: {first['ctx']['error']}.")
    return JSONRPCError(jsonrpc="2.0", id=own if told else None, error=unread)


def _without_broken_pipes(fault: sys.UnraisableHookArgs) -> None:
    if not isinstance(fault.exc_value, BrokenPipeError):
        sys.__unraisablehook__(fault)

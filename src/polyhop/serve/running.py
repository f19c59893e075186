"""A server from its start to its end: the socket, the log, and a stop that waits for answers under way."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from polyhop.errors import UsageError
from polyhop.serve.app import create_app
from polyhop.serve.connections import Connecting
from polyhop.serve.engines import Engines
from polyhop.serve.json_log import log_as_json
from polyhop.serve.service import Service
from polyhop.serve.turns import ANSWERING
from polyhop.settings import Serving, Settings

logger = logging.getLogger(__name__)
BACKLOG = 512  # connections that may wait to be accepted


def run(
    engines: Engines, settings: Settings, *, listening: Callable[[str], None], watched: Sequence[Path] = ()
) -> None:
    """Serve until a signal says to stop; ``listening`` is told the address once there is one.

    The folders ``watched`` are followed.

    Raises UsageError where the address cannot be listened at, and StoreError where jobs cannot be gone on with.
    """
    log_as_json()
    app = create_app(engines, settings, watched=watched)
    opened = listen(settings.server)
    for number in (signal.SIGINT, signal.SIGTERM):  # what the server hears it raises again once it has stopped
        signal.signal(number, lambda *_: None)
    Server(app, settings, partial(listening, address_of(opened))).run(sockets=[opened])
    _leave()


class Server(uvicorn.Server):
    """Tells its application that it begins to stop; uvicorn itself tells it when all responses have ended."""

    def __init__(self, app: FastAPI, settings: Settings, listening: Callable[[], None] = lambda: None) -> None:
        super().__init__(Connecting(app, settings.server))
        self._service: Service = app.state.service
        self._listening = listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Go on with what the last server left behind; from when it is told that it listens, a signal stops it.

        Raises StoreError, which would end in the log where the application began with it.
        """
        await asyncio.to_thread(self._service.intake.begin)
        await super().startup(sockets)
        if not self.should_exit:
            self._listening()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: what ends only with the server ends now, and answers under way are waited for."""
        self._service.stopping.set()
        await super().shutdown(sockets)


def listen(serving: Serving) -> socket.socket:
    """A socket that listens. Raises UsageError where the address is taken or not this machine's."""
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    opened = socket.socket(family)
    try:
        if os.name == "posix":  # a port is free at once; elsewhere two servers could have the same one
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((serving.host, serving.port))
        opened.listen(BACKLOG)
    except OSError as error:
        opened.close()
        raise UsageError(
            f"Nothing can listen at {serving.host}, port {serving.port}: {error.strerror or error}.",
            remedy="Choose another --host or --port, or stop what listens there.",
        ) from error
    return opened


def address_of(opened: socket.socket) -> str:
    """The URL of what listens at a socket."""
    host, port = opened.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _leave() -> None:
    """End the process though an answer still runs: a thread cannot be taken away, and nothing stored is half done."""
    threads = [thread for thread in threading.enumerate() if thread.name.startswith(ANSWERING)]
    for thread in threads:
        thread.join(1.0 / len(threads))  # those that have nothing to do end at once
    if any(thread.is_alive() for thread in threads):
        logger.warning("answers that took too long were left")
        os._exit(0)

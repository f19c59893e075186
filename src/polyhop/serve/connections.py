"""Connections of clients: none is held for a request that never comes."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from polyhop.settings import Serving

IDLE = 75  # seconds that a connection stays open between two requests: longer than proxies and clients keep theirs


class Connecting(uvicorn.Config):
    """How an application is to be run, and how long a connection has for the head of a request."""

    def __init__(self, app: FastAPI, serving: Serving) -> None:
        super().__init__(
            app,
            http=PatientConnection,
            log_config=None,
            access_log=False,  # the application logs each request itself, with its id
            timeout_keep_alive=IDLE,
            timeout_graceful_shutdown=max(1, round(serving.farewell)),
            server_header=False,
            lifespan="on",
        )
        self.patience = serving.silence


class PatientConnection(H11Protocol):
    """Is closed where a head has begun, or the first is awaited, and it is not whole in time.

    uvicorn itself only closes a connection on which nothing at all has come since the last answer.
    """

    def __init__(self, config: Connecting, *others: Any, **named: Any) -> None:
        super().__init__(config, *others, **named)
        self._patience = config.patience
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Wait for the first head."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head, and no more once it is whole."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        else:
            self._wait_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self._patience, self.timeout_keep_alive_handler)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

"""A real server on a free port of this machine, in a thread, and clients for it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from polyhop.serve.app import create_app
from polyhop.serve.engines import Engines
from polyhop.serve.running import Server, address_of, listen
from polyhop.settings import Settings
from tests.worlds.endpoint import EndpointServer, Script
from tests.worlds.endpoint import serving as endpoint
from tests.worlds.settings import QUICK

WAIT = 60.0  # seconds until something is wrong


@dataclass(frozen=True)
class Event:
    """One server-sent event."""

    kind: str
    data: Any


@dataclass(frozen=True)
class Served:
    """A server that listens, with a client for it."""

    url: str
    client: httpx.Client
    app: FastAPI
    server: Server

    def events(self, path: str, content: Any, **options: Any) -> list[Event]:
        """All events of a stream that a POST brings."""
        with self.client.stream("POST", path, json=content, **options) as response:
            assert response.status_code == 200, response.read()
            assert response.headers["content-type"].startswith("text/event-stream")
            return list(parsed(response.iter_lines()))


def parsed(lines: Iterator[str]) -> Iterator[Event]:
    """The events that lines of a stream say, each as soon as its last line is there."""
    kind, data = "message", ""
    for line in lines:
        if not line and data:
            yield Event(kind, data if data == "[DONE]" else json.loads(data))
            kind, data = "message", ""
        elif line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            data += line.removeprefix("data: ")


@contextmanager
def serving(
    index: Path | None = None,
    *,
    workspaces: Path | None = None,
    layers: tuple[str, ...] = ("text",),
    settings: Settings = QUICK,
    **server: Any,
) -> Iterator[Served]:
    """Serve an index, or a folder of workspaces, until the block ends.

    ``layers``: what is made of uploads; ``server``: settings of [server].
    """
    settings = replace(settings, server=replace(QUICK.server, **{"port": 0, "farewell": 5.0, **server}))
    settings = replace(settings, index=replace(settings.index, layers=layers))
    engines = Engines(index, workspaces=workspaces, settings=settings)
    with serving_app(create_app(engines, settings), settings) as served:
        yield served


@contextmanager
def with_a_language_model(index: Path, script: Script) -> Iterator[tuple[Served, EndpointServer]]:
    """Serve an index with a language model, which plays a script, behind an endpoint."""
    with endpoint(script) as model, pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYHOP_BASE_URL", model.url)
        patch.setenv("POLYHOP_MODEL", "sage")
        with serving(index, workers=2) as served:
            yield served, model


@contextmanager
def serving_app(app: FastAPI, settings: Settings) -> Iterator[Served]:
    """Serve an application until the block ends."""
    server = Server(app, settings)
    opened = listen(settings.server)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
    thread.start()
    try:
        url, began = address_of(opened), time.monotonic()
        while not server.started:
            assert time.monotonic() - began < WAIT
            time.sleep(0.01)
        with httpx.Client(base_url=url, timeout=WAIT) as client:
            yield Served(url, client, app, server)
    finally:
        server.should_exit = True
        thread.join(WAIT)
        assert not thread.is_alive()

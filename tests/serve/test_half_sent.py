"""Clients that leave, or fall silent, before their request is whole."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from polyhop.serve.jobs.job import JobKind
from polyhop.serve.jobs.queue import JobQueue
from tests.worlds.serving import WAIT, Served, serving

JSON = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
MODERN = f"MCP-Protocol-Version: 2026-07-28\r\n{JSON}"
FORM = "Content-Type: multipart/form-data; boundary=x\r\n"
REST = "Content-Length: 100\r\n\r\n--x"


@contextmanager
def begun(served: Served, request: str) -> Iterator[socket.socket]:
    """A connection on which the beginning of a request was sent."""
    address = httpx.URL(served.url)
    line, _, rest = request.partition("\r\n")
    with socket.create_connection((address.host, address.port), timeout=WAIT) as opened:
        opened.sendall(f"{line}\r\nHost: 127.0.0.1\r\n{rest}".encode())
        yield opened


def heard(opened: socket.socket, word: bytes) -> None:
    """Wait for a word of what is answered."""
    told = b""
    while word not in told:
        more = opened.recv(100_000)
        assert more, told
        told += more


def counted(served: Served, status: int) -> int:
    """How many requests were answered so."""
    lines = served.client.get("/metrics").text.splitlines()
    requests = (line for line in lines if line.startswith("polyhop_requests_total{"))
    return round(sum(float(line.split()[-1]) for line in requests if f'status="{status}"' in line))


@pytest.mark.parametrize(
    ("path", "headers"),
    [("/mcp", JSON), ("/mcp", MODERN), ("/v1/ask", JSON), ("/v1/documents", FORM)],
    ids=["mcp", "mcp as it is now", "ask", "documents"],
)
def test_who_leaves_in_the_middle_of_a_request_is_no_fault_of_the_server(
    served: Served, path: str, headers: str, caplog: pytest.LogCaptureFixture
) -> None:
    refused, failed = counted(served, 400), counted(served, 500)
    with begun(served, f"POST {path} HTTP/1.1\r\n{headers}{REST}"):
        time.sleep(0.1)
    deadline = time.monotonic() + WAIT
    while counted(served, 400) == refused:
        assert time.monotonic() < deadline
        assert counted(served, 500) == failed
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_a_stream_goes_on_though_the_body_of_its_request_never_came(
    world_index: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(world_index, silence=0.2) as served:
        with JobQueue(served.app.state.service.engines.places.place().queue) as queue:  # nobody is told to do it
            job = queue.add(JobKind.REMOVE, ["r1"])
            with begun(served, f"GET /v1/jobs/{job.id}/events HTTP/1.1\r\n{REST}") as opened:
                heard(opened, b'"queued"')
                time.sleep(1.0)
                queue.cancel(job.id)
                heard(opened, b'"cancelled"')
        with begun(served, f"GET /v1/jobs/{job.id}/events HTTP/1.1\r\n{REST}") as opened:
            heard(opened, b'"cancelled"')
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []

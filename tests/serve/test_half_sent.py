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


@pytest.mark.parametrize(
    "sent", ["", "GET /health HTTP/1.1\r\nHost: 127", "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nG"]
)
def test_a_head_that_never_comes_holds_no_connection(tmp_path: Path, sent: str) -> None:
    """Neither the first nor a later one, and though it goes on letter by letter."""
    with serving(tmp_path / "an.index", silence=0.5) as served:
        address = httpx.URL(served.url)
        with socket.create_connection((address.host, address.port), timeout=WAIT) as opened:
            opened.sendall(sent.encode())
            until_closed(opened, letters=bool(sent))


def test_slow_bodies_and_idle_connections_outlast_the_time_for_a_head(tmp_path: Path) -> None:
    with serving(tmp_path / "an.index", silence=0.5) as served, httpx.Client(base_url=served.url) as client:
        body = (letter.encode() for letter in slowly('{"name": "default"}'))
        headers = {"Content-Type": "application/json"}
        assert client.post("/v1/workspaces", content=body, headers=headers).status_code == 201
        time.sleep(1.0)
        stream = client.get("/health").extensions["network_stream"]
        time.sleep(1.0)
        assert client.get("/health").extensions["network_stream"] is stream, "the connection is kept"


def test_a_server_that_stops_says_so_to_whoever_has_not_sent_all(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    request = f"POST /v1/ask HTTP/1.1\r\n{JSON}{REST}"
    with serving(tmp_path / "an.index", farewell=1.0) as served, begun(served, request) as opened:
        time.sleep(0.1)
        served.server.should_exit = True
        heard(opened, b'"type":"stopped"')
    assert not [record for record in caplog.records if record.exc_info]


def until_closed(opened: socket.socket, *, letters: bool) -> None:
    """Send a letter now and then, until the other side closes the connection."""
    began = time.monotonic()
    opened.settimeout(0.1)
    while time.monotonic() - began < 10:
        try:
            if letters:
                opened.sendall(b"x")
            if not opened.recv(100_000):
                return
        except TimeoutError:
            continue
        except ConnectionError:
            return
    pytest.fail("the connection is held")


def slowly(text: str) -> Iterator[str]:
    """Its letters, so that all of them take longer than a head may."""
    for letter in text:
        time.sleep(0.08)
        yield letter

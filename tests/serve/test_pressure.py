"""More questions than are worked on, people who hang up, and a server that is told to stop.

Answers take as long as a test wants: a language model is asked for each, and its endpoint waits at a gate.
"""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyhop.engine import Polyhop
from polyhop.serve.jobs.job import JobKind
from polyhop.serve.jobs.queue import JobQueue
from polyhop.serve.keys import Allowance, Key, KeyRing
from polyhop.serve.places import Places
from polyhop.serve.service import Service
from polyhop.settings import Settings
from polyhop.types import Cost
from tests.worlds.endpoint import EndpointServer, Played, says
from tests.worlds.endpoint import serving as endpoint
from tests.worlds.serving import WAIT, Served, parsed, serving
from tests.worlds.waiting import until

QUESTION = "Who built the lighthouse of Quillmouth?"
SAID = {"passage": 1, "quote": "Its lighthouse was built by Ada Brisk in 1841."}
ASK = {"question": QUESTION, "strategy": "bm25"}
STOPPED = "The server was stopped before it could answer."
UNKEPT = Settings.from_mapping({"language_model": {"cache": "none"}, "models": {"language_model": "auto"}})


class Gate:
    """An endpoint that answers once it is open."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.server: EndpointServer

    def script(self, _: dict[str, Any]) -> Played:
        """Its answer."""
        assert self.open.wait(WAIT)
        return says(json.dumps({"support": [SAID], "found": True, "answer": "Ada Brisk"}))

    def wait_for(self, number: int) -> None:
        """Until so many answers are being worked on."""
        until(lambda: self.server.busy >= number)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """A language model that waits at a gate."""
    gate = Gate()
    with endpoint(gate.script) as server:
        gate.server = server
        monkeypatch.setenv("POLYHOP_BASE_URL", server.url)
        monkeypatch.setenv("POLYHOP_MODEL", "sage")
        yield gate
        gate.open.set()


@pytest.fixture
def index(harbour: Path) -> Path:
    """An index of the harbour, by words alone."""
    with Polyhop(harbour.parent / "harbour.index") as engine:
        engine.index(harbour, layers=("text",))
        return engine.path


def measured(served: Served, name: str) -> float:
    """What the server counts."""
    lines = served.client.get("/metrics").text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))


@pytest.mark.parametrize("stream", [False, True])
def test_who_cannot_wait_is_told_when_to_come_back(index: Path, gate: Gate, stream: bool) -> None:
    with serving(index, settings=UNKEPT, workers=1, waiting=1) as served, ThreadPoolExecutor(2) as threads:
        first = threads.submit(served.client.post, "/v1/ask", json=ASK)
        gate.wait_for(1)
        second = threads.submit(served.client.post, "/v1/ask", json=ASK)
        until(lambda: measured(served, "polyhop_answers_waiting") == 1)
        for path, content in (
            ("ask", ASK),
            ("chat/completions", {"model": "polyhop/bm25", "messages": [{"role": "user", "content": QUESTION}]}),
        ):
            began = time.monotonic()
            refused = served.client.post(f"/v1/{path}", json={**content, "stream": stream})
            assert (refused.status_code, refused.json()["error"]["type"]) == (503, "overloaded")
            assert int(refused.headers["retry-after"]) >= 1
            assert time.monotonic() - began < 5
        assert served.client.get("/health").status_code == 200, "all else is answered meanwhile"
        assert served.client.get("/v1/documents").status_code == 200
        gate.open.set()
        assert [future.result().json()["answer"]["text"] for future in (first, second)] == ["Ada Brisk"] * 2
        assert measured(served, "polyhop_answers_refused_total") == 2
        assert gate.server.busiest == 1


def test_nobody_waits_longer_than_their_patience(index: Path, gate: Gate) -> None:
    with serving(index, settings=UNKEPT, workers=1, patience=0.2) as served, ThreadPoolExecutor(1) as threads:
        first = threads.submit(served.client.post, "/v1/ask", json=ASK)
        gate.wait_for(1)
        chat = {"model": "polyhop/bm25", "messages": [{"role": "user", "content": QUESTION}]}
        for path, content in (("ask", ASK), ("chat/completions", chat)):
            for stream in (False, True):
                refused = served.client.post(f"/v1/{path}", json={**content, "stream": stream})
                assert (refused.status_code, refused.json()["error"]["type"]) == (503, "overloaded")
                assert int(refused.headers["retry-after"]) >= 1
        gate.open.set()
        assert first.result().status_code == 200


def test_where_nobody_is_to_wait_a_free_turn_is_taken(index: Path, gate: Gate) -> None:
    gate.open.set()
    with serving(index, settings=UNKEPT, patience=0.0) as served:
        assert served.client.post("/v1/ask", json=ASK).json()["answer"]["text"] == "Ada Brisk"


@pytest.mark.parametrize("stream", [False, True])
def test_who_hangs_up_gives_the_turn_free_once_the_work_has_ended(index: Path, gate: Gate, stream: bool) -> None:
    with serving(index, settings=UNKEPT, workers=1, waiting=0) as served:
        with pytest.raises(httpx.ReadTimeout), httpx.Client(base_url=served.url, timeout=0.5) as hasty:
            hasty.post("/v1/ask", json={**ASK, "stream": stream})
        until(lambda: measured(served, "polyhop_answers_stopped_total") == 1)
        assert measured(served, "polyhop_answers_running") == 1, "a thread cannot be taken away from its work"
        gate.open.set()
        until(lambda: measured(served, "polyhop_answers_running") == 0)
        assert served.client.post("/v1/ask", json=ASK).json()["answer"]["text"] == "Ada Brisk"


def test_the_first_event_does_not_wait_for_the_answer(index: Path, gate: Gate) -> None:
    asked = {**ASK, "strategy": "hybrid", "stream": True}
    with serving(index, settings=UNKEPT) as served, served.client.stream("POST", "/v1/ask", json=asked) as response:
        events = parsed(response.iter_lines())
        assert next(events).kind == "started"
        gate.open.set()
        assert [event.kind for event in events][-1] == "done"


def test_a_server_that_stops_finishes_the_answers_under_way(index: Path, gate: Gate) -> None:
    with ThreadPoolExecutor(1) as threads, serving(index, settings=UNKEPT, farewell=WAIT) as served:
        answer = threads.submit(httpx.post, f"{served.url}/v1/ask", json=ASK, timeout=WAIT)
        gate.wait_for(1)
        served.server.should_exit = True
        time.sleep(0.3)
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{served.url}/health")
        gate.open.set()
        assert answer.result().json()["answer"]["text"] == "Ada Brisk"


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("ask", {**ASK, "stream": True}, STOPPED),
        (
            "chat/completions",
            {"model": "polyhop/bm25", "messages": [{"role": "user", "content": QUESTION}], "stream": True},
            f"{STOPPED} Send it again when the server runs again.",  # its clients show the message alone
        ),
    ],
)
def test_a_stream_that_has_no_time_to_end_says_so(
    index: Path, gate: Gate, caplog: pytest.LogCaptureFixture, path: str, content: dict[str, Any], said: str
) -> None:
    with serving(index, settings=UNKEPT, farewell=1.0) as served:
        with served.client.stream("POST", f"/v1/{path}", json=content) as response:
            events = parsed(response.iter_lines())
            next(events)
            gate.wait_for(1)
            served.server.should_exit = True
            told = [event.data["error"] for event in events if event.data != "[DONE]" and "error" in event.data]
        assert [(each["type"], each["message"]) for each in told] == [("stopped", said)]
        assert told[0]["request_id"] == response.headers["x-request-id"]
    assert [record for record in caplog.records if record.levelno >= logging.ERROR and "ASGI" in record.message] == []


def test_a_server_that_stops_does_not_wait_for_who_watches_a_job(index: Path, caplog: pytest.LogCaptureFixture) -> None:
    with serving(index, farewell=WAIT) as served:
        with JobQueue(served.app.state.service.engines.places.place().queue) as queue:  # nobody is told to do it
            job = queue.add(JobKind.REMOVE, ["r1"])
        with served.client.stream("GET", f"/v1/jobs/{job.id}/events") as response:
            events = parsed(response.iter_lines())
            assert next(events).data["state"] == "queued"
            began = time.monotonic()
            served.server.should_exit = True
            assert list(events) == []
        until(lambda: not served.server.server_state.tasks)
        assert time.monotonic() - began < 10
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_told_to_stop(index: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "polyhop.cli.main", "serve", "--index", str(index), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        url = process.stdout.readline().split()[-1]
        try:
            assert httpx.get(f"{url}/ready", timeout=WAIT).json() == {"status": "ok"}
        finally:
            process.send_signal(number)
        lines = [json.loads(line) for line in process.stderr.read().splitlines()]
        assert process.wait(WAIT) == 0
    told = next(line for line in lines if line["message"] == "GET /ready 200")
    assert told["request_id"]
    assert told["level"] == "info"


def test_the_command_says_that_there_is_no_index_yet(tmp_path: Path) -> None:
    index = tmp_path / "nope"
    command = [sys.executable, "-m", "polyhop.cli.main", "serve", "--index", str(index), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        told = process.stdout.readline()
        process.terminate()
        try:
            assert process.wait(WAIT) == 0, "it stops as soon as it has said that it listens"
        finally:
            process.kill()
    assert told == f"There is no index at {index}: the first documents make it.\n"


def test_other_machines_are_not_served_without_keys(index: Path) -> None:
    command = [sys.executable, "-m", "polyhop.cli.main", "serve", "--index", str(index), "--host", "0.0.0.0"]  # noqa: S104
    ended = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, check=False)
    assert ended.returncode == 2
    assert "other machines would reach these documents" in ended.stderr


def tokens_of(served: Served, key: Key) -> int:
    """What the server has charged to a key today."""
    service: Service = served.app.state.service
    return service.intake.limits.spent(key).tokens


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_nobody_waits_for_is_charged(index: Path, gate: Gate, stream: bool) -> None:
    with serving(index, settings=UNKEPT) as served:
        with KeyRing(Places(index).keys) as keys:
            written, key = keys.add("hasty", allowance=Allowance(tokens=10_000))
        headers = {"Authorization": f"Bearer {written}"}
        with pytest.raises(httpx.ReadTimeout), httpx.Client(base_url=served.url, timeout=0.5) as hasty:
            hasty.post("/v1/ask", json={**ASK, "stream": stream}, headers=headers)
        until(lambda: measured(served, "polyhop_answers_stopped_total") == 1)
        assert tokens_of(served, key) == 0, "nothing was answered yet"
        gate.open.set()
        until(lambda: measured(served, "polyhop_answers_running") == 0)
        assert tokens_of(served, key) > 0


def test_a_search_is_charged_and_limited(index: Path, gate: Gate) -> None:
    gate.open.set()
    wanted = {"query": QUESTION, "strategy": "iterative"}
    with serving(index, settings=UNKEPT) as served:
        with KeyRing(Places(index).keys) as keys:
            written, key = keys.add("curious", allowance=Allowance(tokens=10_000))
        headers = {"Authorization": f"Bearer {written}"}
        assert served.client.post("/v1/search", json=wanted, headers=headers).status_code == 200
        spent = tokens_of(served, key)
        assert spent > 0
        served.app.state.service.intake.limits.note(key.id, cost=Cost(prompt_tokens=10_000 - spent))
        refused = served.client.post("/v1/search", json=wanted, headers=headers)
        assert (refused.status_code, refused.json()["error"]["type"]) == (429, "limit_reached")

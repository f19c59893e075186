"""What several people do to a server at once, or somebody with its folders: nothing is lost, doubled or left over."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyhop.serve.jobs.job import JobKind
from polyhop.serve.jobs.queue import JobQueue
from polyhop.serve.kept_files import KeptFiles
from polyhop.serve.keys import WRITE, Allowance, KeyRing
from tests.worlds.clients import bearer, ended, problem, sent, sources, uploaded
from tests.worlds.serving import Served, serving

LAST = 60.0  # seconds until something is wrong


def root(folder: Path, *names: str) -> Path:
    """A folder of workspaces, empty ones."""
    for name in names:
        (folder / "root" / name).mkdir(parents=True)
    return folder / "root"


def settled(client: httpx.Client) -> list[dict[str, Any]]:
    """All jobs, when none is open any more."""
    began = time.monotonic()
    while True:
        jobs = client.get("/v1/jobs").json()["jobs"]
        if all(job["state"] not in ("queued", "running") for job in jobs):
            return list(jobs)
        assert time.monotonic() - began < 4 * LAST
        time.sleep(0.1)


def kept(folder: Path) -> tuple[set[str], int]:
    """The names of the files that a workspace keeps, and how many lie on the disk."""
    with JobQueue(folder / "jobs.sqlite") as queue:
        names = KeptFiles(queue, folder / "files").names()
    return names, len(list((folder / "files").iterdir()))


def test_one_name_is_written_removed_and_asked_for_at_once(tmp_path: Path) -> None:
    with serving(workspaces=root(tmp_path, "default"), spare=0, waiting=64) as served:
        client, over = served.client, threading.Event()
        uploaded(client, {"mill.txt": "The mill of Orla has the number 0.", "weir.txt": "The weir is old."})
        told: list[tuple[str, int]] = []

        def write(person: int) -> None:
            for turn in range(3):
                text = f"The mill of Orla has the number {person}{turn}."
                told.append(("write", client.post("/v1/documents", files=sent({"mill.txt": text})).status_code))

        def remove(_: int) -> None:
            for _ in range(3):
                told.append(("remove", client.delete("/v1/documents/mill.txt").status_code))
                time.sleep(0.1)

        def ask(_: int) -> None:
            body = {"question": "Which number has the mill of Orla?", "strategy": "bm25"}
            while not over.is_set():
                told.append(("ask", client.post("/v1/ask", json=body).status_code))
                told.append(("read", client.get("/v1/documents").status_code))

        with ThreadPoolExecutor(6) as people:
            asking = [people.submit(ask, 0) for _ in range(2)]
            for each in [people.submit(write, 1), people.submit(write, 2), *(people.submit(remove, 0) for _ in "12")]:
                each.result()
            jobs = settled(client)
            over.set()
            for each in asking:
                each.result()
        assert {job["state"] for job in jobs} == {"done"}, jobs
        right = {"write": {202}, "remove": {202, 404}, "ask": {200}, "read": {200}}
        assert {(what, status) for what, status in told if status not in right[what]} == set()
        uploaded(client, {"mill.txt": "The mill of Orla has the number 1742."})
        found = sources(client)
        assert set(found) == {"mill.txt", "weir.txt"}
        assert client.get(f"/v1/documents/{found['mill.txt']}").json()["text"].endswith("1742.")
    assert kept(tmp_path / "root" / "default") == ({"mill.txt", "weir.txt"}, 2)


def test_a_workspace_that_is_removed_and_made_again_loses_no_upload(tmp_path: Path) -> None:
    folder = root(tmp_path, "default", "notes")
    headers = {"Polyhop-Workspace": "notes"}
    with serving(workspaces=folder, spare=0) as served:
        client = served.client
        uploaded(client, {"mill.txt": "A mill."}, **headers)
        assert client.post("/v1/search", json={"query": "mill", "strategy": "bm25"}, headers=headers).is_success
        shutil.rmtree(folder / "notes")
        for _ in range(2):
            assert problem(client.get("/v1/jobs", headers=headers)) == (404, "workspace_missing")
            question = {"question": "Where is the mill?", "strategy": "bm25"}
            assert problem(client.post("/v1/ask", json=question, headers=headers)) == (404, "workspace_missing")
        assert not (folder / "notes").exists(), "what was removed is not made again by itself"
        assert client.post("/v1/workspaces", json={"name": "notes"}).status_code == 201
        assert client.get("/v1/jobs", headers=headers).json()["jobs"] == [], "its jobs are gone with it"
        assert uploaded(client, {"weir.txt": "A weir."}, **headers)["state"] == "done"
        assert set(sources(client, **headers)) == {"weir.txt"}
        found = client.post("/v1/search", json={"query": "weir", "strategy": "bm25"}, headers=headers).json()
        assert [passage["text"] for passage in found["passages"]] == ["A weir."]


def test_a_workspace_that_goes_while_its_jobs_are_done_stays_gone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = root(tmp_path, "default", "notes")
    with serving(workspaces=folder, spare=0) as served:
        rows = "".join(json.dumps({"id": f"r{row}", "text": f"Ada landed on day {row}."}) + "\n" for row in range(500))
        headers = {"Polyhop-Workspace": "notes"}
        job = served.client.post("/v1/documents", files=sent({"days.jsonl": rows}), headers=headers).json()["job"]
        with served.client.stream("GET", f"/v1/jobs/{job['id']}/events", headers=headers) as events:
            lines = events.iter_lines()
            next(lines)
            (folder / "notes").rename(tmp_path / "away")
            list(lines)  # the stream ends
        assert uploaded(served.client, {"mill.txt": "A mill."})["state"] == "done", "the others are served on"
        assert not (folder / "notes" / "jobs.sqlite").exists()
    assert "Traceback" not in caplog.text


def test_what_is_sent_at_once_counts_together(tmp_path: Path) -> None:
    text = "x" * 4000
    with serving(workspaces=root(tmp_path, "default"), spare=0, quota=18_000) as served:
        with KeyRing(served.app.state.service.engines.places.keys) as keys:
            written, key = keys.add("ada", scope=WRITE, allowance=Allowance(uploads=9000))
        together = threading.Barrier(4)

        def send(number: int, headers: dict[str, str]) -> httpx.Response:
            files = sent({f"note{number}.txt": text})
            body = httpx.Request("POST", served.url, files=files)

            def slowly() -> Any:
                together.wait(LAST)  # nobody's limit is used up when these begin
                yield body.read()

            kind = {"Content-Type": body.headers["Content-Type"], **headers}
            return httpx.post(f"{served.url}/v1/documents", content=slowly(), headers=kind, timeout=LAST)

        with ThreadPoolExecutor(4) as people:
            replies = list(people.map(lambda number: send(number, bearer(written)), range(4)))
        told = sorted(problem(reply) if reply.is_error else (202, "") for reply in replies)
        assert told == [(202, ""), (202, ""), (429, "limit_reached"), (429, "limit_reached")]
        assert served.app.state.service.intake.limits.spent(key).uploaded == 8000
        with ThreadPoolExecutor(4) as people:
            replies = list(people.map(lambda number: send(number, {}), range(4, 8)))
        told = sorted(problem(reply) if reply.is_error else (202, "") for reply in replies)
        full = (507, "storage_full")
        assert told == [(202, ""), (202, ""), full, full], "the workspace had 8,000 of 18,000"
        settled(served.client)
    assert kept(tmp_path / "root" / "default")[1] == 4, "what was refused is gone"


def test_no_more_jobs_wait_than_may(tmp_path: Path) -> None:
    with serving(workspaces=root(tmp_path, "default"), spare=0, queue=3) as served:
        place = served.app.state.service.engines.places.place()
        with JobQueue(place.queue) as queue:  # nobody is told to do these
            waiting = [queue.add(JobKind.REMOVE, [f"r{row}"]) for row in range(3)]
        refused = served.client.post("/v1/documents", files=sent({"mill.txt": "A mill."}))
        assert problem(refused) == (503, "overloaded")
        assert int(refused.headers["retry-after"]) >= 1
        assert list(place.files.iterdir()) == []
        for job in waiting:
            served.client.post(f"/v1/jobs/{job.id}/cancel")
        assert uploaded(served.client, {"mill.txt": "A mill."})["state"] == "done"


def test_a_process_that_cannot_be_started_loses_no_upload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("polyhop.serve.jobs.workers.AGAIN", 0.5)
    with serving(workspaces=root(tmp_path, "default"), spare=0) as served:
        with monkeypatch.context() as none_left:
            none_left.setattr("polyhop.serve.jobs.workers.subprocess.Popen", refused)
            reply = served.client.post("/v1/documents", files=sent({"mill.txt": "A mill."}))
            assert reply.status_code == 202
        assert ended(served.client, reply.json()["job"])["state"] == "done"


def paused(served: Served, head: str, body: bytes) -> tuple[int, str]:
    """What is answered to a request that stops in the middle, and does not go on."""
    address = httpx.URL(served.url)
    with socket.create_connection((address.host, address.port), timeout=LAST) as opened:
        opened.sendall(f"{head}\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\n".encode() + body)
        answer = HTTPResponse(opened)
        answer.begin()
        return answer.status, json.loads(answer.read())["error"]["type"]


def test_a_request_that_stops_in_the_middle_is_given_up(tmp_path: Path) -> None:
    with serving(workspaces=root(tmp_path, "default"), spare=0, silence=0.5) as served:
        part = b'--x\r\nContent-Disposition: form-data; name="files"; filename="mill.txt"\r\n\r\nA mi'
        form = "POST /v1/documents HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x"
        assert paused(served, form, part) == (408, "request_timeout")
        assert list((tmp_path / "root" / "default" / "files").iterdir()) == [], "nothing of it is kept"
        ask = "POST /v1/ask HTTP/1.1\r\nContent-Type: application/json"
        assert paused(served, ask, b'{"question": "Wh') == (408, "request_timeout")

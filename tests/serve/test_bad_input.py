"""Requests that go wrong in ways that only a real socket, a real clock or a real disk shows: nothing is lost."""

from __future__ import annotations

import json
import random
import shutil
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.client import HTTPResponse
from pathlib import Path

import httpx

from polyhop.engine import Polyhop
from polyhop.serve.keys import READ, KeyRing
from tests.worlds.clients import bearer, ended, problem, sent, sources, uploaded
from tests.worlds.documents import HARBOUR, write
from tests.worlds.machine import may_mount, small_disk
from tests.worlds.serving import serving
from tests.worlds.settings import QUICK

SIZE = 2 << 30


def test_two_gibibytes_are_refused_before_they_are_sent(tmp_path: Path) -> None:
    with serving(tmp_path / "an.index", spare=0) as served:
        address = httpx.URL(served.url)
        head = (
            f"POST /v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {SIZE}\r\n"
            "Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n"
        )
        with socket.create_connection((address.host, address.port), timeout=20) as opened:
            opened.sendall(head.encode())
            answer = HTTPResponse(opened)
            answer.begin()
            told = json.loads(answer.read())
        assert (answer.status, told["error"]["type"]) == (413, "too_large")
        assert served.client.get("/health").status_code == 200


def test_an_expired_key_is_refused_like_any_that_does_not_count(tmp_path: Path) -> None:
    with serving(tmp_path / "an.index", host="0.0.0.0", spare=0) as served:  # noqa: S104
        with KeyRing(served.app.state.service.engines.places.keys) as keys:
            expired = bearer(keys.add("expired", scope=READ, days=0.1 / 86_400)[0])
            wrong = bearer(keys.add("lasting", scope=READ)[0] + "x")
        time.sleep(0.2)
        told = [served.client.get("/v1/jobs", headers=headers) for headers in (expired, wrong)]
        assert [problem(each) for each in told] == [(401, "key_refused")] * 2
        messages = {each.json()["error"]["message"] for each in told}
        assert len(messages) == 1, "nobody learns that there was such a key"


def test_a_stream_that_nobody_reads_on_ends_and_the_next_is_answered(tmp_path: Path) -> None:
    with Polyhop(tmp_path / "an.index") as engine:
        engine.index(write(tmp_path / "harbour", HARBOUR), layers=("text",))
    body = json.dumps({"question": "Who built the lighthouse of Quillmouth?", "strategy": "hybrid", "stream": True})
    head = f"POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    with serving(tmp_path / "an.index", workers=1, waiting=8) as served:
        address = httpx.URL(served.url)
        for _ in range(8):
            with socket.create_connection((address.host, address.port), timeout=60) as opened:
                opened.sendall(f"{head}\r\n\r\n{body}".encode())
                opened.recv(random.Random(0).randint(1, 200))  # noqa: S311
        deadline = time.monotonic() + 60
        while "polyhop_answers_running 0.0" not in served.client.get("/metrics").text:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        reply = served.client.post("/v1/ask", json={"question": "Who built the lighthouse of Quillmouth?"})
        assert reply.json()["answer"]["status"] == "answered"


def test_where_an_index_lies_is_told_to_nobody(tmp_path: Path) -> None:
    with serving(tmp_path / "deep" / "none.index") as served:
        for path in ("status", "documents", "graph/merges", "questions"):
            reply = served.client.get(f"/v1/{path}")
            assert problem(reply) == (404, "index_missing")
            assert "none.index" in reply.json()["error"]["message"]
            assert str(tmp_path) not in reply.text


def test_deletes_at_once_end_as_one(tmp_path: Path) -> None:
    (tmp_path / "root" / "default").mkdir(parents=True)
    with serving(workspaces=tmp_path / "root", spare=0) as served, ThreadPoolExecutor(4) as threads:
        client = served.client
        uploaded(client, {"mill.txt": "A mill.", "weir.txt": "A weir."})
        path = f"/v1/documents/{sources(client)['mill.txt']}"
        replies = list(threads.map(lambda _: client.delete(path), range(8)))
        assert {reply.status_code for reply in replies} <= {202, 404}
        for job in {reply.json()["job"]["id"] for reply in replies if reply.status_code == 202}:
            assert ended(client, {"id": job})["state"] == "done"
        assert set(sources(client)) == {"weir.txt"}
        assert problem(client.delete(path)) == (404, "document_missing")


@may_mount
def test_a_disk_that_fills_while_a_job_indexes_fails_it_and_it_goes_on_with_space(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", kibibytes=1536) as disk:
        (disk / "root" / "default").mkdir(parents=True)
        settings = replace(QUICK, index=replace(QUICK.index, layers=("text",)))
        with serving(workspaces=disk / "root", spare=0, settings=settings) as served:
            client = served.client
            uploaded(client, {"mill.txt": "The mill grinds rye."})
            rows = "".join(
                json.dumps({"id": f"r{row}", "text": f"Ada landed on day {row}."}) + "\n" for row in range(600)
            )
            job = uploaded(client, {"book.jsonl": rows})
            assert (job["state"], job["error"]["type"]) == ("failed", "storage_full"), job
            assert str(tmp_path) not in json.dumps(job), "where it lies is told to nobody"
            assert "mill.txt" in sources(client), "what was there is there"
            for each in (disk / "root" / "default").rglob("*.jsonl"):
                assert each.stat().st_size == len(rows), "the file as it came waits for the next try"
            assert client.post("/v1/search", json={"query": "rye", "strategy": "bm25"}).status_code == 200
            assert problem(client.post("/v1/documents", files=sent({"big.txt": "x" * 3_000_000}))) == (
                507,
                "storage_full",
            )
        shutil.copytree(disk / "root", tmp_path / "root")
    with serving(workspaces=tmp_path / "root", spare=0, settings=settings) as served:
        again = served.client.post(f"/v1/jobs/{job['id']}/retry").json()
        assert ended(served.client, again)["state"] == "done"
        assert served.client.get("/v1/status").json()["documents"] == 601

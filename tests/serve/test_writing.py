"""Documents that come and go over HTTP, the jobs that this takes, and requests that go wrong on the way."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from polyhop.serve.jobs.job import JobKind
from polyhop.serve.jobs.queue import JobQueue
from polyhop.serve.kept_files import KeptFiles
from polyhop.serve.keys import ADMIN, READ, WRITE, Allowance, KeyRing
from polyhop.serve.uploads import Received
from tests.worlds.clients import bearer, ended, problem, sent, sources, uploaded
from tests.worlds.documents import HARBOUR, write
from tests.worlds.made_files import MADE
from tests.worlds.serving import Served, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A server of workspaces, with none yet but an empty one."""
    (tmp_path / "root" / "default").mkdir(parents=True)
    with serving(workspaces=tmp_path / "root", spare=0, file=50_000, upload=200_000) as served:
        yield served


def test_documents_are_uploaded_asked_replaced_and_removed(served: Served) -> None:
    client = served.client
    job = uploaded(client, {**{f"coast/{name}": text for name, text in HARBOUR.items()}, "tool.exe": b"MZ"})
    assert job["state"] == "done"
    assert job["skipped"] == [{"file": "tool.exe", "reason": "files ending in .exe are not read"}]
    assert set(sources(client)) == {f"coast/{name}" for name in HARBOUR}
    found = client.post("/v1/search", json={"query": "Who was born in Fennick?", "strategy": "bm25"}).json()
    assert found["passages"][0]["title"] == "ada brisk"
    uploaded(client, {"coast/fennick.txt": "Fennick has moved to the hills."})
    fennick = sources(client)["coast/fennick.txt"]
    assert client.get(f"/v1/documents/{fennick}").json()["text"] == "Fennick has moved to the hills."
    response = client.delete(f"/v1/documents/{fennick}")
    assert response.status_code == 202
    assert ended(client, response.json()["job"])["state"] == "done"
    assert problem(client.get(f"/v1/documents/{fennick}")) == (404, "document_missing")
    assert problem(client.delete(f"/v1/documents/{fennick}")) == (404, "document_missing")
    kinds = [job["kind"] for job in client.get("/v1/jobs").json()["jobs"]]
    assert kinds == ["remove", "upload", "upload"]


def test_all_rows_of_a_file_go_with_its_name_and_one_with_its_id(served: Served) -> None:
    client = served.client
    uploaded(
        client, {"lists/people.csv": "id,text\np1,Ada Brisk.\np2,Piet Rook.\n", "people.csv": "id,text\nq1,Nan.\n"}
    )
    first = quote(sources(client)["lists/people.csv#p1"], safe="")
    ended(client, client.delete(f"/v1/documents/{first}").json()["job"])
    assert set(sources(client)) == {"lists/people.csv#p2", "people.csv#q1"}
    ended(client, client.delete("/v1/documents/lists%2Fpeople.csv").json()["job"])
    assert set(sources(client)) == {"people.csv#q1"}


def test_what_is_attached_to_a_mail_goes_with_its_name(served: Served, tmp_path: Path) -> None:
    client = served.client
    uploaded(client, {"letter.eml": MADE["eml"](tmp_path / "letter.eml").read_bytes()})
    assert set(sources(client)) == {"letter.eml", "letter.eml#a.csv#1"}
    ended(client, client.delete("/v1/documents/letter.eml").json()["job"])
    assert not sources(client)
    assert not list((tmp_path / "root" / "default" / "files").iterdir())


def test_a_removal_names_what_it_removes(served: Served) -> None:
    client = served.client
    uploaded(client, {"lists/people.csv": "id,text\np1,Ada Brisk.\np2,Piet Rook.\n", "mill.txt": "A mill."})
    for named, about in (
        (sources(client)["mill.txt"], ["mill.txt"]),
        ("lists/people.csv", ["lists/people.csv#p1", "lists/people.csv#p2"]),
    ):
        job = client.delete(f"/v1/documents/{quote(named, safe='')}").json()["job"]
        assert job["about"] == about
        assert ended(client, job)["skipped"] == []
    assert not sources(client)


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_jobs_are_listed_page_by_page_until_the_last(served: Served, limit: int) -> None:
    with JobQueue(served.app.state.service.engines.places.place().queue) as queue:  # nobody is told to do them
        made = [queue.add(JobKind.REMOVE, [f"r{number}"]).id for number in range(4)]
    seen: list[list[str]] = []
    after: str | None = ""
    while after is not None:
        page = served.client.get("/v1/jobs", params={"before": after, "limit": limit}).json()
        seen.append([job["id"] for job in page["jobs"]])
        after = page["next"]
    assert all(seen), "no page is empty"
    assert [key for page in seen for key in page] == made[::-1]


def test_two_who_remove_the_same_get_the_same_job(served: Served) -> None:
    client = served.client
    uploaded(client, {"mill.txt": "A mill."})
    key = sources(client)["mill.txt"]
    first = client.delete(f"/v1/documents/{key}").json()["job"]
    second = client.delete(f"/v1/documents/{key}")
    assert second.status_code == 404 or second.json()["job"]["id"] == first["id"]  # done already, or still open
    assert ended(client, first)["skipped"] == []


@pytest.mark.parametrize(
    ("options", "status", "kind"),
    [
        ({"json": {"files": []}}, 415, "wrong_content"),
        ({"content": b"x"}, 415, "wrong_content"),
        ({"content": b"", "headers": {"Content-Type": "multipart/form-data; boundary=x"}}, 400, "usage_error"),
        ({"content": b"--x\r\n", "headers": {"Content-Type": "multipart/form-data; boundary=x"}}, 400, "usage_error"),
        ({"files": [("file", ("a.txt", b"A."))]}, 400, "usage_error"),
        ({"files": [("files", ("../../a.txt", b"A."))]}, 400, "usage_error"),
        ({"files": [("files", ("/etc/a.txt", b"A."))]}, 400, "usage_error"),
        ({"files": [("files", ("a.exe", b"MZ"))]}, 422, "document_error"),
        ({"files": [("files", ("a.txt", b"a" * 60_000))]}, 422, "document_error"),
        ({"files": [("files", (f"{each}.txt", b"a" * 45_000)) for each in range(6)]}, 413, "too_large"),
    ],
)
def test_what_cannot_be_taken_is_refused_and_nothing_of_it_stays(
    served: Served, tmp_path: Path, options: dict[str, Any], status: int, kind: str
) -> None:
    response = served.client.post("/v1/documents", **options)
    assert problem(response) == (status, kind), response.text
    assert served.client.get("/v1/jobs").json()["jobs"] == []
    folder = tmp_path / "root" / "default" / "files"
    assert not folder.exists() or not list(folder.iterdir())


@pytest.mark.parametrize(
    ("files", "remedies"),
    [
        (
            {"a.txt": "a" * 60_000},
            ["Send it in smaller parts, or raise the limit with: polyhop serve --set server.file"],
        ),
        ({"a.exe": "MZ"}, ["Send files of the kinds that are read."]),
        ({"a.txt": "a" * 60_000, "a.exe": "MZ"}, ["Send files of the kinds", "Send it in smaller parts"]),
    ],
)
def test_files_that_are_refused_say_what_to_send_instead(
    served: Served, files: dict[str, str], remedies: list[str]
) -> None:
    told = served.client.post("/v1/documents", files=sent(files)).json()["error"]["remedy"].split("\n")
    assert len(told) == len(remedies)
    assert all(line.startswith(remedy) for line, remedy in zip(told, remedies, strict=True))


def test_a_connection_that_closes_in_the_middle_leaves_nothing(served: Served, tmp_path: Path) -> None:
    address = httpx.URL(served.url)
    head = (
        "POST /v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
        "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
        '--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nThe beginning'
    )
    folder = tmp_path / "root" / "default" / "files"
    with socket.create_connection((address.host, address.port)) as opened:
        opened.sendall(head.encode())
        deadline = time.monotonic() + 20
        while not (folder.exists() and list(folder.iterdir())):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    while list(folder.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert served.client.get("/v1/jobs").json()["jobs"] == []
    assert served.client.get("/health").status_code == 200


def test_a_disk_without_space_is_a_clear_answer(tmp_path: Path) -> None:
    (tmp_path / "root" / "default").mkdir(parents=True)
    with serving(workspaces=tmp_path / "root", spare=0, quota=100) as served:
        client = served.client
        uploaded(client, {"a.txt": "a" * 90})
        response = client.post("/v1/documents", files=sent({"b.txt": "b" * 20}))
        assert problem(response) == (507, "storage_full")
        assert "may keep 100 bytes of files, and has 90" in response.json()["error"]["message"]
        assert set(sources(client)) == {"a.txt"}, "what was there is there"
    with serving(workspaces=tmp_path / "root", spare=10**18) as served:
        response = served.client.post("/v1/documents", files=sent({"b.txt": "b"}))
        assert problem(response) == (507, "storage_full")


def test_files_of_a_cancelled_job_are_kept_while_there_is_room(tmp_path: Path) -> None:
    (tmp_path / "root" / "default").mkdir(parents=True)
    with serving(workspaces=tmp_path / "root", spare=0, quota=400) as served:
        client, place = served.client, served.app.state.service.engines.places.place()
        first = uploaded(client, {"a.txt": "a" * 100})
        with JobQueue(place.queue) as queue, queue.transaction():  # nothing is taken meanwhile
            rest = [queue.add(JobKind.UPLOAD, [name]) for name in ("b.txt", "c.txt")]
            kept = KeptFiles(queue, place.files)
            for job, name in zip(rest, "bc", strict=True):
                write(place.files, {f"stored-{name}.txt": name * 100})
                kept.expect(job, [Received(name=f"{name}.txt", stored=f"stored-{name}.txt", bytes=100, sha256=name)])
                queue.cancel(job.id)
        assert uploaded(client, {"d.txt": "d" * 200})["state"] == "done", "what is left of the quota after a.txt"
        told = {job["id"]: job["skipped"] for job in client.get("/v1/jobs").json()["jobs"]}
        assert [told[job.id] != [] for job in rest] == [True, False], "the older one has made room"
        assert told[rest[0].id][0]["reason"].endswith("upload it again")
        assert {path.name for path in place.files.glob("stored-*")} == {"stored-c.txt"}
        response = client.post("/v1/documents", files=sent({"e.txt": "e" * 101}))
        assert problem(response) == (507, "storage_full")
        assert "has 300" in response.json()["error"]["message"]
        assert told[first["id"]] == []
        for job in rest:
            retried = client.post(f"/v1/jobs/{job.id}/retry").json()
            assert ended(client, retried)["state"] == "done"
        assert set(sources(client)) == {"a.txt", "c.txt", "d.txt"}


def test_jobs_are_cancelled_and_tried_again(served: Served) -> None:
    client = served.client
    rows = "".join(f'{{"id": "r{number}", "text": "Entry {number}."}}\n' for number in range(900))
    first = client.post("/v1/documents", files=sent({"book.jsonl": rows})).json()["job"]
    second = client.post("/v1/documents", files=sent({"mill.txt": "A mill."})).json()["job"]
    assert client.post(f"/v1/jobs/{second['id']}/cancel").json()["state"] == "cancelled"
    assert problem(client.post(f"/v1/jobs/{second['id']}/cancel")) == (409, "not_now")
    client.post(f"/v1/jobs/{first['id']}/cancel")
    assert ended(client, first)["state"] == "cancelled"
    for job in (first, second):
        assert client.post(f"/v1/jobs/{job['id']}/retry").json()["state"] in ("queued", "running")
        assert ended(client, job)["state"] == "done"
        assert problem(client.post(f"/v1/jobs/{job['id']}/retry")) == (409, "not_now")
    assert problem(client.get("/v1/jobs/nonsense")) == (404, "job_missing")
    assert problem(client.get(f"/v1/jobs/{first['id']}/result")) == (404, "job_missing")


def test_a_server_that_starts_again_goes_on_with_its_jobs(tmp_path: Path) -> None:
    (tmp_path / "root" / "default").mkdir(parents=True)
    with serving(workspaces=tmp_path / "root", spare=0) as served:
        job = served.client.post("/v1/documents", files=sent(HARBOUR)).json()["job"]
    with serving(workspaces=tmp_path / "root", spare=0) as served:
        assert ended(served.client, job)["state"] == "done"
        assert set(sources(served.client)) == set(HARBOUR)


def test_strategies_are_measured_on_questions(served: Served) -> None:
    client = served.client
    uploaded(client, HARBOUR)
    questions = [
        {"question": "Where was Ada Brisk born?", "answer": "Fennick"},
        {"question": "Who founded the Tarn School?"},
        {"question": "Who painted the ceiling?", "answer": None},
    ]
    response = client.post("/v1/eval", json={"questions": questions, "strategies": ["bm25", "dense"]})
    assert response.status_code == 202, response.text
    job = response.json()["job"]
    assert problem(client.get(f"/v1/jobs/{job['id']}/result"))[0] == 404
    assert ended(client, job)["state"] == "done"
    report = client.get(f"/v1/jobs/{job['id']}/result").json()
    assert set(report["strategies"]) == {"bm25", "dense"}
    assert len(report["records"]["bm25"]) == 3
    assert report["records"]["bm25"][1]["metrics"]["em"] is None, "nobody knows what is right"
    assert "platform" not in report["manifest"]
    for body, expected in (
        ({"questions": questions, "strategies": ["nonsense"]}, (404, "unknown_component")),
        ({"questions": [{"question": " "}], "strategies": ["bm25"]}, (400, "usage_error")),
        ({"questions": [{"question": "why " * 10_000}], "strategies": ["bm25"]}, (413, "too_large")),
        ({"questions": [], "strategies": ["bm25"]}, (422, "invalid_request")),
        ({"questions": questions, "strategies": []}, (422, "invalid_request")),
        ({"questions": [{"question": "Who?", "gold": "x"}], "strategies": ["bm25"]}, (422, "invalid_request")),
    ):
        assert problem(client.post("/v1/eval", json=body)) == expected


def test_a_measurement_that_cannot_be_made_is_refused_at_once(served: Served) -> None:
    client = served.client
    body = {"questions": [{"question": "Where was Ada Brisk born?"}], "strategies": ["bm25", "paths"]}
    assert problem(client.post("/v1/eval", json=body)) == (404, "index_missing")
    uploaded(client, HARBOUR)
    assert problem(client.post("/v1/eval", json=body)) == (409, "layer_missing")
    assert [job["kind"] for job in client.get("/v1/jobs").json()["jobs"]] == ["upload"]


def test_a_strategy_that_is_named_twice_is_measured_once(served: Served) -> None:
    uploaded(served.client, HARBOUR)
    body = {"questions": [{"question": "Where was Ada Brisk born?"}], "strategies": ["bm25", "dense", "bm25"]}
    assert served.client.post("/v1/eval", json=body).json()["job"]["about"] == ["bm25", "dense"]


def test_keys_open_their_own_workspace_and_their_own_scope(served: Served, tmp_path: Path) -> None:
    client = served.client
    assert client.post("/v1/workspaces", json={"name": "legal"}).json() == {"workspaces": ["default", "legal"]}
    with KeyRing(tmp_path / "root" / "keys.sqlite") as keys:
        reader = bearer(keys.add("reader", scope=READ, workspace="legal")[0])
        writer = bearer(keys.add("writer", scope=WRITE, workspace="legal")[0])
        admin = bearer(keys.add("admin", scope=ADMIN)[0])
        other = bearer(keys.add("other", scope=ADMIN, workspace="default")[0])
    job = uploaded(client, {"contract.txt": "The mill is leased to Ada Brisk."}, **writer)
    assert set(sources(client, **reader)) == {"contract.txt"}
    assert set(sources(client, **admin, **{"Polyhop-Workspace": "legal"})) == {"contract.txt"}
    assert problem(client.get("/v1/documents", headers=other)) == (404, "index_missing"), "its own has none yet"
    for headers in ({**other, "Polyhop-Workspace": "legal"}, {**reader, "Polyhop-Workspace": "default"}):
        assert problem(client.get("/v1/documents", headers=headers)) == (404, "workspace_missing")
    assert problem(client.get(f"/v1/jobs/{job['id']}", headers=other)) == (404, "job_missing")
    assert client.get(f"/v1/jobs/{job['id']}", headers=reader).status_code == 200
    for response in (
        client.post("/v1/documents", files=sent({"a.txt": "A."}), headers=reader),
        client.delete("/v1/documents/x", headers=reader),
        client.post(f"/v1/jobs/{job['id']}/retry", headers=reader),
        client.post("/v1/eval", json={}, headers=reader),
        client.post("/v1/workspaces", json={"name": "more"}, headers=writer),
    ):
        assert problem(response) == (403, "not_allowed")
    assert client.get("/v1/workspaces", headers=reader).json() == {"workspaces": ["legal"]}
    assert client.get("/v1/workspaces", headers=admin).json() == {"workspaces": ["default", "legal"]}
    assert problem(client.post("/v1/workspaces", json={"name": "x"}, headers=other)) == (400, "usage_error")


def test_limits_of_a_key_say_when_to_come_back(served: Served, tmp_path: Path) -> None:
    client = served.client
    with KeyRing(tmp_path / "root" / "keys.sqlite") as keys:
        hasty = bearer(keys.add("hasty", allowance=Allowance(requests=2))[0])
        small = bearer(keys.add("small", scope=WRITE, allowance=Allowance(uploads=1000))[0])
        poor, key = keys.add("poor", scope=WRITE, allowance=Allowance(tokens=10))
        keys.change("INSERT INTO spent(key, hour, tokens) VALUES (?, ?, 10)", key.id, int(time.time() // 3600))
    for _ in range(2):
        assert client.get("/v1/workspaces", headers=hasty).status_code == 200
    limited = client.get("/v1/workspaces", headers=hasty)
    assert problem(limited) == (429, "limit_reached")
    assert 1 <= int(limited.headers["Retry-After"]) <= 60
    uploaded(client, {"a.txt": "a" * 500}, **small)
    limited = client.post("/v1/documents", files=sent({"b.txt": "b" * 900}), headers=small)
    assert problem(limited) == (429, "limit_reached"), "more than is left of the day is not too large for ever"
    assert int(limited.headers["Retry-After"]) >= 1
    limited = client.post(
        "/v1/eval", json={"questions": [{"question": "Who?"}], "strategies": ["bm25"]}, headers=bearer(poor)
    )
    assert problem(limited) == (429, "limit_reached")
    uploaded(client, {"mill.txt": "The mill grinds rye."}, **small)
    asked = client.post("/v1/ask", json={"question": "What does the mill grind?"}, headers=bearer(poor))
    assert problem(asked) == (429, "limit_reached"), "what its questions have cost counts, too"
    assert int(asked.headers["Retry-After"]) >= 1


def test_errors_about_keys_say_how_to_send_one(served: Served, tmp_path: Path) -> None:
    with KeyRing(tmp_path / "root" / "keys.sqlite") as keys:
        keys.add("Ada")
    response = served.client.get("/v1/documents", headers=bearer("nonsense"))
    assert problem(response) == (401, "key_refused")
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert "Authorization: Bearer" in json.dumps(response.json())

"""What all routes have in common: errors, ids, limits, health, counts, workspaces."""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from polyhop.errors import IndexCorrupt
from polyhop.serve.app import create_app
from polyhop.serve.engines import Engines
from polyhop.serve.errors import UNREADABLE
from polyhop.serve.json_log import JsonLines
from polyhop.serve.keys import KeyRing
from polyhop.serve.places import Places
from polyhop.serve.running import Server, listen
from tests.worlds.commands import Run
from tests.worlds.documents import BRIDGE
from tests.worlds.serving import Served, serving
from tests.worlds.settings import QUICK
from tests.worlds.waiting import until


def test_it_tells_that_it_lives_and_can_answer(client: httpx.Client) -> None:
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/ready").json() == {"status": "ok"}


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_whoever_watches_may_ask_for_the_head_alone(served: Served, tmp_path: Path, path: str) -> None:
    response = served.client.head(path)
    assert (response.status_code, response.content) == (200, b"")
    with serving(tmp_path / "no.index") as bare:
        assert bare.client.head(path).status_code == bare.client.get(path).status_code


def test_a_server_without_an_index_lives_and_is_not_ready(tmp_path: Path) -> None:
    with serving(tmp_path / "none.index") as served:
        assert served.client.get("/health").status_code == 200
        response = served.client.get("/ready")
        assert (response.status_code, response.json()["error"]["type"]) == (503, "unready")
        assert "POST /v1/documents" in response.json()["error"]["remedy"]
        asked = served.client.post("/v1/ask", json={"question": BRIDGE})
        assert (asked.status_code, asked.json()["error"]["type"]) == (404, "index_missing")
        message = asked.json()["error"]["message"]
        assert "none.index" in message
        assert str(tmp_path) not in message, "where the folder lies is told to nobody"


def test_a_workspace_that_is_empty_or_damaged_keeps_nobody_from_the_others(fresh_index: Path, tmp_path: Path) -> None:
    folder = tmp_path / "workspaces"
    (folder / "empty").mkdir(parents=True)
    with serving(workspaces=folder) as served:
        assert served.client.get("/ready").status_code == 200, "it waits for documents"
        damaged = folder / "first" / "polyhop.index"
        shutil.copytree(fresh_index, damaged)
        (damaged / "record.sqlite").write_bytes(b"no index" * 1000)
        assert served.client.get("/ready").status_code == 503, "no workspace can answer"
        elsewhere = {"store": "mysql://another/store", "key": "k"}
        (folder / "empty" / "polyhop.index").mkdir()
        (folder / "empty" / "polyhop.index" / "record.json").write_text(json.dumps(elsewhere))
        assert served.client.get("/ready").status_code == 503, "nor can it with a record that nobody knows"
        shutil.copytree(fresh_index, folder / "second" / "polyhop.index")
        assert served.client.get("/ready").json() == {"status": "ok"}


def test_an_index_that_is_damaged_is_not_ready(fresh_index: Path) -> None:
    (fresh_index / "record.sqlite").write_bytes(b"no index" * 1000)
    with serving(fresh_index) as served:
        assert served.client.get("/ready").status_code == 503
        assert served.client.get("/v1/status").json()["error"]["type"] == "index_corrupt"


@pytest.mark.parametrize(
    ("method", "path", "status", "kind"),
    [
        ("GET", "/v1/nonsense", 404, "not_found"),
        ("DELETE", "/v1/ask", 405, "method_not_allowed"),
        ("GET", "/v1/documents/none", 404, "document_missing"),
        ("GET", "/v1/documents?limit=0", 422, "invalid_request"),
        ("GET", "/v1/documents?after=x", 422, "invalid_request"),
    ],
)
def test_errors_have_one_shape(client: httpx.Client, method: str, path: str, status: int, kind: str) -> None:
    response = client.request(method, path)
    assert response.status_code == status
    error = response.json()["error"]
    assert set(error) == {"type", "message", "remedy", "request_id"}
    assert error["type"] == kind
    assert error["request_id"] == response.headers["x-request-id"]


@pytest.mark.parametrize("kind", [{}, {"Content-Type": "text/plain"}])
@pytest.mark.parametrize("path", ["/v1/ask", "/v1/search", "/v1/chat/completions", "/v1/eval"])
def test_json_that_is_not_said_to_be_json_is_wrong_content(
    client: httpx.Client, path: str, kind: dict[str, str]
) -> None:
    response = client.post(path, content=b'{"question": "Who?"}', headers=kind)
    error = response.json()["error"]
    assert (response.status_code, error["type"]) == (415, "wrong_content")
    assert error["remedy"] == "Send JSON with the header Content-Type: application/json."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"question": nobody}', "The body is not JSON: Expecting value, behind 13 characters."),
        (b"[1]", "The body has to be a JSON object."),
        (b"", "There is no body."),
        (b"{}", "question: Field required"),
        ('{"question": "Wer leitet das Café?"}'.encode("latin-1"), UNREADABLE),
        (b"[" * 100_000, UNREADABLE),
        (b'{"limit": ' + b"9" * 5000 + b"}", UNREADABLE),
    ],
)
def test_a_body_that_cannot_be_read_says_what_is_wrong_and_where(
    client: httpx.Client, content: bytes, message: str
) -> None:
    response = client.post("/v1/ask", content=content, headers={"Content-Type": "application/json"})
    assert (response.status_code, response.json()["error"]["message"]) == (422, message)


def test_what_nobody_expected_is_told_by_its_id_alone(world_index: Path, caplog: pytest.LogCaptureFixture) -> None:
    with serving(world_index) as served:

        @served.app.get("/broken")
        def broken() -> None:
            raise ZeroDivisionError("a secret")

        response = served.client.get("/broken")
    error = response.json()["error"]
    assert (response.status_code, error["type"]) == (500, "unexpected")
    assert "secret" not in response.text
    assert error["request_id"] == response.headers["x-request-id"]
    assert any(record.exc_info for record in caplog.records), "the log has the rest"


def test_an_id_that_the_caller_brings_is_kept_if_it_is_a_word(client: httpx.Client) -> None:
    assert client.get("/health", headers={"X-Request-Id": "my-id.1"}).headers["x-request-id"] == "my-id.1"
    assert client.get("/health", headers={"X-Request-Id": "my id {}"}).headers["x-request-id"] != "my id {}"


def told_of(caplog: pytest.LogCaptureFixture, *paths: str) -> list[logging.LogRecord]:
    """The lines about requests to some routes, once they are there: a line is written behind the response."""

    def told() -> list[logging.LogRecord]:
        records = [record for record in caplog.records if hasattr(record, "told")]
        return [record for path in paths for record in records if f" {path} " in record.getMessage()]

    until(lambda: len(told()) >= len(paths))
    return told()


def test_requests_are_logged_as_json_with_their_ids(client: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "polyhop.serve"):
        client.get("/v1/documents/none", headers={"X-Request-Id": "this-one"})
        record = told_of(caplog, "/v1/documents/{document_id:path}")[-1]
    line = json.loads(JsonLines().format(record))
    assert line["message"] == "GET /v1/documents/{document_id:path} 404"
    assert line["status"] == 404
    assert line["seconds"] >= 0


def test_the_log_says_whose_key_asked_of_which_workspace(
    fresh_index: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(fresh_index, tmp_path / "legal" / "polyhop.index")
    with serving(workspaces=tmp_path) as served, KeyRing(Places(workspaces=tmp_path).keys) as keys:
        written, key = keys.add("Ada", workspace="legal")
        with caplog.at_level(logging.INFO, "polyhop.serve"):
            served.client.get("/v1/status", headers={"Authorization": f"Bearer {written}"})
            served.client.get("/health")
            asked, watched = (vars(record)["told"] for record in told_of(caplog, "/v1/status", "/health"))
    assert (asked["key"], asked["workspace"], asked["client"]) == (key.id, "legal", "127.0.0.1")
    assert "key" not in watched
    assert written not in caplog.text


def test_answers_and_requests_are_counted(client: httpx.Client) -> None:
    client.post("/v1/ask", json={"question": BRIDGE, "strategy": "bm25"})
    counted = client.get("/metrics").text
    assert 'polyhop_answers_total{status="answered",strategy="bm25"}' in counted
    assert 'polyhop_requests_total{method="POST",route="/v1/ask",status="200"}' in counted
    assert "polyhop_answers_running 0.0" in counted


def test_answers_to_assistants_are_counted_too(client: httpx.Client) -> None:
    def counted() -> str:
        lines = client.get("/metrics").text.splitlines()
        return next((line for line in lines if line.startswith("polyhop_answers_total{") and '"dense"' in line), "")

    before = counted()
    call = {"name": "ask", "arguments": {"question": BRIDGE, "strategy": "dense"}}
    headers = {"Accept": "application/json, text/event-stream"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    assert client.post("/mcp", json=body, headers=headers).status_code == 200
    assert counted() != before


@pytest.mark.parametrize(("path", "route"), [("/mcp", "/mcp"), ("/openapi.json", "/openapi.json"), ("/no", "none")])
def test_requests_are_counted_by_their_route(client: httpx.Client, path: str, route: str) -> None:
    status = client.put(path).status_code
    assert f'polyhop_requests_total{{method="PUT",route="{route}",status="{status}"}}' in client.get("/metrics").text


def test_a_page_of_another_site_is_refused(client: httpx.Client) -> None:
    elsewhere = client.post("/v1/ask", json={"question": BRIDGE}, headers={"Origin": "https://elsewhere.example"})
    assert (elsewhere.status_code, elsewhere.json()["error"]["type"]) == (403, "forbidden")
    assert "access-control-allow-origin" not in elsewhere.headers
    for host in ("elsewhere.example", "localhost.elsewhere.example", "localhost:80.example", "[::2]"):
        other = client.get("/v1/status", headers={"Host": host})
        assert (other.status_code, other.json()["error"]["type"]) == (400, "wrong_host")
    for host in ("localhost", "127.0.0.1:80", "[::1]:8642"):
        assert client.get("/health", headers={"Host": host}).status_code == 200
    own = str(client.base_url).rstrip("/")
    assert client.get("/v1/status", headers={"Origin": own}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])  # another host, or another port of this one
@pytest.mark.parametrize("wanted", ["image", "script", "iframe", "empty"])
def test_what_a_page_of_another_site_embeds_is_refused_and_a_link_is_followed(
    client: httpx.Client, site: str, wanted: str
) -> None:
    """A browser tells no Origin of a picture, a script or a frame."""
    embedded = client.get("/v1/documents", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Dest": wanted})
    assert (embedded.status_code, embedded.json()["error"]["type"]) == (403, "forbidden")
    linked = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    for path in ("/", "/v1/documents"):
        assert client.get(path, headers=linked).status_code == 200


def test_a_body_is_refused_as_soon_as_it_is_too_large(served: Served) -> None:
    told = served.client.post("/v1/ask", content=b"x" * 3_000_000, headers={"Content-Type": "application/json"})
    assert (told.status_code, told.json()["error"]["type"]) == (413, "too_large")

    def parts() -> Iterator[bytes]:  # without saying how many there will be
        for _ in range(30):
            yield b" " * 100_000

    untold = served.client.post("/v1/ask", content=parts(), headers={"Content-Type": "application/json"})
    assert (untold.status_code, untold.json()["error"]["type"]) == (413, told.json()["error"]["type"])


@pytest.mark.parametrize("pieces", [1, 30])  # one says how long it is, several do not
def test_a_body_that_is_too_large_says_what_to_do(client: httpx.Client, pieces: int) -> None:
    content = b" " * 3_000_000 if pieces == 1 else (b" " * 100_000 for _ in range(pieces))
    error = client.post("/v1/ask", content=content, headers={"Content-Type": "application/json"}).json()["error"]
    assert error["type"] == "too_large"
    assert error["remedy"].startswith("Send less, or raise the limit with: polyhop serve --set server.body=BYTES")


def test_an_origin_that_is_no_address_is_another_site(client: httpx.Client) -> None:
    response = client.get("/health", headers={"Origin": "http://["})
    assert (response.status_code, response.json()["error"]["type"]) == (403, "forbidden")


@pytest.mark.skipif(sys.platform == "darwin", reason="it has 127.0.0.1 alone")
def test_every_address_of_this_machine_alone_is_the_servers_own_name(tmp_path: Path) -> None:
    with serving(tmp_path / "none.index", host="127.0.0.2") as served:
        assert served.client.get("/health").status_code == 200
        assert served.client.get("/health", headers={"Host": "127.0.0.3"}).json()["error"]["type"] == "wrong_host"


@pytest.mark.parametrize(("method", "path"), [("POST", "/v1/ask"), ("PUT", "/v1/documents"), ("POST", "/mcp")])
def test_a_body_is_as_large_as_one_with_files_where_files_are_taken_alone(
    client: httpx.Client, method: str, path: str
) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    told = client.request(method, path, content=b"x" * 3_000_000, headers=headers)
    assert (told.status_code, told.json()["error"]["type"]) == (413, "too_large")


def test_workspaces_are_apart(made_index: Path, tmp_path: Path) -> None:
    (tmp_path / "workspaces" / "empty").mkdir(parents=True)
    shutil.copytree(made_index, tmp_path / "workspaces" / "tavrelle" / "polyhop.index")
    with serving(workspaces=tmp_path / "workspaces") as served:

        def status(name: str) -> httpx.Response:
            return served.client.get("/v1/status", headers={"Polyhop-Workspace": name})

        assert status("tavrelle").json()["workspace"] == "tavrelle"
        assert status("empty").json()["error"]["type"] == "index_missing"
        for name in ("none", "../workspaces/tavrelle", "Tavrelle", "..", "default"):
            assert status(name).json()["error"]["type"] == "workspace_missing"


def test_jobs_that_cannot_be_read_end_a_server_with_an_error(tmp_path: Path) -> None:
    """A server that ended in its log alone would exit as if all were well."""
    beside = tmp_path / "an.index" / "server"
    beside.mkdir(parents=True)
    (beside / "jobs.sqlite").write_bytes(b"no jobs" * 1000)
    server = Server(create_app(Engines(tmp_path / "an.index", settings=QUICK), QUICK), QUICK)
    with (
        listen(replace(QUICK.server, port=0)) as opened,
        pytest.raises(IndexCorrupt, match=r"jobs\.sqlite is not a Polyhop index, or its beginning is damaged"),
    ):
        server.run(sockets=[opened])


@pytest.mark.parametrize("option", ["--index", "--workspaces"])
def test_a_file_is_not_served(run: Run, tmp_path: Path, option: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("no folder")
    told = run("serve", option, str(file))
    assert (told.code, f"{file} is not a folder." in told.err) == (2, True)


def test_without_its_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr("polyhop.cli.serve.NEEDED", ("fastapi", "no_such_library"))
    outcome = run("serve")
    assert outcome.code == 2
    assert "no_such_library cannot be found" in outcome.err
    assert "pip install 'polyhop[server]'" in outcome.err

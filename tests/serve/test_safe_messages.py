"""Where files of a server lie is told to nobody who asks it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from polyhop.errors import (
    DocumentMissing,
    IndexCorrupt,
    IndexMissing,
    ModelMissing,
    PolyhopError,
    StoreUnreachable,
    UsageError,
)
from polyhop.serve.safe_messages import message_of, remedy_of
from polyhop.store.writer_lock import WriterLock
from tests.worlds.clients import problem
from tests.worlds.documents import BRIDGE, write
from tests.worlds.serving import Served, serving
from tests.worlds.settings import QUICK


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (IndexCorrupt("/srv/my docs/p.index is damaged (a/b)."), "p.index is damaged (a/b)."),
        (IndexCorrupt(r"D:\data\my docs\p.index is damaged."), "p.index is damaged."),
        (ModelMissing("It is not installed in /root/.cache/models."), "It is not installed in models."),
        (PolyhopError("No process: [Errno 2] '/opt/a b/python'."), "No process: [Errno 2] 'python'."),
        (UsageError("The plans in /srv/plans.json are none."), "The plans in plans.json are none."),
        (DocumentMissing("There is no document '/what/was/asked'."), "There is no document '/what/was/asked'."),
        (IndexMissing("Gone: postgresql://me@db.inner:5432/rows?sslmode=no#a."), "Gone: postgresql://.../rows#a."),
        (
            StoreUnreachable(
                'That at postgres:///?host=/run/pg#a b cannot be used (server at "db.inner" (10.0.0.5))!).'
            ),
            "That at postgres://.../#a b cannot be used.",
        ),
        (PolyhopError("See https://a.example/b/c, pages 3/4."), "See https://a.example/b/c, pages 3/4."),
    ],
)
def test_a_message_names_files_without_their_folders(error: PolyhopError, told: str) -> None:
    assert message_of(error) == told


def test_why_a_store_cannot_be_reached_is_in_the_log_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Also where nobody needs a key to ask."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'polyhop[postgres]'")
    settings = replace(QUICK, index=replace(QUICK.index, store="postgresql://me:sesame@127.0.0.1:9/rows"))
    with serving(tmp_path / "index", settings=settings) as served:
        for path in ("/ready", "/v1/status"):
            said = served.client.get(path)
            assert (said.status_code, problem(said)[0]) == (503, 503)
            assert said.json()["error"]["message"].endswith("postgresql://.../rows cannot be used.")
    assert "127.0.0.1:9/rows cannot be used (connection failed" in caplog.text
    assert "sesame" not in caplog.text


def test_what_to_do_names_routes_in_full_and_no_folders() -> None:
    assert remedy_of(PolyhopError("", remedy="GET /v1/workspaces lists them.")) == "GET /v1/workspaces lists them."
    assert remedy_of(PolyhopError("", remedy="Delete /srv/x/p.toml.")) == "Delete p.toml."
    assert remedy_of(PolyhopError("")) is None


@pytest.mark.parametrize(
    ("remedy", "told"),
    [
        (IndexMissing.remedy, "Make one with: POST /v1/documents"),
        (
            "Ask again when that is done; polyhop status says how far it is.",
            "Ask again when that is done; GET /v1/jobs",
        ),
        ('See its spellings with: polyhop merges "Ada Lund"', "See its spellings with: GET /v1/graph/merges"),
        ("Make it with: polyhop index PATH... --layers facts", "Make it with: polyhop index PATH... --layers facts"),
    ],
)
def test_what_to_do_is_what_a_caller_of_a_server_can(remedy: str, told: str) -> None:
    """A route where there is one; what is done on the server's own machine alone stays a command."""
    assert (remedy_of(PolyhopError("", remedy=remedy)) or "").startswith(told)


def tool(client: httpx.Client, name: str, **arguments: str) -> str:
    """What a tool says at /mcp."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    reply = client.post("/mcp", json=call, headers={"Accept": "application/json, text/event-stream"})
    assert reply.status_code == 200
    return reply.text


def test_no_tool_tells_where_an_index_lies(tmp_path: Path) -> None:
    with serving(tmp_path / "deep" / "none.index") as served:
        for told in (tool(served.client, "status"), tool(served.client, "ask", question="Who?")):
            assert "none.index" in told
            assert str(tmp_path) not in told


def test_who_writes_is_told_without_folders(served: Served, world_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/usr/bin/polyhop", "index", "/srv/my docs", "/srv/papers"])
    lock = WriterLock(world_index)
    try:
        for told in (served.client.get("/v1/status").text, tool(served.client, "status")):
            assert "polyhop index" in told
            assert "/srv" not in told
            assert "/usr" not in told
    finally:
        lock.release()


def test_no_request_opens_a_file_of_the_server(served: Served, tmp_path: Path) -> None:
    """Neither one that is there nor one that is not: nobody learns which it is."""
    write(tmp_path, {"there.jsonl": "{}"})
    client = served.client
    for file in (tmp_path / "there.jsonl", tmp_path / "nowhere.jsonl"):
        name = f"c2rag(recovery.paragraphs={file.as_posix()})"
        replies = (
            client.post("/v1/ask", json={"question": BRIDGE, "strategy": name}),
            client.post("/v1/search", json={"query": BRIDGE, "strategy": name}),
            client.post("/v1/eval", json={"questions": [{"question": BRIDGE}], "strategies": [name]}),
        )
        for reply in replies:
            assert problem(reply) == (403, "not_allowed")
        turns = [{"role": "user", "content": BRIDGE}]
        chat = client.post("/v1/chat/completions", json={"model": f"polyhop/{name}", "messages": turns})
        assert chat.status_code == 403
        for told in (
            tool(client, "ask", question=BRIDGE, strategy=name),
            tool(client, "search", query=BRIDGE, strategy=name),
        ):
            assert "may not set recovery.paragraphs" in told

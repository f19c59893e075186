"""Five thousand requests of somebody who wants in: none gets in, breaks anything, or is told how things are made."""

from __future__ import annotations

import http.client
import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from polyhop.engine import Polyhop
from polyhop.serve.admission import OPEN, PAGE
from polyhop.serve.jobs.job import JobKind, JobState
from polyhop.serve.jobs.queue import JobQueue
from polyhop.serve.keys import ADMIN, READ, KeyRing
from polyhop.serve.places import Places
from tests.worlds.serving import Served, serving

SENT = 5000
SECRET = "The vault of Tavrelle opens with 7741-QX."
CODE = "7741-QX"
TELLTALE = ("Traceback", 'File "/', "site-packages", "sqlite", CODE, "root:x:0")
TRICKS = (
    "..",
    ".",
    "../secret",
    "mine/../secret",
    "..%2fsecret",
    "%2e%2e/secret",
    "..\\secret",
    "/etc/passwd",
    "secret/",
    "SECRET",
    "Secret",
    " secret",
    "secret ",
    "secret.",
    "secret\t",
    "mine,secret",
    "secret;mine",
    "*",
    "",
    "null",
    "0",
    "' OR 1=1 --",
    '"; DROP TABLE jobs; --',
    "secret%00",
    "mine%00secret",
    "\xa0secret",
    "${secret}",
    "{{secret}}",
    "file:///etc/passwd",
    "http://127.0.0.1/",
    "a" * 5000,
    "con",
    "nul",
    "-1",
    "1e309",
    "\u00e9".encode().decode("latin-1"),
)


@dataclass
class Stranger:
    """Somebody who sends what no client sends: paths as they are, and whatever headers."""

    served: Served
    root: Path
    job: str  # of the secret workspace
    keys: dict[str, str] = field(default_factory=dict)
    sent: int = 0

    def send(
        self, method: str, path: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """The status and the body of the answer, which tells nothing."""
        address = urlsplit(self.served.url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            text = response.read().decode("utf-8", errors="replace")
        finally:
            connection.close()
        self.sent += 1
        for word in (*TELLTALE, str(self.root)):
            assert word not in text or word in path, (method, path, headers, text)
        assert response.status < 500, (method, path, headers, text)
        if response.status >= 400 and method != "HEAD" and text.startswith("{"):
            of_protocol = path.startswith("/mcp") and text.startswith('{"jsonrpc"')  # JSON-RPC has a shape of its own
            fields = {"code", "message"} if of_protocol else {"type", "message", "remedy", "request_id"}
            assert set(json.loads(text)["error"]) >= fields
        return response.status, text

    def bearing(self, name: str, **headers: str) -> dict[str, str]:
        """Headers with one of the keys."""
        return {"Authorization": f"Bearer {self.keys[name]}", **headers}


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    """A server at an open address, with two workspaces and keys for one of them."""
    root = tmp_path_factory.mktemp("hostile") / "root"
    places = Places(workspaces=root)
    for name, text in (("secret", SECRET), ("mine", "The mill grinds rye.")):
        with Polyhop(places.make(name).index) as engine:
            engine.add_text(text, f"{name}.txt", layers=["text"])
    with JobQueue(places.place("secret").queue) as queue:
        job = queue.add(JobKind.EVAL, ["bm25"], asked={"questions": [SECRET]})
        queue.end(job, JobState.DONE, result={"answer": SECRET})
    keys = {}
    with KeyRing(places.keys) as ring:
        keys["admin"] = ring.add("mine", scope=ADMIN, workspace="mine")[0]
        keys["reader"] = ring.add("reader", scope=READ, workspace="mine")[0]
        keys["revoked"], key = ring.add("revoked", scope=ADMIN)
        ring.revoke(key.id)
    with serving(workspaces=root, host="0.0.0.0", spare=0) as served:  # noqa: S104
        yield Stranger(served, root, job.id, keys)


def routes(stranger: Stranger) -> list[tuple[str, str]]:
    """Every method and path that the server has, with something in each place."""
    found = []
    for path, methods in stranger.served.app.openapi()["paths"].items():
        named = re.sub(r"{job_id}", stranger.job, re.sub(r"{document_id[^}]*}", "secret.txt", path))
        found += [(method.upper(), re.sub(r"{\w+}", "1", named)) for method in methods]
    assert len(found) > 12
    return found


def test_no_route_answers_without_a_key_that_counts(stranger: Stranger) -> None:
    """Also none that is added some day: all but those of the page are asked."""
    key = stranger.keys["admin"]
    credentials: list[dict[str, str]] = [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": f"Basic {key}"},
        {"Authorization": f"Bearer {key}x"},
        {"Authorization": f"Bearer {key[:-1]}"},
        {"Authorization": f"Bearer {key.upper()}"},
        {"Authorization": f"Bearer {stranger.keys['revoked']}"},
        {"Authorization": "Bearer ' OR 1=1 --"},
        {"Cookie": f"Authorization={key}", "X-Api-Key": key},
        {"X-Forwarded-For": "127.0.0.1", "Host": "127.0.0.1", "Forwarded": "for=127.0.0.1"},
    ]
    closed = [(method, path) for method, path in routes(stranger) if path not in OPEN and not path.startswith(PAGE)]
    for (method, path), headers in product(closed, credentials):
        status, _ = stranger.send(method, path, headers=headers)
        assert status == 401, (method, path, headers)


@pytest.mark.parametrize(
    "path",
    [
        "//v1/documents",
        "/v1//documents",
        "/V1/documents",
        "/v1/documents/",
        "/v1/documents/.",
        "/./v1/documents",
        "/page/../v1/documents",
        "/page/%2e%2e/v1/documents",
        "/health/../v1/documents",
        "/page/..%2fv1%2fdocuments",
        "/health/v1/documents",
        "/v1/documents?x=/health",
        "/v1/documents;/page/x",
        "/%76%31/documents",
        "/v1%2fdocuments",
        "/page/../../../../etc/passwd",
        "/page/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/page/..%5c..%5cetc%5cpasswd",
        "/page//etc/passwd",
        "/page/%00",
        "/page/app.js%00.png",
        "/..",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/openapi.json/../v1/jobs",
        "/docs",
        "/redoc",
        "/.env",
        "/.git/config",
        "/default/keys.sqlite",
        "/keys.sqlite",
        "/secret/polyhop.index/record.sqlite",
    ],
)
def test_no_way_of_writing_a_path_leads_around_the_door(stranger: Stranger, path: str) -> None:
    for method in ("GET", "POST", "DELETE", "PUT", "PATCH"):
        status, text = stranger.send(method, path)
        assert status in (400, 401, 404, 405, 422), (method, path, text[:200])


def test_an_assistant_reaches_the_workspace_of_its_key_alone(stranger: Stranger) -> None:
    call = {"name": "search", "arguments": {"query": "What opens the vault?", "strategy": "bm25"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    said = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    assert stranger.send("POST", "/mcp", body=body, headers=said)[0] == 401
    status, own = stranger.send("POST", "/mcp", body=body, headers=stranger.bearing("reader", **said))
    assert (status, "rye" in own) == (200, True)
    elsewhere = stranger.bearing("reader", **said, **{"Polyhop-Workspace": "secret"})
    _, refused = stranger.send("POST", "/mcp", body=body, headers=elsewhere)
    assert "There is no such workspace" in refused


def test_no_header_leads_into_another_workspace(stranger: Stranger) -> None:
    tricks = [name for name in TRICKS if name.strip(" \t\xa0") not in ("", "mine")]
    body = json.dumps({"query": "What opens the vault?", "strategy": "bm25"}).encode()
    for name, method, path in product(
        [*tricks, "secret"],
        ("GET", "POST"),
        ("/v1/documents", "/v1/search", "/v1/jobs", f"/v1/jobs/{stranger.job}/result"),
    ):
        value = name.encode("utf-8").decode("latin-1")
        headers = stranger.bearing("admin", **{"Polyhop-Workspace": value, "Content-Type": "application/json"})
        status, text = stranger.send(method, path, body=body if method == "POST" else None, headers=headers)
        assert status in (400, 404, 405, 415), (name, method, path, text[:200])


def test_no_id_leads_into_another_workspace(stranger: Stranger) -> None:
    for name in (
        *TRICKS,
        "secret.txt",
        "secret",
        "../../secret/polyhop.index/record.sqlite",
        stranger.job,
        "mine.txt#",
    ):
        for method, path in (
            ("GET", "/v1/documents/{}"),
            ("DELETE", "/v1/documents/{}"),
            ("GET", "/v1/jobs/{}"),
            ("GET", "/v1/jobs/{}/events"),
            ("GET", "/v1/jobs/{}/result"),
            ("POST", "/v1/jobs/{}/cancel"),
            ("POST", "/v1/jobs/{}/retry"),
        ):
            status, text = stranger.send(method, path.format(quote(name, safe="%")), headers=stranger.bearing("admin"))
            listed = not name.strip("/.") and method == "GET" and status == 200  # nothing is named: the list itself
            assert status in (307, 400, 404, 405, 422) or listed, (method, name, text[:200])
    with Polyhop(stranger.root / "secret" / "polyhop.index") as engine:
        assert engine.status().documents == 1
    with Polyhop(stranger.root / "mine" / "polyhop.index") as engine:
        assert engine.status().documents == 1


BODIES = (
    b"",
    b"null",
    b"[]",
    b'"x"',
    b"{",
    b"{}",
    b"\0",
    b"\xff\xfe",
    b"NaN",
    b'{"a":' * 20_000,
    b"[" * 50_000,
    b"9" * 10_000,
    b'{"question": null}',
    b'{"question": []}',
    b'{"question": ""}',
    b'{"question": "\\ud800"}',
    b'{"question": "\\u0000"}',
    b'{"query": "x", "limit": -1}',
    b'{"query": "x", "limit": 1e400}',
    b'{"query": "x", "limit": true, "more": 1}',
    b'{"query": "x", "strategy": "__import__(\'os\')"}',
    b'{"query": "x", "strategy": "bm25(k=/etc/passwd)"}',
    b'{"question": "x", "strategy": "../../secret"}',
    b'{"question": "x", "history": "x"}',
    b'{"question": {"$gt": ""}}',
    b'{"questions": [{"question": "x"}], "strategies": ["../x"]}',
    b'{"questions": {}, "strategies": {}}',
    b'{"name": "../x"}',
    b'{"name": "/tmp/x"}',
    b'{"name": "con"}',
    b'{"name": null}',
    b'{"name": "a\\u0000"}',
    b'{"model": "polyhop/../x", "messages": []}',
    b'{"messages": [{"role": "system"}]}',
    b'{"model": 1, "messages": 1}',
)


def test_no_body_breaks_anything(stranger: Stranger) -> None:
    paths = ("/v1/ask", "/v1/search", "/v1/eval", "/v1/workspaces", "/v1/documents", "/v1/chat/completions")
    for path, body, kind in product(paths, BODIES, ("application/json", "multipart/form-data; boundary=x")):
        status, text = stranger.send(
            "POST", path, body=body, headers=stranger.bearing("admin", **{"Content-Type": kind})
        )
        assert 400 <= status < 500, (path, body[:80], text[:200])
    assert sorted(each.name for each in stranger.root.iterdir() if each.is_dir()) == ["mine", "secret"]
    files = stranger.root / "mine" / "files"
    assert not list(files.iterdir())


def test_a_key_for_reading_changes_nothing(stranger: Stranger) -> None:
    for method, path in routes(stranger):
        if method in ("GET", "HEAD") or path in ("/v1/ask", "/v1/search", "/v1/chat/completions"):
            continue
        status, _ = stranger.send(method, path, body=b"{}", headers=stranger.bearing("reader"))
        assert status == 403, (method, path)


def test_nothing_that_chance_puts_together_gets_in(stranger: Stranger) -> None:
    """Methods, paths, keys, workspaces and bodies as they come: also with a key that counts nothing leaks or breaks."""
    chance = random.Random(14)  # noqa: S311
    every = [path for _, path in routes(stranger)] + ["/mcp", "/", "/page/app.js", "/health"]
    credentials = ["none", "made up", "revoked", "reader", "admin"]
    kinds = ["application/json", "multipart/form-data; boundary=x", "text/plain", "application/x-www-form-urlencoded"]
    while stranger.sent < SENT:
        credential = chance.choice(credentials)
        headers = {
            "Content-Type": chance.choice(kinds),
            "X-Request-Id": chance.choice(TRICKS).encode().decode("latin-1"),
        }
        if credential == "made up":
            headers["Authorization"] = f"Bearer {chance.choice(TRICKS[:-1])}"
        elif credential != "none":
            headers |= stranger.bearing(credential)
        if chance.random() < 0.5:
            headers["Polyhop-Workspace"] = chance.choice(["secret", "mine", *TRICKS]).encode().decode("latin-1")
        path = chance.choice(every)
        if chance.random() < 0.6:
            parts = path.split("/")
            parts[chance.randrange(1, len(parts))] = quote(chance.choice(TRICKS), safe=chance.choice(["%", "/.%", ""]))
            path = "/".join(parts)
        if chance.random() < 0.3:
            path += f"?{chance.choice(['name', 'prefix', 'start', 'at', 'limit'])}={quote(chance.choice(TRICKS))}"
        method = chance.choice(["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])
        body = chance.choice(BODIES) if method in ("POST", "PUT", "PATCH") else None
        status, text = stranger.send(method, path, body=body, headers=headers)
        bare = path.partition("?")[0]
        if credential not in ("reader", "admin") and bare not in OPEN and not bare.startswith(PAGE):
            assert status in (400, 401, 403, 404, 405, 422), (method, path, credential, text[:200])


def test_they_were_five_thousand(stranger: Stranger) -> None:
    """And after all of it the server answers whoever may ask."""
    assert stranger.sent >= SENT
    status, text = stranger.send("GET", "/v1/documents", headers=stranger.bearing("reader"))
    assert status == 200
    assert "mine.txt" in text

"""Objects are there whole or not at all, in a folder as in S3; what goes wrong says what to do about it."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from polyhop.errors import StorageFull, StoreUnreachable, UsageError
from polyhop.store import object_store
from polyhop.store.object_store import ObjectMissing, ObjectStore
from tests.worlds.machine import may_mount, posix, small_disk
from tests.worlds.objects import BUCKET, bucket_of

pytest.importorskip("obstore", reason="obstore is not installed: pip install 'polyhop[s3]'")
LARGE = os.urandom(1 << 20) * 12  # of which no single request is made


def test_an_object_is_what_was_stored(objects: str, tmp_path: Path) -> None:
    store = ObjectStore(objects)
    (tmp_path / "large").write_bytes(LARGE)
    store.put("a/small", b"one")
    store.put("a/empty", b"")
    store.put("a/large", tmp_path / "large")
    assert store.read("a/small") == b"one"
    for key, content in (("a/large", LARGE), ("a/empty", b"")):
        assert store.fetch(key, tmp_path / "back") == (len(content), hashlib.sha256(content).hexdigest())
        assert (tmp_path / "back").read_bytes() == content


def test_objects_are_listed_and_deleted(objects: str) -> None:
    store = ObjectStore(objects)
    for key in ("a/one", "a/b/two", "ab/three"):
        store.put(key, b"x")
    found = {each.key: each.modified for each in store.listed("a")}
    assert sorted(found) == ["a/b/two", "a/one"]
    assert all(abs(datetime.now(UTC) - at) < timedelta(minutes=5) for at in found.values())
    store.delete(["a/one", "a/none"])
    assert [each.key for each in store.listed("a")] == ["a/b/two"]
    assert list(store.listed("nothing")) == []


def test_what_is_not_there_is_an_error_with_a_remedy(objects: str, tmp_path: Path) -> None:
    for use in (lambda: ObjectStore(objects).read("none"), lambda: ObjectStore(objects).fetch("none", tmp_path / "x")):
        with pytest.raises(ObjectMissing, match="has no none") as caught:
            use()
        assert caught.value.remedy


@pytest.mark.parametrize("address", ["ftp://there/x", "bucket", "postgresql://db"])
def test_an_address_of_something_else(address: str) -> None:
    with pytest.raises(UsageError, match="no address of an object store") as caught:
        ObjectStore(address)
    assert "s3://" in caught.value.remedy


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("s3://key:sesame@bucket/x", "s3://...bucket/x"),
        ("az://container/x?sig=sesame", "az://container/x?..."),
        ("file:///folder#sesame", "file:///folder#..."),
        ("s3://", "s3://"),
        ("file:///", "file:///"),
    ],
)
def test_an_address_with_more_than_a_place_is_refused_without_what_may_be_secret(address: str, told: str) -> None:
    """The library of the stores leaves it out unheard, and the address is noted in the record."""
    with pytest.raises(UsageError, match="no address of an object store") as caught:
        ObjectStore(address)
    assert str(caught.value).startswith(f"{told} is")
    assert "without credentials" in caught.value.remedy


def test_a_folder_with_a_number_sign_in_its_name(tmp_path: Path) -> None:
    ObjectStore(f"file://{tmp_path}/of%23all").put("one", b"x")
    assert (tmp_path / "of#all" / "one").read_bytes() == b"x"


PUT = """
import sys
from pathlib import Path
from polyhop.store.object_store import ObjectStore
print("begun", flush=True)
ObjectStore(sys.argv[1]).put("large", Path(sys.argv[2]))
print("done", flush=True)
"""


@posix
def test_who_is_killed_while_storing_leaves_no_half_object(objects: str, tmp_path: Path) -> None:
    """At some moment of it, over and over: the object is there whole, or not at all."""
    (tmp_path / "large").write_bytes(LARGE * 8)
    for moment in range(4):
        command = [sys.executable, "-c", PUT, objects, str(tmp_path / "large")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            time.sleep(0.05 * moment)
            process.send_signal(signal.SIGKILL)
        there = "large" in {each.key for each in ObjectStore(objects).listed("")}
        assert not there or ObjectStore(objects).fetch("large", tmp_path / "back")[0] == 8 * len(LARGE)
    ObjectStore(objects).put("large", tmp_path / "large")
    assert ObjectStore(objects).fetch("large", tmp_path / "back")[0] == 8 * len(LARGE)


@contextmanager
def answering(status: int) -> Iterator[str]:
    """A server that answers every request so."""

    class Answer(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _answer  # noqa: N815  # so the library calls them

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


Use = Callable[[ObjectStore], object]
USES: list[Use] = [
    lambda store: store.put("key", b"x"),
    lambda store: store.read("key"),
    lambda store: list(store.listed("key")),
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("status", [401, 403, 500])
def test_a_store_that_refuses_or_fails(status: int, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "PATIENCE", timedelta(seconds=1))
    with answering(status) as endpoint:
        store = ObjectStore(bucket_of(endpoint, monkeypatch))
        with pytest.raises(StoreUnreachable, match="refuses" if status < 500 else "cannot be used") as caught:
            use(store)
    assert "AWS_ACCESS_KEY_ID" in caught.value.remedy
    assert "sesame" not in f"{caught.value}"


def test_a_store_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "PATIENCE", timedelta(seconds=1))
    for use in USES:
        with pytest.raises(StoreUnreachable) as caught:
            use(ObjectStore(bucket_of("http://127.0.0.1:9", monkeypatch)))
        assert "AWS_ENDPOINT_URL" in caught.value.remedy


def test_without_credentials_nothing_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "PATIENCE", timedelta(seconds=1))
    address = bucket_of("http://127.0.0.1:9", monkeypatch)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(StoreUnreachable) as caught:
        ObjectStore(address).put("key", b"x")
    assert "AWS_ACCESS_KEY_ID" in caught.value.remedy


def test_a_bucket_that_does_not_exist(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address = bucket_of(s3, monkeypatch).replace(BUCKET, "nowhere")
    with pytest.raises(StoreUnreachable) as caught:
        ObjectStore(address).put("key", b"x")
    assert caught.value.remedy


@may_mount
def test_a_folder_on_a_full_disk_has_no_half_object(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", kibibytes=2000) as disk:
        store = ObjectStore(f"file://{disk}/objects")
        store.put("small", b"one")
        with pytest.raises(StorageFull):
            store.put("large", LARGE)
        assert [each.key for each in store.listed("")] == ["small"]


@may_mount
def test_fetching_onto_a_full_disk(objects: str, tmp_path: Path) -> None:
    ObjectStore(objects).put("large", LARGE)
    with small_disk(tmp_path / "small", kibibytes=2000) as disk, pytest.raises(StorageFull) as caught:
        ObjectStore(objects).fetch("large", disk / "large")
    assert caught.value.remedy

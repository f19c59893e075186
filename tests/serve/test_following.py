"""A server that follows a folder: what changes there is in the index soon, and a folder that goes empties nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from polyhop.errors import Overloaded
from polyhop.serve.app import create_app
from polyhop.serve.engines import Engines
from polyhop.serve.jobs.job import Job
from polyhop.serve.jobs.queue import JobQueue
from tests.worlds.clients import ended, problem, sources, uploaded
from tests.worlds.commands import Run
from tests.worlds.documents import write
from tests.worlds.serving import Served, serving_app
from tests.worlds.settings import QUICK
from tests.worlds.waiting import until

pytest.importorskip("watchfiles", reason="the extra watch is not installed")


def titles(served: Served) -> set[str]:
    reply = served.client.get("/v1/documents")
    return {each["source"].rpartition("/")[2] for each in reply.json().get("documents", [])}


def jobs(served: Served) -> list[tuple[str, str]]:
    return [(job["kind"], job["state"]) for job in served.client.get("/v1/jobs").json()["jobs"]]


@contextmanager
def following(index: Path, folder: Path) -> Iterator[Served]:
    """A server of an index that follows a folder."""
    settings = replace(QUICK, server=replace(QUICK.server, port=0), index=replace(QUICK.index, layers=("text",)))
    app = create_app(Engines(index, settings=settings), settings, watched=[folder])
    with serving_app(app, settings) as served:
        yield served


def test_a_folder_is_followed_and_its_loss_empties_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.txt": "A mill.", "b.txt": "A weir.", "c.xyz": "?"})
    with following(tmp_path / "an.index", folder) as served:
        until(lambda: titles(served) == {"a.txt", "b.txt"})
        (folder / "d.txt").write_text("Rye.")
        (folder / "a.txt").unlink()
        until(lambda: titles(served) == {"b.txt", "d.txt"})
        until(lambda: {state for _, state in jobs(served)} == {"done"})
        assert {kind for kind, _ in jobs(served)} == {"folder"}
        assert served.client.get("/v1/jobs").json()["jobs"][-1]["skipped"][0]["file"] == "notes/c.xyz"
        folder.rename(tmp_path / "elsewhere")
        until(lambda: jobs(served)[0] == ("folder", "failed"))
        assert titles(served) == {"b.txt", "d.txt"}
        assert str(tmp_path) not in served.client.get("/v1/jobs").text, "where the folder lies is told to nobody"


def test_what_a_followed_folder_leaves_out_is_told_without_where_it_lies(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", dict.fromkeys(("a.jsonl", "b.jsonl"), '{"id": "r", "text": "A row."}'))
    with following(tmp_path / "an.index", folder) as served:
        until(lambda: ("folder", "done") in jobs(served))
        told = served.client.get("/v1/jobs").json()["jobs"][0]["skipped"]
    assert told == [
        {"file": "notes/b.jsonl#r", "reason": "has the id 'r', as a.jsonl#r does; give each an id of its own"}
    ]


def test_a_folder_that_comes_back_is_followed_again(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.txt": "A mill."})
    with following(tmp_path / "an.index", folder) as served:
        until(lambda: jobs(served) == [("folder", "done")])
        folder.rename(tmp_path / "elsewhere")
        until(lambda: jobs(served)[0] == ("folder", "failed"))
        (tmp_path / "elsewhere" / "b.txt").write_text("A weir.")
        (tmp_path / "elsewhere").rename(folder)
        until(lambda: titles(served) == {"a.txt", "b.txt"})
        (folder / "c.txt").write_text("Rye.")
        until(lambda: titles(served) == {"a.txt", "b.txt", "c.txt"})


def test_a_queue_that_was_full_ends_no_following(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyhop.serve.following.AGAIN", 0.1)
    full, add = [True, False, True], JobQueue.add

    def sometimes_full(queue: JobQueue, *about: Any, **options: Any) -> Job:
        if full and full.pop():
            raise Overloaded("Too many jobs wait already.")
        return add(queue, *about, **options)

    monkeypatch.setattr(JobQueue, "add", sometimes_full)
    folder = write(tmp_path / "notes", {"a.txt": "A mill."})
    with following(tmp_path / "an.index", folder) as served:
        until(lambda: titles(served) == {"a.txt"})
        (folder / "b.txt").write_text("A weir.")
        until(lambda: titles(served) == {"a.txt", "b.txt"})


def test_a_folder_that_is_empty_empties_nothing(tmp_path: Path) -> None:
    """A disk that is not mounted leaves its mount point behind."""
    folder, index = write(tmp_path / "notes", {"a.txt": "A mill."}), tmp_path / "an.index"
    with following(index, folder) as served:
        until(lambda: jobs(served) == [("folder", "done")])
    folder.rename(tmp_path / "elsewhere")
    write(folder, {".hidden": "", "not_mounted": ""})
    with following(index, folder) as served:
        until(lambda: jobs(served)[0] == ("folder", "failed"))
        error = served.client.get("/v1/jobs").json()["jobs"][0]["error"]
        assert error["message"].startswith("notes is gone or has nothing to read any more")
        assert titles(served) == {"a.txt"}
        document = served.client.get("/v1/documents").json()["documents"][0]["id"]
        assert ended(served.client, served.client.delete(f"/v1/documents/{document}").json()["job"])["state"] == "done"
        (folder / "not_mounted").unlink()
        until(lambda: jobs(served)[0] == ("folder", "done"))  # of what has no documents nothing can be lost


def test_a_document_of_a_followed_folder_is_not_removed_behind_the_folders_back(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"a.txt": "A mill.", "b.csv": "id,text\nb1,A weir.\nb2,Rye.\n"})
    with following(tmp_path / "an.index", folder) as served:
        until(lambda: jobs(served) == [("folder", "done")])
        client = served.client
        uploaded(client, {"c.txt": "A quay."})
        own = sources(client).pop("c.txt")
        assert client.delete(f"/v1/documents/{own}").status_code == 202, "an upload is nobody's file"
        held = {uri: key for uri, key in sources(client).items() if key != own}
        for named in (*held, *held.values(), str(folder / "b.csv")):
            refused = client.delete(f"/v1/documents/{quote(named, safe='')}")
            assert problem(refused) == (409, "not_now"), named
        assert "a file of notes, which this server follows" in refused.json()["error"]["message"]
        assert "the file itself" in refused.json()["error"]["remedy"]
        assert str(tmp_path) not in refused.text
        (folder / "a.txt").unlink()
        until(lambda: titles(served) == {"b.csv#b1", "b.csv#b2"})


def test_an_index_within_its_folder_is_no_change(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "A mill."})
    with following(tmp_path / "polyhop.index", tmp_path) as served:
        until(lambda: titles(served) == {"a.txt"})
        until(lambda: {state for _, state in jobs(served)} == {"done"})
        before = len(jobs(served))
        time.sleep(2)
        assert len(jobs(served)) == before


def test_folders_are_followed_for_one_index(run: Run, tmp_path: Path) -> None:
    told = run("serve", "--workspaces", str(tmp_path), "--watch", str(tmp_path))
    assert (told.code, "for one index" in told.err) == (2, True)


def test_a_layer_that_there_is_not_is_refused_at_once(run: Run, tmp_path: Path) -> None:
    told = run("serve", "--index", str(tmp_path / "an.index"), "--set", "index.layers=nothing")
    assert told.code != 0
    assert "nothing" in told.err


def test_a_folder_that_is_not_there_is_not_followed(run: Run, tmp_path: Path) -> None:
    told = run("serve", "--index", str(tmp_path / "an.index"), "--watch", str(tmp_path / "nowhere"))
    assert (told.code, "nowhere to follow" in told.err) == (2, True)

"""What somebody means who names documents by a path or by the end of one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyhop.indexing.ingest import Ingest
from polyhop.indexing.named_documents import NamedDocuments
from polyhop.settings import Chunking
from polyhop.store.record import Record
from tests.worlds.documents import write

ROWS = '{"id": "r1", "text": "A mill."}\n{"id": "r2", "text": "A ferry."}\n'
FILES = {"x/notes.md": "A bell.", "y/notes.md": "A lamp.", "y/plan.md": "A pier.", "y/rows.jsonl": ROWS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files that are indexed, and one that was not."""
    return write(tmp_path / "docs", FILES)


@pytest.fixture
def record(tmp_path: Path, folder: Path) -> Iterator[Record]:
    """The record of the folder."""
    with Record.create_or_open(tmp_path / "an.index") as record:
        Ingest(record=record, chunking=Chunking()).run([folder])
        write(folder, {"z/plan.md": "Another plan."})
        yield record


@pytest.mark.parametrize(
    ("here", "name", "meant"),
    [
        ("x", "notes.md", ["x/notes.md"]),
        ("x", "./notes.md", ["x/notes.md"]),
        ("x", "../y/notes.md", ["y/notes.md"]),
        ("", os.path.join("y", "notes.md"), ["y/notes.md"]),  # noqa: PTH118 - as it is typed
        ("y", "rows.jsonl", ["y/rows.jsonl#r1", "y/rows.jsonl#r2"]),
        ("y", "rows.jsonl#r2", ["y/rows.jsonl#r2"]),
        ("", "plan.md", ["y/plan.md"]),
        ("x", "rows.jsonl#r1", ["y/rows.jsonl#r1"]),
        ("z", "plan.md", []),
        ("x", "./plan.md", []),
        ("", "x/plan.md", []),
        ("", "y", ["y/notes.md", "y/plan.md", "y/rows.jsonl#r1", "y/rows.jsonl#r2"]),
        ("y", "../x/", ["x/notes.md"]),
        ("x", ".", ["x/notes.md"]),
        ("x", "y", []),
        ("", "", []),
    ],
)
def test_a_path_means_that_file_and_a_name_the_only_one_that_has_it(
    record: Record, folder: Path, monkeypatch: pytest.MonkeyPatch, here: str, name: str, meant: list[str]
) -> None:
    monkeypatch.chdir(folder / here)
    named = NamedDocuments.of([name], record)
    assert sorted(named.uris.values()) == [f"{folder.as_posix()}/{uri}" for uri in meant]
    assert (named.missing, named.ambiguous) == (() if meant else (name,), {})


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
@pytest.mark.parametrize("name", ["y/m\udcfchle.txt", "m\udcfchle.txt", "m\\xfchle.txt"])
def test_a_name_that_is_no_text_means_its_file(
    record: Record, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """As the system hands it over, or as the index writes it."""
    monkeypatch.chdir(folder)
    (folder / "y" / "m\udcfchle.txt").write_text("A mill.")
    Ingest(record=record, chunking=Chunking()).run([folder])
    assert list(NamedDocuments.of([name], record).uris.values()) == [f"{folder.as_posix()}/y/m\\xfchle.txt"]
    monkeypatch.chdir(folder / "y")
    assert NamedDocuments.of(["./m\udcfchle.txt", "m\udcf6hle.txt"], record).missing == ("m\\xf6hle.txt",)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("~/x/notes.md", ["x/notes.md"]), ("~/x", ["x/notes.md"]), ("~/plan.md", []), ("~$plan.md", [])],
)
def test_a_tilde_stands_for_the_folder_of_the_user(
    record: Record, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, meant: list[str]
) -> None:
    """As where documents are indexed; but for such names as word processors give what is open."""
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    named = NamedDocuments.of([name], record)
    assert list(named.uris.values()) == [f"{folder.as_posix()}/{uri}" for uri in meant]
    assert (named.missing, named.ambiguous) == (() if meant else (name,), {})


def test_a_file_that_is_gone_is_still_meant_by_its_path(
    record: Record, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "x")
    (folder / "x" / "notes.md").unlink()
    assert list(NamedDocuments.of(["notes.md"], record).uris.values()) == [f"{folder.as_posix()}/x/notes.md"]


def test_a_folder_that_is_gone_still_means_all_that_was_in_it(
    record: Record, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it mean one whose name begins like its own."""
    monkeypatch.chdir(folder)
    (folder / "x").rename(folder / "xy")
    assert list(NamedDocuments.of(["x"], record).uris.values()) == [f"{folder.as_posix()}/x/notes.md"]
    assert NamedDocuments.of(["xy"], record).missing == ("xy",)


def test_a_name_that_several_files_have_means_none_of_them_and_they_are_listed(record: Record, folder: Path) -> None:
    named = NamedDocuments.of(["notes.md", "swan.md"], record)
    files = tuple(f"{folder.as_posix()}/{name}/notes.md" for name in "xy")
    assert (named.uris, named.missing) == ({}, ("swan.md",))
    assert named.ambiguous == {"notes.md": files}

"""Inputs that moved, are linked or were copied stand once in the record, under the place where they are by now."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from polyhop.documents.reading import READ_ALREADY
from polyhop.indexing.ingest import Ingest, Tally, stands
from polyhop.settings import Chunking
from polyhop.store.record import Record
from tests.worlds.documents import write
from tests.worlds.ingested import BELL, FERRY, MILL, ROW_1, ROW_2, ROW_3, rows, texts
from tests.worlds.machine import closable


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_to_a_folder_read_already_keeps_nothing(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    folder = write(tmp_path / "docs", {"old/bell.txt": BELL})
    ingest(folder)
    (folder / "old").rename(folder / "new")
    (folder / "old").symlink_to(folder / "new")
    write(folder, {"new/bell.txt": MILL})
    assert (ingest(folder).removed, texts(record)) == (1, [MILL])


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_of_a_link_that_leads_to_a_folder_by_now_nothing_is_said_to_stay(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    folder = write(tmp_path / "docs", {"bells/mill.txt": MILL})
    (folder / "link.txt").symlink_to(write(tmp_path, {"bell.txt": BELL}) / "bell.txt")
    ingest(folder)
    (folder / "link.txt").unlink()
    (folder / "link.txt").symlink_to(folder / "bells")
    tally = ingest(folder)
    assert [skipped.reason for skipped in tally.skipped] == [READ_ALREADY]
    assert (tally.removed, texts(record)) == (1, [MILL])


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_folder_whose_old_name_is_a_link_to_it_now_is_read_under_its_new_one(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    """What it says was left out as a copy of what stood under the old name, which went."""
    folder = write(tmp_path / "docs", {"old/bell.txt": BELL, "old/p.jsonl": ROW_1 + ROW_2})
    ingest(folder)
    (folder / "old").rename(folder / "new")
    (folder / "old").symlink_to("new")
    dry = Ingest(record=record, chunking=Chunking(), dry_run=True).run([folder])
    tally = ingest(folder)
    for told in (dry, tally):
        assert (told.added, told.changed, told.removed, told.duplicates) == (1, 2, 1, 0)
    assert {Path(row.uri).parent.name for row in record.documents()} == {"new"}
    assert (len(texts(record)), ingest(folder).unchanged) == (3, 3)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("by", ["folder", "index"])
def test_an_index_that_is_reached_by_a_link_is_not_read_into_itself(tmp_path: Path, by: str) -> None:
    """Nor are its notes, which are JSON: as where a temporary folder is a link, or the index is one."""
    folder = write(tmp_path / "docs", {"bell.txt": BELL})
    (folder / "an.index").mkdir()
    (tmp_path / "a-link").symlink_to(folder if by == "folder" else folder / "an.index")
    index = folder / "an.index" if by == "folder" else tmp_path / "a-link"
    with Record.create_or_open(index) as record:
        tally = Ingest(record=record, chunking=Chunking()).run([tmp_path / "a-link" if by == "folder" else folder])
        assert (tally.skipped, texts(record)) == ([], [BELL])


def test_tables_that_number_their_rows_alike_lose_none(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    """Nor does it matter which is read first, nor whether another was there."""
    tables = {"a.csv": f"id,text\n1,{FERRY}\n1,{BELL}\n", "b.csv": f"id,text\n1,{MILL}\n"}
    folder = write(tmp_path / "docs", tables)
    assert (ingest(folder / "b.csv").added, ingest(folder / "b.csv").unchanged) == (1, 1)
    before = [row.id for row in record.documents()]
    assert (ingest(folder).added, sorted(texts(record))) == (2, [BELL, MILL, FERRY])
    (folder / "a.csv").unlink()
    assert (ingest(folder).removed, [row.id for row in record.documents()]) == (2, before)


def test_a_row_that_has_the_id_of_another_files_row_is_told_which(tmp_path: Path, ingest: Callable[..., Tally]) -> None:
    row = '{"id": "r1", "text": "A mill."}'
    folder = write(tmp_path / "docs", {"a.jsonl": row, "b.jsonl": row})
    reason = f"has the id 'r1', as {folder.as_posix()}/a.jsonl#r1 does; give each an id of its own"
    for _ in range(2):
        assert [skipped.reason for skipped in ingest(folder).skipped] == [reason]


MOVED = {"ferry.txt": FERRY, "birds.csv": f"name,text\nGull,{BELL}\nTern,{MILL}\n", "own.jsonl": rows(BELL, named=True)}


def state(record: Record) -> set[tuple[str, str, str, int]]:
    """All documents, but for the order in which they came."""
    return {(row.id, row.uri, row.sha256, row.passages) for row in record.documents()}


@pytest.mark.parametrize("copied", [False, True], ids=["moved", "copied first"])
def test_a_folder_that_has_moved_leaves_nothing_behind(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally], copied: bool
) -> None:
    """Rows without ids of their own, too; and it may move back, as whoever undoes a change has it."""
    folder = write(tmp_path / "old", MOVED)
    ingest(folder)
    before = state(record)
    if copied:
        shutil.copytree(folder, tmp_path / "new")
        shutil.rmtree(folder)
    else:
        folder.rename(tmp_path / "new")
    tally = ingest(tmp_path / "new")
    assert (tally.added, tally.changed, tally.removed, tally.duplicates) == (3, 1, 3, 0)
    assert ingest(tmp_path / "new").unchanged == 4
    with Record.create_or_open(tmp_path / "fresh.index") as fresh:
        Ingest(record=fresh, chunking=Chunking()).run([tmp_path / "new"])
        assert state(record) == state(fresh)
    (tmp_path / "new").rename(folder)
    assert ingest(folder).removed == 3
    assert state(record) == before


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_a_file_below_a_name_that_is_no_text_stands_like_others(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    """A copy of it is one; and what lay below a folder with such a name goes with that folder."""
    folder = write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/m\xf6bel")), {"bell.txt": BELL, "ferry.txt": FERRY})
    ingest(tmp_path)
    assert all(stands(row) for row in record.documents())
    write(tmp_path, {"copy/bell.txt": BELL})
    assert ingest(tmp_path).duplicates == 1
    shutil.rmtree(folder)
    folder.touch()
    assert not any(stands(row) for row in record.documents())
    assert (ingest(tmp_path).removed, texts(record)) == (2, [BELL])


def test_what_moves_with_a_copy_of_it_elsewhere_stands_once(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    """The copy that was refused is not read again, and the new place is the only one that is known."""
    folder = write(tmp_path / "old", {"ferry.txt": FERRY})
    ingest(folder, write(tmp_path / "other", {"ferry.txt": FERRY}))
    folder.rename(tmp_path / "new")
    tally = ingest(tmp_path / "new")
    assert (tally.added, tally.removed, texts(record)) == (1, 1, [FERRY])
    assert (ingest(tmp_path / "other").duplicates, texts(record)) == (1, [FERRY])


def test_in_a_record_of_several_machines_what_is_not_here_may_be_there(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "old", {"ferry.txt": FERRY})
    ingest(folder)
    folder.rename(tmp_path / "new")
    monkeypatch.setattr(type(record), "is_shared", True)
    assert ingest(tmp_path / "new").removed == 0
    assert texts(record) == [FERRY, FERRY]


@closable
def test_what_cannot_be_looked_at_has_not_moved(tmp_path: Path, record: Record, ingest: Callable[..., Tally]) -> None:
    folder = write(tmp_path / "old", {"ferry.txt": FERRY})
    ingest(folder)
    copy = write(tmp_path / "new", {"ferry.txt": FERRY})
    folder.chmod(0o000)
    try:
        tally = ingest(copy)
    finally:
        folder.chmod(0o700)
    assert (tally.added, tally.removed, tally.duplicates) == (0, 0, 1)


def test_rows_that_say_the_same_stay_when_their_file_moves(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    """Each row takes with it its own former place, and none of another one that was moved as well."""
    row = f'"title": "T", "text": "{FERRY}"'
    folder = write(tmp_path / "old", {"p.jsonl": f'{{"id": "r1", {row}}}\n{{"id": "r2", {row}}}\n'})
    ingest(folder)
    folder.rename(tmp_path / "new")
    tally = ingest(tmp_path / "new")
    assert (tally.changed, tally.removed, texts(record)) == (2, 0, [FERRY, FERRY])


def test_files_that_swap_what_they_say_both_stay(tmp_path: Path, record: Record, ingest: Callable[..., Tally]) -> None:
    folder = write(
        tmp_path / "docs", {"a/x.txt": FERRY, "b/x.txt": BELL, "a/p.jsonl": ROW_1 + ROW_2, "b/p.jsonl": ROW_3}
    )
    ingest(folder)
    write(folder, {"a/x.txt": BELL, "b/x.txt": FERRY, "a/p.jsonl": ROW_3 + ROW_1, "b/p.jsonl": ROW_2})
    dry = Ingest(record=record, chunking=Chunking(), dry_run=True).run([folder])
    tally = ingest(folder)
    for told in (dry, tally):
        assert (told.added, told.changed, told.removed, told.skipped) == (0, 5, 0, [])
    assert {
        row.uri.removeprefix(f"{folder.as_posix()}/"): record.document(row.id).text for row in record.documents()
    } == {
        "a/x.txt": BELL,
        "b/x.txt": FERRY,
        "a/p.jsonl#r1": "Rye.",
        "b/p.jsonl#r2": "Oats.",
        "a/p.jsonl#r3": "Hay.",
    }
    assert ingest(folder).unchanged == 5


@pytest.mark.parametrize("edited", [True, False], ids=["edited", "only touched"])
def test_a_copy_counts_once_the_other_one_says_something_else(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally], edited: bool
) -> None:
    folder = write(tmp_path / "docs", {"b/x.txt": FERRY})
    ingest(folder)
    write(folder, {"a/x.txt": FERRY})
    assert ingest(folder).duplicates == 1
    write(folder, {"b/x.txt": BELL if edited else FERRY})
    os.utime(folder / "b/x.txt", ns=(1, 1))
    tally = ingest(folder)
    assert (tally.added, tally.duplicates, tally.removed) == ((1, 0, 0) if edited else (0, 1, 0))
    assert texts(record) == ([BELL, FERRY] if edited else [FERRY])

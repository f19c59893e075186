"""Bad places and bad days: every fault is a Polyhop error that says what to do, and loses nothing that was stored."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import apsw
import pytest

from polyhop.errors import IndexCorrupt, IndexLocked, IndexMissing, IndexTooNew, StorageFull, StoreError
from polyhop.store.record import FILE, Record
from polyhop.store.schema import FORMAT, SAFE_SQLITE
from tests.worlds.machine import may_mount, small_disk
from tests.worlds.records import HARBOUR, document_of

posix = pytest.mark.skipif(os.name != "posix", reason="Windows does not delete files that are open")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index with a document, closed."""
    with Record.create_or_open(tmp_path / "index") as record:
        record.put(*document_of("harbour", *HARBOUR))
        record.put(*document_of("long", *(f"passage {number} " for number in range(2000))))
    return tmp_path / "index"


def refused(folder: Path, error: type[StoreError], match: str = "index") -> None:
    """Readers and writers are both refused, with a remedy."""
    for opener in (Record.open, Record.create_or_open):
        with pytest.raises(error, match=match) as caught:
            opener(folder)
        assert type(caught.value) is error
        assert caught.value.remedy


def test_sqlite_is_one_that_does_not_lose_commits() -> None:
    assert tuple(int(part) for part in apsw.sqlite_lib_version().split(".")) >= SAFE_SQLITE


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("notes")
    refused(tmp_path / "index", IndexCorrupt, "not a folder")
    with pytest.raises(IndexCorrupt, match="not a folder"):
        Record.create_or_open(tmp_path / "index" / "below")


def test_a_foreign_database(tmp_path: Path) -> None:
    with closing(apsw.Connection(str(tmp_path / FILE))) as foreign:
        foreign.execute("CREATE TABLE recipes(name)")
    before = (tmp_path / FILE).read_bytes()
    refused(tmp_path, IndexCorrupt, "not a Polyhop index")
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"Dear diary, " * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    refused(tmp_path, IndexCorrupt)
    assert (tmp_path / FILE).read_bytes() == content


@pytest.mark.parametrize("fraction", [0.05, 0.5, 0.95])
def test_a_truncated_file(folder: Path, fraction: float) -> None:
    size = (folder / FILE).stat().st_size
    os.truncate(folder / FILE, int(size * fraction))
    refused(folder, IndexCorrupt)


def test_damage_inside_is_noticed_when_it_is_met(folder: Path) -> None:
    content = bytearray((folder / FILE).read_bytes())
    content[8192:] = b"\x5a" * (len(content) - 8192)
    (folder / FILE).write_bytes(content)
    with Record.open(folder) as record:
        with pytest.raises(IndexCorrupt):
            record.verify()
        with pytest.raises(IndexCorrupt):
            list(record.documents())
        with pytest.raises(IndexCorrupt):
            record.passages([1, 2])


def test_a_newer_format(folder: Path) -> None:
    with closing(apsw.Connection(str(folder / FILE))) as newer:
        newer.execute(f"PRAGMA user_version = {FORMAT + 1}")
    refused(folder, IndexTooNew, f"format {FORMAT + 1}")


def test_an_older_format(folder: Path) -> None:
    with closing(apsw.Connection(str(folder / FILE))) as older:
        older.execute("PRAGMA user_version = 0")
    refused(folder, IndexCorrupt, "format 0")


def test_a_refused_writer_leaves_the_lock_free(folder: Path) -> None:
    (folder / FILE).write_bytes(b"damaged")
    with pytest.raises(IndexCorrupt):
        Record.create_or_open(folder)
    shutil.rmtree(folder)
    Record.create_or_open(folder).close()


def test_leftovers_of_a_creation_that_was_killed_do_no_harm(tmp_path: Path) -> None:
    for name in (f"{FILE}.new", f"{FILE}.new-wal", f"{FILE}-wal", f"{FILE}-shm"):
        (tmp_path / name).write_bytes(b"leftover")
    with Record.create_or_open(tmp_path) as record:
        record.put(*document_of("harbour", *HARBOUR))
        record.verify()


@posix
@pytest.mark.parametrize("again", [False, True], ids=["deleted", "deleted and made again"])
def test_an_index_deleted_while_open(folder: Path, again: bool) -> None:
    """Neither answers from a ghost, nor writes into one."""
    with Record.open(folder) as reader, Record.create_or_open(folder) as record:
        assert reader.count_documents() == 2
        pending = record.pending("text", "v1")
        next(pending)
        shutil.rmtree(folder)
        if again:
            Record.create_or_open(folder).close()
        for work in (
            reader.check,
            reader.count_documents,
            lambda: reader.passages([1]),
            lambda: list(reader.documents()),
            lambda: list(pending),
            lambda: record.record_rows("text", "v1", [(1, b"")]),
            lambda: record.put(*document_of("mill", "The mill.")),
        ):
            with pytest.raises(IndexMissing, match="gone"):
                work()


def test_a_foreign_lock_on_the_database_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something else (a backup, a database browser) writes without our lock."""
    monkeypatch.setattr("polyhop.store.schema.BUSY_MILLISECONDS", 50)
    with Record.create_or_open(folder) as record, closing(apsw.Connection(str(folder / FILE))) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(IndexLocked, match="busy"):
            record.drop(["harbour"])
        other.execute("ROLLBACK")
        assert record.drop(["harbour"]) == 2


@may_mount
def test_a_full_disk_loses_nothing_and_the_same_work_goes_on_afterwards(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", kibibytes=3072) as disk:
        ballast = disk / "ballast"
        ballast.write_bytes(b"\0" * 1_000_000)
        stored = fill(disk / "index")
        assert 0 < stored < 4000
        with Record.create_or_open(disk / "index") as record:
            record.verify()
            assert record.count_documents() == stored
            assert len(dict(record.payloads("text"))) == stored
            ballast.unlink()
            record.put(*document_of("late", "There is room again."))
            assert record.count_documents() == stored + 1


def fill(folder: Path) -> int:
    """Store documents with rows until there is no space; how many the store acknowledged."""
    with Record.create_or_open(folder) as record:
        for number in range(4000):
            try:
                with record.transaction():
                    record.put(*document_of(f"d{number}", f"Document {number}. " * 20))
                    record.record_rows("text", "v1", [(number + 1, b"\1" * 768)])
            except StorageFull:
                return number
    return 4000


@may_mount
def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", kibibytes=1024) as disk:
        with suppress(OSError):
            (disk / "ballast").write_bytes(b"\0" * 2_000_000)
        with pytest.raises(StorageFull):
            Record.create_or_open(disk / "index")
        (disk / "ballast").unlink()
        Record.create_or_open(disk / "index").close()


@may_mount
def test_a_read_only_disk_can_be_read_but_not_written(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", kibibytes=2048) as disk:
        with Record.create_or_open(disk / "index") as record:
            record.put(*document_of("harbour", *HARBOUR))
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with Record.open(disk / "index") as reader:
            assert reader.passages([2])[0].text == HARBOUR[1]
        with pytest.raises(StorageFull, match="cannot be written"):
            Record.create_or_open(disk / "index")
        with pytest.raises(StorageFull, match="cannot be written"):
            Record.create_or_open(disk / "another")


def test_a_record_of_an_earlier_version_tells_readers_when_to_look_again(folder: Path) -> None:
    """It does not note which passages went, until somebody of this version writes to it."""
    with closing(apsw.Connection(str(folder / FILE))) as connection:
        connection.execute("DROP TRIGGER passage_removed; DROP TABLE removed")
    with Record.open(folder) as reader:
        before = reader.state()
        with Record.create_or_open(folder) as writer:
            writer.drop(["harbour"])
        assert reader.state() != before

"""What is gone from the inputs goes from the record, and nothing else goes with it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from polyhop.documents.reading import uri_of
from polyhop.errors import UsageError
from polyhop.indexing.ingest import Ingest, Tally
from polyhop.settings import Chunking
from polyhop.store.record import Record
from tests.worlds.documents import write
from tests.worlds.ingested import BELL, FERRY, MILL, ROW_1, ROW_2, rows, texts
from tests.worlds.mail import letter, mailbox, sealed


@pytest.mark.parametrize("named", [True, False])
def test_a_row_that_is_deleted_goes_though_another_cannot_be_read(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally], named: bool
) -> None:
    """Without ids of their own rows are known by their places, and one moves up into the place of another."""
    folder = write(tmp_path / "docs", {"p.jsonl": rows(FERRY, BELL, MILL, named=named)})
    ingest(folder)
    write(folder, {"p.jsonl": rows(FERRY, MILL, named=named)})
    tally = ingest(folder)
    assert (tally.removed, len(tally.skipped)) == (1, 1)
    assert sorted(texts(record)) == [MILL, FERRY]


def test_rows_go_where_their_table_has_its_header_left(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    folder = write(tmp_path / "docs", {"a.csv": f"id,text\n1,{FERRY}\n"})
    ingest(folder)
    write(folder, {"a.csv": "id,text\n"})
    tally = ingest(folder)
    assert (tally.removed, texts(record)) == (1, [])
    assert [skipped.reason for skipped in tally.skipped] == ["has no rows below its header"]


def test_a_mail_that_is_deleted_goes_though_another_cannot_be_read(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    first, second = (letter(text, Message_ID=f"<{number}@tarn.example>") for number, text in enumerate((FERRY, BELL)))
    file = tmp_path / "box.mbox"
    file.write_bytes(mailbox(first, second, sealed()))
    assert len(ingest(file).skipped) == 1
    file.write_bytes(mailbox(first, sealed()))
    assert ingest(file).removed == 1
    (said,) = texts(record)
    assert said.endswith(FERRY)


@pytest.mark.parametrize("name", ["mill", "mill.zip", "mill.txt"])
def test_a_file_where_a_folder_was_keeps_nothing_of_what_was_in_it(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally], name: str
) -> None:
    folder = write(tmp_path / "docs", {f"{name}/bell.txt": BELL, "ferry.txt": FERRY})
    ingest(folder)
    shutil.rmtree(folder / name)
    (folder / name).write_bytes(b"\0")
    assert (ingest(folder).removed, texts(record)) == (1, [FERRY])


def test_a_row_whose_id_is_too_long_for_the_name_of_a_file_is_removed_like_others(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    folder = write(tmp_path / "docs", {"p.jsonl": f'{{"id": "{"p" * 300}", "text": "{FERRY}"}}'})
    ingest(folder)
    (folder / "p.jsonl").unlink()
    assert (ingest(folder).removed, texts(record)) == (1, [])


@pytest.mark.parametrize("name", ["rows.jsonl", "bell.txt"])
def test_a_file_that_is_named_and_gone_is_removed_whenever_the_same_command_is_run(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally], name: str
) -> None:
    folder = write(tmp_path / "docs", {"ferry.txt": FERRY})
    file = write(tmp_path, {"bell.txt": BELL, "rows.jsonl": f'{{"id": "r1", "text": "{BELL}"}}'}) / name
    ingest(folder, file)
    file.unlink()
    assert (ingest(folder, file).removed, texts(record)) == (1, [FERRY])
    assert (ingest(folder, file).removed, ingest(file).unchanged) == (0, 0)
    with pytest.raises(UsageError, match="nowhere"):
        ingest(folder, tmp_path / "nowhere.txt")


def test_a_hidden_file_that_was_named_goes_with_its_file_alone(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    """Its folder passes hidden files over, but not one that was asked for by its name or with a hidden folder."""
    folder = write(tmp_path / "docs", {"ferry.txt": FERRY, ".bell.txt": BELL, ".mills/mill.txt": "A mill."})
    ingest(folder / ".bell.txt", folder / ".mills")
    write(folder, {".mills/mill.txt": MILL, ".mills/other.txt": "Nobody asked for this."})
    tally = ingest(folder)
    assert (tally.added, tally.changed, tally.unchanged, tally.removed) == (1, 1, 1, 0)
    assert sorted(texts(record)) == [BELL, MILL, FERRY]
    (folder / ".bell.txt").unlink()
    assert ingest(folder).removed == 1


@pytest.mark.parametrize("by_hand", [True, False], ids=["removed", "its file is gone"])
def test_of_rows_that_go_their_file_alone_is_noted(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally], by_hand: bool
) -> None:
    """An id may tell who somebody is; and tables that come anew each day would leave a note a row for ever."""
    table = write(tmp_path / "docs", {"people.jsonl": ROW_1 + ROW_2}) / "people.jsonl"
    ingest(tmp_path / "docs")
    if by_hand:
        Ingest(record=record, chunking=Chunking()).discard([row.id for row in record.documents()])
        assert ingest(tmp_path / "docs").added == 2
    table.unlink()
    assert (ingest(tmp_path / "docs").removed, ingest(table).removed) == (2, 0)
    assert (record.meta(f"file:{uri_of(table)}"), record.meta(f"file:{uri_of(table)}#r1")) == ("", None)

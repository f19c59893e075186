"""What reading the inputs again does to the record: what is gone goes, and what cannot be read stays."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from email.message import EmailMessage
from pathlib import Path

import pytest

from polyhop.documents.chunking import cut
from polyhop.documents.reading import READ_ALREADY, uri_of
from polyhop.errors import UsageError
from polyhop.indexing.ingest import TICK, Ingest, Tally, stands
from polyhop.settings import Chunking
from polyhop.store.record import Record
from polyhop.types import Document, Passage
from tests.worlds.documents import write
from tests.worlds.epub import write_epub
from tests.worlds.mail import letter, mailbox

root_user = getattr(os, "geteuid", lambda: 1)() == 0
closable = pytest.mark.skipif(root_user or sys.platform == "win32", reason="root may read everything")
MODULE = "polyhop.indexing.ingest"
FERRY, BELL, MILL = "Piet Rook keeps the ferry.", "Ada Brisk cast the bell.", "Lida Tarn painted the mill."
ROW_1, ROW_2, ROW_3 = (f'{{"id": "r{n}", "text": "{text}."}}\n' for n, text in enumerate(("Rye", "Oats", "Hay"), 1))


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    """An empty record."""
    with Record.create_or_open(tmp_path / "an.index") as record:
        yield record


@pytest.fixture
def ingest(record: Record) -> Callable[..., Tally]:
    """Reads paths into the record."""
    return lambda *paths: Ingest(record=record, chunking=Chunking()).run(paths)


def texts(record: Record) -> list[str]:
    """What the documents say."""
    return [record.document(row.id).text for row in record.documents()]


def rows(*texts: str, named: bool) -> str:
    """Rows of a data set, with ids or without, and at their end one that cannot be read."""
    names = [f'"id": "{text[:4]}", ' if named else "" for text in texts]
    return "".join(f'{{{name}"text": "{text}"}}\n' for name, text in zip(names, texts, strict=True)) + '{"id": "p4"}\n'


def sealed() -> EmailMessage:
    """A message that nobody can read here."""
    message = EmailMessage()
    message["Subject"] = "Sealed"
    message.add_header("Content-Type", "multipart/encrypted", boundary="x")
    return message


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


def test_what_a_file_said_stays_while_the_whole_of_it_cannot_be_read(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    """However many rows it has."""
    folder = write(tmp_path / "docs", {"p.jsonl": rows(FERRY, BELL, named=True)})
    ingest(folder)
    for broken in (b"\x00\x01" * 4000, b"nonsense\nnonsense\n", b"nonsense", b'{"id": "Piet", "text": "Piet Rook ke'):
        (folder / "p.jsonl").write_bytes(broken)
        tally = ingest(folder)
        assert (tally.removed, len(texts(record))) == (0, 2)
        (skipped,) = tally.skipped
        assert skipped.uri == (folder / "p.jsonl").as_posix()
        assert skipped.reason.endswith("; what the index has of it stays")


def test_of_a_file_that_nobody_could_ever_read_nothing_is_said_to_stay(
    tmp_path: Path, ingest: Callable[..., Tally]
) -> None:
    folder = write(tmp_path / "docs", {"p.jsonl": "nonsense"})
    (skipped,) = ingest(folder).skipped
    assert skipped.reason == "line 1 is not JSON: Expecting value at character 1"


def test_what_a_mailbox_said_stays_while_none_of_its_messages_can_be_read(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    file = tmp_path / "box.mbox"
    file.write_bytes(mailbox(letter(FERRY)))
    ingest(file)
    file.write_bytes(mailbox(sealed(), sealed()))
    tally = ingest(file)
    assert (tally.removed, len(texts(record))) == (0, 1)
    assert tally.skipped[0].uri == file.as_posix()


def test_what_a_book_said_stays_while_none_of_its_chapters_can_be_read(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    file = write_epub(tmp_path / "a.epub", {"mill.xhtml": MILL})
    ingest(file)
    listed = '<item id="x" href="mill.xhtml" media-type="application/xhtml+xml"/>'
    write_epub(file, {}, manifest=listed, spine='<itemref idref="x"/>')
    tally = ingest(file)
    assert (tally.removed, texts(record)) == (0, [MILL])
    assert tally.skipped[-1].reason == "has no chapter that can be read; what the index has of it stays"


@closable
@pytest.mark.parametrize("mode", [0o000, 0o400], ids=["shut", "listed, but shut"])
def test_a_folder_that_cannot_be_read_is_named_and_keeps_what_it_had(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally], mode: int
) -> None:
    files = {"shut/in/bell.txt": BELL, "shut/rows.jsonl": f'{{"id": "r1", "text": "{MILL}"}}', "ferry.txt": FERRY}
    folder = write(tmp_path / "docs", files)
    ingest(folder)
    (folder / "ferry.txt").rename(folder / "boat.txt")
    write(folder, {"copy.jsonl": f'{{"id": "r1", "text": "{MILL}"}}'})
    (folder / "shut").chmod(mode)
    try:
        tally = ingest(folder)
        within = ingest(folder / "shut" / "in")
    finally:
        (folder / "shut").chmod(0o700)
    reasons = {Path(skipped.uri).name: skipped.reason for skipped in tally.skipped}
    assert reasons.pop("copy.jsonl#r1").startswith("has the id 'r1'")
    assert reasons == {"shut": "cannot be read: Permission denied"}
    assert (tally.added, tally.removed, within.removed) == (1, 1, 0)
    assert sorted(texts(record)) == [BELL, MILL, FERRY]


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


def test_a_copy_does_not_count_while_what_the_other_one_says_cannot_be_read(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    folder = write(tmp_path / "docs", {"b/x.txt": FERRY})
    ingest(folder)
    write(folder, {"a/x.txt": FERRY})
    (folder / "b/x.txt").write_bytes(b"\x00\x01" * 4000)
    assert ingest(folder).duplicates == 1
    assert texts(record) == [FERRY]


def test_a_file_that_is_written_as_soon_as_it_was_read_is_read_again(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it is as long as before, and a system gives all changes within one tick of its clock the same time."""
    file = write(tmp_path / "docs", {"price.txt": "The bell costs 11 pounds."}) / "price.txt"
    ticks: list[float] = []  # that were waited for
    written = [0]  # after how many of them the file was

    def cut_late(document: Document, chunking: Chunking) -> Sequence[Passage]:
        file.write_text("The bell costs 12 pounds.", encoding="utf-8")
        written[0] = len(ticks)
        return cut(document, chunking)

    monkeypatch.setattr(f"{MODULE}.time.sleep", ticks.append)
    monkeypatch.setattr(f"{MODULE}.fingerprint_file", lambda path: f"{path.stat().st_size}-{written[0]}")
    monkeypatch.setattr(f"{MODULE}.cut", cut_late)
    ingest(tmp_path / "docs")
    assert texts(record) == ["The bell costs 11 pounds."]
    ingest(tmp_path / "docs")
    assert texts(record) == ["The bell costs 12 pounds."]
    assert TICK in ticks


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

"""What was read before stays while its file cannot be read, and what is written meanwhile is read the next time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from polyhop.documents.chunking import cut
from polyhop.indexing.ingest import TICK, Tally
from polyhop.settings import Chunking
from polyhop.store.record import Record
from polyhop.types import Document, Passage
from tests.worlds.documents import write
from tests.worlds.epub import write_epub
from tests.worlds.ingested import BELL, FERRY, MILL, rows, texts
from tests.worlds.machine import closable
from tests.worlds.mail import letter, mailbox, sealed

MODULE = "polyhop.indexing.ingest"


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

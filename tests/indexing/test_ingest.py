"""What reading the inputs again does to the record: what is gone goes, and what cannot be read stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from polyhop.indexing.ingest import Ingest, Tally
from polyhop.settings import Chunking
from polyhop.store.record import Record
from tests.worlds.documents import write
from tests.worlds.mail import letter, mailbox

FERRY, BELL, MILL = "Piet Rook keeps the ferry.", "Ada Brisk cast the bell.", "Lida Tarn painted the mill."


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


def test_a_mail_that_is_deleted_goes_though_another_cannot_be_read(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    sealed = EmailMessage()
    sealed["Subject"] = "Sealed"
    sealed.add_header("Content-Type", "multipart/encrypted", boundary="x")
    first, second = (letter(text, Message_ID=f"<{number}@tarn.example>") for number, text in enumerate((FERRY, BELL)))
    file = tmp_path / "box.mbox"
    file.write_bytes(mailbox(first, second, sealed))
    assert len(ingest(file).skipped) == 1
    file.write_bytes(mailbox(first, sealed))
    assert ingest(file).removed == 1
    (said,) = texts(record)
    assert said.endswith(FERRY)


def test_what_a_file_said_stays_while_the_whole_of_it_cannot_be_read(
    tmp_path: Path, record: Record, ingest: Callable[..., Tally]
) -> None:
    folder = write(tmp_path / "docs", {"p.jsonl": rows(FERRY, BELL, named=True)})
    ingest(folder)
    for broken in (b"\x00\x01" * 4000, b"nonsense\nnonsense\n"):
        (folder / "p.jsonl").write_bytes(broken)
        assert (ingest(folder).removed, len(texts(record))) == (0, 2)

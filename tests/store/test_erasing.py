"""What was removed is gone from the disk, too: its words, and the room that it took."""

from __future__ import annotations

from pathlib import Path

from polyhop.store.record import FILE, Record
from polyhop.store.schema import WORTH_GIVING_BACK
from tests.worlds.records import HARBOUR, document_of


def test_the_words_of_a_removed_document_are_nowhere_in_the_file(tmp_path: Path) -> None:
    with Record.create_or_open(tmp_path / "index") as record:
        record.put(*document_of("harbour", *HARBOUR))
        document, passages = document_of("secret", "Zebulon keeps the key. ", "It is behind the clock.")
        record.put(document, passages)
    assert any(b"Zebulon" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    with Record.create_or_open(tmp_path / "index") as record:
        record.drop([document.id])
    assert not any(b"Zebulon" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_the_room_of_what_was_removed_is_given_back_beside_a_reader(tmp_path: Path) -> None:
    large = document_of("large", "a long line of words. " * (2 * WORTH_GIVING_BACK // 22))
    with Record.create_or_open(tmp_path / "index") as record:
        record.put(*document_of("harbour", *HARBOUR))
        record.put(*large)
    before = (tmp_path / "index" / FILE).stat().st_size
    with Record.open(tmp_path / "index") as reader:
        assert reader.count_passages() > 1
        with Record.create_or_open(tmp_path / "index") as record:
            record.drop([large[0].id])
        assert [each.uri for each in reader.documents()] == [document_of("harbour", *HARBOUR)[0].uri]
        reader.verify()
    assert (tmp_path / "index" / FILE).stat().st_size < before // 10

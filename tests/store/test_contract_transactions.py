"""The contract of the store, on both real ones: transactions, readers and threads see something whole or nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from polyhop.errors import IndexMissing, StoreError, UsageError
from polyhop.store.record import Record
from tests.worlds.records import HARBOUR, Home, document_of


def test_transaction_stores_all_or_nothing(record: Record) -> None:

    def work() -> None:
        with record.transaction():
            record.put(*document_of("harbour", *HARBOUR))
            with record.transaction():
                record.set_meta("colour", "green")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    assert record.count_documents() == 0
    assert record.meta("colour") is None


def test_an_inner_transaction_that_fails_leaves_the_outer_one_alone(record: Record) -> None:
    with record.transaction():
        record.set_meta("outer", "kept")
        with pytest.raises(ZeroDivisionError), record.transaction():
            record.set_meta("inner", str(1 // 0))
    assert record.meta("outer") == "kept"
    assert record.meta("inner") is None


def test_reopening_keeps_everything(home: Home) -> None:
    with Record.create_or_open(home("index")) as record:
        record.put(*document_of("harbour", *HARBOUR))
        created = record.meta("created")
    with Record.create_or_open(home("index")) as record, Record.open(home("index")) as reader:
        assert reader.count_passages() == record.count_passages() == 2
        assert record.meta("created") == created
        assert record.meta("polyhop")


def test_closing_leaves_one_tidy_file(tmp_path: Path) -> None:
    record = Record.create_or_open(tmp_path / "index")
    record.put(*document_of("harbour", *HARBOUR))
    record.close()
    record.close()
    assert sorted(path.name for path in (tmp_path / "index").iterdir()) == ["record.sqlite", "writer.lock"]
    with pytest.raises(StoreError, match="closed"):
        record.count_documents()


def test_a_reader_neither_creates_nor_writes(home: Home) -> None:
    folder = home("index")
    before = sorted(folder.iterdir()) if folder.exists() else None  # a note, of where the record is to be
    with pytest.raises(IndexMissing, match="no index"):
        Record.open(folder)
    assert (sorted(folder.iterdir()) if folder.exists() else None) == before
    Record.create_or_open(home("index")).close()
    with Record.open(home("index")) as reader, pytest.raises(UsageError, match="reading only"):
        reader.put(*document_of("harbour", *HARBOUR))


def test_a_snapshot_sees_one_moment(home: Home) -> None:
    with Record.create_or_open(home("index")) as record, Record.open(home("index")) as reader:
        record.put(*document_of("harbour", *HARBOUR))
        with reader.snapshot():
            record.drop(["harbour"])
            with reader.snapshot():
                assert reader.count_documents() == 1
            assert reader.passages([1, 2])[1].text == HARBOUR[1]
        assert reader.count_documents() == 0
        with record.snapshot(), pytest.raises(UsageError, match="snapshot"):
            record.set_meta("colour", "green")


def test_threads_share_a_record(record: Record) -> None:
    """Two threads write, each sees whole documents only; nothing is lost."""

    def work(name: str) -> None:
        for turn in range(25):
            record.put(*document_of(f"{name}{turn}", f"{name} {turn} one. ", f"{name} {turn} two."))
            if any(row.passages != 2 for row in record.documents()):
                torn.append(name)

    torn: list[str] = []
    threads = [threading.Thread(target=work, args=(name,)) for name in ("left", "right")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert torn == []
    assert record.count_passages() == 100


def test_passages_are_held_by_one_at_a_time(home: Home) -> None:
    """Also across records, as several machines have them; passages that share nothing wait for nothing."""
    Record.create_or_open(home("index")).close()
    order: list[str] = []

    def wait() -> None:
        with Record.open(home("index")) as third, third.held([5, 2]):
            order.append("third")

    waiting = threading.Thread(target=wait)
    with Record.open(home("index")) as record, Record.open(home("index")) as other:
        with record.held([1, 2]):
            with other.held([3]):
                order.append("other")
            waiting.start()
            waiting.join(0.3)
            order.append("first")
        waiting.join(10)
    assert order == ["other", "first", "third"]


def test_importing_polyhop_does_not_load_the_store() -> None:
    code = "import sys, polyhop; sys.exit('apsw' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

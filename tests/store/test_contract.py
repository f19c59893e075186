"""The contract of the store, on both real ones: what is put in comes out, and unchanged things stay what they were."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyhop.documents.loading import MAIL
from polyhop.errors import DocumentError, IndexMissing, StoreError, UsageError
from polyhop.reports import LayerStatus
from polyhop.store.port import DocumentRow, Generation
from polyhop.store.record import Record
from polyhop.types import THREAD, Passage
from tests.worlds.records import HARBOUR, document_of, failures, found

Home = Callable[[str], Path]


@pytest.fixture
def record(home: Home) -> Iterator[Record]:
    with Record.create_or_open(home("my index – ποῦ")) as record:
        yield record


def test_a_new_record_is_empty(record: Record) -> None:
    assert record.count_documents() == record.count_passages() == 0
    assert record.numbers().dtype == np.int64
    assert record.numbers().shape == (0,)


def test_put_gives_back_documents_and_passages(record: Record) -> None:
    document, passages = document_of("harbour", *HARBOUR)
    assert record.put(document, passages, "12 bytes") == "added"
    assert record.document("harbour") == document
    assert record.passages(record.numbers().tolist()) == passages
    assert record.passages_by_id([passages[1].id, passages[0].id]) == passages[::-1]
    assert list(record.documents()) == [
        DocumentRow(
            id="harbour",
            uri="harbour.txt",
            title="Harbour",
            sha256=document.sha256,
            stamp="12 bytes",
            media_type="text/plain",
            passages=2,
        )
    ]


def test_put_again_is_unchanged_and_refreshes_the_stamp(record: Record) -> None:
    record.put(*document_of("harbour", *HARBOUR), "monday")
    assert record.put(*document_of("harbour", *HARBOUR), "tuesday") == "unchanged"
    assert [row.stamp for row in record.documents()] == ["tuesday"]


def test_put_keeps_numbers_and_rows_of_passages_that_did_not_change(record: Record) -> None:
    record.put(*document_of("harbour", "A. ", "B. ", "C. "))
    a, b, c = record.numbers().tolist()
    record.record_rows("text", "v1", [(number, bytes([number])) for number in (a, b, c)])
    changed, passages = document_of("harbour", "New. ", "C. ", "A. ")
    assert record.put(changed, passages) == "changed"
    known = record.numbers_by_id([passage.id for passage in passages])
    assert [known[passage.id] for passage in passages] == [4, c, a]
    assert record.passages([4, c, a]) == passages  # moved, but the same
    assert dict(record.payloads("text")) == {a: bytes([a]), c: bytes([c])}
    assert [number for number, _ in record.pending("text", "v1")] == [4]


def test_put_with_another_title_makes_new_passages(record: Record) -> None:
    """Layers read the title too: rows made under the old one are not true of the new one."""
    record.put(*document_of("harbour", *HARBOUR, title="Harbour"))
    record.put(*document_of("harbour", *HARBOUR, title="Port"))
    assert record.numbers().tolist() == [3, 4]


def test_put_with_another_uri_changes_only_the_document(record: Record) -> None:
    record.put(*document_of("harbour", *HARBOUR))
    assert record.put(*document_of("harbour", *HARBOUR, uri="moved.txt")) == "changed"
    assert record.numbers().tolist() == [1, 2]
    assert record.document("harbour").uri == "moved.txt"


def test_numbers_are_never_given_twice(record: Record) -> None:
    record.put(*document_of("harbour", *HARBOUR))
    record.drop(["harbour"])
    record.put(*document_of("harbour", *HARBOUR))
    assert record.numbers().tolist() == [3, 4]


def test_drop_counts_passages_and_takes_their_rows_along(record: Record) -> None:
    record.put(*document_of("harbour", *HARBOUR))
    record.put(*document_of("mill", "The mill grinds rye."))
    record.record_rows("text", "v1", [(number, b"row") for number in record.numbers().tolist()])
    assert record.drop(["harbour", "unknown"]) == 2
    assert [number for number, _ in record.payloads("text")] == [3]
    with pytest.raises(UsageError, match="harbour"):
        record.document("harbour")
    record.verify()


@pytest.mark.parametrize("text", ["", "\0a\0\0b", "שלום عالم", "港町の灯台" * 3000, "🏮" * 8192 + "é"])
def test_any_text_comes_back_as_it_went_in(record: Record, text: str) -> None:
    pieces = [text[start : start + 5000] for start in range(0, len(text), 5000)] or [""]
    document, passages = document_of("any", *(f"{place}{piece}" for place, piece in enumerate(pieces)))
    record.put(document, passages)
    assert record.document("any") == document
    assert record.passages_by_id([passage.id for passage in passages]) == passages


def test_a_passage_may_span_many_blocks_and_overlap_another(record: Record) -> None:
    text = "".join(f"word{number} " for number in range(10_000))
    document, _ = document_of("long", text)
    cuts = [(0, 0), (0, len(text)), (8191, 8193), (8192, 16384), (8192, 8192), (len(text), len(text))]
    passages = [
        Passage(id=f"{i}", document_id="long", ordinal=i, start=start, end=end, title="", text=text[start:end])
        for i, (start, end) in enumerate(cuts)
    ]
    record.put(document, passages)
    assert record.passages([6, 5, 4, 3, 2, 1, 1]) == [*passages[::-1], passages[0]]


def test_lone_surrogates_are_refused_and_nothing_is_stored(record: Record) -> None:
    with record.transaction():
        record.put(*document_of("harbour", *HARBOUR))
        with pytest.raises(DocumentError, match="udc80"):
            record.put(*document_of("broken", "half a character: \udc80"))
    assert [row.id for row in record.documents()] == ["harbour"]


def test_a_passage_that_is_not_in_its_document_is_refused(record: Record) -> None:
    document, passages = document_of("harbour", *HARBOUR)
    other, _ = document_of("harbour", "Something else altogether, long enough for the offsets of the passages.")
    with pytest.raises(UsageError, match="offsets"):
        record.put(other, passages)
    with pytest.raises(UsageError, match="same id"):
        record.put(document, [passages[0], passages[0]])
    with pytest.raises(UsageError, match="another document"):
        record.put(document_of("mill", *HARBOUR)[0], passages)


def test_a_passage_id_of_another_document_is_refused(record: Record) -> None:
    record.put(*document_of("harbour", *HARBOUR))
    document = document_of("mill", "The mill.")[0]
    clash = Passage(
        id=record.passages([1])[0].id, document_id="mill", ordinal=0, start=0, end=9, title="", text="The mill."
    )
    with pytest.raises(DocumentError, match="mill"):
        record.put(document, [clash])
    assert record.count_documents() == 1


def test_passages_that_are_gone_are_named(record: Record) -> None:
    record.put(*document_of("harbour", *HARBOUR))
    with pytest.raises(StoreError, match="7"):
        record.passages([1, 7])
    with pytest.raises(StoreError, match="nobody"):
        record.passages_by_id(["nobody"])
    assert record.numbers_by_id(["nobody"]) == {}
    assert record.passages([]) == []


def test_find_takes_a_uri_or_a_file_with_its_rows_or_an_unmistakable_ending(record: Record) -> None:
    for key, uri in enumerate(
        [
            "/data/towns.csv#1",
            "/data/towns.csv#2",
            "/data/a/notes.md",
            "/data/b/notes.md",
            "C:\\texts\\mill.txt",
            "/x/#1.md",
        ]
    ):
        record.put(*document_of(f"d{key}", f"Text {key}.", uri=uri))
    assert found(record, "/data/towns.csv#2") == ["d1"]
    assert found(record, "/data/towns.csv") == ["d0", "d1"]
    assert found(record, "towns.csv") == ["d0", "d1"]
    assert found(record, "towns.csv#1") == ["d0"]
    assert found(record, "a/notes.md") == ["d2"]
    assert found(record, "./texts/mill.txt") == ["d4"]
    assert found(record, "#1.md") == ["d5"]
    assert found(record, "notes.md") == []  # two files end so
    assert found(record, "otes.md") == []


def test_a_mail_means_what_is_attached_to_it_too_and_another_file_itself(record: Record) -> None:
    for key, uri in (("d1", "mill.eml"), ("d2", "mill.eml#plan.txt"), ("d3", "mill.txt"), ("d4", "mill.txt#1.txt")):
        document, passages = document_of(key, f"Text {key}.", uri=uri)
        record.put(replace(document, media_type=MAIL if key == "d1" else "text/plain"), passages)
    assert record.at("mill.eml") == ["d1", "d2"]
    assert record.at("mill.eml#plan.txt") == ["d2"]
    assert record.at("mill.txt") == ["d3"]


def test_passages_of_a_mail_are_told_of_which_thread_it_is(record: Record) -> None:
    document, passages = document_of("mill", "The mill", " is shut.")
    record.put(document, passages)
    record.put(replace(document, metadata={THREAD: "<1@mill>"}), passages)  # an index of before knows none
    assert record.passages(record.numbers().tolist()) == [replace(one, thread="<1@mill>") for one in passages]


def test_duplicates_of_names_the_other_documents_with_that_text(record: Record) -> None:
    for key in ("one", "two"):
        record.put(*document_of(key, "The same.", title="Same"))
    sha256 = record.document("one").sha256
    assert [row.id for row in record.duplicates_of(sha256)] == ["one", "two"]
    assert [row.id for row in record.duplicates_of(sha256, besides="one")] == ["two"]
    assert record.duplicates_of("0") == []


def test_ledger_says_what_is_pending(record: Record) -> None:
    record.put(*document_of("letters", "a", "b", "c", "d"))
    record.record_rows("facts", "v1", [(1, b"one")])
    record.record_rows("facts", "v0", [(2, b"two")])
    record.record_failures("facts", "v1", [(3, "endpoint \udc80 down")])
    assert record.layer_status("facts", "v1") == LayerStatus(
        name="facts", done=1, stale=1, failed=1, missing=1, fingerprint="v1"
    )
    assert [(number, passage.text) for number, passage in record.pending("facts", "v1")] == [
        (2, "b"),
        (3, "c"),
        (4, "d"),
    ]
    assert [number for number, _ in record.pending("facts", "v1", retry_failed=False)] == [2, 4]
    assert record.count_pending("facts", "v1") == 3
    assert record.count_pending("facts", "v1", retry_failed=False) == 2
    assert dict(record.payloads("facts")) == {1: b"one", 2: b"two"}
    assert dict(record.payloads("facts", "v1")) == {1: b"one"}
    assert record.payloads_of("facts", [4, 3, 2]) == {2: b"two"}
    assert failures(record, "facts") == [(3, "endpoint \\udc80 down", 1)]


def test_a_failure_lets_the_old_row_go_and_counts_attempts_until_it_succeeds(record: Record) -> None:
    record.put(*document_of("letters", "a"))
    record.record_rows("facts", "v0", [(1, b"old")])
    for _ in range(3):
        record.record_failures("facts", "v1", [(1, "refused")])
    assert failures(record, "facts") == [(1, "refused", 3)]
    assert dict(record.payloads("facts")) == {}
    record.record_rows("facts", "v1", [(1, b"")])
    assert dict(record.payloads("facts")) == {1: b""}
    assert record.count_pending("facts", "v1") == 0


def test_rows_of_passages_that_went_meanwhile_are_not_kept(record: Record) -> None:
    record.put(*document_of("letters", "a", "b"))
    record.put(*document_of("letters", "a"))
    assert record.record_rows("facts", "v1", [(1, b"a"), (2, b"b")]) == 1
    assert record.record_failures("facts", "v1", [(2, "gone")]) == 0
    record.verify()


def test_pending_goes_on_while_the_writer_commits(record: Record) -> None:
    record.put(*document_of("many", *(f"passage {number} " for number in range(300))))
    record.put(*document_of("few", "one", "two"))
    seen = []
    for number, passage in record.pending("text", "v1"):
        if number == 1:
            record.drop(["few"])
        record.record_rows("text", "v1", [(number, passage.text.encode())])
        seen.append(number)
    assert seen == list(range(1, 301))


def test_payloads_stream_ascending_whatever_the_order_of_recording(record: Record) -> None:
    record.put(*document_of("many", *(f"passage {number} " for number in range(1100))))
    record.record_rows("text", "v1", [(number, str(number).encode()) for number in range(1100, 0, -1)])
    assert list(record.payloads("text")) == [(number, str(number).encode()) for number in range(1, 1101)]


def test_generations_name_what_a_layer_serves(record: Record) -> None:
    assert record.generation("text") is None
    record.set_generation("text", "g1", {"dimensions": 384})
    record.set_generation("text", "g2", {"dimensions": 384, "segments": ["s1", "s2"]})
    assert record.generation("text") == Generation("g2", {"dimensions": 384, "segments": ["s1", "s2"]})
    record.put(*document_of("letters", "a"))
    record.record_rows("facts", "v1", [(1, b"a")])
    assert record.layers() == ["facts", "text"]
    assert record.forget("facts") == 1
    assert record.forget("text") == 0
    assert record.layers() == []


def told(record: Record) -> tuple[list[str], str]:
    """What every question asks of a record before anything else."""
    return record.layers(), record.state()


def test_readers_are_told_of_layers_and_state_until_they_change(home: Home) -> None:
    """Whoever changes them; within a snapshot they stay what they were."""
    folder = home("index")
    changes: list[Callable[[Record], object]] = [
        lambda record: record.put(*document_of("letters", "a", "b")),
        lambda record: record.record_rows("text", "v1", [(1, b"a")]),
        lambda record: record.record_failures("facts", "v1", [(2, "refused")]),
        lambda record: record.set_generation("text", "g1", {}),
        lambda record: record.set_generation("text", "g1", {"passages": 2}),
        lambda record: record.forget("facts"),
        lambda record: record.put(*document_of("letters", "a", "c")),
        lambda record: record.drop(["letters"]),
    ]
    seen = []
    with Record.create_or_open(folder) as record, Record.open(folder) as reader:
        empty = before = told(reader)
        for change in changes:
            with reader.snapshot():
                assert told(reader) == before
                change(record)
                assert told(reader) == before
            with Record.open(folder) as anew:
                assert told(reader) == told(record) == told(anew)
            before = told(reader)
            seen.append(before)
    assert [layers for layers, _ in seen] == [[], ["text"], *[["facts", "text"]] * 3, *[["text"]] * 3]
    assert len({state for _, state in seen}) == 5  # rows, failures and what is forgotten are no sign to look again
    assert seen[0] == empty  # nor are passages that come: they are found once a generation covers them


def test_what_is_undone_is_not_remembered(record: Record) -> None:
    before = told(record)
    for nested in (False, True):
        with suppress(RuntimeError), record.transaction(), record.transaction() if nested else nullcontext():
            record.set_generation("text", "g1", {})
            assert told(record) != before
            raise RuntimeError
        assert told(record) == before


def test_what_every_question_asks_is_read_once(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    """In each thread: connections tell changes, and each thread has its own."""
    record.put(*document_of("letters", "a"))
    asked: list[str] = []
    read = Record._rows

    def counted(self: Record, query: str, *values: object) -> list[object]:
        asked.append(query)
        return read(self, query, *values)

    monkeypatch.setattr(Record, "_rows", counted)
    told(record)
    first = len(asked)
    told(record)
    assert len(asked) == first > 0
    with ThreadPoolExecutor(1) as thread:
        assert [thread.submit(told, record).result() for _ in range(2)] == [told(record)] * 2
    assert len(asked) == 2 * first
    record.set_meta("colour", "green")
    told(record)
    assert len(asked) == 3 * first


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

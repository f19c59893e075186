"""The contract of the store, on both real ones: what layers made, what is pending, and what readers are told of it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress

import pytest

from polyhop.reports import LayerStatus
from polyhop.store.port import Generation
from polyhop.store.record import Record
from tests.worlds.records import Home, document_of, failures


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

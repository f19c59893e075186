"""The contract of the store, on both real ones: documents and passages come out as put in, under the same numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyhop.documents.loading import MAIL
from polyhop.errors import DocumentError, StoreError, UsageError
from polyhop.store.port import DocumentRow
from polyhop.store.record import Record
from polyhop.types import THREAD, Passage
from tests.worlds.records import HARBOUR, document_of, found


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

"""What of a passage is a heading is known where it is read, and lies in the record beside the metadata."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from polyhop.documents.chunking import cut
from polyhop.documents.loading import given_document
from polyhop.errors import UsageError
from polyhop.settings import Chunking
from polyhop.store.record import Record
from polyhop.types import Document, Span

TEXT = "The mill\n\nIt stands on the Orla.\n\nIts keepers\n\nLena Voss was the first of them."
HEADINGS = ((0, 8), (34, 45))
MILL = Document(id="mill", title="Mill", text=TEXT, headings=HEADINGS, pages=(0, 34), metadata={"year": "1742"})


def test_passages_know_their_headings() -> None:
    (whole,) = cut(MILL, Chunking(tokens=100, overlap=0))
    assert whole.headings == HEADINGS
    parts = cut(MILL, Chunking(tokens=16, overlap=0))
    assert [part.text[start:end] for part in parts for start, end in part.headings] == ["The mill", "Its keepers"]


def test_the_record_keeps_headings_and_pages(tmp_path: Path) -> None:
    passages = cut(MILL, Chunking(tokens=16, overlap=0))
    with Record.create_or_open(tmp_path / "an.index") as record:
        record.put(MILL, passages)
        stored = record.document("mill")
        assert (stored.headings, stored.pages, stored.metadata) == (HEADINGS, (0, 34), {"year": "1742"})
        assert tuple(record.passages_by_id([one.id for one in passages])) == passages
        assert [record.page_of(Span("mill", place, place + 1)) for place in (0, 33, 34, 60)] == [1, 1, 2, 2]


def test_the_record_keeps_the_sections_of_passages(tmp_path: Path) -> None:
    """Readers are told them, and layers are not, so that no row depends on them."""
    passages = cut(replace(MILL, levels=(1, 2)), Chunking(tokens=16, overlap=0))
    assert [one.section for one in passages] == [(), ("The mill", "Its keepers")]
    with Record.create_or_open(tmp_path / "an.index") as record:
        record.put(MILL, passages)
        assert tuple(record.passages_by_id([one.id for one in passages])) == passages
        assert {one.section for _, one in record.pending("text", "any")} == {()}


def test_an_index_of_before_learns_them_without_a_change(tmp_path: Path) -> None:
    before = replace(MILL, headings=(), pages=())
    chunking = Chunking(tokens=16, overlap=0)
    with Record.create_or_open(tmp_path / "an.index") as record:
        record.put(before, cut(before, chunking))
        numbers = record.numbers().tolist()
        assert record.page_of(Span("mill", 0, 1)) is None
        assert not any(one.headings for one in record.passages(numbers))
        assert record.put(MILL, cut(MILL, chunking)) == "unchanged"
        assert record.numbers().tolist() == numbers
        assert record.page_of(Span("mill", 0, 1)) == 1
        assert any(one.headings for one in record.passages(numbers))


def test_headings_that_are_given_are_places_of_the_stored_text() -> None:
    assert given_document(MILL).headings == HEADINGS
    with pytest.raises(UsageError, match="places"):
        given_document(replace(MILL, headings=((0, 900),)))
    with pytest.raises(UsageError, match="places"):
        given_document(replace(MILL, text=f"\n{TEXT}"))
    with pytest.raises(UsageError, match="2 headings and 1 levels"):
        given_document(replace(MILL, levels=(1,)))

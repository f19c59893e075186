"""Merges can be seen, undone for good, and done again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from polyhop.errors import UsageError
from polyhop.layers.facts import merges
from polyhop.layers.facts.merges import apart_of, join_again, keep_apart, merges_of
from polyhop.models.choice import Models
from polyhop.types import Passage
from tests.worlds.fact_graphs import fact, spellings
from tests.worlds.fact_index import Index, index_at


@pytest.fixture
def index(tmp_path: Path, models: Models) -> Iterator[Index]:
    with index_at(tmp_path / "one", models) as made:
        yield made


KNOWN = {
    "Ada Brisk": [fact("Ada Brisk", "also known as", "Old Patience"), fact("Ada Brisk", "born in", "Korr")],
    "Korr (film)": [fact("Korr", "won", "Oar Prize"), fact("Korr (film)", "shows", "rain")],
    "River Oar": [fact("Old Patience", "crossed", "River Oar"), fact("the River Oar", "is", "long")],
}


def test_merges_are_listed_with_their_reasons_and_passages(index: Index) -> None:
    index.put(list(KNOWN), KNOWN)
    alias, name = merges_of(index.open(), index.record)
    assert [(one.name, one.reason, one.titles) for one in alias.spellings] == [
        ("Ada Brisk", "", ("Ada Brisk",)),
        ("Old Patience", "alias: also known as", ("Ada Brisk", "River Oar")),
    ]
    assert all(index.record.numbers_by_id(one.passages) for one in alias.spellings)
    assert [(one.name, one.reason) for one in name.spellings] == [("Korr", ""), ("Korr (film)", "name")]
    (river,) = merges_of(index.open(), index.record, ["river oar"])
    assert [one.name for one in river.spellings] == ["River Oar", "the River Oar"]


def test_merges_read_few_passages_at_a_time(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    index.put(list(KNOWN), KNOWN)
    listed, read, passages = merges_of(index.open(), index.record), list[int](), index.record.passages

    def counted(numbers: Sequence[int]) -> list[Passage]:
        read.append(len(numbers))
        return passages(numbers)

    monkeypatch.setattr(merges, "READ_AT_ONCE", 2)
    monkeypatch.setattr(index.record, "passages", counted)
    assert merges_of(index.open(), index.record) == listed
    assert read == [2, 1]


def test_a_merge_is_undone_for_good_and_can_be_done_again(index: Index) -> None:
    index.put(list(KNOWN), KNOWN)
    assert keep_apart(index.record, index.open(), ["Old Patience", "Korr (film)"]) == (
        ("ada brisk", "old patience"),
        ("korr", "korr (film)"),
    )
    index.gather()
    found = spellings(index.open())
    assert found["ada brisk"] == ["Ada Brisk"]
    assert found["old patience"] == ["Old Patience"]
    assert found["korr (film)"] == ["Korr (film)", "Korr"]  # the passage of that title speaks of the film
    assert found["korr"] == ["Korr"]
    index.put(["Quillmouth"])
    assert "old patience" in spellings(index.open())
    assert join_again(index.record, ["old patience"]) == (("ada brisk", "old patience"),)
    index.gather()
    assert "old patience" not in spellings(index.open())
    assert apart_of(index.record) == [("korr", "korr (film)")]


def test_what_was_not_merged_cannot_be_undone(index: Index) -> None:
    index.put(list(KNOWN), KNOWN)
    for name in ("Nobody Atall", "the River Oar", "Korr (ship)"):
        with pytest.raises(UsageError):
            keep_apart(index.record, index.open(), [name])
    with pytest.raises(UsageError, match="not kept apart"):
        join_again(index.record, ["Ada Brisk"])
    with pytest.raises(UsageError, match="No entity"):
        merges_of(index.open(), index.record, ["Nobody Atall"])

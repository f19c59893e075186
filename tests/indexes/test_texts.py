"""Texts by position: what is saved is read again, in any script, and damage is told apart from text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import IndexCorrupt
from polyhop.indexes.texts import Texts


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]))))
def test_texts_are_read_as_they_were_written(written: list[str]) -> None:
    texts = Texts.build(written)
    assert [texts[place] for place in range(len(texts))] == written
    for start in range(len(texts) + 1):
        assert texts.stretch(start, len(texts)) == written[start:]


def test_saved_texts_are_read_from_disk(tmp_path: Path) -> None:
    Texts.build(["Fennick", "", "灯台"]).save(tmp_path / "texts")
    texts = Texts.open(tmp_path / "texts")
    assert [texts[place] for place in range(3)] == ["Fennick", "", "灯台"]


def test_overwritten_bytes_are_an_error_that_says_what_to_do() -> None:
    texts = Texts.build(["Fennick", "Quillmouth"])
    blob = texts.blob.copy()
    blob[2] = 0xFF
    damaged = replace(texts, blob=blob)
    with pytest.raises(IndexCorrupt, match="damaged") as caught:
        damaged[0]
    assert "index the same documents again" in caught.value.remedy
    assert damaged[1] == "Quillmouth"

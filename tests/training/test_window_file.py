"""Windows that were made on one machine are the same on another."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import ModelError
from polyhop.training.card import Origin
from polyhop.training.mixture import Windows
from polyhop.training.rows import KINDS
from polyhop.training.window_file import Prepared, read_prepared, write_prepared
from polyhop.training.windows import Window


@st.composite
def windows(draw: st.DrawFn) -> Window:
    ids = draw(st.lists(st.integers(0, 30_521), min_size=4, max_size=40))
    length = len(ids)
    places = st.integers(0, length - 1)
    marks = st.lists(st.booleans(), min_size=length, max_size=length).map(tuple)
    spans = draw(st.lists(st.tuples(places, places).map(lambda ends: (min(ends), max(ends))), max_size=3))
    return Window(
        ids=tuple(ids),
        asked=draw(places),
        allowed=draw(marks),
        spans=tuple(spans),
        evidence=draw(marks),
        told=draw(st.booleans()),
        kind=draw(st.integers(0, len(KINDS) - 1)),
        source=draw(st.sampled_from(["lights", "across/ferries", "größe"])),
    )


def prepared(training: list[Window], aside: list[Window]) -> Prepared:
    return Prepared(
        windows=Windows(tuple(training), tuple(aside)),
        hashes={"reading.jsonl.gz": "00ff"},
        origins=[Origin(name="lights", licence="CC0-1.0", windows=len(training))],
        choice={"tables": 8, "share": 0.5},
    )


@given(training=st.lists(windows(), max_size=5), aside=st.lists(windows(), max_size=3))
def test_what_was_written_is_read_again(training: list[Window], aside: list[Window]) -> None:
    made = prepared(training, aside)
    with tempfile.TemporaryDirectory() as folder:
        write_prepared(Path(folder) / "windows.npz", made)
        assert read_prepared(Path(folder) / "windows.npz") == made


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04nonsense", b"nonsense"])
def test_a_file_of_something_else_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "windows.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=r"windows\.npz holds no windows") as raised:
        read_prepared(path)
    assert "--prepare" in raised.value.remedy

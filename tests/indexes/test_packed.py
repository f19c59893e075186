"""Small arrays of a folder are one file, which is read like the files that each had before."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from polyhop.errors import IndexCorrupt
from polyhop.indexes import digests, segments
from polyhop.indexes.segments import Arrays, Packed, damage, has_array, read_arrays, write_arrays, write_packed
from polyhop.indexes.streamed import streamed
from polyhop.indexes.texts import Texts

NAMES = ("numbers", "vectors", "words.blob")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two small arrays, a part with texts, and an array that is large."""
    with streamed(tmp_path / "segment") as writer:
        writer.put({"numbers": np.arange(3), "vectors": np.ones((3, 2), np.float32)})
        writer.keep("words", Texts.build(["bee", "", "hive"]))
        writer.array("large", np.uint8).add(np.zeros(segments.SMALL + 1, np.uint8))
    return tmp_path / "segment"


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), arrays(st.sampled_from(["<i8", "<f4", "|u1", "<u2"]), array_shapes())))
def test_arrays_of_any_kind_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, kept: Arrays) -> None:
    file = tmp_path_factory.mktemp("packed") / digests.PACKED
    write_packed(file, kept)
    found = Packed.open(file)
    assert set(found.table) == set(kept)
    for name, array in kept.items():
        back = found.array(name)
        np.testing.assert_array_equal(back, array)
        assert back.dtype == array.dtype
        assert back.flags.aligned
        assert not back.flags.writeable


def test_only_what_is_large_has_a_file_of_its_own(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [digests.FILE, "large.npy", digests.SEEN, digests.PACKED]
    assert len(read_arrays(folder, ["large"])["large"]) == segments.SMALL + 1
    assert read_arrays(folder, ["numbers"])["numbers"].tolist() == [0, 1, 2]
    assert [has_array(folder, name) for name in ("numbers", "large", "other")] == [True, True, False]


def test_a_part_is_read_as_if_it_were_a_folder(folder: Path) -> None:
    assert Texts.open(folder / "words").all() == ["bee", "", "hive"]
    assert has_array(folder / "words", "blob")


def test_a_file_is_mapped_once_and_only_as_long_as_somebody_has_something_of_it(folder: Path) -> None:
    one, other = (read_arrays(folder, [name])[name] for name in ("numbers", "vectors"))
    assert one.base is other.base
    maps = Path("/proc/self/maps")
    if maps.exists():  # Linux tells what is mapped
        assert maps.read_text().count(str(folder / digests.PACKED)) == 1
        del one, other
        gc.collect()
        assert str(folder / digests.PACKED) not in maps.read_text()


def test_parts_may_be_folders_as_earlier_versions_wrote_them(tmp_path: Path) -> None:
    write_arrays(tmp_path / "segment" / "words", Texts.build(["bee"]).arrays())
    assert Texts.open(tmp_path / "segment" / "words").all() == ["bee"]


def test_any_byte_that_changed_is_told_when_it_is_opened(folder: Path) -> None:
    """However long the file is: it is read whole, once."""
    content = (folder / digests.PACKED).read_bytes()
    for place in range(0, len(content), 7):
        spoilt = bytearray(content)
        spoilt[place] ^= 1
        (folder / digests.PACKED).write_bytes(spoilt)
        with pytest.raises(IndexCorrupt, match=r"small\.arrays is damaged") as caught:
            read_arrays(folder, ["numbers"])
        assert "index the same documents again" in caught.value.remedy
    assert list(damage(folder)) == [f"{folder / digests.PACKED} is damaged: it is not as it was written."]


@pytest.mark.parametrize("content", [b"", b"\0", b"\2" + bytes(7) + b"[]", b"\xff" * 80])
def test_a_file_without_a_table_is_damaged_though_nobody_noted_its_digest(folder: Path, content: bytes) -> None:
    (folder / digests.FILE).unlink()
    (folder / digests.PACKED).write_bytes(content)
    with pytest.raises(IndexCorrupt, match="cannot be read"):
        read_arrays(folder, ["numbers"])


def test_an_array_that_is_cut_short_is_damaged_though_nobody_noted_its_digest(folder: Path) -> None:
    (folder / digests.FILE).unlink()
    with (folder / digests.PACKED).open("r+b") as file:
        file.truncate((folder / digests.PACKED).stat().st_size - 64)
    with pytest.raises(IndexCorrupt, match="is not whole"):
        Texts.open(folder / "words")


def test_an_array_that_nobody_wrote_is_missing(folder: Path) -> None:
    for place in (folder, folder / "words", folder.with_name("none")):
        with pytest.raises(IndexCorrupt, match=r"cannot be read|not one of the files"):
            read_arrays(place, ["other"])

"""Files that were written together are known again: what was cut, exchanged or changed is told from data."""

import shutil
from io import BufferedReader
from pathlib import Path

import numpy as np
import pytest

from polyhop.errors import IndexCorrupt
from polyhop.indexes import digests
from polyhop.indexes.segments import array_folders, damage, discard_damaged, read_arrays, write_arrays

LARGE = 4 * digests.END  # bytes, so that most of it lies between the ends


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two arrays of one size, larger than their ends."""
    rows = np.arange(LARGE // 8)
    write_arrays(tmp_path / "place" / "segment", {"heads": rows, "tails": rows + 1})
    return tmp_path / "place" / "segment"


def flip(file: Path, at: int) -> None:
    """Change one bit of a file."""
    content = bytearray(file.read_bytes())
    content[at] ^= 4
    file.write_bytes(content)


def test_arrays_as_they_were_written_are_sound(folder: Path) -> None:
    assert read_arrays(folder, ["heads"])["heads"][3] == 3
    assert list(damage(folder.parent)) == []
    assert list(array_folders(folder.parent)) == [folder]


@pytest.mark.parametrize("at", [0, 200, digests.END - 1, -digests.END, -1])
def test_a_bit_that_changed_near_an_end_is_told_when_the_file_is_opened(folder: Path, at: int) -> None:
    flip(folder / "heads.npy", at)
    with pytest.raises(IndexCorrupt, match=r"heads\.npy is damaged: it is not as it was written") as caught:
        read_arrays(folder, ["heads"])
    assert "polyhop doctor --deep" in caught.value.remedy
    assert read_arrays(folder, ["tails"])


def test_a_bit_that_changed_far_from_the_ends_is_told_by_who_reads_all(folder: Path) -> None:
    flip(folder / "heads.npy", LARGE // 2)
    assert read_arrays(folder, ["heads"])
    assert list(damage(folder.parent)) == [f"{folder / 'heads.npy'} is damaged: it is not as it was written."]


def test_files_of_one_size_that_were_exchanged_are_told_when_they_are_opened(folder: Path) -> None:
    (folder / "heads.npy").rename(folder / "other.npy")
    (folder / "tails.npy").rename(folder / "heads.npy")
    (folder / "other.npy").rename(folder / "tails.npy")
    with pytest.raises(IndexCorrupt, match="heads"):
        read_arrays(folder, ["heads", "tails"])
    assert len(list(damage(folder))) == 2


def test_a_file_of_an_earlier_version_is_opened_without_digests(folder: Path) -> None:
    (folder / digests.FILE).unlink()
    flip(folder / "heads.npy", LARGE // 2)
    assert read_arrays(folder, ["heads"])
    assert list(damage(folder)) == list(damage(folder, lately=True)) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"heads.npy": 3}', b'{"heads.npy": [1, 2]}', b"\xff\xfe"])
def test_digests_that_are_damaged_themselves_are_told(folder: Path, content: bytes) -> None:
    (folder / digests.FILE).write_bytes(content)
    with pytest.raises(IndexCorrupt):
        read_arrays(folder, ["heads"])


def test_what_is_damaged_is_removed_where_it_can_be_made_again(folder: Path) -> None:
    """And what lies below the other folder stays: it is gathered again by whoever knows how."""
    for name in ("sound", "generations/segment"):
        write_arrays(folder.parent / name, {"heads": np.arange(3)})
    for name in ("segment/heads.npy", "generations/segment/heads.npy"):
        flip(folder.parent / name, -1)
    discard_damaged(folder.parent, besides=folder.parent / "generations")
    assert sorted(array_folders(folder.parent)) == [folder.parent / "generations" / "segment", folder.parent / "sound"]


def test_what_nobody_wrote_to_since_it_was_found_whole_is_not_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is what was copied, once it was read: so to look again costs nothing, however much there is."""
    read: list[str] = []
    whole = digests._whole

    def noted(file: BufferedReader) -> str:
        read.append(Path(file.name).name)
        return whole(file)

    monkeypatch.setattr(digests, "_whole", noted)
    assert list(damage(folder, lately=True)) == []
    assert read == []
    copy = Path(shutil.copytree(folder, folder.with_name("copy")))
    for _ in range(2):
        assert list(damage(copy, lately=True)) == []
        assert read == ["heads.npy", "tails.npy"]
    flip(copy / "tails.npy", LARGE // 2)
    for _ in range(2):
        assert list(damage(copy, lately=True)) == [f"{copy / 'tails.npy'} is damaged: it is not as it was written."]


@pytest.mark.parametrize("content", [b"", b"[]", b'{"heads.npy": 3}', b"\xff"])
def test_where_it_was_not_noted_when_files_were_whole_all_are_read(folder: Path, content: bytes) -> None:
    (folder / digests.SEEN).write_bytes(content)
    flip(folder / "heads.npy", LARGE // 2)
    assert list(damage(folder, lately=True)) == [f"{folder / 'heads.npy'} is damaged: it is not as it was written."]

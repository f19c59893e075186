"""An index is a list of immutable segments: writing them is durable, growing them is planned."""

import os
import shutil
import weakref
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.errors import IndexCorrupt, StorageFull
from polyhop.indexes import segments
from polyhop.indexes.segment_plan import plan
from polyhop.indexes.segments import Arrays, read_arrays, standing, sweep, write_arrays
from polyhop.indexes.streamed import streamed


def ints(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, np.int64)


def test_arrays_come_back_as_written(tmp_path: Path) -> None:
    """Shapes, types and values survive, empty arrays too."""
    arrays: Arrays = {
        "numbers": ints(3, 5),
        "vectors": np.eye(2, 3, dtype=np.float32),
        "none": np.empty((0, 4), np.float32),
    }
    write_arrays(tmp_path / "deep" / "segment", arrays)
    back = read_arrays(tmp_path / "deep" / "segment", arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array)
        assert back[name].dtype == array.dtype
    assert [entry.name for entry in (tmp_path / "deep").iterdir()] == ["segment"]


def test_arrays_are_read_only(tmp_path: Path) -> None:
    write_arrays(tmp_path / "segment", {"numbers": ints(1)})
    with pytest.raises(ValueError, match="read-only"):
        read_arrays(tmp_path / "segment", ["numbers"])["numbers"][0] = 2


def test_what_is_mapped_already_is_taken_over(tmp_path: Path) -> None:
    """As long as somebody has it; what nobody has is let go."""
    write_arrays(tmp_path / "segment", {"numbers": ints(1), "lengths": ints(7)})
    held = read_arrays(tmp_path / "segment", ["numbers"])["numbers"]
    assert read_arrays(tmp_path / "segment", ["lengths", "numbers"])["numbers"] is held
    gone = weakref.ref(held)
    del held
    assert gone() is None


def test_what_was_written_anew_under_the_same_name_is_not_taken_for_what_was_there(tmp_path: Path) -> None:
    """And who has what was there keeps it."""
    write_arrays(tmp_path / "segment", {"numbers": ints(1)})
    held = read_arrays(tmp_path / "segment", ["numbers"])["numbers"]
    write_arrays(tmp_path / "segment", {"numbers": ints(2)})
    assert read_arrays(tmp_path / "segment", ["numbers"])["numbers"].tolist() == [2]
    assert held.tolist() == [1]
    shutil.rmtree(tmp_path / "segment")
    with pytest.raises(IndexCorrupt):
        read_arrays(tmp_path / "segment", ["numbers"])
    assert held.tolist() == [1]


def test_damage_is_told_to_who_comes_later_though_somebody_has_the_file_mapped(tmp_path: Path) -> None:
    write_arrays(tmp_path / "segment", {"numbers": np.arange(1000)})
    held = read_arrays(tmp_path / "segment", ["numbers"])
    with (tmp_path / "segment" / "numbers.npy").open("r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write(b"damaged!")
    with pytest.raises(IndexCorrupt, match=r"numbers\.npy is damaged"):
        read_arrays(tmp_path / "segment", held)


def test_writing_replaces_what_a_killed_writer_left(tmp_path: Path) -> None:
    write_arrays(tmp_path / "segment", {"numbers": ints(1), "extra": ints(9)})
    write_arrays(tmp_path / "segment", {"numbers": ints(2)})
    assert read_arrays(tmp_path / "segment", ["numbers"])["numbers"].tolist() == [2]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["digests.json", "numbers.npy", "seen.json", "segment"]


def test_writing_where_nothing_can_be_written_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageFull) as caught:
        write_arrays(tmp_path / "file" / "segment", {"numbers": ints(1)})
    assert caught.value.remedy


@pytest.fixture
def full_disk() -> Iterator[None]:
    """The operating system refuses to let any file grow further than 1,000 bytes: as on a full disk."""
    resource = pytest.importorskip("resource", reason="only POSIX limits file sizes")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("full_disk")
def test_a_write_that_runs_out_of_space_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(StorageFull):
        write_arrays(tmp_path / "segment", {"numbers": ints(1), "vectors": np.zeros(1000)})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("full_disk")
def test_what_is_written_piece_by_piece_leaves_no_file_open_where_space_runs_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last rows wait in memory until their file is closed."""
    monkeypatch.setattr(segments, "SMALL", 100)  # bytes, so that the array gets a file of its own
    with ExitStack() as writing:
        vectors = writing.enter_context(streamed(tmp_path / "segment")).array("vectors", np.float64)
        vectors.add(np.zeros(200))
        with pytest.raises(StorageFull):
            writing.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="closed file"):
        vectors.add(np.zeros(1))


@pytest.mark.usefixtures("full_disk")
def test_small_arrays_that_space_runs_out_for_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(StorageFull), streamed(tmp_path / "segment") as writer:
        writer.put({"numbers": ints(1), "vectors": np.zeros(1000)})
    assert list(tmp_path.iterdir()) == []


def test_sweeping_keeps_only_what_is_named(tmp_path: Path) -> None:
    for name in ("1", "2", "3", ".4-abandoned"):
        write_arrays(tmp_path / name, {"numbers": ints(1)})
    sweep(tmp_path, ["2", "3"])
    sweep(tmp_path / "absent", [])
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["2", "3"]


@pytest.mark.parametrize("damage", [b"", b"not an array", b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order"])
def test_a_damaged_array_is_reported_as_such(tmp_path: Path, damage: bytes) -> None:
    write_arrays(tmp_path / "segment", {"numbers": ints(1, 2, 3)})
    (tmp_path / "segment" / "numbers.npy").write_bytes(damage)
    with pytest.raises(IndexCorrupt) as caught:
        read_arrays(tmp_path / "segment", ["numbers"])
    assert caught.value.remedy


def test_a_truncated_or_missing_array_is_reported_as_such(tmp_path: Path) -> None:
    write_arrays(tmp_path / "segment", {"numbers": np.arange(1000)})
    file = tmp_path / "segment" / "numbers.npy"
    file.write_bytes(file.read_bytes()[:-100])
    for name in ("numbers", "absent"):
        with pytest.raises(IndexCorrupt):
            read_arrays(tmp_path / "segment", [name])


def test_a_plan_adds_one_segment_for_what_is_new() -> None:
    found = plan([np.arange(40), np.arange(50, 59)], np.r_[np.arange(40), np.arange(50, 61)])
    assert (found.keep, found.new.tolist()) == (2, [59, 60])


def test_a_plan_writes_small_segments_again_with_what_is_new() -> None:
    """Until what stands behind a segment is a share of it: then it is written again, too."""
    covered = [np.arange(100), np.arange(100, 120), np.arange(120, 123)]
    assert plan(covered, np.arange(124)).new.tolist() == list(range(120, 124))
    assert plan(covered, np.arange(125)).new.tolist() == list(range(120, 125))
    assert plan(covered, np.arange(126)).new.tolist() == list(range(126))


def test_a_plan_drops_dead_segments_for_nothing() -> None:
    found = plan([np.arange(40), ints(50, 51)], np.arange(40))
    assert (found.keep, found.new.tolist()) == (1, [])


def test_a_plan_writes_again_what_is_too_dead_and_what_stands_behind_it() -> None:
    covered = [np.arange(100), np.arange(100, 110), ints(110, 111)]
    assert plan(covered, np.r_[np.arange(100), np.arange(102, 112)]).keep == 3
    found = plan(covered, np.r_[np.arange(100), np.arange(103, 112)])
    assert (found.keep, found.new.tolist()) == (1, list(range(103, 112)))


def test_a_plan_ends_with_few_segments_however_often_something_is_added() -> None:
    """And no passage was written again more often than about a dozen times."""
    covered: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    written = 0
    for size in range(1, 2000):
        found = plan(covered, np.arange(size))
        covered = [*covered[: found.keep], found.new]
        written += len(found.new)
    assert len(covered) <= 8
    assert written < 12 * 2000


def test_a_plan_writes_segments_that_overlap_again() -> None:
    assert plan([ints(1, 2), ints(2, 3)], ints(1, 2, 3)).keep == 0


def test_opening_segments_that_overlap_is_refused() -> None:
    with pytest.raises(IndexCorrupt):
        standing([ints(1, 2), ints(2, 3)], ints(1, 2, 3))


@given(st.lists(st.sets(st.integers(0, 40)), max_size=12), st.sets(st.integers(0, 40)))
def test_a_plan_always_ends_with_every_live_passage_covered_once(parts: list[set[int]], live: set[int]) -> None:
    covered = [ints(*sorted(part)) for part in parts]
    found = plan(covered, ints(*sorted(live)))
    after = [*covered[: found.keep], found.new]
    numbers, rows = standing(after, ints(*sorted(live)))
    assert numbers.tolist() == sorted(live)
    assert np.concatenate(after)[rows].tolist() == sorted(live)
    assert found.keep + bool(len(found.new)) <= max(8, len(covered))
    assert sum(map(len, after)) * 0.8 <= len(live)

"""A file is there wholly or not at all; what is no file, and links to files, keep their places."""

from __future__ import annotations

import os
import re
import stat
import threading
from pathlib import Path

import pytest

from polyhop.store.whole_file import check_place, drafts_of, whole_file


def test_a_file_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    file.write_text("old")

    with whole_file(file) as stream:
        stream.write(b"new")

    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file], "no draft is left"


def test_the_file_before_stays_where_something_is_raised(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    file.write_text("old")

    def half() -> None:
        with whole_file(file) as stream:
            stream.write(b"half")
            raise InterruptedError

    with pytest.raises(InterruptedError):
        half()

    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    file, link = tmp_path / "results" / "figures.json", tmp_path / "latest.json"
    file.write_text("old")
    link.symlink_to(file)

    with whole_file(link) as stream:
        stream.write(b"new")

    assert link.is_symlink()
    assert file.read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes that are files")
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    heard: list[bytes] = []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()

    with whole_file(pipe) as stream:
        stream.write(b"figures")
    reader.join(10)

    assert heard == [b"figures"]
    assert stat.S_ISFIFO(pipe.stat().st_mode), "no file took its place"


def test_a_place_is_looked_at_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "figures.json").write_text("old")
    check_place(tmp_path / "figures.json")
    check_place(tmp_path / "new" / "figures.json")

    assert (tmp_path / "figures.json").read_text() == "old"
    assert list((tmp_path / "new").iterdir()) == []


def test_a_place_that_takes_no_file_is_told_before_there_is_anything_to_write(tmp_path: Path) -> None:
    (tmp_path / "figures.json").write_text("a file, and no folder")

    for place in (tmp_path, tmp_path / "figures.json" / "more.json"):
        with pytest.raises(OSError, match=re.escape(str(place)) + "|exists|directory"):
            check_place(place)


def test_what_a_killed_writer_left_is_found_and_nothing_else(tmp_path: Path) -> None:
    left = tmp_path / ".figures.json-0123456789ab"
    for other in (left, tmp_path / "figures.json", tmp_path / ".figures.json-notes", tmp_path / ".other-0123456789ab"):
        other.write_text("half")

    assert drafts_of(tmp_path / "figures.json") == [left]

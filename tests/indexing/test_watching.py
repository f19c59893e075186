"""Changes of files as they are told: those of a folder too that has gone and come back, or that another replaces."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyhop.indexing.watching import changes_of
from tests.worlds.documents import write
from tests.worlds.waiting import WAIT, until

pytest.importorskip("watchfiles", reason="the extra watch is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "notes", {"a.txt": "A mill."})


@pytest.fixture
def told(folder: Path) -> Iterator[list[Path]]:
    """What is told of the folder, as long as the test lasts."""
    said: list[Path] = []
    stop = threading.Event()

    def listen() -> None:
        for changed in changes_of([folder], besides=folder / "my.index", settled=50, stop=stop):
            said.extend(changed)

    listener = threading.Thread(target=listen)
    listener.start()
    time.sleep(0.5)  # until the watch has begun
    yield said
    stop.set()
    listener.join(WAIT)
    assert not listener.is_alive()


def test_what_indexing_reads_is_told_however_its_folder_is_called(folder: Path, told: list[Path]) -> None:
    """And nothing that it passes over."""
    write(folder, {".trash/b.txt": "A weir.", ".c.txt": "Oats.", "node_modules/d.md": "Rye."})
    until(lambda: folder / "node_modules" in told)
    write(folder, {".trash/b.txt": "A ferry.", "node_modules/d.md": "Hay.", "flycheck_e.md": "Straw."})
    until(lambda: {folder / "node_modules" / "d.md", folder / "flycheck_e.md"} <= set(told))
    assert not [path for path in told if ".trash" in path.parts or path.name == ".c.txt"]


def test_a_folder_that_goes_and_comes_back_is_watched_again(folder: Path, told: list[Path]) -> None:
    folder.rename(folder.parent / "elsewhere")
    until(lambda: folder in told)
    told.clear()
    write(folder.parent / "elsewhere", {"unseen.txt": "Nobody looks here now."})
    (folder.parent / "elsewhere").rename(folder)
    until(lambda: folder in told)
    write(folder, {"b.txt": "A weir."})
    until(lambda: folder / "b.txt" in told)
    assert not [path for path in told if path.name == "unseen.txt"]


def test_a_folder_that_is_made_anew_at_once_is_watched_again(folder: Path, told: list[Path]) -> None:
    """Its number may be that of the one that was deleted."""
    shutil.rmtree(folder)
    folder.mkdir()
    until(lambda: folder in told)
    told.clear()
    write(folder, {"b.txt": "A weir."})
    until(lambda: folder in told)
    write(folder, {"c.txt": "Rye."})
    until(lambda: folder / "c.txt" in told)


def test_an_empty_folder_in_its_place_is_no_change_until_something_is_in_it(folder: Path, told: list[Path]) -> None:
    """As where a disk is unmounted, and mounted again."""
    (folder.parent / "mount_point").mkdir()
    folder.rename(folder.parent / "elsewhere")
    (folder.parent / "mount_point").rename(folder)
    until(lambda: folder in told)  # the renaming, which nobody sees of a disk
    told.clear()
    time.sleep(2.5)
    assert told == []
    write(folder, {"b.txt": "A weir."})
    until(lambda: folder in told)

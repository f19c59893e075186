"""What processes that run tests side by side share: whoever comes first makes it, and the others wait for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.worlds.waiting import until

SECONDS = 240.0  # for what takes six on a machine that has nothing else to do


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """A folder that one process makes, for all of them."""
    begun, whole = (folder.with_name(f"{folder.name}.{how}") for how in ("begun", "whole"))
    folder.parent.mkdir(exist_ok=True)
    try:
        begun.mkdir()
    except FileExistsError:
        until(lambda: whole.exists() or not begun.exists(), seconds=SECONDS)
        return folder if whole.exists() else made_once(folder, make)
    else:
        try:
            make(folder)
        except BaseException:
            begun.rmdir()  # whoever waits learns from trying what is wrong
            raise
        whole.mkdir()
    return folder

"""A file that is there wholly or not at all, whatever happens while it is written."""

from __future__ import annotations

import errno
import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def check_place(path: Path) -> None:
    """Look whether ``whole_file`` can write to a path, before what is to stand there takes hours to find.

    Its folder is made where it is missing. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        return
    draft = _draft(path)
    try:
        draft.touch(exist_ok=False)
    finally:
        draft.unlink(missing_ok=True)


def _draft(path: Path) -> Path:
    """A new name beside the file that a path means, its links followed."""
    place = Path(os.path.realpath(path))
    return place.with_name(f".{place.name}-{secrets.token_hex(6)}")


def drafts_of(path: Path) -> list[Path]:
    """What writers that were killed have left beside a file, or what others are writing there now."""
    place = Path(os.path.realpath(path))
    return sorted(place.parent.glob(f".{glob.escape(place.name)}-{'[0-9a-f]' * 12}"))


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write into, which takes the place of ``path`` once all of it is on the disk. Raises OSError.

    Where something is raised inside, what was there before stays. A link stays, too: the file that it points to is
    replaced. What is no file, such as a pipe or /dev/stdout, is written to, since nothing may take its place.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    place, draft = Path(os.path.realpath(path)), _draft(path)
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)

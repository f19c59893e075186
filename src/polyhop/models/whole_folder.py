"""A folder that is there wholly or not at all, whatever happens while it is made."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from polyhop.errors import ModelError, StorageFull, UsageError

MAKING: Final = ".making-"  # prefix of the folder that another is made in
FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR)


@contextmanager
def storage(folder: Path) -> Iterator[None]:
    """A folder that is made where missing; inside, a disk that is full or not ours is told as such."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        if error.errno in FULL:
            raise StorageFull(f"Models cannot be stored in {folder}: {error.strerror}.") from error
        raise ModelError(f"Models cannot be stored in {folder}: {error}.") from error


def synced(folder: Path) -> Path:
    """The folder, its files written to the disk, so that it can be moved. Raises OSError."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
    return folder


@contextmanager
def whole(target: Path) -> Iterator[Path]:
    """An empty folder that becomes ``target`` at the end, unless something is raised.

    It lies beside the target; what one left there that was killed is taken away by the next. Raises UsageError where
    the target exists or is being made, StorageFull, ModelError.
    """
    from filelock import FileLock, Timeout

    if target.exists():
        raise UsageError(f"{target} is there already.", remedy="Name another folder, or take that one away.")
    work = target.parent / f"{MAKING}{target.name}"
    with storage(target.parent):
        work.mkdir(exist_ok=True)
        try:
            with FileLock(work / "lock", timeout=0):
                shutil.rmtree(ready := work / "ready", ignore_errors=True)
                ready.mkdir()
                try:
                    yield ready
                    synced(ready).replace(target)
                finally:
                    shutil.rmtree(work, ignore_errors=True)
        except Timeout as error:
            raise UsageError(f"{target} is being made by another process.", remedy="Wait until it is done.") from error

"""A file that is there wholly or not at all, whatever happens while it is written."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


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
    place = Path(os.path.realpath(path))
    draft = place.with_name(f".{place.name}-{secrets.token_hex(6)}")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)

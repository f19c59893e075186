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

    Where something is raised inside, what was there before stays.
    """
    draft = path.with_name(f".{path.name}-{secrets.token_hex(6)}")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)

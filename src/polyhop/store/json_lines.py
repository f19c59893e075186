"""Files of JSON lines that are appended to, each line whole and synced: a kill costs what was not yet appended."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

logger = logging.getLogger(__name__)


def read(file: Path) -> list[Any]:
    """What the lines of a file hold; None for one that a kill has torn. Nothing where there is no file."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        logger.debug("%s cannot be read: %s", file, error)
        return []
    return [_parsed(line) for line in lines if line]


def encoded(rows: Iterable[object]) -> bytes:
    """Rows as lines."""
    return b"".join(json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n" for row in rows)


def append(file: Path, rows: Iterable[object]) -> None:
    """Add rows to a file, which is made with its folder; they are on disk when this returns. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab+") as stream:
        if stream.tell() and _last_byte(stream) != b"\n":
            stream.write(b"\n")  # what a kill tore stays a line of its own
        stream.write(encoded(rows))
        stream.flush()
        os.fsync(stream.fileno())


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _last_byte(stream: BinaryIO) -> bytes:
    stream.seek(-1, os.SEEK_END)
    return stream.read(1)

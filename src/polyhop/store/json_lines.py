"""Files of JSON lines: rows that people write, and files that are appended to, each line whole and synced.

A kill costs of the latter what was not yet appended.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from polyhop.errors import DatasetError

logger = logging.getLogger(__name__)


LINES: Final = "Write one JSON object a line."
_BLOCK: Final = 65_536  # bytes that are read at once where the last line of a file is sought


@dataclass(frozen=True, slots=True)
class RowLine:
    """One line of a file, as an object, and how to complain about it."""

    place: str
    fields: Mapping[str, Any]

    def text(self, *names: str) -> str:
        """The text in the first of some fields that is there; not blank."""
        value = next((self.fields[name] for name in names if name in self.fields), None)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(f"{' or '.join(names)} is no text, or blank")
        return value

    def listed(self, name: str, *, optional: bool = False) -> list[Any]:
        """The list in a field; ``optional``: empty where the field is missing or null."""
        value = self.fields.get(name)
        if value is None and optional:
            return []
        if not isinstance(value, list):
            raise self.wrong(f"{name} is no list")
        return value

    def each(self, name: str) -> Iterator[RowLine]:
        """The objects in the list in a field."""
        for fields in self.listed(name):
            if not isinstance(fields, dict):
                raise self.wrong(f"{fields!r} in {name} is no object")
            yield RowLine(self.place, fields)

    def wrong(self, what: str, remedy: str = "Correct the line, or leave it out.") -> DatasetError:
        """An error that says where."""
        return DatasetError(f"{self.place}: {what}.", remedy=remedy)


def rows(file: Path, *, appended: bool = False) -> Iterator[RowLine]:
    """The lines of a file, perhaps a compressed one, that are not blank. Raises DatasetError with file and line.

    ``appended``: a kill may have torn the last line, which then does not count.
    """
    try:
        with cast(BinaryIO, gzip.open(file)) if file.suffix == ".gz" else file.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if appended and _is_torn(line):
                    logger.warning("The last line of %s is torn, and does not count.", file)
                    return
                if line.strip():
                    yield _row(line, f"{file}, line {number}")
    except (OSError, EOFError, zlib.error) as error:
        raise DatasetError(f"{file} cannot be read: {error}.") from error


def _row(line: bytes, place: str) -> RowLine:
    try:
        fields = json.loads(line.decode("utf-8-sig"))  # some programs put a mark before the first line
    except UnicodeDecodeError as error:
        remedy = "Save the file as UTF-8."
        raise DatasetError(f"{place}: not UTF-8, in byte {error.start + 1}.", remedy=remedy) from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{place}: not JSON ({error}).", remedy=LINES) from error
    if not isinstance(fields, dict):
        raise DatasetError(f"{place}: an object was expected, not {type(fields).__name__}.", remedy=LINES)
    return RowLine(place, fields)


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
        if last := _unended(stream):
            if _is_torn(last):
                stream.truncate(stream.seek(0, os.SEEK_END) - len(last))
            else:
                stream.write(b"\n")
        stream.write(encoded(rows))
        stream.flush()
        os.fsync(stream.fileno())


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_torn(line: bytes) -> bool:
    """Whether it is what a kill has left of a row."""
    return line.startswith(b'{"') and line.isascii() and not line.endswith(b"\n") and _parsed(line) is None


def _unended(stream: BinaryIO) -> bytes:
    """What stands behind the last end of a line."""
    last, at = b"", stream.seek(0, os.SEEK_END)
    while at and b"\n" not in last:
        start = max(at - _BLOCK, 0)
        stream.seek(start)
        last, at = stream.read(at - start) + last, start
    return last.rpartition(b"\n")[2]

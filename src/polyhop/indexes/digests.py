"""What files were when they were written, so that damage is told from data.

A file beside them has the size of each, the digest of its two ends, and the digest of all of it. Whoever opens a file
reads its ends: that tells files that were cut, emptied or exchanged, however large they are, and all damage to small
ones. A byte that changed in the middle of a large file is found only by who reads all of it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Final

FILE: Final = "digests.json"
END: Final = 1 << 15  # bytes at each end of a file that are read whenever it is opened

Written = dict[str, tuple[int, str, str]]  # by file name: size, digest of its ends, digest of all of it


def seal(folder: Path) -> None:
    """Note what the files of a folder are now. Raises OSError."""
    found: Written = {}
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            found[path.name] = (size, _ends(file, size), _whole(file))
    with (folder / FILE).open("w", encoding="ascii") as file:
        json.dump(found, file, separators=(",", ":"))
        file.flush()
        os.fsync(file.fileno())


def is_sealed(folder: Path) -> bool:
    """Whether it was noted what the files of a folder are; earlier versions did not."""
    return (folder / FILE).is_file()


def faults(folder: Path, names: Iterable[str] | None = None, *, deep: bool = False) -> Iterator[str]:
    """What is wrong with files of a folder, each in a sentence; nothing where it was not noted what they were.

    ``names``: of these files; None: of all. ``deep``: read all of them, not only their ends. Raises OSError.
    """
    if not is_sealed(folder):
        return
    written = _read(folder)
    if written is None:
        yield f"{folder / FILE} is damaged."
        return
    for name in written if names is None else names:
        fault = _fault(folder / name, written, deep=deep)
        if fault:
            yield f"{folder / name} is damaged: {fault}."


def _fault(path: Path, written: Written, *, deep: bool) -> str:
    if path.name not in written:
        return "it is not one of the files that were written together"
    size, ends, whole = written[path.name]
    with path.open("rb") as file:
        found = os.fstat(file.fileno()).st_size
        if found != size:
            return f"it has {found} bytes instead of {size}"
        if _ends(file, size) != ends or (deep and _whole(file) != whole):
            return "it is not as it was written"
    return ""


def _read(folder: Path) -> Written | None:
    try:
        content = json.loads((folder / FILE).read_bytes())
        return {name: (int(size), str(ends), str(whole)) for name, (size, ends, whole) in content.items()}
    except (ValueError, TypeError, AttributeError):
        return None


def _ends(file: BufferedReader, size: int) -> str:
    file.seek(0)
    first = file.read(END)
    file.seek(max(size - END, len(first)))
    return hashlib.sha256(first + file.read()).hexdigest()[:32]


def _whole(file: BufferedReader) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()[:32]

"""What files were when they were written, so that damage is told from data.

A file beside them has the size of each, the digest of its two ends, and the digest of all of it. Whoever opens a file
reads its ends: that tells files that were cut, emptied or exchanged, however large they are, and all damage to small
ones. A file of many small arrays (``segments.Packed``) is read whole. A byte that changed in the middle of a large file
is found only by who reads all of it. A second file has when each was last found whole, so that whoever only asks what
was written to since need not read the others again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from io import BufferedReader
from pathlib import Path
from typing import Final

from polyhop.errors import IndexCorrupt

FILE: Final = "digests.json"
SEEN: Final = "seen.json"
PACKED: Final = "small.arrays"  # the file of all small arrays of a folder
REMEMBERED: Final = 1 << 14  # files of which a process remembers what their ends are
END: Final = 1 << 15  # bytes at each end of a file that are read whenever it is opened

Written = dict[str, tuple[int, str, str]]  # by file name: size, digest of its ends, digest of all of it


def seal(folder: Path) -> None:
    """Note what the files of a folder are now. Raises OSError."""
    found: Written = {}
    seen: dict[str, list[int]] = {}
    for path in sorted(path for path in folder.iterdir() if path.is_file() and path.name not in (FILE, SEEN)):
        seen[path.name] = times(path)  # before it is read: whoever writes to it meanwhile has it read again
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            ends = _ends(file, path.name, size)
            whole = _whole(file) if size > 2 * END else ends  # a small file is nothing but ends
            found[path.name] = (size, ends, whole)
    with (folder / FILE).open("w", encoding="ascii") as file:
        json.dump(found, file, separators=(",", ":"))
        file.flush()
        os.fsync(file.fileno())
    _see(folder, seen)


def is_sealed(folder: Path) -> bool:
    """Whether it was noted what the files of a folder are; earlier versions did not."""
    return (folder / FILE).is_file()


def faults(
    folder: Path, names: Iterable[str] | None = None, *, deep: bool = False, besides: Iterable[str] = ()
) -> Iterator[str]:
    """What is wrong with files of a folder, each in a sentence; nothing where it was not noted what they were.

    ``names``: of these files; None: of all. ``deep``: read all of them, not only their ends, ``besides`` some. Raises
    OSError.
    """
    if not is_sealed(folder):
        return
    written = _read(folder)
    if written is None:
        yield f"{folder / FILE} is damaged."
        return
    shallow = frozenset(besides)
    for name in written if names is None else names:
        fault = _fault(folder / name, written, deep=deep and name not in shallow)
        if fault:
            yield f"{folder / name} is damaged: {fault}."


def new_faults(folder: Path) -> Iterator[str]:
    """Like deep ``faults``, but of files that nobody wrote to since they were found whole only the ends are read.

    So a disk that forgets by itself, far from the ends of a file, is not noticed. Raises OSError.
    """
    if not is_sealed(folder):
        return
    written = _read(folder) or {}
    seen, now = _seen(folder), {name: times(folder / name) for name in written}
    known = [name for name in written if seen.get(name) == now[name] != []]
    damaged = False
    for fault in faults(folder, deep=True, besides=known):
        damaged = True
        yield fault
    if not damaged and len(known) < len(written):
        _see(folder, now)


def untouched(folder: Path) -> bool:
    """Whether nobody wrote to the files of a folder since they were found whole. Raises OSError."""
    seen = _seen(folder) if is_sealed(folder) else {}
    return bool(seen) and all(seen.get(name) == times(folder / name) for name in _read(folder) or seen)


def found_whole(folder: Path) -> None:
    """Note that the files of a folder were found whole, by whoever read all of them."""
    _see(folder, {name: times(folder / name) for name in _read(folder) or ()})


def written(folder: Path) -> dict[str, tuple[int, str]]:
    """The files of a folder as they were written, size and digest, and the one that says so. Raises IndexCorrupt."""
    found = _read(folder) if is_sealed(folder) else None
    if found is None:
        raise IndexCorrupt(f"{folder / FILE} is damaged.")
    with (folder / FILE).open("rb") as file:
        told = os.fstat(file.fileno()).st_size, _whole(file)
    return {FILE: told, **{name: (size, whole) for name, (size, _, whole) in found.items()}}


def is_whole(path: Path, size: int, digest: str) -> bool:
    """Whether a file is there with this size and digest; all of it is read. Raises OSError."""
    try:
        with path.open("rb") as file:
            return os.fstat(file.fileno()).st_size == size and _whole(file) == digest
    except FileNotFoundError:
        return False


def times(path: Path) -> list[int]:
    """When a file was written, and how large it is; nothing of one that is not there."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return []
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _see(folder: Path, whole: Mapping[str, list[int]]) -> None:
    """Note when files were whole; where that cannot be noted, they are read again."""
    with suppress(OSError):
        draft = folder / f".{SEEN}"
        draft.write_text(json.dumps(dict(whole)), encoding="ascii")
        draft.replace(folder / SEEN)


def _seen(folder: Path) -> dict[str, list[int]]:
    try:
        found = json.loads((folder / SEEN).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _fault(path: Path, written: Written, *, deep: bool) -> str:
    if path.name not in written:
        return "it is not one of the files that were written together"
    size, ends, whole = written[path.name]
    found = path.stat()
    if found.st_size != size:
        return f"it has {found.st_size} bytes instead of {size}"
    if _ends_at(str(path), size, found.st_mtime_ns, found.st_ctime_ns) != ends:
        return "it is not as it was written"
    if deep:
        with path.open("rb") as file:
            return "" if _whole(file) == whole else "it is not as it was written"
    return ""


@lru_cache(REMEMBERED)
def _ends_at(path: str, size: int, *_times: int) -> str:
    """The digest of the ends of a file, which is read once as long as nobody writes to it."""
    with Path(path).open("rb") as file:
        return _ends(file, Path(path).name, size)


def _read(folder: Path) -> Written | None:
    try:
        content = json.loads((folder / FILE).read_bytes())
        return {name: (int(size), str(ends), str(whole)) for name, (size, ends, whole) in content.items()}
    except (ValueError, TypeError, AttributeError):
        return None


def _ends(file: BufferedReader, name: str, size: int) -> str:
    if name == PACKED:
        return _whole(file)
    file.seek(0)
    first = file.read(END)
    file.seek(max(size - END, len(first)))
    return hashlib.sha256(first + file.read()).hexdigest()[:32]


def _whole(file: BufferedReader) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()[:32]

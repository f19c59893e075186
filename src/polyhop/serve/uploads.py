"""Uploaded files on their way to the disk: what they may be called, how large they may be, and where they lie.

What a file is called is a name for people, and later the source of its documents. Where it lies is told by a number
drawn by chance and by its kind: nothing of what somebody sent ever becomes a path of this machine.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import unicodedata
from collections.abc import Callable, Collection
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from polyhop.errors import StorageFull, TooLarge, UsageError
from polyhop.serve.jobs.job import LeftOut
from polyhop.settings import Serving
from polyhop.store.faults import translated

LONGEST_NAME = 400  # characters
_LOOK_AGAIN = 8 << 20  # bytes between two looks at the space that is left
_DRIVE = re.compile(r"[A-Za-z]:(?!\s)")  # "Q: who.txt" is a name
_TURNED = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # they make a name read as another


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A file that has come, and where it lies in the folder of the workspace's files."""

    name: str
    stored: str
    bytes: int
    sha256: str


def source_name(sent: str) -> str:
    """What a file is to be called, from the name that somebody sent: relative, with forward slashes.

    Raises UsageError for one that is absolute, leads upwards, or cannot be shown as it is.
    """
    if problem := problem_of(sent):
        raise UsageError(
            f"The name {shown(sent)} {problem}.",
            remedy="Send a file name, or a path within the folder that you upload.",
        )
    return "/".join(_parts(_slashed(sent)))


def problem_of(sent: str) -> str:
    """What is wrong with the name that somebody sent for a file; empty where nothing is."""
    name = _slashed(sent)
    parts = _parts(name)
    problem = ""
    if not parts or not name.strip():
        problem = "is empty"
    elif name.startswith("/") or _DRIVE.match(name):
        problem = "is absolute"
    elif ".." in parts:
        problem = "leads out of its folder"
    elif _TURNED.search(name) or any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name):
        problem = "has letters that cannot be shown"
    elif len(name) > LONGEST_NAME:
        problem = f"is longer than {LONGEST_NAME} characters"
    return problem


def _slashed(sent: str) -> str:
    return unicodedata.normalize("NFC", sent).replace("\\", "/")


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in ("", ".")]


def shown(name: str) -> str:
    """A name as it may stand in a message: short, and in plain letters."""
    return ascii(name if len(name) <= 60 else f"{name[:57]}...")


@dataclass(kw_only=True)
class Spool:
    """Takes the files of one request, one after the other; unless it is kept, nothing of them stays."""

    folder: Path
    suffixes: Collection[str]  # of the files that are read
    limits: Serving = Serving()  # how much may be uploaded
    used: int = 0  # bytes of the workspace's files until now
    left: int | None = None  # bytes that whoever sends them may still upload; None: no limit
    allow: Callable[[int], int | None] = lambda size: None  # looked at again where these do not suffice: what is left
    received: list[Received] = field(default_factory=list, init=False)
    skipped: list[LeftOut] = field(default_factory=list, init=False)
    oversized: int = field(default=0, init=False)  # how many of these were too large
    _size: int = field(default=0, init=False)  # of the request
    _looked: int = field(default=0, init=False)  # its size when the space was last looked at
    _count: int = field(default=0, init=False)
    _open: _OpenFile | None = field(default=None, init=False)

    def begin(self, sent: str) -> None:
        """A file begins. Raises UsageError, TooLarge, StorageFull."""
        self._count += 1
        if self._count > self.limits.files:
            raise TooLarge(
                f"A request may bring {self.limits.files:,} files.", remedy="Send the files in several requests."
            )
        name = source_name(sent)
        suffix = PurePosixPath(name).suffix.lower()
        if suffix not in self.suffixes:
            kind = f"files ending in {suffix}" if suffix else "files without a suffix"
            self.skipped.append(LeftOut(file=name, reason=f"{kind} are not read"))
            return
        if any(other.name == name for other in self.received):
            self.skipped.append(LeftOut(file=name, reason="was sent twice: the first one counts"))
            return
        stored = f"{secrets.token_hex(16)}{suffix}"
        with translated(self.folder / stored):
            self.folder.mkdir(parents=True, exist_ok=True)
            stream = (self.folder / stored).open("xb")
        self._open = _OpenFile(name=name, stored=stored, stream=stream)

    def write(self, data: bytes | memoryview) -> None:
        """More of the file that has begun. Raises TooLarge, StorageFull."""
        self.count(len(data))
        file = self._open
        if file is None:
            return  # it is left out
        if file.size + len(data) > self.limits.file:
            self._drop(file)
            self.oversized += 1
            reason = f"is larger than {self.limits.file:,} bytes, the most that a file may have here"
            self.skipped.append(LeftOut(file=file.name, reason=reason))
            return
        with translated(self.folder / file.stored):
            file.write(data)

    def count(self, size: int) -> None:
        """Count bytes of the request. Raises TooLarge, StorageFull, and what ``allow`` raises."""
        self._size += size
        if self._size > self.limits.upload:
            raise TooLarge(
                f"A request may have {self.limits.upload:,} bytes.", remedy="Send the files in several requests."
            )
        if self.left is not None and self._size > self.left:
            self.left = self.allow(self._size)
        if self._looked == 0 or self._size - self._looked >= _LOOK_AGAIN:
            self._looked = max(1, self._size)
            self.require(0)

    def require(self, size: int) -> None:
        """Look whether there is space for so many bytes more. Raises StorageFull."""
        kept = sum(file.bytes for file in self.received) + (self._open.size if self._open else 0)
        if self.limits.quota is not None and self.used + kept + size > self.limits.quota:
            raise StorageFull(
                f"The workspace may keep {self.limits.quota:,} bytes of files, and has {self.used:,}.",
                remedy="Delete documents that are not needed any more.",
            )
        with translated(self.folder / "files"):
            there = next(folder for folder in (self.folder, *self.folder.parents) if folder.is_dir())
            free = shutil.disk_usage(there).free
        if free - size < self.limits.spare:
            raise StorageFull(
                "There is not enough space left on the server's disk.",
                remedy="Ask whoever runs the server to make room; nothing of this request was kept.",
            )

    def end(self) -> None:
        """The file that has begun is whole. Raises StorageFull."""
        file, self._open = self._open, None
        if file is None:
            return
        with translated(self.folder / file.stored):
            file.close(keep=True)
        self.received.append(
            Received(name=file.name, stored=file.stored, bytes=file.size, sha256=file.digest.hexdigest())
        )
        self.require(0)

    def discard(self) -> None:
        """Remove all that has come."""
        if self._open is not None:
            self._drop(self._open)
        for file in self.received:
            (self.folder / file.stored).unlink(missing_ok=True)
        self.received.clear()

    def _drop(self, file: _OpenFile) -> None:
        self._open = None
        file.close(keep=False)
        (self.folder / file.stored).unlink(missing_ok=True)


@dataclass(kw_only=True)
class _OpenFile:
    """A file that is being written."""

    name: str
    stored: str
    stream: IO[bytes]
    size: int = 0
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)

    def write(self, data: bytes | memoryview) -> None:
        self.stream.write(data)
        self.digest.update(data)
        self.size += len(data)

    def close(self, *, keep: bool) -> None:
        """Close it; what is kept survives a power cut."""
        try:
            if keep:
                self.stream.flush()
                os.fsync(self.stream.fileno())
        finally:
            with nullcontext() if keep else suppress(OSError):  # what is dropped need not be written to a full disk
                self.stream.close()

"""Reads files that anybody may have sent, in a process that may use so much memory and time and no more.

Where the system has no limits for processes (Windows), only time and the length of the text are bounded.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from polyhop.errors import PolyhopError
from polyhop.reports import Skipped
from polyhop.settings import Serving
from polyhop.types import Document

MEBIBYTE = 1 << 20
LOOK = 0.5  # seconds between two looks at whether a file is still to be read
_ENDED = b""


@dataclass(kw_only=True)
class GuardedParser:
    """Reads files with the registered loaders in a process of its own, which is replaced when a file has ended it."""

    limits: Serving = Serving()  # what reading one file may take
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _lines: queue.SimpleQueue[bytes] = field(init=False)

    def documents(self, path: Path, name: str, waiting: Callable[[], None] = lambda: None) -> list[Document | Skipped]:
        """What is in a file that is to be known under a name; one that cannot be read is handed out as Skipped.

        ``waiting`` is called every now and then until it is read; what that raises ends the reading. Raises
        PolyhopError where no process can be started.
        """
        fresh = self._process is None
        try:
            return list(self._items(path, name, waiting))
        except _TooMuchTime as error:
            self.close()
            return [Skipped(name, str(error))]
        except _Unreadable as error:
            self.close()  # what it was left with by other files may be what it lacks for this one
            return [Skipped(name, str(error))] if fresh else self.documents(path, name, waiting)
        except BaseException:
            self.close()  # it would hand out the rest of this file as the next one's
            raise

    def _items(self, path: Path, name: str, waiting: Callable[[], None]) -> Iterator[Document | Skipped]:
        deadline = time.monotonic() + self.limits.file_seconds
        process = self._running()
        order = {"path": str(path), "name": name, "seconds": self.limits.file_seconds}
        try:
            assert process.stdin is not None  # noqa: S101  (a pipe: see _start)
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise self._died() from None
        size = 0
        for line in self._said(deadline, waiting):
            if not line.endswith(b"\n"):
                raise self._died()
            size += len(line)
            if size > 2 * self.limits.file_text * MEBIBYTE:  # JSON writes some letters in two bytes
                raise _Unreadable(f"holds more than {self.limits.file_text:,} MiB of text")
            item = json.loads(line)
            if "end" in item:
                return
            yield self._decoded(item)

    def _said(self, deadline: float, waiting: Callable[[], None]) -> Iterator[bytes]:
        """What the process says, line by line, until the time of a file is over."""
        looked = time.monotonic()
        while True:
            now = time.monotonic()
            if now - looked >= LOOK:
                looked = now
                waiting()
            try:
                yield self._lines.get(timeout=max(0.0, min(LOOK, deadline - now)))
            except queue.Empty:
                if time.monotonic() >= deadline:
                    raise _TooMuchTime(f"takes longer than {self.limits.file_seconds:g} seconds to read") from None

    def _decoded(self, item: dict[str, Any]) -> Document | Skipped:
        if "skipped" not in item:
            return _document(item)
        reason = str(item["skipped"])
        if "MemoryError" in reason:
            raise _Unreadable(f"needs more than {self.limits.file_memory:,} MiB of memory to be read")
        return Skipped(item["uri"], reason)

    def _died(self) -> _Unreadable:
        most = self.limits.file_memory
        return _Unreadable(f"cannot be read: it ended the process that read it (damaged, or more than {most:,} MiB?)")

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = self._start()
        return self._process

    def _start(self) -> subprocess.Popen[bytes]:
        limits = (str(self.limits.file_memory * MEBIBYTE), str(self.limits.file_text * MEBIBYTE))
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "polyhop.serve.parsing_process", *limits],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # what libraries print of a broken file
                process_group=0 if os.name == "posix" else None,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            raise PolyhopError(f"A process that reads files could not be started: {error}.") from error
        assert process.stdout is not None  # noqa: S101  (a pipe)
        self._lines = queue.SimpleQueue()
        longest = 2 * self.limits.file_text * MEBIBYTE
        threading.Thread(target=_listen, args=(process.stdout, self._lines, longest), daemon=True).start()
        return process

    def close(self) -> None:
        """End the process; the next file starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()  # it holds nothing that could be lost
        process.wait()
        if process.stdin is not None:
            process.stdin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Unreadable(Exception):
    """Why a file could not be read; the process that did is of no more use."""


class _TooMuchTime(_Unreadable):
    """It took too long, which it would do again."""


def _listen(stream: IO[bytes], lines: queue.SimpleQueue[bytes], longest: int) -> None:
    """Hand on what the process says, line by line, and that it has ended."""
    with stream:
        while line := stream.readline(longest):
            lines.put(line)
    lines.put(_ENDED)


def _document(item: dict[str, Any]) -> Document:
    item["pages"] = tuple(item["pages"])
    item["levels"] = tuple(item["levels"])
    item["headings"] = tuple((start, end) for start, end in item["headings"])
    return Document(**item)

"""The process that reads uploaded files: an order a line on standard input, a document a line on standard output.

Started as ``python -m polyhop.serve.parsing_process MEMORY TEXT`` (bytes). It bounds itself before it reads anything,
and ends when its parent does.
"""

from __future__ import annotations

import json
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from polyhop.documents.loading import Loader
from polyhop.documents.reading import Source, registered
from polyhop.reports import Skipped

LARGEST_FILE = 64 << 20  # bytes that a loader may write, to a temporary file say


def main(memory: int, text: int) -> None:
    """Read the files that are named, until standard input closes."""
    _bound(memory)
    orders: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    loaders = {suffix: loader for loader in registered().values() for suffix in loader.suffixes}
    while True:
        order = json.loads(orders.get())
        _bound_seconds(order["seconds"])
        for item in _read(Path(order["path"]), order["name"], loaders, text):
            _say(item)
        _say({"end": True})


def _read(path: Path, name: str, loaders: dict[str, Loader], text: int) -> Iterator[dict[str, Any]]:
    loader = loaders.get(path.suffix)
    if loader is None:
        yield _skipped(Skipped(name, "files of this kind are not read"))
        return
    left = text
    for item in Source(path=path, uri=name, loader=loader).documents():
        if isinstance(item, Skipped):
            yield _skipped(item)
            continue
        left -= len(item.text.encode())
        if left < 0:
            yield _skipped(Skipped(name, f"holds more than {text >> 20:,} MiB of text"))
            return
        yield asdict(replace(item, metadata=dict(item.metadata)))


def _skipped(item: Skipped) -> dict[str, Any]:
    return {"uri": item.uri, "skipped": item.reason}


def _bound(memory: int) -> None:
    """No more memory than that, no large files, and no picture of this process when it dies."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    for kind, most in (("RLIMIT_AS", memory), ("RLIMIT_FSIZE", LARGEST_FILE), ("RLIMIT_CORE", 0)):
        number = getattr(resource, kind)
        hardest = resource.getrlimit(number)[1]
        limit = most if hardest == resource.RLIM_INFINITY else min(most, hardest)
        try:
            resource.setrlimit(number, (limit, limit))
        except (ValueError, OSError):  # a system that has the name but not the limit
            continue


def _bound_seconds(seconds: float) -> None:
    """No more processor time than that for the next file: a guard for when the parent is gone, too."""
    try:
        import resource
    except ImportError:
        return
    hardest = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds) + 1, hardest))


def _listen(orders: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        if line.endswith(b"\n"):
            orders.put(line)
    os._exit(0)


def _say(item: dict[str, Any]) -> None:
    try:
        sys.stdout.buffer.write(json.dumps(item, ensure_ascii=False).encode(errors="replace") + b"\n")
        sys.stdout.buffer.flush()
    except OSError:
        os._exit(0)  # nobody listens any more


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

"""A worker process: reads one JSON job a line from standard input, writes one JSON result a line to standard output.

Started as ``python -m polyhop.indexing.executors.worker``. It shares nothing with its parent but these two pipes, so a
script that uses the library needs no ``if __name__ == "__main__"`` guard (as multiprocessing would). It ends when its
parent does, however that ends and whatever it is doing then, because its standard input closes: on every system.
"""

from __future__ import annotations

import base64
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from polyhop.errors import PolyhopError
from polyhop.layers.layer import layer_of
from polyhop.models.choice import load_models
from polyhop.ports import Chunk, Failure, Rows
from polyhop.settings import Indexing, Settings
from polyhop.types import Passage


def encode_job(layer: str, settings: Settings, chunk: Chunk) -> bytes:
    """A job as one line; where the record is, perhaps with a password, is no worker's business."""
    job = {
        "layer": layer,
        "settings": replace(settings, index=Indexing()).to_mapping(),
        "passages": [_sent(passage) for passage in chunk.passages],
        "below": {name: [_text(item) for item in rows] for name, rows in chunk.below.items()},
    }
    return json.dumps(job).encode() + b"\n"


def _sent(passage: Passage) -> dict[str, Any]:
    """A passage as plain data, without what no layer reads."""
    return {
        name: value
        for name, value in asdict(passage).items()
        if name not in ("occasion", "section", "headings", "thread")
    }


def _decoded(job: Mapping[str, Any]) -> Chunk:
    below = {
        name: [None if item is None else base64.b64decode(item) for item in rows] for name, rows in job["below"].items()
    }
    return Chunk([Passage(**fields) for fields in job["passages"]], below)


def _text(rows: bytes | None) -> str | None:
    return None if rows is None else base64.b64encode(rows).decode("ascii")


def decode_rows(line: bytes) -> list[Rows]:
    """The rows of a result line. Raises PolyhopError with what the worker could not do."""
    result = json.loads(line)
    if "error" in result:
        raise PolyhopError(result["error"], remedy=result["remedy"])
    return [
        Failure(item["failure"]) if "failure" in item else base64.b64decode(item["rows"]) for item in result["rows"]
    ]


class JobWorker:
    """Does one job after another, with models that it loads once."""

    def __init__(self) -> None:
        self._settings = Settings()
        self._models = load_models(self._settings)

    def do(self, line: bytes) -> bytes:
        """The result of a job as one line."""
        job = json.loads(line)
        if job["settings"] != self._settings.to_mapping():
            self._settings = Settings.from_mapping(job["settings"])
            self._models = load_models(self._settings)
        try:
            layer = layer_of(job["layer"], self._settings)
            chunk = _decoded(job)
            rows = layer.extract(chunk.passages, self._models, chunk.below)
            result: dict[str, Any] = {"rows": [_encoded(item) for item in rows]}
        except PolyhopError as error:
            result = {"error": str(error), "remedy": error.remedy}
        return json.dumps(result).encode() + b"\n"


def main() -> None:
    """Serve jobs until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(jobs,), daemon=True).start()
    worker = JobWorker()
    while _said(worker.do(jobs.get())):
        pass


def _listen(jobs: queue.SimpleQueue[bytes]) -> None:
    """Hand on the jobs that come; without a parent, end this process at once: it holds nothing that could be lost."""
    for line in sys.stdin.buffer:
        if line.endswith(b"\n"):  # else the parent ended in the middle of it
            jobs.put(line)
    os._exit(0)


def _said(line: bytes) -> bool:
    """Hand a result to the parent; False where the parent is gone."""
    try:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left unsaid is lost without a noise
        return False
    return True


def _encoded(rows: Rows) -> dict[str, str]:
    if isinstance(rows, Failure):
        return {"failure": rows.error}
    return {"rows": str(_text(rows))}


if __name__ == "__main__":
    main()

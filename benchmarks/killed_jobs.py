"""Kills a server's worker again and again, and compares what is left with a run that nobody killed.

    python benchmarks/killed_jobs.py --kills 50

Three jobs are queued (an upload, one that replaces part of it, and a deletion) and worked on by a process that gets
SIGKILL at random moments; after the last kill the work is done to its end. What the index then holds, the files that
are kept, the rows of the layers and how often each was made are those of a run without kills, or the script fails.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from polyhop.serve.jobs.job import JobKind, JobState
from polyhop.serve.jobs.queue import JobQueue
from polyhop.serve.jobs.worker import WorkOrder
from polyhop.serve.kept_files import KeptFiles
from polyhop.serve.places import Places, WorkspacePlace
from polyhop.serve.uploads import Spool
from polyhop.settings import Serving, Settings
from polyhop.store.record import Record

PEOPLE = ("Ada Brisk", "Piet Rook", "Nan Soller", "Ivo Tull", "Mira Dane")
TOWNS = ("Quillmouth", "Fennick", "Tarn Bay")


def main() -> None:
    """Compare the two runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        undisturbed, killed = (Places(workspaces=Path(folder) / name).make("default") for name in ("whole", "killed"))
        for place in (undisturbed, killed):
            _ask(place, arguments.rows)
        began = time.monotonic()
        _started(undisturbed).wait()
        seconds = time.monotonic() - began
        stages: Counter[str] = Counter()
        while sum(stages.values()) < arguments.kills:
            process = _started(killed)
            time.sleep(chance.uniform(0.05, 0.9) * min(seconds, 12.0))
            if process.poll() is not None:  # all is done: more to do
                _ask(killed, arguments.rows)
                _ask(undisturbed, arguments.rows)
                continue
            stages[_stage(killed)] += 1
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for place in (undisturbed, killed):
            _started(place).wait()
        expected, found = _everything(undisturbed), _everything(killed)
        print(f"undisturbed: {seconds:.1f} s; {sum(stages.values())} kills, by what was at work: {dict(stages)}")
        for name, value in expected.items():
            print(f"{name:<16} {'the same' if found[name] == value else 'DIFFERENT'}")
        sys.exit(0 if found == expected else 1)


def _ask(place: WorkspacePlace, rows: int) -> None:
    """Queue the jobs."""
    book = "".join(
        json.dumps({"id": f"r{row}", "text": f"{PEOPLE[row % 5]} landed at {TOWNS[row % 3]} on day {row}."}) + "\n"
        for row in range(rows)
    )
    with JobQueue(place.queue) as queue:
        files = KeptFiles(queue, place.files)
        for names in (
            {"book.jsonl": book, "mill.txt": "A mill."},
            {"mill.txt": "A mill that burned.", "rye.txt": "Rye."},
        ):
            spool = Spool(folder=place.files, suffixes={".jsonl", ".txt"}, limits=Serving(spare=0))
            for name, text in names.items():
                spool.begin(name)
                spool.write(text.encode())
                spool.end()
            with queue.transaction():
                files.expect(queue.add(JobKind.UPLOAD, list(names)), spool.received)
        queue.add(JobKind.REMOVE, [f"r{row}" for row in range(0, rows, 100)])


def _started(place: WorkspacePlace) -> subprocess.Popen[bytes]:
    """A worker at work, in a process group of its own."""
    order = WorkOrder(place=place, keys=place.folder.parent / "keys.sqlite", settings=Settings(), idle=0.0)
    process = subprocess.Popen(
        [sys.executable, "-m", "polyhop.serve.jobs.worker"], stdin=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin is not None
    process.stdin.write(order.line())
    process.stdin.flush()
    return process


def _stage(place: WorkspacePlace) -> str:
    """What is being done now."""
    with JobQueue(place.queue) as queue:
        waiting = queue.open_jobs()
        running = bool(waiting) and waiting[0].state == JobState.RUNNING
        return (waiting[0].progress.stage or waiting[0].kind.value) if running else "starting"


def _everything(place: WorkspacePlace) -> dict[str, Any]:
    """All that a workspace holds, but not when it was made."""
    held: dict[str, Any] = {}
    with Record.open(place.index) as record:
        record.verify()
        held["documents"] = {row.uri: record.document(row.id).text for row in record.documents()}
        numbers = record.numbers().tolist()
        ids = dict(zip(numbers, (passage.id for passage in record.passages(numbers)), strict=True))
        for layer in record.layers():
            held[f"rows of {layer}"] = {ids[number]: row for number, row in record.payloads(layer)}
        held["attempts"] = {row[0] for row in record._rows("SELECT attempts FROM ledger")}
    with JobQueue(place.queue) as queue:
        held["jobs"] = [(job.kind, job.state, job.skipped) for job in queue.jobs()]
        held["files"] = sorted(KeptFiles(queue, place.files).names())
    held["on the disk"] = sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in place.files.iterdir())
    return held


if __name__ == "__main__":
    main()

"""A workspace with a queue, and workers as servers start them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from polyhop.documents.reading import registered
from polyhop.serve.jobs.job import Job, JobKind
from polyhop.serve.jobs.queue import JobQueue
from polyhop.serve.jobs.worker import Worker, WorkOrder
from polyhop.serve.kept_files import KeptFiles
from polyhop.serve.keys import KeyRing
from polyhop.serve.parsing import GuardedParser
from polyhop.serve.places import Places, WorkspacePlace
from polyhop.serve.uploads import Spool
from polyhop.settings import Serving, Settings

SUFFIXES = frozenset(suffix for loader in registered().values() for suffix in loader.suffixes)


@dataclass
class Workplace:
    """A workspace in a folder, without a server around it."""

    root: Path
    settings: Settings = field(default_factory=lambda: Settings.from_mapping({"index": {"layers": ["text"]}}))
    serving: Serving = Serving()

    def __post_init__(self) -> None:
        self.settings = replace(self.settings, server=self.serving)
        self.places = Places(workspaces=self.root)
        self.place: WorkspacePlace = self.places.make("default")
        self.queue = JobQueue(self.place.queue)
        self.files = KeptFiles(self.queue, self.place.files)
        KeyRing(self.places.keys).close()

    def upload(self, files: Mapping[str, str | bytes], *, key: str = "") -> Job:
        """Put files into the queue as a server does."""
        spool = Spool(folder=self.place.files, suffixes=SUFFIXES, limits=Serving(spare=0))
        for name, content in files.items():
            spool.begin(name)
            spool.write(content.encode() if isinstance(content, str) else content)
            spool.end()
        with self.queue.transaction():
            job = self.queue.add(JobKind.UPLOAD, sorted(files), key=key, skipped=spool.skipped)
            self.files.expect(job, spool.received)
        return job

    def remove(self, *ids: str) -> Job:
        """Have documents removed."""
        return self.queue.add(JobKind.REMOVE, [f"document {each}" for each in ids], asked={"ids": ids})

    def order(self, *, idle: float = 0.0) -> WorkOrder:
        """What a worker of it is told."""
        return WorkOrder(
            place=self.place,
            keys=self.places.keys,
            settings=self.settings,
            idle=idle,
        )

    def started(self, *, idle: float = 0.0) -> subprocess.Popen[bytes]:
        """A worker at work, in a process group of its own."""
        process = subprocess.Popen(
            [sys.executable, "-m", "polyhop.serve.jobs.worker"], stdin=subprocess.PIPE, start_new_session=True
        )
        assert process.stdin is not None
        process.stdin.write(self.order(idle=idle).line())
        process.stdin.flush()
        return process

    def work(self) -> None:
        """Do all that is in the queue, in this process."""
        parser = GuardedParser(limits=self.serving)
        with JobQueue(self.place.queue) as queue, KeyRing(self.places.keys) as keys, parser:
            worker = Worker(self.order(), queue, keys, parser)
            worker.work()
            worker.close()

    def done(self, job: Job) -> Job:
        """The job after all work was done."""
        self.work()
        return self.queue.job(job.id)

    def stored(self) -> dict[str, bytes]:
        """The files that are kept, by what they are called."""
        return {name: (self.files.path_of(name) or Path()).read_bytes() for name in self.files.names()}

    def lying(self) -> set[str]:
        """The digests of all files on the disk, whether or not they are known."""
        return {hashlib.sha256(path.read_bytes()).hexdigest() for path in self.place.files.iterdir()}

    def close(self) -> None:
        """Let go of the files."""
        self.queue.close()

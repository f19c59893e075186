"""What a server needs to take things in: who may, the queues and files of its workspaces, and who works on them."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial

from polyhop.documents.reading import registered
from polyhop.serve.access import Access
from polyhop.serve.jobs.job import Job, JobKind
from polyhop.serve.jobs.queue import JobQueue
from polyhop.serve.jobs.worker import WorkOrder
from polyhop.serve.jobs.workers import Workers
from polyhop.serve.kept_files import KeptFiles
from polyhop.serve.keys import Key, KeyRing
from polyhop.serve.limits import Limits
from polyhop.serve.places import Places, WorkspacePlace
from polyhop.serve.uploads import Spool
from polyhop.settings import Settings


@dataclass(frozen=True)
class Counter:
    """Where a workspace's jobs are handed in, and its files with them."""

    place: WorkspacePlace
    queue: JobQueue
    files: KeptFiles


class Intake:
    """The writing half of a server. Threads may share it; nothing is opened before it is needed."""

    def __init__(self, places: Places, settings: Settings, *, open_to_local: bool) -> None:
        self.places = places
        self.settings = settings
        self.keys = KeyRing(places.keys)
        self.limits = Limits(self.keys)
        self.access = Access(keys=self.keys, limits=self.limits, open=open_to_local)
        self.workers = Workers(order=self._order, most=settings.server.jobs)
        self._counters: dict[str, Counter] = {}
        self._one = threading.Lock()
        self._taking = threading.Lock()

    def counter(self, place: WorkspacePlace) -> Counter:
        """The queue and the files of a workspace."""
        with self._one:
            if place.name in self._counters:
                place.folder.mkdir(parents=True, exist_ok=True)  # the index that is served alone was made anew, say
            else:
                queue = JobQueue(place.queue, most=self.settings.server.queue)
                self._counters[place.name] = Counter(place, queue, KeptFiles(queue, place.files))
            return self._counters[place.name]

    def spool(self, counter: Counter, key: Key) -> Spool:
        """What takes the files of one request. Raises LimitReached where its key may upload nothing more today."""
        left = self.limits.uploads_left(key)
        suffixes = frozenset(suffix for loader in registered().values() for suffix in loader.suffixes)
        return Spool(
            folder=counter.place.files,
            suffixes=suffixes,
            limits=self.settings.server,
            used=counter.files.bytes(),
            left=left,
            allow=partial(self.limits.uploads_left, key),
        )

    def take_in(self, counter: Counter, spool: Spool, key: Key) -> Job:
        """The job that indexes what a request has brought; what others have brought meanwhile counts beside it.

        Raises LimitReached, StorageFull, Overloaded; then nothing of it is noted.
        """
        size = sum(file.bytes for file in spool.received)
        with self._taking:
            self.limits.uploads_left(key, size)
            with counter.queue.transaction():
                spool.used = counter.files.bytes()
                spool.require(0)
                names = [file.name for file in spool.received]
                job = counter.queue.add(JobKind.UPLOAD, names, key=key.id, skipped=spool.skipped)
                counter.files.expect(job, spool.received)
                quota = spool.limits.quota
                given_up = [] if quota is None else counter.files.make_room(quota)
                self.limits.note(key.id, uploaded=size)  # before the job counts: once it does, nothing may fail
        counter.files.erase(given_up)
        self.workers.nudge(counter.place)
        return job

    def begin(self) -> None:
        """Go on with the jobs that the last server left behind."""
        for name in self.places.names():
            place = self.places.place(name)
            if place.queue.exists() and self.counter(place).queue.open_jobs():
                self.workers.nudge(place)

    def close(self) -> None:
        """End the workers, whose jobs go on at the next start, and let go of all files."""
        self.workers.close()
        with self._one:
            for counter in self._counters.values():
                counter.queue.close()
            self._counters.clear()
        self.keys.close()

    def _order(self, place: WorkspacePlace) -> WorkOrder:
        return WorkOrder(place=place, keys=self.places.keys, settings=self.places.within(self.settings, place))

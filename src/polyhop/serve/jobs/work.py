"""What the jobs of a workspace do to its index: bring files into it, uploaded or of a folder, and remove documents."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from polyhop.documents.reading import unique
from polyhop.errors import BudgetExceeded, IndexLocked, IndexMissing
from polyhop.indexing.ingest import GIVEN, STAYS
from polyhop.indexing.run import IndexRun
from polyhop.indexing.watching import check_not_lost, note_disks
from polyhop.models.choice import Models
from polyhop.reports import IndexReport, Progress, ProgressListener, Skipped
from polyhop.serve.jobs.job import Job, LeftOut
from polyhop.serve.jobs.reporting import JobStopped, Reporter
from polyhop.serve.kept_files import KeptFiles, owner
from polyhop.serve.parsing import GuardedParser
from polyhop.serve.places import WorkspacePlace
from polyhop.serve.safe_messages import without_folders
from polyhop.settings import Settings
from polyhop.store.port import DocumentRow
from polyhop.store.record import Record
from polyhop.types import Document

T = TypeVar("T")
PATIENCE = 2.0  # seconds to wait for another writer, before it is told that the job waits


@dataclass(frozen=True, kw_only=True)
class WorkDone:
    """How a job ended: what it left out, and what it found."""

    skipped: tuple[LeftOut, ...] = ()
    result: Any = None


@dataclass(frozen=True, kw_only=True)
class IndexWork:
    """Changes the index of a workspace. What is interrupted is done again, and stores nothing twice."""

    place: WorkspacePlace
    settings: Settings
    models: Models
    files: KeptFiles
    parser: GuardedParser

    def upload(self, job: Job, reporter: Reporter) -> WorkDone:
        """Index the files of a job, each in place of what was there under its name.

        Where the job is stopped, files that are new are taken out again: they were not wanted, and the next job would
        have to do their work. One that took the place of another stays. Raises JobStopped, BudgetExceeded, and what
        ``Polyhop.index`` raises.
        """
        files = {file.name: self.files.path(file) for file in self.files.expected(job)}
        fresh = set(files) - self.files.names()
        before = set() if job.progress.stage else self._owners(fresh).keys()  # a killed worker has left what is there
        try:
            return self._uploaded(job, files, reporter)
        except JobStopped:
            brought = [key for key, name in self._owners(fresh).items() if name in fresh and key not in before]
            if brought:
                self._patiently(lambda: self._run(None).discard(brought), lambda _: None)
            raise

    def _uploaded(self, job: Job, files: Mapping[str, Path], reporter: Reporter) -> WorkDone:
        reading = _Reading()
        for number, (name, path) in enumerate(files.items()):
            opening = partial(reporter, Progress(stage="opening", done=number, total=len(files), unit="files"))
            opening()
            reading.add(name, self.parser.documents(path, name, opening))
        reporter(Progress(stage="opening", done=len(files), total=len(files), unit="files"))
        names = self.files.names() | set(files)
        before = self._owners(names)
        documents = reading.documents(before)
        reading.tell_what_stays(before.values())
        replaced = {key for key, name in before.items() if name in files and name not in reading.unread}
        run = self._run(reporter)
        if documents or replaced:
            forecast = self._patiently(
                lambda: run.forecast(lambda ingest: ingest.add(documents, instead_of=replaced)), reporter
            )
            reporter.forecast = {layer.name: layer.seconds for layer in forecast.layers}
            report = self._patiently(
                lambda: run.carry_out(lambda ingest: ingest.add(documents, instead_of=replaced)), reporter
            )
            reading.left_out(report.skipped)
            _require_whole(report)
        after = self._owners(names)
        self.files.keep(job, {name for name in files if reading.ids[name] & after.keys()})
        self.files.remove(set(files) - set(after.values()))
        return WorkDone(skipped=tuple(reading.skipped))

    def remove(self, job: Job, asked: Mapping[str, Any], reporter: Reporter) -> WorkDone:
        """Remove documents by their ids, and the files of which no document is left. Raises like ``Polyhop.remove``."""
        ids = asked.get("ids", job.about)  # jobs of earlier versions are about ids
        names = self.files.names()
        run = self._run(reporter)
        try:
            gone, _ = self._patiently(lambda: run.discard(ids), reporter)
        except IndexMissing:
            gone = ()
        after = set(self._owners(names).values())
        self.files.remove(name for name in names if name not in after)
        missing = [name for key, name in zip(ids, job.about, strict=True) if key not in gone]
        return WorkDone(skipped=tuple(LeftOut(file=name, reason="is not in the index any more") for name in missing))

    def follow(self, asked: Mapping[str, Any], reporter: Reporter) -> WorkDone:
        """Bring the index up to date with folders of this machine. Raises like ``Polyhop.index``.

        One that is gone or empty, or lacks a disk, is an error: what is not mounted must not empty the index.
        """
        inputs = [Path(path) for path in asked["paths"]]
        check_not_lost(inputs, self._rows(), besides=self.place.index)
        run = self._run(reporter)
        report = self._patiently(lambda: run.carry_out(lambda ingest: ingest.run(inputs)), reporter)
        note_disks(inputs, self._rows(), besides=self.place.index)
        _require_whole(report)
        return WorkDone(skipped=tuple(_left_out(_below(inputs, each.uri), each.reason) for each in report.skipped))

    def merge(self) -> None:
        """Write what jobs have made worth writing, beside those that come."""
        self._run(None).merge()

    def _owners(self, names: set[str]) -> dict[str, str | None]:
        """The documents that did not come from files of this machine, by id, with the uploaded file of each."""
        return {row.id: owner(row.uri, names.__contains__) for row in self._rows() if row.stamp == GIVEN}

    def _rows(self) -> list[DocumentRow]:
        """The documents of the index; none where there is no index yet."""
        try:
            with Record.open(self.place.index, self.settings.index.store) as record:
                return list(record.documents())
        except IndexMissing:
            return []

    def _run(self, reporter: Reporter | None) -> IndexRun:
        return IndexRun(
            path=self.place.index,
            settings=self.settings,
            models=self.models,
            layers=self.settings.index.layers,
            wait=PATIENCE,
            progress=reporter,
        )

    @staticmethod
    def _patiently(work: Callable[[], T], reporter: ProgressListener) -> T:
        """Do it as soon as nobody else writes to the index. Raises what the reporter does."""
        while True:
            try:
                return work()
            except IndexLocked:
                reporter(Progress(stage="waiting for another writer", done=0, total=None, unit="seconds"))
                time.sleep(PATIENCE / 4)


@dataclass(kw_only=True)
class _Reading:
    """What the files of a job hold."""

    ids: dict[str, set[str]] = field(default_factory=dict)  # of the documents of each file
    skipped: list[LeftOut] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)  # files that could not be read (whole), or are empty
    _items: list[tuple[str, Document]] = field(default_factory=list)

    def add(self, name: str, items: Iterable[Document | Skipped]) -> None:
        """What a file holds."""
        self.ids[name] = set()
        for item in items:
            if isinstance(item, Document):
                self._items.append((name, item))
                continue
            self.skipped.append(_left_out(item.uri, item.reason))
            if item.uri == name:
                self.unread.add(name)  # what was there before stays: an upload that failed halfway is empty, too

    def documents(self, holders: dict[str, str | None]) -> list[Document]:
        """The documents to be stored: without those whose id another file's document has already."""
        kept = []
        names = {id(document): name for name, document in self._items}
        for item in unique(document for _, document in self._items):
            if isinstance(item, Skipped):
                self.skipped.append(_left_out(item.uri, item.reason))
                continue
            name = names[id(item)]
            if item.id in holders and holders[item.id] != name:
                reason = f"has the id {item.id!r} of another document"
                self.skipped.append(LeftOut(file=item.uri, reason=reason))
                continue
            self.ids[name].add(item.id)
            kept.append(item)
        return kept

    def tell_what_stays(self, held: Collection[str | None]) -> None:
        """Of files that brought nothing, whether the index has something of them: ``held`` are those that it has."""
        stays = self.unread.intersection(held)
        self.skipped = [
            replace(each, reason=f"{each.reason}; {STAYS}") if each.file in stays else each for each in self.skipped
        ]

    def left_out(self, skipped: Iterable[Skipped]) -> None:
        """What indexing has left out, too."""
        self.skipped += [_left_out(each.uri, each.reason) for each in skipped]


def _left_out(file: str, reason: str) -> LeftOut:
    """What is told of a file that was left out: other files have their names in it, and no folders."""
    return LeftOut(file=file, reason=without_folders(reason))


def _below(folders: Sequence[Path], uri: str) -> str:
    """A file's path from the folder on that it lies in: nobody learns where that is."""
    parents = (path.parent for path in folders if Path(uri).is_relative_to(path))
    return next((Path(uri).relative_to(parent).as_posix() for parent in parents), Path(uri).name)


def _require_whole(report: IndexReport) -> None:
    """Raises BudgetExceeded where a cap ended a layer before all was done."""
    stopped = next((layer.stopped for layer in report.layers if layer.stopped), "")
    if stopped:
        raise BudgetExceeded(
            stopped, remedy="What was done is stored. Try the job again when the key may spend more: it goes on."
        )

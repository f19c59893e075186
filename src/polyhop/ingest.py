"""From files to the record: what is new or changed is stored, what has vanished is removed."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from polyhop.corpus.chunking import cut
from polyhop.corpus.reading import covers, find, fingerprint_file
from polyhop.reports import Progress, ProgressListener, Skipped
from polyhop.settings import Chunking
from polyhop.store.record import Record
from polyhop.types import Document, Passage

logger = logging.getLogger(__name__)

EMPTY = "is empty"
TOGETHER = 200  # documents in one transaction


@dataclass
class Tally:
    """What reading the inputs came to."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    duplicates: int = 0
    new_passages: int = 0  # in a dry run: how many would be stored
    skipped: list[Skipped] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)  # ids of the documents that still exist
    read: set[str] = field(default_factory=set)  # ids of the documents read in this run


@dataclass(frozen=True, kw_only=True)
class Ingest:
    """Reads inputs into a record (or, without one, only counts: a dry run on an index that does not exist)."""

    record: Record | None
    chunking: Chunking
    dry_run: bool = False
    progress: ProgressListener | None = None

    def run(self, paths: Sequence[Path]) -> Tally:
        """Store what is new or changed below the paths, and remove what has vanished from them.

        Raises UsageError for a path that does not exist.
        """
        tally = Tally()
        done = 0
        for group in _groups(self._documents(paths, tally)):
            self._store(group, tally)
            done += len(group)
            self._tell(done)
        self._remove_vanished(paths, tally)
        return tally

    def _documents(self, paths: Sequence[Path], tally: Tally) -> Iterator[Document | _Finished]:
        """Documents of files that changed, each file followed by a mark that it was read to its end."""
        known = self._ids_by_file()
        for source in find(paths):
            if isinstance(source, Skipped):
                tally.skipped.append(source)
                tally.seen.update(known.get(source.uri, ()))  # there, but unreadable: what it said before stays
                continue
            ids = known.get(source.uri, ())
            stamp = self._stamp(source.path)
            if self.record is not None and self.record.meta(f"file:{source.uri}") == stamp:
                tally.unchanged += len(ids)
                tally.seen.update(ids)
                continue
            clean = True
            for item in source.documents():
                if isinstance(item, Skipped):
                    tally.skipped.append(item)
                    clean = False  # report it again next time
                    if item.reason != EMPTY:
                        tally.seen.update(ids)  # what was readable before stays until it can be read again
                elif self._is_refused(item, tally):
                    clean = False  # read again next time: the other copy may be gone by then
                else:
                    tally.seen.add(item.id)
                    tally.read.add(item.id)
                    yield item
            if clean:
                yield _Finished(source.uri, stamp)

    def _is_refused(self, document: Document, tally: Tally) -> bool:
        if document.id in tally.read:
            tally.skipped.append(Skipped(document.uri, f"has the id {document.id!r} of another document"))
            return True
        if document.whole or self.record is None:
            return False
        other = self.record.duplicate_of(document.sha256, besides=document.id)
        if other is None:
            return False
        if not Path(uri := self.record.row(other).uri).exists():
            return False  # it is about to be removed: this is the same text at its new place
        tally.duplicates += 1
        tally.skipped.append(Skipped(document.uri, f"has the same text as {uri}"))
        return True

    def _store(self, group: Sequence[Document | _Finished], tally: Tally) -> None:
        if self.dry_run or self.record is None:
            for item in group:
                if isinstance(item, Document):
                    self._count(item, tally)
            return
        with self.record.transaction():
            for item in group:
                if isinstance(item, _Finished):
                    self.record.set_meta(f"file:{item.uri}", item.stamp)
                else:
                    change = self.record.put(item, cut(item, self.chunking))
                    setattr(tally, change, getattr(tally, change) + 1)

    @cached_property
    def _digests(self) -> dict[str, str]:
        return {row.id: row.sha256 for row in self.record.documents()} if self.record is not None else {}

    def _count(self, document: Document, tally: Tally) -> None:
        passages: tuple[Passage, ...] = cut(document, self.chunking)
        known = self.record.numbers_by_id([passage.id for passage in passages]) if self.record is not None else {}
        stored = self._digests.get(document.id)
        if stored == document.sha256 and len(known) == len(passages):
            tally.unchanged += 1
            return
        tally.added += stored is None
        tally.changed += stored is not None
        tally.new_passages += len(passages) - (0 if document.whole else len(known))

    def _remove_vanished(self, paths: Sequence[Path], tally: Tally) -> None:
        if self.record is None:
            return
        gone = [row for row in self.record.documents() if row.id not in tally.seen and covers(paths, row.uri)]
        tally.removed = len(gone)
        if gone and not self.dry_run:
            with self.record.transaction():
                self.record.drop([row.id for row in gone])
                for uri in {row.uri.partition("#")[0] for row in gone}:
                    if not Path(uri).exists():
                        self.record.set_meta(f"file:{uri}", "")

    def _ids_by_file(self) -> dict[str, list[str]]:
        files: dict[str, list[str]] = {}
        for row in self.record.documents() if self.record is not None else ():
            files.setdefault(row.uri.partition("#")[0], []).append(row.id)
        return files

    def _stamp(self, file: Path) -> str:
        content = [fingerprint_file(file), asdict(self.chunking)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

    def _tell(self, done: int) -> None:
        if self.progress is not None:
            self.progress(Progress(stage="reading", done=done, total=None, unit="documents"))


@dataclass(frozen=True)
class _Finished:
    """A file was read to its end."""

    uri: str
    stamp: str


def _groups(items: Iterable[Document | _Finished]) -> Iterator[list[Document | _Finished]]:
    """Items in groups of at most TOGETHER, so that a kill loses little and a commit costs little."""
    group: list[Document | _Finished] = []
    for item in items:
        group.append(item)
        if len(group) == TOGETHER:
            yield group
            group = []
    if group:
        yield group

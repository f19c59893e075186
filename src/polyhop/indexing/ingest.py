"""From files and documents to the record: what is new or changed is stored, what has vanished is removed."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath

from polyhop.documents.chunking import CODE_VERSION, cut
from polyhop.documents.loading import SAYS_NOTHING, given_document, version_of
from polyhop.documents.reading import (
    READ_ALREADY,
    Source,
    covering,
    files_of,
    find,
    fingerprint_file,
    hidden_below,
    is_file,
    is_missing,
    path_of,
    unreadable,
    uri_of,
    with_taken_id,
)
from polyhop.errors import UsageError
from polyhop.layers.layer import words_of
from polyhop.models.accounting import estimated_tokens
from polyhop.reports import Progress, ProgressListener, Skipped
from polyhop.settings import Chunking
from polyhop.store.port import DocumentRow
from polyhop.store.record import Record
from polyhop.types import Document, Passage

STAYS = "what the index has of it stays"
GIVEN = "given"  # the stamp of a document that was handed over as an object: no file has to be there for it
TOGETHER = 200  # documents in one transaction
TICK = 0.02  # seconds: in fewer, two changes of a file may get the same time


@dataclass
class Tally:
    """What reading the inputs came to."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    gone: set[str] = field(default_factory=set)  # ids of the documents that were removed
    duplicates: int = 0
    new: list[int] = field(default_factory=list)  # in a dry run: about how many tokens each new passage has,
    gone_passages: int = 0  # and how many passages would be removed
    skipped: list[Skipped] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)  # ids of the documents that still exist
    outdated: set[str] = field(default_factory=set)  # ids of documents of files that changed: they may say other things
    unread: set[str] = field(default_factory=set)  # URIs of files and folders that are there but cannot be read
    read: dict[str, str] = field(default_factory=dict)  # URIs of the documents read in this run, by id,
    texts: dict[str, str] = field(default_factory=dict)  # and by what they say
    repeated: set[str] = field(default_factory=set)  # ids of documents that were refused for saying what another says
    moved: set[str] = field(default_factory=set)  # ids of documents whose files are gone, and that were met elsewhere

    @property
    def removed(self) -> int:
        """How many documents were removed."""
        return len(self.gone)


@dataclass(frozen=True, kw_only=True)
class Ingest:
    """Reads inputs into a record (or, without one, only counts: a dry run on an index that does not exist)."""

    record: Record | None
    chunking: Chunking
    dry_run: bool = False
    progress: ProgressListener | None = None

    def run(self, paths: Sequence[Path]) -> Tally:
        """Store what is new or changed below the paths, and remove what has vanished from them or moved to them.

        Raises UsageError for a path where there is nothing, and of which the record knows nothing either.
        """
        tally = Tally()
        done = 0
        for group in _groups(self._documents(paths, tally)):
            self._store(group, tally)
            done += sum(isinstance(item, Document) for item in group)
            self._tell(done)
        if self.record is not None:
            self._drop(_going(self.record.documents(), paths, tally), tally)
        return tally

    def add(self, documents: Sequence[Document], *, instead_of: Collection[str] = ()) -> Tally:
        """Store what is new or changed of documents that are given as objects (``given`` made them ready).

        Nothing is removed but the former text of a document that now says what another one does, and ``instead_of``:
        documents, by id, unless they are given again.
        """
        tally = Tally(read={document.id: document.uri for document in documents})
        kept: list[Document | _Finished] = []
        for document in documents:
            if not self._is_refused(document, tally, GIVEN):
                tally.texts[document.sha256] = document.uri
                kept.append(document)
        self._drop([row for row in self._known.values() if row.id in tally.repeated and row.stamp == GIVEN], tally)
        for group in _groups(kept):
            self._store(group, tally, GIVEN)
            self._tell(tally.added + tally.changed + tally.unchanged)
        kept_ids = {document.id for document in documents}
        self._drop([row for row in self._known.values() if row.id in instead_of and row.id not in kept_ids], tally)
        return tally

    def discard(self, ids: Collection[str]) -> Tally:
        """Remove documents by their ids; the files of those that came from files are read again where they are met."""
        tally = Tally()
        gone = [row for row in self._known.values() if row.id in ids]
        if self.record is not None and not self.dry_run:
            with self.record.transaction():
                _have_read_again(self.record, gone)
        self._drop(gone, tally)
        return tally

    def _documents(self, paths: Sequence[Path], tally: Tally) -> Iterator[Document | _Finished]:
        """Documents of files that changed, each file followed by a mark that it was read to its end.

        One that says what is stored of another of these files, or has its id, waits until all were read: the other may
        say something else now, as where two files have swapped what they say.
        """
        late: list[tuple[list[Document], _Finished | None]] = []
        if changed := self._changed(paths, tally):
            time.sleep(TICK)  # what is written after it was read has another time then, and is read again next time
        for source, ids, mark in changed:
            waiting: list[Document] = []
            clean = True
            for item in source.documents():
                if isinstance(item, Skipped):
                    clean = False  # report it again next time
                    if item.uri == source.uri and item.reason not in SAYS_NOTHING:
                        tally.seen.update(ids)  # what the file said stays until it can be read again
                        item = _with_what_stays(item, ids)
                    tally.skipped.append(item)
                elif self._may_be_outdated(item, tally):
                    waiting.append(item)
                elif self._is_taken(item, tally):
                    yield item
                else:
                    clean = False  # read again next time: the other copy may be gone by then
            if waiting:
                late.append((waiting, mark if clean else None))
            elif clean:
                yield mark
        tally.outdated -= tally.seen
        for waiting, last in late:
            taken = [item for item in waiting if self._is_taken(item, tally)]
            yield from taken
            if last is not None and len(taken) == len(waiting):
                yield last

    def _changed(self, paths: Sequence[Path], tally: Tally) -> list[tuple[Source, Sequence[str], _Finished]]:
        """The files that changed, with the ids of what is stored of each, and the mark that it was read to its end.

        What was read of a hidden file was asked for by its name, and is read again with its folder.
        """
        known = self._ids_by_file()
        changed: list[tuple[Source, Sequence[str], _Finished]] = []
        index = self.record.folder if self.record is not None else None
        for source in find([*not_gone(paths, self.record), *hidden_below(paths, known)], besides=index):
            ids = known.get(source.uri, ())
            try:
                stamp = "" if isinstance(source, Skipped) else self._stamp(source)
            except OSError as error:  # it has vanished since it was found
                source, stamp = unreadable(source.uri, error), ""
            if isinstance(source, Skipped):
                if source.reason != READ_ALREADY:
                    tally.unread.add(source.uri)  # there, but unreadable: what it said before stays
                    source = _with_what_stays(source, ids)
                tally.skipped.append(source)
                continue
            if ids and self.record is not None and self.record.meta(f"file:{source.uri}") == stamp:
                tally.unchanged += len(ids)
                tally.seen.update(ids)
                continue
            tally.outdated.update(ids)
            changed.append((source, ids, _Finished(source.uri, stamp)))
        tally.outdated.update(row.id for row in _going(self._known.values(), paths, tally) if stands(row))  # by a link
        return changed

    def _is_taken(self, document: Document, tally: Tally) -> bool:
        """Whether a document of a file is stored; it counts as read then."""
        if self._is_refused(document, tally):
            return False
        tally.seen.add(document.id)
        tally.read[document.id] = document.uri
        tally.texts[document.sha256] = document.uri
        return True

    def _is_refused(self, document: Document, tally: Tally, stamp: str = "") -> bool:
        holder = self._known.get(document.id)
        other = None if stamp else tally.read.get(document.id)
        elsewhere = holder is not None and not _same_source(holder, document, stamp) and stands(holder)
        if holder is not None and elsewhere and holder.id not in tally.outdated:
            other = holder.uri
        if other is not None:
            tally.skipped.append(with_taken_id(document, other))
            return True
        original = tally.texts.get(document.sha256) or self._stored_uri(document, tally)
        if original is None or document.whole:
            return False
        tally.duplicates += 1
        tally.repeated.add(document.id)
        tally.skipped.append(Skipped(document.uri, f"has the same text as {original}"))
        return True

    def _may_be_outdated(self, document: Document, tally: Tally) -> bool:
        """Whether a document would be refused for what is stored of a file that is still to be read."""
        if self.record is None or not tally.outdated:
            return False
        holder = self._known.get(document.id)
        others = [] if holder is None or _same_source(holder, document, "") else [holder]
        if not document.whole and document.sha256 not in tally.texts:
            others += self.record.duplicates_of(document.sha256, besides=document.id)
        return any(row.id in tally.outdated and row.id not in tally.read for row in others)

    def _stored_uri(self, document: Document, tally: Tally) -> str | None:
        """Where another stored document says the same, unless it has just been read anew or its file says other things.

        One whose file is gone is this document, from before it was moved, but in a record that other machines share.
        """
        if self.record is None or not self._known:
            return None
        alike = self.record.duplicates_of(document.sha256, besides=document.id)
        stored = [row for row in alike if row.id not in tally.read and row.id not in tally.outdated]
        standing = [row.uri for row in stored if stands(row)]
        if not self.record.is_shared:
            tally.moved |= {row.id for row in stored if row.uri not in standing}
        return standing[0] if standing else None

    def _store(self, group: Sequence[Document | _Finished], tally: Tally, stamp: str = "") -> None:
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
                    change = self.record.put(item, cut(item, self.chunking), stamp)
                    setattr(tally, change, getattr(tally, change) + 1)

    @cached_property
    def _known(self) -> dict[str, DocumentRow]:
        """The documents that the record had before this run, by id."""
        return {row.id: row for row in self.record.documents()} if self.record is not None else {}

    def _count(self, document: Document, tally: Tally) -> None:
        passages: tuple[Passage, ...] = cut(document, self.chunking)
        stored = self._known.get(document.id)
        same = stored is not None and stored.sha256 == document.sha256
        known: Mapping[str, int] = {}
        if self.record is not None:  # an id says what its passage says, but for that of a whole row
            known = self.record.numbers_by_id([one.id for one in passages if same or one.id != document.id])
        kept = len(known)
        tally.new += [estimated_tokens(words_of(passage)) for passage in passages if passage.id not in known]
        if stored is None:
            tally.added += 1
        elif same and stored.uri == document.uri and kept == len(passages) == stored.passages:
            tally.unchanged += 1
        else:
            tally.changed += 1
            tally.gone_passages += stored.passages - kept

    def _drop(self, gone: Sequence[DocumentRow], tally: Tally) -> None:
        tally.gone |= {row.id for row in gone}
        tally.gone_passages += sum(row.passages for row in gone)
        if gone and self.record is not None and not self.dry_run:
            with self.record.transaction():
                self.record.drop([row.id for row in gone])
                _have_read_again(self.record, [row for row in gone if not _exists(row.uri)])

    def _ids_by_file(self) -> dict[str, list[str]]:
        files: dict[str, list[str]] = {}
        for row in self._known.values():
            for file in files_of(row.uri) if row.stamp != GIVEN else ():
                files.setdefault(file, []).append(row.id)
        return files

    def _stamp(self, source: Source) -> str:
        """What changes whenever a file, or the way in which it is read or cut, does."""
        content = [fingerprint_file(source.path), asdict(self.chunking), CODE_VERSION]
        content += filter(None, [version_of(source.loader)])
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

    def _tell(self, done: int) -> None:
        if self.progress is not None:
            self.progress(Progress(stage="reading", done=done, total=None, unit="documents"))


@dataclass(frozen=True)
class _Finished:
    """A file was read to its end."""

    uri: str
    stamp: str


def not_gone(paths: Sequence[Path], record: Record | None) -> list[Path]:
    """The paths without those where there is nothing any more of what the record has, or had until it was told so."""
    return [path for path in paths if record is None or not is_missing(path) or not _has_met(record, uri_of(path))]


def _with_what_stays(skipped: Skipped, ids: Collection[str]) -> Skipped:
    """A file that cannot be read, with a word on what the index has of it: documents with these ids."""
    return replace(skipped, reason=f"{skipped.reason}; {STAYS}") if ids else skipped


def stands(row: DocumentRow) -> bool:
    """Whether a stored document is still where it came from; one that was given as an object is."""
    return row.stamp == GIVEN or _exists(row.uri)


def given(documents: Iterable[Document]) -> tuple[Document, ...]:
    """Documents that are handed over as objects, as they are stored.

    Raises UsageError for an id that is missing or given twice, DocumentError for a text that is empty or broken.
    """
    ready: dict[str, Document] = {}
    for document in map(given_document, documents):
        if ready.setdefault(document.id, document) is not document:
            raise UsageError(f"Two documents have the id {document.id!r}.", remedy="Give each an id of its own.")
    return tuple(ready.values())


def _has_met(record: Record, uri: str) -> bool:
    return bool(record.at(uri)) or record.meta(f"file:{uri}") is not None


def _have_read_again(record: Record, rows: Iterable[DocumentRow]) -> None:
    """Note that the files of documents are to be read where they are met; of a row its file, so that its id goes."""
    met: set[str] = set()
    for files in (files_of(row.uri) for row in rows if row.stamp != GIVEN):
        met.update([file for file in files if record.meta(f"file:{file}") is not None] or files)
    for file in met:
        record.set_meta(f"file:{file}", "")


def _same_source(row: DocumentRow, document: Document, stamp: str) -> bool:
    if GIVEN in (row.stamp, stamp):
        return row.stamp == stamp
    return _same_file(row.uri, document.uri)


def _exists(uri: str) -> bool:
    return any(map(is_file, files_of(uri)))


def _same_file(uri: str, other: str) -> bool:
    return uri == other or any(is_file(file) for file in files_of(uri) if file in files_of(other))


def _going(rows: Iterable[DocumentRow], paths: Sequence[Path], tally: Tally) -> list[DocumentRow]:
    """Of these documents those that go, unless they are still read: of files that moved or are not met any more."""
    below = covering(paths)
    unseen = (row for row in rows if row.stamp != GIVEN and row.id not in tally.seen)
    return [row for row in unseen if row.id in tally.moved or (below(row.uri) and not _is_below(tally.unread, row.uri))]


def _is_below(places: Collection[str], uri: str) -> bool:
    """Whether a document is one of these files, a row of it, or lies in one of these that may be a folder."""
    return bool(places) and any(
        file in places
        or any(str(folder) in places and _may_be_folder(folder) for folder in PurePosixPath(file).parents)
        for file in files_of(uri)
    )


def _may_be_folder(path: PurePosixPath) -> bool:
    """Whether a folder may be there; false where there is a file now, in which nothing can lie."""
    try:
        return stat.S_ISDIR(os.stat(path_of(str(path))).st_mode)  # noqa: PTH116 - as in is_file
    except (OSError, ValueError):
        return True


def _groups(items: Iterable[Document | _Finished]) -> Iterator[list[Document | _Finished]]:
    """Items in groups of at most TOGETHER, so that a kill loses little and a commit costs little."""
    left = iter(items)
    while group := list(islice(left, TOGETHER)):
        yield group

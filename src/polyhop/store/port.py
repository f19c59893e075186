"""What the engine asks of a store: a protocol, and the small results that its methods hand back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from polyhop.ports import Ints
from polyhop.reports import LayerStatus
from polyhop.types import Document, Passage, Span

Change = Literal["added", "changed", "unchanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """A document without its text: what listing and comparing needs."""

    id: str
    uri: str
    title: str
    sha256: str
    stamp: str  # the caller's mark of the file's state when it was read, e.g. size and time
    media_type: str
    passages: int


class Generation(NamedTuple):
    """The searchable structure that a layer currently serves: its folder's name, and what the layer says about it."""

    name: str
    description: dict[str, Any]


class Store(Protocol):
    """The system of record: one writer, many readers; whatever goes wrong with it is raised as a ``StoreError``.

    A passage's number is never given to another passage, and a passage whose title or text changes gets a new one. So
    whatever was derived from a number stays true of that number. Every change is durable when its method, or the
    outermost ``transaction`` around it, returns.
    """

    def close(self) -> None:
        """Release connections and, where this is the writer, its lock; closing again does nothing."""

    def writer(self) -> str | None:
        """Who is writing to the index, in words; None where nobody is."""

    def held(self, numbers: Iterable[int]) -> AbstractContextManager[None]:
        """Hold passages for work that nobody else shall do meanwhile, waiting for as long as it takes; not nested."""

    def behind(self) -> Mapping[str, str]:
        """The layers that were gathered elsewhere since they were here, with the fingerprints of their rows."""

    def caught_up(self, layer: str) -> None:
        """Note that a layer has here what there was of it when this was opened to catch up."""

    def check(self) -> None:
        """Raise IndexMissing where the index was deleted or replaced since it was opened."""

    def transaction(self) -> AbstractContextManager[None]:
        """All changes inside are stored together, or (any error) none of them; may be nested."""

    def snapshot(self) -> AbstractContextManager[None]:
        """All reads of this thread inside see the store as it was on entry, whatever a writer does meanwhile."""

    def meta(self, key: str) -> str | None:
        """A fact about the index, e.g. ``created`` (a time) and ``polyhop`` (the version that wrote it last)."""

    def set_meta(self, key: str, value: str) -> None:
        """Store a fact about the index."""

    def put(self, document: Document, passages: Sequence[Passage], stamp: str = "") -> Change:
        """Store a document with all its passages; those that did not change keep their numbers and derived rows.

        Raises UsageError where a passage is not a stretch of the document, DocumentError where the document clashes
        with another one or holds text that cannot be encoded.
        """

    def drop(self, document_ids: Iterable[str]) -> int:
        """Remove documents, their passages and all that was derived from them; how many passages went."""

    def documents(self) -> Iterator[DocumentRow]:
        """All documents, in the order they were first added."""

    def listed(self, *, beginning: str = "", after: int = 0, most: int) -> tuple[list[DocumentRow], int | None]:
        """A page of the documents whose URI begins so, in the order they were first added.

        ``after``: where an earlier page ended. The second result is where this one does; None where it is the last.
        """

    def size_of(self, document_id: str) -> int:
        """How many bytes the text of a document has in UTF-8; 0 where there is none of that id."""

    def stretches(self, document_id: str) -> list[tuple[str, int, int]]:
        """The id, start and end of each passage of a document, in document order."""

    def document(self, document_id: str) -> Document:
        """A whole document; DocumentMissing where there is none of that id."""

    def row(self, document_id: str) -> DocumentRow:
        """A document without its text; DocumentMissing where there is none of that id."""

    def page_of(self, span: Span) -> int | None:
        """The page of a document on which a stretch begins, from 1; None where the document has no pages."""

    def line_of(self, span: Span) -> int | None:
        """The line of a source code on which a stretch begins, from 1; None for other documents."""

    def where(self, span: Span) -> str:
        """In words where in its document a stretch begins, such as ``page 3``; empty where there is nothing to tell."""

    def find(self, uri: str) -> list[str]:
        """Ids of the documents a user means: that URI, else the rows of that file, else the one file so ending."""

    def duplicate_of(self, sha256: str, *, besides: str = "") -> str | None:
        """The id of the first document with that hash, other than ``besides``."""

    def count_documents(self) -> int:
        """How many documents there are."""

    def count_passages(self) -> int:
        """How many passages there are."""

    def numbers(self) -> Ints:
        """The numbers of all passages, ascending, int64 of shape (count_passages(),)."""

    def highest(self) -> int:
        """The highest number of a passage; 0 where there is none."""

    def numbers_after(self, number: int) -> Ints:
        """The numbers of the passages that have a higher one, ascending."""

    def gone_by_now(self) -> int:
        """The place of the last passage that went, among all that did; 0 where none has."""

    def gone_since(self, place: int) -> Ints:
        """The numbers of the passages that went after such a place, ascending."""

    def numbers_by_id(self, ids: Sequence[str]) -> dict[str, int]:
        """The number of each passage id that is in the store."""

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        """The passages of these numbers, in this order; StoreError where one is gone."""

    def present(self, numbers: Sequence[int]) -> dict[int, Passage]:
        """The passages of these numbers that are there, by number, in this order."""

    def passages_by_id(self, ids: Sequence[str]) -> list[Passage]:
        """The passages of these ids, in this order; StoreError where one is gone."""

    def pending(self, layer: str, fingerprint: str, retry_failed: bool = True) -> Iterator[tuple[int, Passage]]:
        """Passages that a layer has yet to do under a fingerprint, ascending; the writer may commit in between.

        They are handed out without occasions and headings: rows depend on title and text alone.
        """

    def count_pending(self, layer: str, fingerprint: str, retry_failed: bool = True) -> int:
        """How many passages ``pending`` would yield."""

    def record_rows(self, layer: str, fingerprint: str, rows: Sequence[tuple[int, bytes]]) -> int:
        """Store what was derived from passages, with the ledger entries; how many are still in the store to keep."""

    def record_failures(self, layer: str, fingerprint: str, failures: Sequence[tuple[int, str]]) -> int:
        """Note passages that could not be done and why; what was derived before is let go."""

    def done(self, layer: str, fingerprint: str) -> Ints:
        """The numbers of the passages that a layer has done under a fingerprint, ascending."""

    def done_after(self, layer: str, fingerprint: str, number: int) -> Ints:
        """What ``done`` tells, of passages that have a higher number."""

    def done_among(self, layer: str, fingerprint: str, numbers: Ints) -> Ints:
        """What ``done`` tells, of these passages."""

    def turn(self, layer: str, fingerprint: str) -> int:
        """Another number whenever rows under this fingerprint did anything but come and go with their passages.

        UNKNOWN (``store/changes.py``) where that cannot be told.
        """

    def settle(self, layer: str, fingerprint: str) -> None:
        """Note that each passage was tried under a fingerprint, if it was: then nobody has to look at them again."""

    def payloads(self, layer: str, fingerprint: str | None = None) -> Iterator[tuple[int, bytes]]:
        """What was derived from each passage (under a fingerprint), ascending by number."""

    def payloads_of(self, layer: str, numbers: Sequence[int], fingerprint: str | None = None) -> dict[int, bytes]:
        """What was derived from these passages, for those that have something."""

    def failures_of(self, layer: str, numbers: Sequence[int], fingerprint: str) -> dict[int, str]:
        """Why these passages could not be done under a fingerprint, for those that could not."""

    def failures(self, layer: str) -> Iterator[tuple[int, str, int]]:
        """Number, error and count of attempts of each passage that could not be done, ascending by number."""

    def layer_status(self, layer: str, fingerprint: str) -> LayerStatus:
        """How many passages are done, stale, failed and missing: together all of them."""

    def layers(self) -> list[str]:
        """Names of the layers with an entry or a generation, sorted."""

    def forget(self, layer: str) -> int:
        """Remove all of a layer's entries and its generation; how many entries went."""

    def generation(self, layer: str) -> Generation | None:
        """What the layer currently serves, if anything."""

    def state(self) -> str:
        """Changes whenever a generation does, or passages come or go: a reader's sign to look again."""

    def set_generation(self, layer: str, name: str, description: Mapping[str, Any]) -> None:
        """Make a generation the current one."""

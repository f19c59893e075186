"""Documents and their passages in the record."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from polyhop.documents.loading import MAIL, MAILBOX
from polyhop.documents.source_units import MEDIA_TYPE as SOURCE
from polyhop.documents.source_units import line_in
from polyhop.errors import DocumentError, DocumentMissing, StoreError, UsageError
from polyhop.ports import Ints
from polyhop.store.passage_notes import (
    HEADINGS_PATH,
    OCCASION_PATH,
    PAGES_PATH,
    SECTION_PATH,
    THREAD_PATH,
    headings_of,
    joined,
    occasion_of,
    parted,
    section_of,
    thread_of,
)
from polyhop.store.port import Change, DocumentRow
from polyhop.store.schema import BLOCK
from polyhop.store.tables import Connection, StoreTables
from polyhop.types import Document, Passage, Span

PAGE = 512  # rows read at a time: bounds memory, and holds no read open between pages

PASSAGE_AT = """
    SELECT passages.number FROM passages JOIN documents ON documents.number = passages.document
    WHERE documents.id = ? AND passages.start <= ? AND passages.stop > ?
    ORDER BY passages.ordinal DESC LIMIT 1
"""
SAVE_DOCUMENT = """
    INSERT INTO documents(id, uri, title, media_type, sha256, metadata, whole, stamp)
    VALUES (:id, :uri, :title, :media_type, :sha256, :metadata, :whole, :stamp)
    ON CONFLICT(id) DO UPDATE SET uri = excluded.uri, title = excluded.title, media_type = excluded.media_type,
        sha256 = excluded.sha256, metadata = excluded.metadata, whole = excluded.whole, stamp = excluded.stamp
    RETURNING number
"""
CUT_PASSAGES = """
    SELECT wanted.key, p.id, d.id, p.ordinal, p.start, p.stop, p.title,
        json_extract(d.metadata, :occasions || p.ordinal || '"'),
        json_extract(d.metadata, :headings || p.ordinal || '"'),
        json_extract(d.metadata, :sections || p.ordinal || '"'),
        json_extract(d.metadata, :thread),
        b.position, b.text
    FROM json_each(:numbers) AS wanted
    CROSS JOIN passages AS p ON p.number = CAST(wanted.value AS BIGINT)
    JOIN documents AS d ON d.number = p.document
    LEFT JOIN blocks AS b
        ON b.document = p.document AND b.position BETWEEN p.start / :block AND (p.stop - 1) / :block
    ORDER BY wanted.key, b.position
"""
SELECT_DOCUMENT = """
    SELECT number, id, uri, title, sha256, stamp, media_type,
        (SELECT count(*) FROM passages WHERE document = documents.number)
    FROM documents
"""
LIST_DOCUMENTS = f"{SELECT_DOCUMENT} WHERE number > ? AND substr(uri, 1, length(?)) = ? ORDER BY number LIMIT ?"
# a passage's place in its document, and a hash of what layers read of it
_Stretch = tuple[int, int, int, bytes]  # ordinal, start, stop, digest


class Documents(StoreTables):
    """Keeps documents and passages; a passage that does not change keeps its number."""

    def put(self, document: Document, passages: Sequence[Passage], stamp: str = "") -> Change:
        """Store a document with all its passages; those that did not change keep their numbers and derived rows.

        Raises UsageError where a passage is not a stretch of the document, DocumentError where the document clashes
        with another one or holds text that cannot be encoded.
        """
        _require_stretches(document, passages)
        wanted = {passage.id: (passage.ordinal, passage.start, passage.end, _digest(passage)) for passage in passages}
        if len(wanted) != len(passages):
            raise UsageError(f"Two passages of the document {document.id!r} have the same id.")
        fields = {**_fields(document, passages), "stamp": stamp}
        with self._writing() as connection:
            before = _stored_fields(connection, document.id)
            number = before.pop("number", None)
            stored = _stored_passages(connection, number)
            same = _said(before) == _said(fields) and {key: value[1:] for key, value in stored.items()} == wanted
            if same and before == fields:
                return "unchanged"
            number = connection.execute(SAVE_DOCUMENT, fields).get
            if before.get("sha256") != document.sha256:
                _write_blocks(connection, number, document.text)
            if not same:
                _write_passages(connection, number, passages, stored, wanted)
        if same:
            return "unchanged"
        return "changed" if before else "added"

    def drop(self, document_ids: Iterable[str]) -> int:
        """Remove documents, their passages and all that was derived from them; how many passages went."""
        with self._writing() as connection:
            before = self.count_passages()
            connection.executemany("DELETE FROM documents WHERE id = ?", [(key,) for key in document_ids])
            return before - self.count_passages()

    def documents(self) -> Iterator[DocumentRow]:
        """All documents, in the order they were first added."""
        last = 0
        while True:
            rows = self._rows(LIST_DOCUMENTS, last, "", "", PAGE)
            for row in rows:
                last = row[0]
                yield _document_row(row)
            if len(rows) < PAGE:
                return

    def listed(self, *, beginning: str = "", after: int = 0, most: int) -> tuple[list[DocumentRow], int | None]:
        """A page of the documents whose URI begins so, in the order they were first added.

        ``after``: where an earlier page ended. The second result is where this one does; None where it is the last.
        """
        rows = self._rows(LIST_DOCUMENTS, after, beginning, beginning, most + 1)
        return [_document_row(row) for row in rows[:most]], rows[most - 1][0] if len(rows) > most else None

    def size_of(self, document_id: str) -> int:
        """How many bytes the text of a document has in UTF-8; 0 where there is none of that id."""
        query = (
            "SELECT sum(octet_length(b.text)) FROM blocks b JOIN documents d ON d.number = b.document WHERE d.id = ?"
        )
        return int(self._value(query, document_id) or 0)

    def stretches(self, document_id: str) -> list[tuple[str, int, int]]:
        """The id, start and end of each passage of a document, in document order."""
        query = "SELECT p.id, p.start, p.stop FROM passages p JOIN documents d ON d.number = p.document WHERE d.id = ?"
        return [(key, start, stop) for key, start, stop in self._rows(f"{query} ORDER BY p.ordinal", document_id)]

    def document(self, document_id: str) -> Document:
        """A whole document; DocumentMissing where there is none of that id."""
        with self.snapshot(), self._reading() as connection:
            fields = _stored_fields(connection, document_id)
            if not fields:
                raise DocumentMissing(f"There is no document {document_id!r} in this index.")
            query = "SELECT text FROM blocks WHERE document = ? ORDER BY position"
            blocks = self._rows(query, fields["number"])
        notes = parted(fields["metadata"])
        return Document(
            id=document_id,
            uri=fields["uri"],
            title=fields["title"],
            text="".join(row[0] for row in blocks),
            media_type=fields["media_type"],
            sha256=fields["sha256"],
            metadata=notes.metadata,
            whole=bool(fields["whole"]),
            pages=notes.pages,
            headings=notes.headings,
        )

    def row(self, document_id: str) -> DocumentRow:
        """A document without its text; DocumentMissing where there is none of that id."""
        rows = self._rows(f"{SELECT_DOCUMENT} WHERE id = ?", document_id)
        if not rows:
            raise DocumentMissing(f"There is no document {document_id!r} in this index.")
        return _document_row(rows[0])

    def page_of(self, span: Span) -> int | None:
        """The page of a document on which a stretch begins, from 1; None where the document has no pages."""
        query = "SELECT json_extract(metadata, ?) FROM documents WHERE id = ?"
        pages: str | None = self._value(query, PAGES_PATH, span.document_id)
        return bisect_right(json.loads(pages), span.start) if pages else None

    def line_of(self, span: Span) -> int | None:
        """The line of a source code on which a stretch begins, from 1; None for other documents."""
        row = self.row(span.document_id)
        if row.media_type != SOURCE:
            return None
        return line_in(self.document(span.document_id).text, span.start)

    def passage_at(self, span: Span) -> Passage | None:
        """The last passage of a document that holds the beginning of a stretch; None where none does."""
        number = self._value(PASSAGE_AT, span.document_id, span.start, span.start)
        return None if number is None else self.passages([number])[0]

    def at(self, uri: str) -> list[str]:
        """Ids of the documents with that URI, of a mail with what is attached to it; else of the rows of that file."""
        same = self._rows("SELECT id, media_type FROM documents WHERE uri = ? ORDER BY number", uri)
        ids = [key for key, _ in same]
        if ids and not any(kind in (MAIL, MAILBOX) for _, kind in same):
            return ids  # another file may have a name that goes on with #
        within = "SELECT id FROM documents WHERE uri >= ? AND uri < ? ORDER BY number"  # $ is what follows #
        return [*ids, *(row[0] for row in self._rows(within, f"{uri}#", f"{uri}$"))]

    def below(self, folder: str) -> list[str]:
        """Ids of the documents in that folder, however deep."""
        within = "SELECT id FROM documents WHERE uri >= ? AND uri < ? ORDER BY number"  # 0 is what follows /
        return [key for (key,) in self._rows(within, f"{folder}/", f"{folder}0")]

    def ending_in(self, name: str) -> dict[str, list[str]]:
        """Ids of the documents of each file whose path ends so, by file."""
        return _files_ending(name, self._rows("SELECT id, uri FROM documents ORDER BY number"))

    def duplicates_of(self, sha256: str, *, besides: str = "") -> list[DocumentRow]:
        """The documents with that hash, other than ``besides``, in the order they were first added."""
        query = f"{SELECT_DOCUMENT} WHERE sha256 = ? AND id <> ? ORDER BY number"
        return [_document_row(row) for row in self._rows(query, sha256, besides)]

    def count_documents(self) -> int:
        """How many documents there are."""
        return int(self._value("SELECT count(*) FROM documents"))

    def count_passages(self) -> int:
        """How many passages there are."""
        return int(self._value("SELECT count(*) FROM passages"))

    def numbers(self) -> Ints:
        """The numbers of all passages, ascending, int64 of shape (count_passages(),)."""
        rows = self._rows("SELECT number FROM passages ORDER BY number")
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def numbers_by_id(self, ids: Sequence[str]) -> dict[str, int]:
        """The number of each passage id that is in the store."""
        query = "SELECT p.id, p.number FROM json_each(?) AS wanted CROSS JOIN passages AS p ON p.id = wanted.value"
        return {row[0]: row[1] for row in self._rows(query, json.dumps(list(ids)))}

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        """The passages of these numbers, in this order; StoreError where one is gone."""
        found = self._cut(numbers)
        if len(found) != len(numbers):
            gone = next(int(number) for place, number in enumerate(numbers) if place not in found)
            raise _passage_gone(str(gone))
        return list(found.values())

    def present(self, numbers: Sequence[int]) -> dict[int, Passage]:
        """The passages of these numbers that are there, by number, in this order."""
        return {int(numbers[place]): passage for place, passage in self._cut(numbers).items()}

    def passages_by_id(self, ids: Sequence[str]) -> list[Passage]:
        """The passages of these ids, in this order; StoreError where one is gone."""
        with self.snapshot():
            known = self.numbers_by_id(ids)
            if gone := next((key for key in ids if key not in known), None):
                raise _passage_gone(repr(gone))
            return self.passages([known[key] for key in ids])

    def _cut(self, numbers: Sequence[int]) -> dict[int, Passage]:
        """The passages that exist, by their places in ``numbers``."""
        wanted = {"numbers": json.dumps([int(number) for number in numbers]), "block": BLOCK}
        paths = {"occasions": OCCASION_PATH, "headings": HEADINGS_PATH, "sections": SECTION_PATH, "thread": THREAD_PATH}
        with self._reading() as connection:
            rows = connection.execute(CUT_PASSAGES, {**wanted, **paths}).fetchall()
        return {place: _passage(list(pieces)) for place, pieces in groupby(rows, key=itemgetter(0))}


def _document_row(row: Sequence[Any]) -> DocumentRow:
    _, key, uri, title, sha256, stamp, media_type, passages = row
    return DocumentRow(
        id=key, uri=uri, title=title, sha256=sha256, stamp=stamp, media_type=media_type, passages=passages
    )


def _passage(pieces: list[tuple[Any, ...]]) -> Passage:
    _, key, document_id, ordinal, start, stop, title, occasion, headings, section, thread, first_block, _ = pieces[0]
    offset = (first_block or 0) * BLOCK
    text = "".join(piece[-1] or "" for piece in pieces)
    return Passage(
        id=key,
        document_id=document_id,
        ordinal=ordinal,
        start=start,
        end=stop,
        title=title,
        text=text[start - offset : stop - offset],
        occasion=occasion_of(occasion),
        section=section_of(section),
        headings=headings_of(headings),
        thread=thread_of(thread),
    )


def _passage_gone(name: str) -> StoreError:
    return StoreError(
        f"The passage {name} is not in the index any more.",
        remedy="Ask again; if it stays so, bring the index up to date with: polyhop index PATH...",
    )


def _digest(passage: Passage) -> bytes:
    return hashlib.sha256(f"{passage.title}\0{passage.text}".encode(errors="surrogatepass")).digest()


def _require_stretches(document: Document, passages: Sequence[Passage]) -> None:
    """Citations stand on this: a passage says exactly what its document says at its offsets."""
    for passage in passages:
        inside = 0 <= passage.start <= passage.end <= len(document.text)
        if not inside or document.text[passage.start : passage.end] != passage.text:
            raise UsageError(f"The passage {passage.id!r} is not the document's text at its offsets.")
        if passage.document_id != document.id:
            raise UsageError(f"The passage {passage.id!r} belongs to another document than {document.id!r}.")


def _said(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What a document says of itself: not the mark of its file, nor what its passages are told of it."""
    metadata = {"metadata": parted(fields["metadata"]).metadata} if fields else {}
    return {key: value for key, value in fields.items() if key != "stamp"} | metadata


def _fields(document: Document, passages: Sequence[Passage]) -> dict[str, Any]:
    return {
        "id": document.id,
        "uri": document.uri,
        "title": document.title,
        "media_type": document.media_type,
        "sha256": document.sha256,
        "metadata": joined(document, passages),
        "whole": int(document.whole),
    }


def _stored_fields(connection: Connection, document_id: str) -> dict[str, Any]:
    names = ("number", "id", "uri", "title", "media_type", "sha256", "metadata", "whole", "stamp")
    query = f"SELECT {', '.join(names)} FROM documents WHERE id = ?"  # noqa: S608
    row = connection.execute(query, (document_id,)).get
    return dict(zip(names, row, strict=True)) if row else {}


def _stored_passages(connection: Connection, number: int | None) -> dict[str, tuple[int, int, int, int, bytes]]:
    if number is None:
        return {}
    query = "SELECT id, number, ordinal, start, stop, digest FROM passages WHERE document = ?"
    return {row[0]: row[1:] for row in connection.execute(query, (number,))}


def _write_blocks(connection: Connection, number: int, text: str) -> None:
    connection.execute("DELETE FROM blocks WHERE document = ?", (number,))
    blocks = ((number, start // BLOCK, text[start : start + BLOCK]) for start in range(0, len(text), BLOCK))
    connection.executemany("INSERT INTO blocks(document, position, text) VALUES (?, ?, ?)", blocks)


def _write_passages(
    connection: Connection,
    document: int,
    passages: Sequence[Passage],
    stored: dict[str, tuple[int, int, int, int, bytes]],
    wanted: dict[str, _Stretch],
) -> None:
    """Delete, move and insert passages, so that the stored ones become the wanted ones."""
    kept = {key for key, (*_, digest) in stored.items() if key in wanted and wanted[key][-1] == digest}
    gone = [(row[0],) for key, row in stored.items() if key not in kept]
    connection.executemany("DELETE FROM passages WHERE number = ?", gone)
    moved = [(*wanted[key][:3], stored[key][0]) for key in kept if wanted[key] != stored[key][1:]]
    connection.executemany("UPDATE passages SET ordinal = ?, start = ?, stop = ? WHERE number = ?", moved)
    new = [(passage.id, document, passage.title, *wanted[passage.id]) for passage in passages if passage.id not in kept]
    before = connection.total_changes()
    connection.executemany(
        "INSERT INTO passages(id, document, title, ordinal, start, stop, digest) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(id) DO NOTHING",
        new,
    )
    if connection.total_changes() - before != len(new):
        raise DocumentError(
            f"A passage of the document {passages[0].document_id!r} has the id of another document's passage."
        )


def _files_ending(name: str, documents: Iterable[tuple[Any, ...]]) -> dict[str, list[str]]:
    """Ids of the documents of each file whose path ends in ``name``, by file."""
    ending = "/" + name.replace("\\", "/").removeprefix("./").strip("/")
    files: dict[str, list[str]] = {}
    for key, candidate in documents:
        path = "/" + candidate.replace("\\", "/")
        if path.endswith(ending):
            files.setdefault(path[1:], []).append(key)
        elif (at := path.find(f"{ending}#")) >= 0:
            files.setdefault(path[1 : at + len(ending)], []).append(key)
    return files

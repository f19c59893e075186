"""Documents as a store takes them, and all that a store says."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from polyhop.store.record import Record
from polyhop.types import Document, Passage

Home = Callable[[str], Path]  # the folder of an index by its name

HARBOUR = ("Quillmouth is a harbour. ", "Its lighthouse was built by Ada Brisk.")


def document_of(key: str, *texts: str, title: str = "", uri: str = "") -> tuple[Document, list[Passage]]:
    """A document whose passages are these texts, one after another."""
    whole = "".join(texts)
    document = Document(
        id=key,
        uri=uri or f"{key}.txt",
        title=title or key.title(),
        text=whole,
        media_type="text/plain",
        sha256=hashlib.sha256(f"{title}\0{whole}".encode(errors="replace")).hexdigest(),
        metadata={"language": "en"},
    )
    passages, start = [], 0
    for ordinal, text in enumerate(texts):
        passages.append(
            Passage(
                id=f"{key}:{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:8]}",
                document_id=key,
                ordinal=ordinal,
                start=start,
                end=start + len(text),
                title=document.title,
                text=text,
            )
        )
        start += len(text)
    return document, passages


def found(record: Record, uri: str) -> list[str]:
    """Ids of the documents of that URI or file, else of the one file so ending."""
    files = {} if record.at(uri) else record.ending_in(uri)
    return next(iter(files.values())) if len(files) == 1 else record.at(uri)


def failures(record: Record, layer: str) -> list[tuple[int, str, int]]:
    """Number, error and count of attempts of each passage that could not be done, ascending by number."""
    query = "SELECT passage, error, attempts FROM ledger WHERE layer = ? AND state = 'failed' ORDER BY passage"
    return [(number, error, attempts) for number, error, attempts in record._rows(query, layer)]


def derive(layer: str, fingerprint: str, text: str) -> bytes:
    """What a layer would make of a passage: pure, as layers must be."""
    return f"{layer} {fingerprint} {text}".encode()


def dump(record: Record) -> dict[str, object]:
    """All that a store says, without the numbers: those may differ between histories."""
    numbers = record.numbers().tolist()
    ids = dict(zip(numbers, (passage.id for passage in record.passages(numbers)), strict=True))
    return {
        "documents": sorted((record.document(row.id) for row in record.documents()), key=lambda document: document.id),
        "rows": sorted((row.id, row.stamp, row.passages) for row in record.documents()),
        "passages": sorted(record.passages(numbers), key=lambda passage: passage.id),
        "payloads": {layer: {ids[n]: row for n, row in record.payloads(layer)} for layer in record.layers()},
        "failures": {layer: {ids[n]: rest for n, *rest in failures(record, layer)} for layer in record.layers()},
    }

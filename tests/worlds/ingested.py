"""Short texts and rows as inputs, and what a record has of them once they are read."""

from __future__ import annotations

from polyhop.store.record import Record

FERRY, BELL, MILL = "Piet Rook keeps the ferry.", "Ada Brisk cast the bell.", "Lida Tarn painted the mill."
ROW_1, ROW_2, ROW_3 = (f'{{"id": "r{n}", "text": "{text}."}}\n' for n, text in enumerate(("Rye", "Oats", "Hay"), 1))


def texts(record: Record) -> list[str]:
    """What the documents say."""
    return [record.document(row.id).text for row in record.documents()]


def rows(*texts: str, named: bool) -> str:
    """Rows of a data set, with ids or without, and at their end one that cannot be read."""
    names = [f'"id": "{text[:4]}", ' if named else "" for text in texts]
    return "".join(f'{{{name}"text": "{text}"}}\n' for name, text in zip(names, texts, strict=True)) + '{"id": "p4"}\n'

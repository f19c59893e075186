"""What loaders make of files, which are written first where their content is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polyhop.documents.loading import Loader
from polyhop.reports import Skipped
from polyhop.types import Document


def load(loader: Loader, file: Path, content: str | bytes | None = None) -> list[Document | Skipped]:
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(loader.load(file, file.as_posix()))


def only(loader: Loader, file: Path, content: str | bytes | None = None) -> Document:
    """The one document of a file."""
    (item,) = load(loader, file, content)
    assert isinstance(item, Document)
    return item


def documents(items: Sequence[Document | Skipped]) -> list[Document]:
    return [item for item in items if isinstance(item, Document)]

"""Files that came with mail, read as they would be by themselves."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from polyhop.documents.loaders.mail import Attachment, unique_names
from polyhop.documents.reading import Source, registered
from polyhop.reports import Skipped
from polyhop.types import Document

_OF_MAIL: Final = ("eml", "mbox")  # loaders that would read what is attached to what is attached, and so on


def attached_documents(attachments: Sequence[Attachment], uri: str) -> Iterator[Document | Skipped]:
    """The documents of attachments that a loader knows, named behind the message's URI; others are only its names."""
    if not attachments:
        return
    loaders = {
        suffix: loader for name, loader in registered().items() if name not in _OF_MAIL for suffix in loader.suffixes
    }
    with tempfile.TemporaryDirectory(prefix="polyhop-") as folder:
        for number, attachment in enumerate(unique_names(attachments)):
            suffix = PurePosixPath(attachment.name).suffix.lower()
            if suffix in loaders and attachment.content:
                path = Path(folder) / f"{number}{suffix}"  # what a stranger called it is no name for a file here
                path.write_bytes(attachment.content)
                yield from Source(path=path, uri=f"{uri}#{attachment.name}", loader=loaders[suffix]).documents()
                path.unlink()

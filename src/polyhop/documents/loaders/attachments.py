"""Files that came with mail, read as they would be by themselves."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from polyhop.documents.loaders.mail import Attachment, unique_names
from polyhop.documents.loading import Loader
from polyhop.documents.reading import Source, registered
from polyhop.reports import Skipped
from polyhop.types import Document

_NOT_ATTACHED: Final = (  # loaders that are not asked
    *("eml", "mbox", "gz"),  # they would read what is attached to what is attached, and so on
    "man",  # "Fees v1.2" ends like a manual page
)
_SUFFIXES: Final = {"application/json": ".json", "application/xhtml+xml": ".xhtml"}  # not the first of their loaders


def attached_loaders() -> dict[str, Loader]:
    """The loaders that read attachments, by name."""
    return {name: loader for name, loader in registered().items() if name not in _NOT_ATTACHED}


def attached_documents(attachments: Sequence[Attachment], uri: str) -> Iterator[Document | Skipped]:
    """The documents of attachments that a loader knows, named behind the message's URI; others are only its names.

    A loader knows them by their suffix, or by their type where the suffix says nothing.
    """
    if not attachments:
        return
    known = attached_loaders().values()
    loaders = {suffix: loader for loader in known for suffix in loader.suffixes}
    suffixes = {**{loader.media_type: loader.suffixes[0] for loader in known if loader.suffixes}, **_SUFFIXES}
    with tempfile.TemporaryDirectory(prefix="polyhop-") as folder:
        for number, attachment in enumerate(unique_names(attachments)):
            named = PurePosixPath(attachment.name).suffix.lower()
            suffix = named if named in loaders else suffixes.get(attachment.media_type, "")
            if suffix in loaders and attachment.content:
                path = Path(folder) / f"{number}{suffix}"  # what a stranger called it is no name for a file here
                path.write_bytes(attachment.content)
                yield from Source(path=path, uri=f"{uri}#{attachment.name}", loader=loaders[suffix]).documents()
                path.unlink()

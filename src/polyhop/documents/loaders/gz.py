"""Files that were packed with gzip, such as manual pages and changelogs, read as what they hold."""

from __future__ import annotations

import gzip
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Final

from polyhop.documents.loading import Loader, version_with
from polyhop.documents.reading import Source, loader_of, registered
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document

_TEXT: Final = ".txt"  # what a file without an ending is taken for: binary content is refused
_LARGEST: Final = 1 << 28  # bytes that a file may unpack to


@dataclass(frozen=True, kw_only=True)
class GzipLoader:
    """Unpacks a file, and has it read by the loader that its name without ``.gz`` calls for; no archives of files."""

    suffixes: ClassVar[tuple[str, ...]] = (".gz",)
    media_type: ClassVar[str] = "application/gzip"

    @cached_property
    def version(self) -> str:
        """The version of what it reads, which is what others do."""
        return version_with("1", self._others)

    @cached_property
    def _others(self) -> dict[str, Loader]:
        return {name: loader for name, loader in registered().items() if name != "gz"}

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """What is in it. Raises DocumentError for what is damaged, too large, or of a kind that is not read."""
        loaders = {suffix: loader for loader in self._others.values() for suffix in loader.suffixes}
        name = Path(uri).stem
        loader = loader_of(name, loaders) or (None if Path(name).suffix else loaders.get(_TEXT))
        if loader is None:
            kind = f"files ending in {Path(name).suffix}"
            raise DocumentError(f"holds what is not read: {kind}", remedy="Unpack it, and name the file itself.")
        with tempfile.TemporaryDirectory(prefix="polyhop-") as folder:
            unpacked = Path(folder) / f"packed{Path(name).suffix}"  # a stranger's name is no name for a file here
            unpacked.write_bytes(_unpacked(path))
            yield from Source(path=unpacked, uri=uri, loader=loader).documents()


def _unpacked(path: Path) -> bytes:
    try:
        with gzip.open(path) as stream:
            content = stream.read(_LARGEST + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DocumentError("is damaged, or no gzip file") from error
    if len(content) > _LARGEST:
        raise DocumentError(f"unpacks to more than {_LARGEST >> 20} MiB", remedy="Unpack it, and index what it holds.")
    return content

"""Books (EPUB): web pages in an archive, and the order in which they are read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import unquote

from polyhop.documents.flow import Flow, joined
from polyhop.documents.loaders.archives import LARGEST, ArchiveKind, Attributes, PartArchive, PartEvents, opened
from polyhop.documents.loaders.html import content_of, read_page
from polyhop.documents.loaders.office_parts import part_named
from polyhop.documents.loading import file_document, headed, one_line
from polyhop.errors import DocumentError
from polyhop.reports import Skipped
from polyhop.types import Document

_BOOK = ArchiveKind(name="a book (EPUB)", locked="no EPUB", remedy="Download it again, or convert it to EPUB anew.")
_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_FONTS: Final = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")  # letters are no text


@dataclass(frozen=True, kw_only=True)
class EpubLoader:
    """Reads the chapters of a book in their order, as web pages are read; without its navigation."""

    suffixes: ClassVar[tuple[str, ...]] = (".epub",)
    media_type: ClassVar[str] = "application/epub+zip"
    version: ClassVar[str] = "8"

    largest: int = LARGEST  # bytes that its parts may unpack to

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """One document; its title is that of the book. A chapter that cannot be read is named, and the others follow.

        Raises DocumentError for a file that is damaged, protected or too large.
        """
        chapters: list[Flow] = []
        unread: list[Skipped] = []
        with opened(path, _BOOK, self.largest) as archive:
            package = _package_of(archive)
            parts = package.chapters()
            _refuse_protected(archive, parts)
            for part in parts:
                if part not in archive:
                    unread.append(Skipped(f"{uri}#{part}", "is not in the book, which lists it"))
                    continue
                content = archive.read(part)
                try:
                    chapters.append(content_of(read_page(content), of_site=False))
                except DocumentError as error:
                    unread.append(Skipped(f"{uri}#{part}", str(error)))
        read = joined(chapters)
        if read.text or not unread:
            author = ", ".join(filter(None, map(one_line, package.creators)))
            metadata = {"author": author} if author else {}
            document = file_document(uri, read.text, self.media_type, title=package.title, metadata=metadata)
            yield headed(document, read.headings)
        yield from unread
        if unread and not read.text:
            yield Skipped(uri, "has no chapter that can be read")


def _package_of(archive: PartArchive) -> _Package:
    roots = archive.elements(_CONTAINER, "rootfile")
    part = next(filter(None, (_normal("", attributes.get("full-path", "")) for _, attributes in roots)), "")
    if part not in archive:
        raise KeyError("it does not say what it consists of")
    package = _Package(posixpath.dirname(part))
    archive.parse(part, package)
    return package


def _refuse_protected(archive: PartArchive, chapters: list[str]) -> None:
    """Raises DocumentError where a chapter is encrypted; fonts may be."""
    method = ""
    for name, attributes in archive.elements(_ENCRYPTION, "EncryptionMethod", "CipherReference"):
        if name == "EncryptionMethod":
            method = attributes.get("Algorithm", "")
        elif method not in _FONTS and _normal("", attributes.get("URI", "")) in chapters:
            raise DocumentError("is protected against copying (DRM)", remedy="Index a copy without protection.")


class _Package(PartEvents):
    """The description of a book: its title, its parts, and in which order they are read."""

    def __init__(self, folder: str) -> None:
        self.creators: list[str] = []
        self._folder = folder
        self._titles: list[str] = []
        self._pages: dict[str, str] = {}  # parts, by their ids
        self._order: list[str] = []
        self._contents: set[str] = set()  # parts that are nothing but a table of contents or a cover
        self._texts: list[str] | None = None  # what the open element's text goes into

    @property
    def title(self) -> str:
        """The first title."""
        return next(filter(None, map(one_line, self._titles)), "")

    def chapters(self) -> list[str]:
        """The parts to be read, each once."""
        parts = (self._pages[key] for key in self._order if key in self._pages)
        return [part for part in dict.fromkeys(parts) if part not in self._contents]

    def start(self, name: str, attributes: Attributes) -> None:
        if name in ("title", "creator"):
            self._texts = self._titles if name == "title" else self.creators
            self._texts.append("")
        elif name == "item":
            is_navigation = "nav" in attributes.get("properties", "").split()
            if "html" in attributes.get("media-type", "") and not is_navigation:
                self._pages[attributes.get("id", "")] = _normal(self._folder, attributes.get("href", ""))
        elif name == "itemref":
            self._order.append(attributes.get("idref", ""))
        elif name == "reference" and attributes.get("type", "").lower() in ("toc", "cover"):
            self._contents.add(_normal(self._folder, attributes.get("href", "")))

    def end(self, name: str) -> None:
        self._texts = None

    def data(self, text: str) -> None:
        if self._texts is not None:
            self._texts[-1] += text


def _normal(folder: str, reference: str) -> str:
    """The part that a reference from a folder of the archive leads to."""
    return part_named(folder, unquote(reference.partition("#")[0]))

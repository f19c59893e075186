"""Text documents (OpenDocument)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from polyhop.documents.loaders.archives import LARGEST, Attributes, office_file
from polyhop.documents.loaders.odf_events import OdfText, Paragraph, read_opendocument
from polyhop.documents.loaders.paragraphs import DASH, Paragraphs
from polyhop.documents.tables import Cell, Tables
from polyhop.types import Document

_TEXT = office_file("an OpenDocument text", ".doc", "word processor", ".odt")

_INDEXES = frozenset(f"{each}-index" for each in ("illustration", "table", "object", "user", "alphabetical"))
_INDEXES |= {"table-of-content", "bibliography"}


@dataclass(frozen=True, kw_only=True)
class OdtLoader:
    """Reads the body, then the notes: paragraphs apart, items with a dash, rows with the names of columns."""

    suffixes: ClassVar[tuple[str, ...]] = (".odt", ".fodt")
    media_type: ClassVar[str] = "application/vnd.oasis.opendocument.text"
    version: ClassVar[str] = "3"

    largest: int = LARGEST  # bytes that its parts may unpack to

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document; its title is the title paragraph, else the file's own, else the first heading.

        Raises DocumentError for a file that is damaged, encrypted or too large.
        """
        body = _Body()
        read_opendocument(path, _TEXT, self.largest, body)
        yield body.paragraphs.document(uri, self.media_type, [body.title.strip()])


class _Body(OdfText):
    def __init__(self) -> None:
        super().__init__()
        self.paragraphs = Paragraphs()
        self._mark = ""  # of the item that has begun and says nothing yet
        self._indexes = 0  # tables of contents and other indexes that are open
        self._around: list[tuple[list[Paragraph], str]] = []  # what the notes that are open stand in

    def _tables(self) -> Tables:
        return self.paragraphs.tables

    def _starts(self, name: str, attributes: Attributes) -> None:
        if name in ("list-item", "numbered-paragraph", "list-header"):
            self._mark = "" if name == "list-header" else DASH
        elif name in _INDEXES:
            self._indexes += 1
        elif name == "note":
            self.paragraphs.begin_note(at_the_end=attributes.get("note-class") == "endnote")
            self._around.append((self._open, self._mark))
            self._open, self._mark = [], ""
            self._begin_frame()
        else:
            super()._starts(name, attributes)

    def _ends(self, name: str) -> None:
        if name in ("list-item", "numbered-paragraph"):
            self._mark = ""
        elif name in _INDEXES:
            self._indexes -= 1
        elif name == "note":
            self.paragraphs.end_note()
            self._end_frame()
            self._open, self._mark = self._around.pop()
        else:
            super()._ends(name)

    def _begin_cell(self, cell: Cell) -> None:
        self.paragraphs.begin_cell(cell)

    def _end_cell(self) -> None:
        self.paragraphs.end_cell()

    def _letters(self, text: str, *, bold: bool) -> None:
        self.paragraphs.letters(text, bold=bold)

    def _paragraph(self, text: str, kind: str) -> None:
        self.paragraphs.write(text, "" if self._indexes else kind, mark=self._mark)
        self._mark = "" if text else self._mark

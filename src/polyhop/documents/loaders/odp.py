"""Presentations (OpenDocument)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from polyhop.documents.flow import Flow
from polyhop.documents.loaders.archives import LARGEST, Attributes, office_file
from polyhop.documents.loaders.odf_events import DRAWN, OdfText, read_opendocument
from polyhop.documents.loaders.slides import Slide, add_notes, slides_document
from polyhop.documents.loading import OPEN_SLIDES
from polyhop.documents.tables import Tables
from polyhop.reports import Skipped
from polyhop.types import Document

_PRESENTATION = office_file("an OpenDocument presentation", ".ppt", "presentation program", ".odp")
_PLACES = {"title": "title", "outline": "body"}  # of the layout, as slides name them
_REPEATED = frozenset(("page-number", "date-time", "footer", "header", "page"))  # on every slide the same


@dataclass(frozen=True, kw_only=True)
class OdpLoader:
    """Reads the slides in their order: titles as headings, items and rows as lines, notes below each slide.

    A slide is a page. Slides that are hidden are left out and named.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".odp", ".fodp")
    media_type: ClassVar[str] = OPEN_SLIDES
    version: ClassVar[str] = "3"

    largest: int = LARGEST  # bytes that its parts may unpack to

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """One document; its title is the file's own, or that of its first slide.

        Raises DocumentError for a file that is damaged, encrypted or too large.
        """
        show = _Show()
        read_opendocument(path, _PRESENTATION, self.largest, show)
        yield from slides_document(show.slides(), uri, self.media_type, show.title.strip())


class _Show(OdfText):
    def __init__(self) -> None:
        super().__init__()
        self._slides: list[tuple[Slide, Slide]] = []  # each with its notes
        self._slide = Slide()
        self._lists = 0  # within one another
        self._listed = False  # whether the paragraph is an item

    def slides(self) -> Iterator[tuple[Slide, Flow]]:
        """The slides, with all that is read of them."""
        for slide, notes in self._slides:
            flow = slide.flow()
            add_notes(flow, notes)
            yield slide, flow

    def _tables(self) -> Tables:
        return self._slide.tables

    def _is_left_out(self, name: str, attributes: Attributes) -> bool:
        unsaid = attributes.get("class") in _REPEATED or attributes.get("placeholder") == "true"
        return (unsaid and name in DRAWN) or super()._is_left_out(name, attributes)

    def _starts(self, name: str, attributes: Attributes) -> None:
        if name == "page":
            self._slide = Slide()
            self._slides.append((self._slide, Slide()))
            style = attributes.get("style-name", "")
            self._slide.hidden = self.styles.value("drawing-page", style, "visibility") == "hidden"
        elif name == "notes" and self._slides:
            self._slide.end_shape()
            self._slide = self._slides[-1][1]
        elif name == "list":
            self._lists += 1
        elif name in ("list-item", "list-header"):
            self._listed = name == "list-item"
        else:
            super()._starts(name, attributes)
        if name in DRAWN:
            self._slide.begin_shape(_PLACES.get(attributes.get("class", ""), ""))

    def _ends(self, name: str) -> None:
        super()._ends(name)
        if name in DRAWN:
            self._slide.begin_shape()
        elif name == "list":
            self._lists -= 1
        elif name == "list-item":
            self._listed = False

    def _begin_table(self, attributes: Attributes) -> None:
        super()._begin_table(attributes)
        if attributes.get("use-first-row-styles") == "true":
            self._slide.tables.head_next()

    def _begin_row(self) -> None:
        self._slide.tables.begin_row()

    def _paragraph(self, text: str, kind: str) -> None:
        by_place = None if self._slide.place == "body" else True
        self._slide.write(text, max(0, self._lists - 1), by_place if self._listed else False)
        self._listed = self._listed and not text

"""Presentations (Office Open XML)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from polyhop.documents.flow import Flow, Gap
from polyhop.documents.loaders.archives import LARGEST, PartArchive, office_file, opened
from polyhop.documents.loaders.office_parts import main_part, own_title, part_of_kind, relations_of
from polyhop.documents.loaders.slides import Slide, SlidePart, add_notes, slides_document
from polyhop.documents.loading import SLIDES
from polyhop.reports import Skipped
from polyhop.types import Document

_PRESENTATION = office_file("a presentation", ".ppt", "presentation program", ".pptx")


@dataclass(frozen=True, kw_only=True)
class PptxLoader:
    """Reads the slides in their order: titles as headings, items and rows as lines, notes below each slide.

    A slide is a page. Slides that are hidden are left out and named.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".pptx", ".pptm", ".ppsx")
    media_type: ClassVar[str] = SLIDES
    version: ClassVar[str] = "5"

    largest: int = LARGEST  # bytes that its parts may unpack to

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """One document; its title is the file's own, or that of its first slide.

        Raises DocumentError for a file that is damaged, encrypted or too large.
        """
        with opened(path, _PRESENTATION, self.largest) as archive:
            items = list(slides_document(_slides(archive), uri, self.media_type, own_title(archive)))
        yield from items


def _slides(archive: PartArchive) -> Iterator[tuple[Slide, Flow]]:
    main = main_part(archive, "ppt/presentation.xml")
    keys = [attributes.get("id", "") for _, attributes in archive.elements(main, "sldId")]
    relations = relations_of(archive, main)
    for part in [relations[key].part for key in keys if key in relations]:
        read = SlidePart()
        archive.parse(part, read)
        yield read.slide, Flow() if read.slide.hidden else _with_notes(archive, part, read)


def _with_notes(archive: PartArchive, part: str, read: SlidePart) -> Flow:
    """A slide with its diagrams and notes."""
    flow = read.slide.flow()
    relations = relations_of(archive, part)
    for key in read.diagrams:
        if key in relations:
            diagram = SlidePart()
            archive.parse(relations[key].part, diagram)
            flow.part(Gap.PARAGRAPH)
            flow.append(diagram.slide.flow())
    notes = SlidePart()
    archive.parse(part_of_kind(relations, "notesSlide"), notes)
    add_notes(flow, notes.slide)
    return flow

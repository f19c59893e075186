"""Presentations (Office Open XML)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from polyhop.documents.flow import Flow, Gap, joined
from polyhop.documents.loaders.archives import LARGEST, ArchiveKind, PartArchive, opened
from polyhop.documents.loaders.office_parts import main_part, own_title, part_of_kind, relations_of
from polyhop.documents.loaders.slides import HEADING, SlideOrder, SlidePart
from polyhop.documents.loading import SLIDES, file_document, headed
from polyhop.reports import Skipped
from polyhop.types import Document

_PRESENTATION = ArchiveKind(
    name="a presentation",
    locked="encrypted, or an old .ppt file",
    remedy="Open it in a presentation program and save it again as .pptx.",
)
_NAMED_BY_PROGRAM = "powerpoint"  # within the title that a file has whose author gave it none, in any language


@dataclass(frozen=True, kw_only=True)
class PptxLoader:
    """Reads the slides in their order: titles as headings, items and rows as lines, notes below each slide.

    A slide is a page. Slides that are hidden are left out and named.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".pptx", ".pptm", ".ppsx")
    media_type: ClassVar[str] = SLIDES
    version: ClassVar[str] = "3"

    largest: int = LARGEST  # bytes that its parts may unpack to

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """One document; its title is the file's own, or that of its first slide.

        Raises DocumentError for a file that is damaged, encrypted or too large.
        """
        flows: list[Flow] = []
        hidden: list[Skipped] = []
        with opened(path, _PRESENTATION, self.largest) as archive:
            own = own_title(archive)
            title = "" if _NAMED_BY_PROGRAM in own.lower() else own
            main = main_part(archive, "ppt/presentation.xml")
            order = SlideOrder()
            archive.parse(main, order)
            relations = relations_of(archive, main)
            parts = [relations[key].part for key in order.relations if key in relations]
            for number, part in enumerate(parts, start=1):
                slide = SlidePart()
                archive.parse(part, slide)
                if slide.hidden:
                    hidden.append(Skipped(f"{uri}#{number}", "is a hidden slide; show it, and it is read"))
                    flows.append(Flow())
                    continue
                title = title or slide.title
                flows.append(_with_notes(archive, part, slide))
        read = joined(flows, HEADING)
        if read.text or not hidden:
            document = file_document(uri, read.text, self.media_type, title=title)
            yield headed(replace(document, pages=read.begins), read.headings)
        yield from hidden


def _with_notes(archive: PartArchive, part: str, slide: SlidePart) -> Flow:
    """A slide with its diagrams and notes."""
    flow = slide.flow()
    relations = relations_of(archive, part)
    for key in slide.diagrams:
        if key in relations:
            diagram = SlidePart()
            archive.parse(relations[key].part, diagram)
            flow.part(Gap.PARAGRAPH)
            flow.append(diagram.flow())
    notes = SlidePart()
    archive.parse(part_of_kind(relations, "notesSlide"), notes)
    said = notes.flow()
    if said.text():
        flow.part(Gap.PARAGRAPH)
        flow.write_exactly("Notes: ")
        flow.append(said)
    return flow

"""The route that draws a page of a PDF, with a stretch of its text marked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Response

from polyhop.documents.loaders.pdf import PdfLoader
from polyhop.documents.reading import path_of
from polyhop.errors import OriginalMissing, PageMissing
from polyhop.serve.engines import Workspace
from polyhop.serve.pdf_pages import DrawnPage, draw_page
from polyhop.serve.reading import pages_of
from polyhop.serve.service import Service, TheService, TheWorkspace
from polyhop.types import Document

router = APIRouter(prefix="/v1", tags=["reading"])


@router.get(
    "/documents/{document_id:path}/pages/{number}.png",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def page_picture(
    service: TheService,
    workspace: TheWorkspace,
    document_id: str,
    number: int,
    highlight: Annotated[
        str, Query(pattern="^([0-9]{1,12}-[0-9]{1,12})?$", description="Characters of the document, half open.")
    ] = "",
) -> Response:
    """A page of a PDF as a picture, with the characters of the document that are named marked on it.

    404 where the document has no such page; 409 where its file is not at hand any more, or says something else now. The
    header `Polyhop-Marked` says whether the stretch was found on the page.
    """
    with workspace.engine.view() as view:
        document = view.record.document(document_id)
    start, end = _stretch(document, number)
    first, _, last = highlight.partition("-")
    marked = (max(start, int(first)), min(end, int(last))) if highlight else (start, start)
    drawn = _drawn(document, number - 1, (start, end), marked, original_of(document, workspace, service))
    headers = {"Polyhop-Marked": "yes" if drawn.marked else "no", "Cache-Control": "private, max-age=300"}
    return Response(drawn.png, media_type="image/png", headers=headers)


def _stretch(document: Document, number: int) -> tuple[int, int]:
    """The characters of a page. Raises PageMissing."""
    pages = pages_of(document) if document.media_type == PdfLoader.media_type else None
    if pages is None:
        raise PageMissing("This document has no pages that are drawn: only PDFs do.")
    if not 1 <= number <= len(pages):
        raise PageMissing(f"This document has pages 1 to {len(pages)}.")
    return pages[number - 1].start, pages[number - 1].end


def _drawn(document: Document, index: int, page: tuple[int, int], marked: tuple[int, int], file: Path) -> DrawnPage:
    from pypdfium2 import PdfiumError  # imported when used: start-up time

    said = document.text[page[0] : page[1]]
    at = (marked[0] - page[0]) / max(1, len(said))
    try:
        drawn = draw_page(file, index, said=said, stretch=document.text[marked[0] : marked[1]], at=at)
    except (OSError, PdfiumError) as error:
        raise OriginalMissing("The file of this document is not at hand any more.") from error
    if drawn is None:
        raise OriginalMissing("The file of this document says something else than when it was indexed.")
    return drawn


def original_of(document: Document, workspace: Workspace, service: Service) -> Path:
    """Where the file lies that a document was read from. Whether it still is that file, its text has to tell.

    Raises OriginalMissing.
    """
    if workspace.place.queue.exists():
        kept = service.intake.counter(workspace.place).files.path_of(document.uri)
        if kept is not None:
            return kept
    path = Path(path_of(document.uri))
    if not path.is_absolute():  # a name that somebody gave to a document, and no place on this disk
        raise OriginalMissing("The file of this document is not at hand any more.")
    return path

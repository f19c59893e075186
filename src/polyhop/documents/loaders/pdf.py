"""PDF files, read by PDFium."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from polyhop.documents.flow import JoinedText
from polyhop.documents.loaders.page_contents import without_contents
from polyhop.documents.loaders.page_furniture import without_furniture
from polyhop.documents.loaders.pdf_forms import entries_of, with_entries
from polyhop.documents.loaders.pdf_lines import PageLine, lines_of
from polyhop.documents.loaders.pdf_tables import with_tables
from polyhop.documents.loaders.pdf_text import paged_text
from polyhop.documents.loading import file_document, headed, one_line
from polyhop.errors import DocumentError
from polyhop.types import Document

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

PDFIUM: Final = threading.Lock()  # held while it works: two threads in it at once end the process
_PASSWORD = 4  # FPDF_ERR_PASSWORD
_LONGEST_TITLE = 200  # characters
_PLACEHOLDER = re.compile(  # what programs call a file that they were told no title of
    r"(?i)^(\(?(untitled|anonymous|unspecified)\)?|document ?\d*|powerpoint[- ]\w+|pr\w+ (de )?powerpoint"
    r"|.*\.(docx?|tex|dvi|indd|pdf|odt|pptx?|xlsx?))?$"
)


@dataclass(frozen=True, kw_only=True)
class PdfLoader:
    """Reads the text of a PDF: words and paragraphs whole, a row of a table a line, headings apart.

    Running heads, page numbers and a table of contents are left out.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".pdf",)
    media_type: ClassVar[str] = "application/pdf"
    version: ClassVar[str] = "13"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document, which knows its pages; its title is the file's own, or its first heading or line.

        Raises DocumentError for a damaged or encrypted file, and for one without text, such as a scan.
        """
        title, pages = _read(path)
        read = paged_text(with_tables(without_contents(without_furniture(pages))))
        if not read.text:
            raise DocumentError(
                "has no text, only pictures of it (a scan?)" if pages else "has no pages",
                remedy="Recognise its text first (OCR), and index the result.",
            )
        document = file_document(uri, read.text, self.media_type, title=title or _first_words(read))
        yield headed(replace(document, pages=read.begins), read.headings)


def _first_words(read: JoinedText) -> str:
    """The heading on the first page, or the first line."""
    second_page = read.begins[1] if len(read.begins) > 1 else len(read.text)
    heading = next((read.text[mark.start : mark.end] for mark in read.headings if mark.start < second_page), "")
    return (heading or read.text.partition("\n")[0])[:_LONGEST_TITLE]


def _lines_of(document: PdfDocument, number: int) -> list[PageLine]:
    with closing(document[number]) as page:
        return with_entries(lines_of(page), list(entries_of(document, page)))


def _read(path: Path) -> tuple[str, list[list[PageLine]]]:
    """The title in the metadata, if it is one, and the lines of the pages."""
    from pypdfium2 import PdfDocument, PdfiumError, raw  # imported when used: start-up time

    with path.open("rb"):  # an unreadable file is an OSError, and not a damaged PDF
        pass
    try:
        with PDFIUM, closing(PdfDocument(path)) as document:
            if document.get_formtype() == raw.FORMTYPE_ACRO_FORM:
                with suppress(PdfiumError):  # without its form the rest can be read
                    document.init_forms()  # before any page is opened
            title = one_line(document.get_metadata_value("Title").removeprefix("Microsoft Word - "))
            return "" if _PLACEHOLDER.match(title) else title, [
                _lines_of(document, number) for number in range(len(document))
            ]
    except PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD:
            raise DocumentError("is encrypted", remedy="Save a copy without a password, and index that.") from error
        reason = str(error).rstrip(".")
        raise DocumentError(f"is damaged, or not a PDF ({reason})", remedy="Save or download it again.") from error

"""PDF files, read by PDFium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from polyhop.documents.encoding import clean
from polyhop.documents.loading import file_document, one_line
from polyhop.documents.wrapped_lines import whole_words
from polyhop.errors import DocumentError
from polyhop.types import Document

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_PASSWORD = 4  # FPDF_ERR_PASSWORD
_LONGEST_TITLE = 200  # characters
_OWN_HYPHEN = re.compile(r"[\x02\ufffe]\n?")  # PDFium writes a hyphen at the end of a line so
_SENTENCE_END = '.!?:;\u2026\u3002\uff01\uff1f\u061f\u06d4\u0964"\u201d\u00bb)'
_SPACELESS = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\uff00-\uffef]")
_FULL_LINE = 0.75  # of the page's longest line; a line this long goes on in the next one unless a sentence ends
_PROSE_WIDTH = 50  # characters; pages without a longer line are lists, tables or verse
_PLACEHOLDER = re.compile(r"(?i)^(untitled|document ?\d*|.*\.(docx?|tex|dvi|indd|pdf|odt|pptx?|xlsx?))?$")


@dataclass(frozen=True, kw_only=True)
class PdfLoader:
    """Reads the text of a PDF: one blank line between pages, hyphenated words and wrapped lines put together."""

    suffixes: ClassVar[tuple[str, ...]] = (".pdf",)
    media_type: ClassVar[str] = "application/pdf"
    version: ClassVar[str] = "2"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document; its title is the file's own, or its first line.

        Raises DocumentError for a damaged or encrypted file, and for one without text, such as a scan.
        """
        title, pages = _read(path)
        text = "\n\n".join(filter(None, map(mended, pages)))
        if not text:
            raise DocumentError(
                "has no text, only pictures of it (a scan?)" if pages else "has no pages",
                remedy="Recognise its text first (OCR), and index the result.",
            )
        first_line = text.partition("\n")[0]
        yield file_document(uri, text, self.media_type, title=title or first_line[:_LONGEST_TITLE])


def _read(path: Path) -> tuple[str, list[str]]:
    """The title in the metadata, if it is one, and the raw text of the pages."""
    from pypdfium2 import PdfDocument, PdfiumError  # imported when used: start-up time

    with path.open("rb"):  # an unreadable file is an OSError, and not a damaged PDF
        pass
    try:
        with closing(PdfDocument(path)) as document:
            title = one_line(document.get_metadata_value("Title").removeprefix("Microsoft Word - "))
            return "" if _PLACEHOLDER.match(title) else title, [_page(document, i) for i in range(len(document))]
    except PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD:
            raise DocumentError("is encrypted", remedy="Save a copy without a password, and index that.") from error
        reason = str(error).rstrip(".")
        raise DocumentError(f"is damaged, or not a PDF ({reason})", remedy="Save or download it again.") from error


def _page(document: PdfDocument, index: int) -> str:
    with closing(document[index]) as page, closing(page.get_textpage()) as content:
        return str(content.get_text_bounded())


def mended(page: str) -> str:
    """A page's text with words and lines joined that only the page's width had parted."""
    lines = [line.strip() for line in page.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    text = "\n".join(filter(None, lines))
    text = whole_words(clean(_OWN_HYPHEN.sub("-\n", text)))
    lines = text.split("\n")
    widest = max(map(len, lines))
    pieces = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        pieces += [line, _between(line, following, widest)]
    return "".join(pieces).strip()


def _between(line: str, following: str, widest: int) -> str:
    """What parts two lines: nothing or a space where the second goes on with the sentence, else a line break."""
    if not line or not following or line[-1] in _SENTENCE_END or following.isdigit():  # a page's number
        return "\n"
    full = widest >= _PROSE_WIDTH and len(line) >= _FULL_LINE * widest
    spaceless = _SPACELESS.match(line[-1]) and _SPACELESS.match(following)
    if spaceless:
        return "" if len(line) >= _FULL_LINE * widest else "\n"
    return " " if following[0].islower() or (full and following[0].isalnum()) else "\n"

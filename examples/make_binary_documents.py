"""Makes the PDF and DOCX files of the example corpus from the plain texts in ``sources/``, the same bytes each time.

A source is a UTF-8 text: its first line is the title, blank lines separate paragraphs, and ``##`` opens a heading.
Its name says what becomes of it: ``abel_wintern.docx.txt`` makes ``abel_wintern.docx``. It needs nothing but Python.
"""

from __future__ import annotations

import argparse
import html
import io
import textwrap
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
CREATED = "2001-01-01T00:00:00Z"  # fixed, so that the bytes do not change
CREATED_PDF = "D:20010101000000Z"
ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest a zip file can say

XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
OOXML = "http://schemas.openxmlformats.org"
OFFICE_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
CONTENT_TYPES = (
    f'{XML}<Types xmlns="{OOXML}/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{OFFICE_TYPE}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{OFFICE_TYPE}.styles+xml"/>'
    '<Override PartName="/docProps/core.xml" '
    'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>'
)
PACKAGE_PARTS = (
    f'{XML}<Relationships xmlns="{OOXML}/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{OOXML}/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/>'
    f'<Relationship Id="rId2" Type="{OOXML}/package/2006/relationships/metadata/core-properties" '
    'Target="docProps/core.xml"/></Relationships>'
)
DOCUMENT_PARTS = (
    f'{XML}<Relationships xmlns="{OOXML}/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{OOXML}/officeDocument/2006/relationships/styles" Target="styles.xml"/>'
    "</Relationships>"
)
STYLES = (
    f'{XML}<w:styles xmlns:w="{OOXML}/wordprocessingml/2006/main">'
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:basedOn w:val="Normal"/>'
    '<w:rPr><w:b/><w:sz w:val="40"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/>'
    '<w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="28"/></w:rPr></w:style></w:styles>'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph and its style: Title, Heading1 or Normal."""

    style: str
    text: str


def paragraphs(source: str) -> tuple[Paragraph, ...]:
    """The paragraphs of a source; the first is the title."""
    title, *rest = (" ".join(block.split()) for block in source.strip().split("\n\n"))
    body = (
        Paragraph(style="Heading1", text=block.removeprefix("## "))
        if block.startswith("## ")
        else Paragraph(style="Normal", text=block)
        for block in rest
    )
    return Paragraph(style="Title", text=title), *body


def docx(content: tuple[Paragraph, ...]) -> bytes:
    """An Office Open XML document: stored rather than deflated, because zlib versions deflate differently."""
    lines = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{one.style}"/></w:pPr>'
        f'<w:r><w:t xml:space="preserve">{html.escape(one.text, quote=False)}</w:t></w:r></w:p>'
        for one in content
    )
    properties = (
        f'{XML}<cp:coreProperties xmlns:cp="{OOXML}/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{html.escape(content[0].text, quote=False)}</dc:title>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{CREATED}</dcterms:created></cp:coreProperties>'
    )
    parts = {
        "[Content_Types].xml": CONTENT_TYPES,
        "_rels/.rels": PACKAGE_PARTS,
        "docProps/core.xml": properties,
        "word/document.xml": (
            f'{XML}<w:document xmlns:w="{OOXML}/wordprocessingml/2006/main"><w:body>{lines}'
            '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>'
        ),
        "word/styles.xml": STYLES,
        "word/_rels/document.xml.rels": DOCUMENT_PARTS,
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, ZIP_DATE)
            entry.create_system = 3  # Windows would write 0
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text.encode())
    return buffer.getvalue()


@dataclass(frozen=True, slots=True, kw_only=True)
class Typography:
    """The page of a PDF, A5 by default; lengths in points."""

    width: int = 420
    height: int = 595
    margin: int = 54
    leading: int = 15
    size: int = 11
    characters: int = 54  # on a line: Helvetica is half as wide as high on average

    def lines(self, content: tuple[Paragraph, ...]) -> Iterator[tuple[str, str]]:
        """Style and text of each line; an empty text is a gap between paragraphs."""
        for number, one in enumerate(content):
            if number:
                yield "Normal", ""
            for line in textwrap.wrap(one.text, self.characters, break_long_words=False, break_on_hyphens=False):
                yield one.style, line

    def pages(self, content: tuple[Paragraph, ...]) -> Iterator[bytes]:
        """The content stream of each page; no page begins with a gap."""
        room = (self.height - 2 * self.margin) // self.leading
        page: list[tuple[str, str]] = []
        for line in self.lines(content):
            if len(page) == room:
                yield self.stream(page)
                page = []
            if page or line[1]:
                page.append(line)
        yield self.stream(page)

    def stream(self, lines: list[tuple[str, str]]) -> bytes:
        """The operators that draw lines from the top margin down."""
        fonts = {"Title": f"/F2 {self.size + 5} Tf", "Heading1": f"/F2 {self.size + 1} Tf"}
        operators = ["BT", f"{self.leading} TL", f"{self.margin} {self.height - self.margin} Td"]
        for style, text in lines:
            operators += [fonts.get(style, f"/F1 {self.size} Tf"), f"({escaped(text)}) Tj T*" if text else "T*"]
        return "\n".join([*operators, "ET"]).encode("cp1252")


def escaped(text: str) -> str:
    """Text as it stands between the parentheses of a PDF string."""
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def pdf(content: tuple[Paragraph, ...], typography: Typography) -> bytes:
    """A PDF 1.4 document in Helvetica with WinAnsi encoding, uncompressed, with a cross-reference table."""
    streams = list(typography.pages(content))
    first = 6  # objects 1 to 5 are the catalogue, the page tree, two fonts and the metadata
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(streams)))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>"
    title = escaped(content[0].text)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>".encode(),
        font.format("Helvetica").encode(),
        font.format("Helvetica-Bold").encode(),
        f"<< /Title ({title}) /CreationDate ({CREATED_PDF}) >>".encode("cp1252"),
    ]
    for number, stream in enumerate(streams):
        page = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {typography.width} {typography.height}] "
            f"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents {first + 2 * number + 1} 0 R >>"
        )
        objects += [page.encode(), b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream)]
    return assembled(objects)


def assembled(objects: list[bytes]) -> bytes:
    """A PDF file of numbered objects: the first is the catalogue, the fifth the metadata."""
    file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"  # four high bytes, so that transfer programs treat the file as binary
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(file))
    return file + b"xref\n0 %d\n0000000000 65535 f \n%b%b" % (size, table, trailer)


def make(sources: Path, output: Path) -> list[Path]:
    """Write the document of every source into ``output`` and return their paths."""
    output.mkdir(parents=True, exist_ok=True)
    made = []
    for source in sorted(sources.glob("*.txt")):
        content = paragraphs(source.read_text(encoding="utf-8"))
        target = output / source.stem
        target.write_bytes(pdf(content, Typography()) if target.suffix == ".pdf" else docx(content))
        made.append(target)
    return made


def main() -> None:
    """Write the documents and say how many."""
    parser = argparse.ArgumentParser(description="Make the PDF and DOCX files of the example corpus.")
    parser.add_argument("--output", type=Path, default=HERE / "corpus", help="folder to write to")
    output = parser.parse_args().output
    print(f"{len(make(HERE / 'sources', output))} documents written to {output}")


if __name__ == "__main__":
    main()

"""Makes the PDF and DOCX files of the documents from the texts in ``sources/``.

pip install reportlab pyphen python-docx && python benchmarks/office/make_documents.py

These three are no dependencies of Polyhop: the files that they make lie in ``documents/``. A source is a small part of
Markdown: ``#`` the title, ``##`` a heading, ``1.`` and ``-`` items, ``|`` rows of a table, the first of which names the
columns; a cell ``^`` belongs to the one above it. ``ws40_manual.pdf.md`` makes ``ws40_manual.pdf``.
"""

from __future__ import annotations

import datetime
import re
import zipfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from docx import Document
from docx.oxml.ns import qn
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table, TableStyle

HERE = Path(__file__).parent
COLUMNS = {"ws40_manual.pdf": 2}  # of a page; the others have one
ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest a zip file can say: the same bytes each time
CREATED = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
MARGIN = 50.0  # points
GAP = 22.0  # between columns
ABOVE = "^"

Block = tuple[str, list[str]]  # title, heading, number, bullet, table or text, with its lines


def kind(line: str) -> str:
    """What a line of a source is."""
    marks = {"# ": "title", "##": "heading", "- ": "bullet", "| ": "table"}
    return "number" if re.match(r"\d+\. ", line) else marks.get(line[:2], "text") if line.strip() else ""


def blocks(source: str) -> Iterator[Block]:
    """The blocks of a source: lines of one kind that follow each other."""
    for name, lines in groupby(source.splitlines(), kind):
        if name:
            yield name, [line.strip() for line in lines]


def cells(lines: list[str]) -> list[list[str]]:
    """The rows of a table."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def merged(rows: list[list[str]]) -> list[tuple[int, int]]:
    """Row and column of each cell that belongs to the one above it."""
    return [(row, column) for row, line in enumerate(rows) for column, cell in enumerate(line) if cell == ABOVE]


def styles(columns: int) -> dict[str, ParagraphStyle]:
    """The type of a PDF: narrow columns are justified, which parts more words."""
    size = 9.5 if columns > 1 else 10
    text = ParagraphStyle("text", fontName="Times-Roman", fontSize=size, leading=size * 1.25, spaceAfter=5)
    text.hyphenationLang, text.alignment = "en_GB", 4 if columns > 1 else 0
    item = ParagraphStyle("item", parent=text, leftIndent=14, spaceAfter=2)
    cell = ParagraphStyle("cell", parent=text, fontSize=8, leading=9.5, spaceAfter=0, alignment=0)
    cell.hyphenationLang = None
    heading = ParagraphStyle("heading", fontName="Helvetica-Bold", fontSize=11, leading=14, spaceBefore=7, spaceAfter=3)
    title = ParagraphStyle("title", parent=heading, fontSize=15, leading=18, spaceAfter=8)
    return {"text": text, "number": item, "bullet": item, "cell": cell, "heading": heading, "title": title}


def drawn(block: Block, faces: dict[str, ParagraphStyle], width: float) -> Iterator[Any]:
    """A block as what reportlab sets."""
    name, lines = block
    if name == "table":
        rows = cells(lines)
        spans = [("SPAN", (column, row - 1), (column, row)) for row, column in merged(rows)]
        grid = [("GRID", (0, 0), (-1, -1), 0.4, colors.grey), ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke)]
        made = [
            [Paragraph("" if cell == ABOVE else cell.replace("<", "&lt;"), faces["cell"]) for cell in row]
            for row in rows
        ]
        yield Table(
            made, colWidths=[width / len(rows[0])] * len(rows[0]), style=TableStyle([*grid, *spans]), spaceAfter=7
        )
        return
    for line in lines:
        said = line.lstrip("# ").replace("<", "&lt;")
        if name == "bullet":
            yield Paragraph(said[2:], faces[name], bulletText="\u2022")
        elif name == "number":
            number, _, said = said.partition(" ")
            yield Paragraph(said, faces[name], bulletText=number)
        else:
            yield Paragraph(said, faces[name])


def write_pdf(source: str, target: Path, columns: int) -> None:
    """A PDF with a running head and numbered pages."""
    width = (A4[0] - 2 * MARGIN - GAP * (columns - 1)) / columns
    height = A4[1] - 2 * MARGIN
    frames = [Frame(MARGIN + at * (width + GAP), MARGIN, width, height, 0, 0, 0, 0) for at in range(columns)]
    title = source.partition("\n")[0].lstrip("# ")

    def furniture(canvas: Any, page: Any) -> None:
        canvas.setFont("Helvetica", 7.5)
        canvas.drawString(MARGIN, A4[1] - 32, title)
        canvas.drawRightString(A4[0] - MARGIN, 28, f"Page {page.page}")

    made = BaseDocTemplate(str(target), pagesize=A4, title=title, invariant=1)
    made.addPageTemplates(PageTemplate(frames=frames, onPage=furniture))
    faces = styles(columns)
    made.build([piece for block in blocks(source) for piece in drawn(block, faces, width)])


def write_docx(source: str, target: Path) -> None:
    """A Word document with a footer, whose bytes depend on nothing but the source."""
    made = Document()
    names = {"title": "Title", "heading": "Heading 1", "bullet": "List Bullet", "number": "List Number"}
    for name, lines in blocks(source):
        if name == "table":
            add_table(made, cells(lines))
            continue
        for line in lines:
            said = re.sub(r"^(#+|-|\d+\.) ", "", line) if name != "text" else line
            made.add_paragraph(said, style=names.get(name))
    made.sections[0].footer.paragraphs[0].text = f"{source.partition(chr(10))[0].lstrip('# ')} · Internal"
    about = made.core_properties
    about.title, about.author, about.created, about.modified = "", "", CREATED, CREATED
    made.save(str(target))
    with zipfile.ZipFile(target) as archive:
        parts = [(name, archive.read(name)) for name in archive.namelist() if not name.endswith("thumbnail.jpeg")]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts:
            if name == "_rels/.rels":
                data = re.sub(rb"<Relationship [^>]*thumbnail[^>]*/>", b"", data)
            archive.writestr(zipfile.ZipInfo(name, ZIP_DATE), data, zipfile.ZIP_DEFLATED)


def add_table(made: Any, rows: list[list[str]]) -> None:
    """A table whose first row is repeated on each page."""
    table = made.add_table(len(rows), len(rows[0]), style="Table Grid")
    for row, line in enumerate(rows):
        for column, cell in enumerate(line):
            table.cell(row, column).text = "" if cell == ABOVE else cell
    for row, column in merged(rows):
        table.cell(row - 1, column).merge(table.cell(row, column)).text = rows[row - 1][column]
    table.rows[0]._tr.get_or_add_trPr().append(table._tbl.makeelement(qn("w:tblHeader")))


def main() -> None:
    """Write every document that has a source, and name it."""
    for source in sorted((HERE / "sources").glob("*.md")):
        target = HERE / "documents" / source.stem
        text = source.read_text(encoding="utf-8")
        if target.suffix == ".pdf":
            write_pdf(text, target, COLUMNS.get(target.name, 1))
        else:
            write_docx(text, target)
        print(f"{target} ({target.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main()

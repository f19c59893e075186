"""Presentations, as far as loaders read them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def said(text: str, properties: str = "") -> str:
    """A paragraph."""
    return f"<a:p>{properties}<a:r><a:t>{escape(text)}</a:t></a:r></a:p>"


def shape(*paragraphs: str, place: str | None = None) -> str:
    """A shape with paragraphs, in a place of the layout."""
    kind = f'<p:nvPr><p:ph type="{place}"/></p:nvPr>' if place else "<p:nvPr/>"
    return f"<p:sp><p:nvSpPr>{kind}</p:nvSpPr><p:txBody>{''.join(paragraphs)}</p:txBody></p:sp>"


def table(*rows: Sequence[str], head: bool = True) -> str:
    """A table of texts; a cell that begins with < is written as it is."""
    cells = [
        "".join(text if text.startswith("<") else f"<a:tc><a:txBody>{said(text)}</a:txBody></a:tc>" for text in row)
        for row in rows
    ]
    body = "".join(f"<a:tr>{row}</a:tr>" for row in cells)
    return f'<p:graphicFrame><a:tbl><a:tblPr firstRow="{int(head)}"/>{body}</a:tbl></p:graphicFrame>'


def write_pptx(
    file: Path,
    *slides: str,
    notes: Mapping[int, str] | None = None,
    order: Sequence[int] | None = None,
    hidden: int = 0,
    title: str = "",
    parts: Mapping[str, str] | None = None,
) -> Path:
    """A presentation of slides, counted from 1."""
    numbers = range(1, len(slides) + 1)
    spaces = f'xmlns:a="{DRAWING}" xmlns:p="{SLIDES}" xmlns:r="{KINDS}"'
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in order or numbers)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", _relations([("a", "officeDocument", "ppt/show.xml")]))
        archive.writestr("ppt/show.xml", f"<p:presentation {spaces}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>")
        archive.writestr("docProps/core.xml", f"<core><title>{escape(title)}</title></core>")
        archive.writestr(
            "ppt/_rels/show.xml.rels", _relations([(f"r{n}", "slide", f"slides/slide{n}.xml") for n in numbers])
        )
        for n, content in zip(numbers, slides, strict=True):
            show = ' show="0"' if n == hidden else ""
            archive.writestr(f"ppt/slides/slide{n}.xml", f"<p:sld {spaces}{show}>{content}</p:sld>")
        for n, content in (notes or {}).items():
            archive.writestr(f"ppt/notes/notes{n}.xml", f"<p:notes {spaces}>{content}</p:notes>")
            relation = [("r1", "notesSlide", f"../notes/notes{n}.xml")]
            archive.writestr(f"ppt/slides/_rels/slide{n}.xml.rels", _relations(relation))
        for name, content in (parts or {}).items():
            archive.writestr(name, content)
    return file


def _relations(named: Sequence[tuple[str, str, str]]) -> str:
    each = (f'<Relationship Id="{key}" Type="{KINDS}/{kind}" Target="{target}"/>' for key, kind, target in named)
    return f"<Relationships>{''.join(each)}</Relationships>"

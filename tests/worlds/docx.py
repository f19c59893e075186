"""Documents of a word processor, as far as loaders read them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def paragraph(text: str, style: str = "", extra: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/><w:tabs><w:tab/></w:tabs></w:pPr>' if style else ""
    return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>{extra}</w:p>'


def write_docx(file: Path, body: str, **parts: str) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "_rels/.rels", f'<Relationships><Relationship Type="{OFFICE}" Target="word/main.xml"/></Relationships>'
        )
        archive.writestr("word/main.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>')
        for name, content in parts.items():
            archive.writestr(f"word/{name}.xml", f'<w:{name} xmlns:w="{WORD}">{content}</w:{name}>')
    return file

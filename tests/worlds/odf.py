"""OpenDocument files, as far as loaders read them: packages, or one XML file where the suffix begins with .f."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

URN = "urn:oasis:names:tc:opendocument:xmlns"
_NAMES = {"office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style"}
_NAMES |= {"fo": "xsl-fo-compatible", "number": "datastyle", "presentation": "presentation", "config": "config"}
SPACES = " ".join(
    (
        *(f'xmlns:{short}="{URN}:{name}:1.0"' for short, name in _NAMES.items()),
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"',
        'xmlns:math="http://www.w3.org/1998/Math/MathML" xmlns:calcext="urn:calcext"',
    )
)
KINDS = {"t": "text", "s": "spreadsheet", "p": "presentation"}


def p(text: str, style: str = "") -> str:
    """A paragraph; what begins with < is in it as it is written."""
    named = f' text:style-name="{style}"' if style else ""
    return f"<text:p{named}>{text if text.startswith('<') else escape(text)}</text:p>"


def style(name: str, family: str, properties: str = "", kind: str = "text", **attributes: str) -> str:
    """A style with properties of a kind; the attributes are of the style."""
    more = "".join(f' style:{each.replace("_", "-")}="{value}"' for each, value in attributes.items())
    inner = f"<style:{kind}-properties {properties}/>" if properties else ""
    return f'<style:style style:name="{name}" style:family="{family}"{more}>{inner}</style:style>'


def cell(*paragraphs: str, attributes: str = "", covered: bool = False) -> str:
    """A cell of a table."""
    name = f"table:{'covered-' if covered else ''}table-cell"
    return f"<{name} {attributes}>{''.join(map(p, paragraphs))}</{name}>"


def row(*cells: str, attributes: str = "") -> str:
    """A row; a cell that begins with < is written as it is."""
    written = (each if each.startswith("<") else cell(each) for each in cells)
    return f"<table:table-row {attributes}>{''.join(written)}</table:table-row>"


def table(*rows: str, name: str = "Fees", attributes: str = "") -> str:
    """A table, or a sheet."""
    return f'<table:table table:name="{escape(name)}" {attributes}>{"".join(rows)}</table:table>'


def write_odf(
    file: Path,
    body: str,
    *,
    styles: str = "",
    automatic: str = "",
    title: str = "",
    settings: str = "",
    master: str = "",
    parts: Mapping[str, str] | None = None,
) -> Path:
    """A text, a spreadsheet or a presentation, by the suffix."""
    kind = KINDS[file.suffix[-1]]
    meta = f"<office:meta><dc:title>{escape(title)}</dc:title></office:meta>"
    view = f"<office:settings>{settings}</office:settings>"
    common = f"<office:styles>{styles}</office:styles>"
    heads = f"<office:master-styles>{master}</office:master-styles>"
    own = f"<office:automatic-styles>{automatic}</office:automatic-styles>"
    content = f"{own}<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    if file.suffix.startswith(".f"):
        file.write_text(f"<office:document {SPACES}>{meta}{view}{common}{heads}{content}</office:document>", "utf-8")
        return file
    written = {"meta": meta, "settings": view, "styles": f"{common}{heads}", "content": content}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        for name, inner in written.items():
            root = f"office:document-{name}"
            archive.writestr(f"{name}.xml", f"<{root} {SPACES}>{inner}</{root}>")
        for name, inner in (parts or {}).items():
            archive.writestr(name, inner)
    return file

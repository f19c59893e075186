"""Books, as far as loaders read them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote


def write_epub(
    file: Path,
    chapters: Mapping[str, str],
    *,
    title: str = "The Tide Mill",
    manifest: str = "",
    spine: str = "",
    guide: str = "",
    parts: Mapping[str, str | bytes] | None = None,
) -> Path:
    """A book of chapters, by their file names; more of what lists them stands before the chapters."""
    items = manifest + "".join(
        f'<item id="c{n}" href="text/{quote(name)}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    order = spine + "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", '<container><rootfile full-path="OEBPS/book.opf"/></container>')
        archive.writestr(
            "OEBPS/book.opf",
            '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
            f"<dc:title>{title}</dc:title><dc:creator>Lena Voss</dc:creator></metadata>"
            f"<manifest>{items}</manifest><spine>{order}</spine><guide>{guide}</guide></package>",
        )
        for name, content in chapters.items():
            page = f"<html><head><title>{title}</title></head><body>{content}</body></html>"
            archive.writestr(f"OEBPS/text/{name}", page)
        for part, data in (parts or {}).items():
            archive.writestr(part, data)
    return file

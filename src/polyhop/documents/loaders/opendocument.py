"""Files of OpenDocument: packages of parts, or flat ones, which are one XML file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from polyhop.documents.loaders.archives import ArchiveKind, damage_named, opened, parse_xml
from polyhop.documents.loaders.odf_events import OdfEvents
from polyhop.errors import DocumentError

_BLOCK: Final = 1 << 16
_FLAT: Final = ".f"  # how the suffixes begin of flat files
_PARTS: Final = ("meta.xml", "settings.xml", "styles.xml", "content.xml")


def read_opendocument(path: Path, kind: ArchiveKind, largest: int, events: OdfEvents) -> None:
    """Feed the parts of a file to a handler. Raises DocumentError for one that is damaged, encrypted or too large."""
    if path.suffix.lower().startswith(_FLAT):
        if path.stat().st_size > largest:
            raise DocumentError(f"has more than {largest:,} bytes", remedy="Split it.")
        with path.open("rb") as stream, damage_named(kind):
            parse_xml(iter(partial(stream.read, _BLOCK), b""), events, kind)
        return
    with opened(path, kind, largest) as archive:
        if archive.elements("META-INF/manifest.xml", "encryption-data"):
            raise DocumentError("is encrypted", remedy="Save a copy without a password.")
        if _PARTS[-1] not in archive:
            raise KeyError("it has no content")
        events.archive = archive
        for part in _PARTS:
            archive.parse(part, events)

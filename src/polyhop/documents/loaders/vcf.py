"""Contacts (vCard): each person or company is a document, a row with the names of its values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from polyhop.documents.loaders.calendar_times import moments
from polyhop.documents.loaders.content_lines import Component, ContentLine, components
from polyhop.documents.loading import row_document, summed_up
from polyhop.documents.tables import pairs
from polyhop.english.dates import MONTHS, written_day
from polyhop.reports import Skipped
from polyhop.types import Document

_VALUES: Final = {  # what is told of somebody, and in which order
    "NICKNAME": "Nickname",
    "ORG": "Company",
    "TITLE": "Job",
    "ROLE": "Role",
    "TEL": "Phone",
    "EMAIL": "Email",
    "ADR": "Address",
    "BDAY": "Birthday",
    "ANNIVERSARY": "Anniversary",
    "RELATED": "Related",
    "X-ABRELATEDNAMES": "Related",
    "X-ABDATE": "Date",
    "URL": "Website",
    "CATEGORIES": "Groups",
}
_DAYS: Final = ("BDAY", "ANNIVERSARY", "X-ABDATE")
_PLAIN_KINDS: Final = {"CELL": "mobile", "IPHONE": "mobile"}
_TOLD_KINDS: Final = frozenset((
    *("HOME", "WORK", "CELL", "IPHONE", "FAX", "PAGER", "MAIN", "SCHOOL", "SPOUSE", "CHILD", "PARENT", "SIBLING"),
    *("FRIEND", "COLLEAGUE", "EMERGENCY", "ASSISTANT", "MANAGER", "NEIGHBOR", "KIN"),
))  # fmt: skip
_LABEL: Final = re.compile(r"_\$!<(.*)>!\$_")  # how address books of Apple mark their own names
_NO_YEAR: Final = re.compile(r"--(\d\d)-?(\d\d)(?:T.*)?")


@dataclass(frozen=True, kw_only=True)
class VcfLoader:
    """Reads one document a contact, above what is noted about it; pictures and keys are left out."""

    suffixes: ClassVar[tuple[str, ...]] = (".vcf", ".vcard")
    media_type: ClassVar[str] = "text/vcard"
    version: ClassVar[str] = "1"

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The contacts in their order. Raises DocumentError for a file without any."""
        yield from summed_up(self._items(path, uri), uri, "contacts")

    def _items(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        for number, contact in enumerate(components(path, "VCARD"), start=1):
            name = _name(contact)
            values = [("Name", name), *_values(contact)]
            if not any(value for _, value in values):
                yield Skipped(f"{uri}#{number}", "says nothing that can be read")
                continue
            row = "; ".join(pairs(*zip(*values, strict=True)))
            notes = "\n\n".join(line.text for line in contact.all("NOTE"))
            yield row_document(
                uri,
                number,
                "\n\n".join(filter(None, (row, notes))),
                self.media_type,
                name=contact.said("UID"),
                title=name,
            )


def _name(contact: Component) -> str:
    """The whole name, or else what it is put together from, or the company's."""
    names = contact.first("N")
    last, first, middle, before, behind, *_ = [*(names.components if names else []), *[""] * 5]
    put_together = " ".join(filter(None, (before, first, middle, last, behind)))
    company = contact.first("ORG")
    return contact.said("FN") or put_together or (company.components[0] if company else "")


def _values(contact: Component) -> Iterator[tuple[str, str]]:
    labels = {line.group: _LABEL.sub(r"\1", line.line) for line in contact.all("X-ABLABEL") if line.group}
    for written, name in _VALUES.items():
        for line in contact.all(written):
            kind = labels.get(line.group) or _kind(line)
            yield f"{name} ({kind.lower()})" if kind else name, _value(written, line)


def _kind(line: ContentLine) -> str:
    kinds = [kind.strip() for kind in line.parameters.get("TYPE", "").upper().split(",")]
    told = [_PLAIN_KINDS.get(kind, kind) for kind in kinds if kind in _TOLD_KINDS]
    return " ".join(dict.fromkeys(told))


def _value(written: str, line: ContentLine) -> str:
    if written in _DAYS:
        return _day(line)
    if written in ("ADR", "ORG"):
        return ", ".join(filter(None, line.components))
    said = re.sub(r"^(?:tel|mailto):", "", line.line, flags=re.IGNORECASE)
    return said.replace("; ", ", ").replace(";", ", ")


def _day(line: ContentLine) -> str:
    """A day as people write it, also one whose year nobody knows; whatever is no day stays as it is."""
    yearless = _NO_YEAR.fullmatch(line.line)
    if yearless and 0 < int(yearless[1]) <= len(MONTHS):
        return f"{int(yearless[2])} {MONTHS[int(yearless[1]) - 1]}"
    days = moments(line, "")
    if days and line.parameters.get("X-APPLE-OMIT-YEAR") == f"{days[0].day.year}":
        return f"{days[0].day.day} {MONTHS[days[0].day.month - 1]}"
    return written_day(days[0].day.isoformat().replace("-", "")) if days else line.line

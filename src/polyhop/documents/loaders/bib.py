"""Lists of references as BibTeX and BibLaTeX: each work is a document, a row with the names of its values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from polyhop.documents.encoding import read_text
from polyhop.documents.loaders.bibtex import Entry, Person, entries, people, year_of
from polyhop.documents.loaders.latex import shown
from polyhop.documents.loading import row_document, summed_up
from polyhop.documents.tables import pairs
from polyhop.english.dates import MONTHS, written_day
from polyhop.reports import Skipped
from polyhop.types import Document

_KINDS: Final = {
    "phdthesis": "Doctoral thesis",
    "mastersthesis": "Master's thesis",
    "mathesis": "Master's thesis",
    "thesis": "Thesis",
    "bathesis": "Bachelor's thesis",
    "techreport": "Report",
    "report": "Report",
    "manual": "Manual",
    "patent": "Patent",
    "software": "Software",
    "dataset": "Data set",
    "unpublished": "Unpublished",
}
_NAMES: Final = {  # of the fields that people ask for, in the order in which they are told
    "eventtitle": "Event",
    "edition": "Edition",
    "series": "Series",
    "volume": "Volume",
    "number": "Number",
    "issue": "Number",
    "chapter": "Chapter",
    "pages": "Pages",
    "school": "School",
    "institution": "Institution",
    "publisher": "Publisher",
    "organization": "Organization",
    "howpublished": "Published",
    "address": "Place",
    "location": "Place",
}
_BEHIND: Final = ("annote", "annotation", "abstract")  # paragraphs of their own
_METADATA: Final = ("doi", "url", "eprint", "isbn", "issn", "keywords")
_DAY: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)")


@dataclass(frozen=True, kw_only=True)
class BibLoader:
    """Reads one document a work: who wrote it, its title, where it came out and when, and what is noted about it.

    Its name is the key by which it is cited.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".bib",)
    media_type: ClassVar[str] = "text/x-bibtex"
    version: ClassVar[str] = "1"

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The works in their order; one without a title, as of a damaged one, is named. Raises DocumentError."""
        yield from summed_up(self._items(path, uri), uri, "entries")

    def _items(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        for number, entry in enumerate(entries(read_text(path)), start=1):
            said = {name: text for name, value in entry.fields.items() if (text := shown(value))}
            title = ": ".join(said[name] for name in ("title", "subtitle") if name in said)
            if not title:
                yield Skipped(f"{uri}#{entry.key}", "has no title that can be read")
                continue
            yield row_document(
                uri,
                number,
                "\n\n".join([_row(entry, said, title), *(said[name] for name in _BEHIND if name in said)]),
                self.media_type,
                name=entry.key,
                title=title,
                metadata={name: said[name] for name in _METADATA if name in said},
            )


def _row(entry: Entry, said: Mapping[str, str], title: str) -> str:
    """What is told of a work, each behind its name."""
    kind = said.get("type", entry.kind)
    authors, editors = (people(entry.fields.get(name, "")) for name in ("author", "editor"))
    values = [
        ("Authors" if len(authors) > 1 else "Author", _names(authors)),
        ("Title", title),
        ("Kind", _KINDS.get(kind.lower(), said.get("type", ""))),
        ("Editors" if len(editors) > 1 else "Editor", _names(editors)),
        ("Journal", said.get("journal") or said.get("journaltitle", "")),
        ("In", said.get("booktitle") or said.get("maintitle", "")),
        *((name, said.get(field, "")) for field, name in _NAMES.items()),
        *_date(entry, said),
        *(("Note", said.get(field, "")) for field in ("note", "addendum")),
    ]
    return "; ".join(pairs(*zip(*values, strict=True)))


def _names(persons: Sequence[Person]) -> str:
    """People with their first names first, as other documents have them."""
    names = [shown(f"{person.first} {person.last}") for person in persons if person.last != "others"]
    if len(names) < len(persons):
        return f"{', '.join(names)} et al."
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _date(entry: Entry, said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The year, and the day or the month where one is told."""
    yield "Year", year_of(entry) or said.get("year", "")
    day = _DAY.fullmatch(said.get("date", ""))
    month = said.get("month", "")
    named = MONTHS[int(month) - 1] if month.isdecimal() and 0 < int(month) <= len(MONTHS) else month
    if day or named:
        yield "Date", written_day("".join(day.groups())) if day else f"{named} {year_of(entry)}".rstrip()

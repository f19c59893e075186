"""Info documents, which the programs of GNU come with: a manual in nodes, with menus that lead from one to the next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from polyhop.documents.encoding import read_text
from polyhop.documents.loading import file_document, headed
from polyhop.documents.typed_headings import typed_headings
from polyhop.documents.wrapped_lines import flowing
from polyhop.types import Document

_NODE: Final = re.compile(r"^File: [^,\n]{1,200}, {1,2}Node: [^\n]*\n", re.MULTILINE)
_MADE_BY: Final = re.compile(r"\AThis is [^\n]{1,200}, produced by [^\n]*\n")
_ENTRY_OF_DIRECTORY: Final = re.compile(
    r"^(?:INFO-DIR-SECTION [^\n]*\n|START-INFO-DIR-ENTRY\n(?:(?!END-INFO)[^\n]*\n){0,100}END-INFO-DIR-ENTRY\n)",
    re.MULTILINE,
)
_TABLES: Final = re.compile(r"^(?:Tag Table|Indirect):\n.*", re.MULTILINE | re.DOTALL)  # where the nodes stand
_MENU: Final = re.compile(
    r"^(?:\* Menu:[^\n]*|[ \t]*--- The Detailed Node Listing ---|\[index\])\n"
    r"|^\* [^\n]{1,200}?:(?::| [^\n]{1,200}?\.(?=[ \t\n]))[^\n]*\n(?:[ \t]{10,}\S[^\n]*\n)*",
    re.MULTILINE,
)
_REFERENCE: Final = re.compile(
    r"\*([Nn])ote\s+(?P<said>[^:\n]{1,200}(?:\n[^:\n]{1,200})?):(?::|\s+[^.,:]{1,200}(?:\.(?=\))|(?=[.,])))"
)


@dataclass(frozen=True, kw_only=True)
class InfoLoader:
    """Reads a manual as one document: its chapters and sections as headings, without menus and indexes of words."""

    suffixes: ClassVar[tuple[str, ...]] = (".info", *(f".info-{part}" for part in range(1, 100)))
    media_type: ClassVar[str] = "text/x-info"
    version: ClassVar[str] = "2"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document, called after its first heading, or its file. Raises DocumentError for binary content."""
        text = _shown(read_text(path)).strip("\n")
        marks = typed_headings(text)
        title = text[marks[0].start : marks[0].end] if marks else None
        document = file_document(uri, text, self.media_type, title=title)
        yield headed(document, marks)


def _shown(source: str) -> str:
    """What a reader of Info shows of all nodes, without what leads from one to the next."""
    said = _ENTRY_OF_DIRECTORY.sub("", _MADE_BY.sub("", _TABLES.sub("", source)))
    said = flowing(_MENU.sub("", _NODE.sub("\n", said)))
    return _REFERENCE.sub(lambda found: f"{'S' if found[1] == 'N' else 's'}ee {found['said']}", said)

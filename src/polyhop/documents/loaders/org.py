"""Org files, as Emacs keeps notes and plans: headings behind stars, properties, tables and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from polyhop.documents.edits import TextEdits
from polyhop.documents.encoding import read_text
from polyhop.documents.flow import HEADING, Mark
from polyhop.documents.loading import file_document, headed
from polyhop.documents.plain_tables import table_edits
from polyhop.documents.wrapped_lines import flowing
from polyhop.types import Document

_SETTING: Final = re.compile(r"^[ \t]{0,20}#\+(?P<name>[A-Za-z_]{1,40}):[ \t]*(?P<value>[^\n]*)(?:\n|\Z)", re.MULTILINE)
_COMMENT: Final = re.compile(r"^[ \t]{0,20}#(?: [^\n]*)?(?:\n|\Z)", re.MULTILINE)
_DRAWER: Final = re.compile(
    r"^[ \t]{0,20}:(?:PROPERTIES|LOGBOOK):[ \t]{0,20}\n(?:[ \t]{0,20}(?!:END:)\S[^\n]*\n){0,200}"
    r"[ \t]{0,20}:END:[ \t]*\n?",
    re.MULTILINE | re.IGNORECASE,
)
_CODE: Final = re.compile(  # or an example: both are as they are written
    r"^[ \t]{0,20}#\+BEGIN_(?P<kind>SRC|EXAMPLE)\b[^\n]*\n"
    r"(?P<said>(?:(?![ \t]{0,20}#\+(?:BEGIN|END)_)[^\n]*\n)*)[ \t]{0,20}#\+END_(?P=kind)\b[^\n]*(?:\n|\Z)",
    re.MULTILINE | re.IGNORECASE,
)
_HELD: Final = "\0"  # where code was that is put aside: to what joins lines it is a rule; no text holds it
_BLOCK: Final = re.compile(r"^[ \t]{0,20}#\+(?:BEGIN|END)_\w{1,20}[^\n]*(?:\n|\Z)", re.MULTILINE | re.IGNORECASE)
_RULE_OF_TABLE: Final = re.compile(r"^([ \t]{0,20}\|)([-+|]{3,})[ \t]*$", re.MULTILINE)
_LINK: Final = re.compile(r"\[\[(?P<to>[^\[\]\n]{1,500})\](?:\[(?P<said>[^\[\]\n]{1,500})\])?\]")
_HEADING: Final = re.compile(r"^(?P<stars>\*{1,12})[ \t]{1,20}(?P<said>\S[^\n]*)$", re.MULTILINE)
_TAGS: Final = re.compile(r"(?<=\s):(?:[\w@#%]{1,40}:){1,20}[ \t]*\Z")


@dataclass(frozen=True, kw_only=True)
class OrgLoader:
    """Reads notes as they are shown: headings with what is to be done, rows with names of columns, links as words."""

    suffixes: ClassVar[tuple[str, ...]] = (".org",)
    media_type: ClassVar[str] = "text/org"
    version: ClassVar[str] = "4"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document, with its own title, or called after its file. Raises DocumentError for binary content."""
        source = read_text(path)
        settings = {found["name"].lower(): found["value"].strip() for found in _SETTING.finditer(source)}
        title = settings.pop("title", "")
        metadata = {name: settings[name] for name in ("author", "date") if settings.get(name)}
        document = file_document(uri, _shown(source).strip("\n"), self.media_type, title=title, metadata=metadata)
        marks = (Mark(*found.span("said"), HEADING, len(found["stars"])) for found in _HEADING.finditer(document.text))
        yield headed(document, marks)


def _shown(source: str) -> str:
    code: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        code.append(found["said"].rstrip("\n"))
        return f"{_HELD}\n"

    left = _COMMENT.sub("", _SETTING.sub("", _CODE.sub(put_aside, _DRAWER.sub("", source))))
    left = _BLOCK.sub("", left)
    left = _LINK.sub(lambda link: link["said"] or link["to"].removeprefix("file:"), left)
    left = _HEADING.sub(_heading, left)
    left = _RULE_OF_TABLE.sub(lambda rule: rule[1] + rule[2].replace("+", "|"), left)
    held = iter(code)
    return re.sub(_HELD, lambda _: next(held), flowing(TextEdits(table_edits(left)).applied(left)))


def _heading(found: re.Match[str]) -> str:
    return f"\n{found['stars']} {_TAGS.sub('', found['said']).rstrip()}\n"

"""Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from polyhop.documents.encoding import read_text
from polyhop.documents.loading import file_document
from polyhop.types import Document

_FRONT_MATTER = re.compile(
    r"(---|\+\+\+)[ \t]*\n(?=[ \t]*[\w#\"'-])(?:(.*?)\n)??(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL
)
_SETTING = re.compile(r"^([A-Za-z_][\w -]*?)[ \t]*[:=][ \t]+(\S.*)$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)[^\n]*\n.*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(
    r"^ {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$|^ {0,3}(\S.*)\n {0,3}(?:=+|--+)[ \t]*$", re.MULTILINE
)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_EMPHASIS = re.compile(r"(\*{1,3}|`+|(?<!\w)_{1,3}|~~)(\S|\S.*?\S)\1(?!\w)")


@dataclass(frozen=True, kw_only=True)
class MarkdownLoader:
    """Reads Markdown as it is written, without the front matter; the title is the latter's, or the first heading."""

    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown")
    media_type: ClassVar[str] = "text/markdown"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document; the front matter's plain entries are its metadata. Raises DocumentError for binary content."""
        settings, text = split_front_matter(read_text(path))
        title = settings.pop("title", None) or first_heading(text)
        yield file_document(uri, text, self.media_type, title=title, metadata=settings)


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The plain entries of the YAML or TOML block that a text begins with, and the text after it."""
    block = _FRONT_MATTER.match(text)
    if not block:
        return {}, text
    entries = _SETTING.findall(block[2] or "")
    if not entries:
        return {}, text  # two horizontal rules
    return {key.lower(): value.strip().strip("\"'") for key, value in entries}, text[block.end() :]


def first_heading(text: str) -> str | None:
    """The words of the first heading outside code, without inline markup."""
    found = _HEADING.search(_FENCE.sub("", text))
    if not found:
        return None
    return _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", found[1] or found[2]))

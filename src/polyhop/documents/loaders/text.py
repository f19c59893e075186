"""Plain text files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from polyhop.documents.conversations.transcripts import transcript_of
from polyhop.documents.encoding import read_text
from polyhop.documents.loaders import asciidoc, restructured
from polyhop.documents.loaders.restructured_roles import without_roles
from polyhop.documents.loaders.text_contents import without_contents
from polyhop.documents.loading import file_document, headed
from polyhop.documents.typed_headings import is_of_version, typed_headings
from polyhop.documents.wrapped_lines import flowing
from polyhop.types import Document

_CAPTIONS = (".srt", ".vtt")
_AS_IT_IS = (".log", *_CAPTIONS)  # what begins with no title, and wraps no lines
_CAPTION_TAG = re.compile(  # how a caption looks, and where; not who speaks, which <v Ada> says
    r"</?(?:[ibu]|font|c|ruby|rt|lang)(?:[ .][^<>\n]{0,200})?>|<\d[\d:.]{4,14}>|\{\\[^{}\n]{1,60}\}"
)
_NUMBER_OF_CAPTION = re.compile(r"(?:(?<=\n\n)|\A)[ \t]{0,3}\d{1,6}[ \t]{0,3}\n(?=[ \t]{0,3}[\d:.,]{5,16} {1,3}-->)")
_MARKUP = {
    ".rst": lambda text: without_roles(restructured.as_shown(text)),
    **dict.fromkeys((".adoc", ".asciidoc"), asciidoc.as_shown),
}
_LONGEST_TITLE = 100  # characters
_UNDERLINED = re.compile(r"\s*(?:([=\-~#*^\"'`+])\1{2,}[ ]*\n)?[ ]*(\S[^\n]*)\n([=\-~#*^\"'`+])\3{2,}[ ]*(?:\n|\Z)")
_SIGNED = re.compile(rf"\s*=[ \t]+(?=[^\n]*[^\W\d_])(\S[^\n]{{0,{_LONGEST_TITLE}}}?)(?:[ \t]+=)?[ \t]*(?:\n|\Z)")
_WIDE_GAP = re.compile(r"\s{2,}")
_STANDING_ALONE = re.compile(rf"\s*(?!\.\.\s)(\S[^\n]{{0,{_LONGEST_TITLE}}})\n[^\S\n]*\n")


@dataclass(frozen=True, kw_only=True)
class TextLoader:
    """Reads plain text, a paragraph a line where it was wrapped; logs, captions and chats keep the lines they have.

    A short first line that stands alone and is no sentence is the title, or one behind an equals sign; lines that are
    underlined, or stand behind equals signs, or at the margin of indented text, are headings. A table of contents tells
    headings, and is left out.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".text", ".log", ".rst", ".adoc", ".asciidoc", *_CAPTIONS)
    media_type: ClassVar[str] = "text/plain"
    version: ClassVar[str] = "14"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document. Raises DocumentError for binary content."""
        text = read_text(path)
        shown = _MARKUP.get(path.suffix.lower())
        if shown is not None:
            text = shown(text)
        if path.suffix.lower() in _CAPTIONS:
            text = _NUMBER_OF_CAPTION.sub("", _CAPTION_TAG.sub("", text))
        if path.suffix.lower() in _AS_IT_IS:
            yield file_document(uri, text, self.media_type)
        elif transcript_of(text) is not None:
            yield file_document(uri, text, self.media_type, title=title_of(text))
        else:
            read, told = without_contents(flowing(text).strip("\n"))
            document = file_document(uri, read, self.media_type, title=title_of(text))
            yield headed(document, told or typed_headings(document.text))


def title_of(text: str) -> str | None:
    """The title a plain text begins with, if it does: underlined, behind an equals sign, or alone and no sentence."""
    underlined = _UNDERLINED.match(text)
    if underlined:
        return None if is_of_version(underlined[2]) else underlined[2]
    signed = _SIGNED.match(text)
    if signed:
        return signed[1]
    alone = _STANDING_ALONE.match(text)
    if alone and (alone[1].rstrip()[-1].isalnum() or alone[1].rstrip()[-1] in ")\u201d\u00bb\"'"):
        parts = _WIDE_GAP.split(alone[1].strip())
        return parts[0] if len(parts) > 2 and parts[0] == parts[-1] else alone[1]  # a running head, as manuals have it
    return None

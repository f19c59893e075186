"""Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from polyhop.documents.edits import TextEdit, TextEdits
from polyhop.documents.encoding import read_text
from polyhop.documents.flow import HEADING, Mark
from polyhop.documents.loaders.definitions import described, is_term
from polyhop.documents.loaders.front_matter import split_front_matter, told_above
from polyhop.documents.loaders.markdown_html import with_html_read
from polyhop.documents.loaders.markdown_marks import LINE_BREAK, prose_of, without_marks
from polyhop.documents.loading import bare, file_document, headed
from polyhop.documents.plain_tables import table_edits
from polyhop.documents.tables import rows_as_lines, typed_cell
from polyhop.types import Document

_INDENTED = re.compile(r"^(?: {4}|\t)[^\n]*$", re.MULTILINE)  # code, or what goes on below an item
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)[^\n]*\n.*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(
    r"^ {0,3}(?P<marks>#{1,6})[ \t]+(?P<said>\S.*?)(?:[ \t]+#+)?[ \t]*$"
    r"|^ {0,3}(?P<ruled>\S.*)\n {0,3}(?P<rule>=+|--+)[ \t]*$",
    re.MULTILINE,
)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_TABLE = re.compile(
    r"^( {0,3}\|?[^\n|]*\|[^\n]*\n"  # names
    r" {0,3}(?=[^\n]*\|)\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*+:?-++:?[ \t]*+)*\|?[ \t]*"  # |---|---|
    r"(?:\n[^\n|]*\|[^\n]*)+)$",
    re.MULTILINE,
)
_DEFINITION = re.compile(  # a term on a line of its own, perhaps a blank one, and what is said of it behind a colon
    r"^ {0,3}(?P<term>(?![-*+>|#:~=]+[ \t]|\d{1,9}[.)][ \t])(?=[^\n]*\w)[^\s|](?:[^\n|]*[^\s|])?)[ \t]*\n"
    r"(?:[ \t]*\n)?(?P<colon> {0,3}:[ \t]+(?=\S))",
    re.MULTILINE,
)
_ENTRY = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[(?P<said>(?:\\.|[^\]\\])+)\]\(#[^)\s]*\)[ \t]*")
_HEADING_LIKE = "# End"  # what stands behind the last line
_FEWEST = 3  # entries of contents
_SAID_AGAIN = 0.75  # of these, by headings
_CELL_END = re.compile(r"(?<!\\)\|")
_EMPHASIS = re.compile(r"(\*{1,3}|`+|(?<!\w)_{1,3}|~~)(\S|\S.*?\S)\1(?!\w)")


@dataclass(frozen=True, kw_only=True)
class MarkdownLoader:
    """Reads Markdown with its headings, lists and code as they are written, and without what readers do not see.

    Rows of tables are read with the names of their columns. A list of links to the headings of the page itself is
    left out. The title is that of the front matter, or the first heading; what else it tells stands first.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown")
    media_type: ClassVar[str] = "text/markdown"
    version: ClassVar[str] = "11"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document; the front matter's entries are its metadata, too. Raises DocumentError for binary content."""
        settings, text = split_front_matter(read_text(path))
        title = settings.pop("title", None)
        read = readable(told_above(settings) + text).strip("\n")
        title = title or first_heading(read)
        document = file_document(uri, read, self.media_type, title=title, metadata=settings)
        yield headed(document, headings_in(read))


def readable(text: str) -> str:
    """A text in Markdown without what readers do not see, and with rows of tables that say what they say."""
    read = _without_bars(_with_definitions(_without_contents(text)))
    return without_marks(with_html_read(read, prose_of(read)))


def headings_in(text: str) -> list[Mark]:
    """The headings of a text, outside of code and without their marks."""
    return [
        Mark(*found.span("said" if found["said"] else "ruled"), HEADING, _level(found))
        for found in _HEADING.finditer(_prose(text))
    ]


def _level(heading: re.Match[str]) -> int:
    if heading["said"]:
        return len(heading["marks"])
    return 1 if heading["rule"].startswith("=") else 2


def _prose(text: str) -> str:
    """A text with as many spaces for each block of code."""
    return _FENCE.sub(lambda code: " " * len(code[0]), text)


def _without_contents(text: str) -> str:
    """A text without lists of nothing but links to its own headings, and without the headings of these lists."""
    said = {_plain(text[mark.start : mark.end]) for mark in headings_in(text)}
    edits: list[TextEdit] = []
    run: list[str] = []  # what the entries so far say
    start = at = 0  # where they begin, and where we are
    for line in [*_prose(text).split("\n"), _HEADING_LIKE]:
        entry = _ENTRY.fullmatch(line)
        if entry:
            start = start if run else at
            run.append(_plain(entry["said"]))
        elif line.strip():
            if len(run) >= _FEWEST and sum(each in said for each in run) >= _SAID_AGAIN * len(run):
                edits.append(TextEdit(_with_heading(text, start, line), min(at, len(text)), ""))
            run = []
        at += len(line) + 1
    return TextEdits(edits).applied(text)


def _with_heading(text: str, start: int, after: str) -> int:
    """Where contents begin that have their first entry there: at a heading, not the first, that has nothing else."""
    before = text[:start].rstrip("\n")
    line = before.rfind("\n") + 1
    is_heading = _HEADING.fullmatch(before, line) is not None and _HEADING.match(after) is not None
    return line if is_heading and before[:line].strip() else start


def _plain(said: str) -> str:
    """The letters and digits of a heading, without its markup and its case."""
    return bare(_LINK.sub(r"\1", said))


def _with_definitions(text: str) -> str:
    """A text in which a term and what is said of it below are one line; an answer stays below its question."""
    return TextEdits(
        TextEdit(*found.span(), described(found["term"], ""))
        if is_term(found["term"])
        else TextEdit(*found.span("colon"))
        for found in _DEFINITION.finditer(_prose(text))
    ).applied(text)


def _without_bars(text: str) -> str:
    """A text in which rows of tables have the name of its column before each value.

    Where a table has no rule below the names, it is one of plain text.
    """
    tables = _TABLE.finditer(_prose(text))
    ruled = TextEdits(TextEdit(*table.span(), _rows(table[1])) for table in tables).applied(text)
    return TextEdits(table_edits(_INDENTED.sub(lambda line: " " * len(line[0]), _prose(ruled)))).applied(ruled)


def _rows(table: str) -> str:
    lines = [line.strip().removeprefix("|").removesuffix("|") for line in table.split("\n")]
    head, _, *rows = [_CELL_END.split(LINE_BREAK.sub("\n", line)) for line in lines]
    cells = [[typed_cell(text, heading=number == 0) for text in row] for number, row in enumerate([head, *rows])]
    return "\n".join(rows_as_lines(cells))


def first_heading(text: str) -> str | None:
    """The words of the first heading outside code, without inline markup."""
    found = _HEADING.search(_FENCE.sub("", text))
    if not found:
        return None
    return _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", found["said"] or found["ruled"]))

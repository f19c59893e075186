"""What reStructuredText has for its tools and not for readers: comments, badges, and places to link to.

A comment begins with two dots that no directive, note or link follows, and goes on as far as it is indented.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile
from textwrap import dedent
from typing import Final

from polyhop.documents.labelled_lines import indent
from polyhop.documents.loaders.definitions import described, is_term
from polyhop.documents.loaders.restructured_tables import table_lines
from polyhop.documents.sentences import begins_item

_EXPLICIT: Final = re.compile(r"\.\.(?:[ \t]+(\S.*))?")
_SAYS: Final = re.compile(  # what a reader sees, or where a link leads
    r"(?:\|[^|\n]+\|[ \t]+)?[\w.+:-]+::(?:\s|$)|\[[^\]\n]+\][ \t]|__ |_(?:`[^`\n]+`|[^:\n]+):[ \t]+\S"
)
_BADGE: Final = re.compile(r"\|(?P<name>[^|\n]+)\|[ \t]+image::(?:\s|$)")
_UNSAID: Final = re.compile(  # directives of which a page shows nothing that is written with them
    r"(?:contents|sectnum|section-numbering|image|toctree|tableofcontents|include|raw|meta|highlight|default-role|role"
    r"|index|sectionauthor|codeauthor|(?:py:)?(?:current)?module|tabularcolumns|header|footer|target-notes)::(?:\s|$)"
)
_BOX: Final = re.compile(  # what stands around text and says nothing by itself
    r"(?:attention|caution|danger|error|hint|important|note|tip|warning|seealso|container|compound|epigraph|glossary"
    r"|(?P<picture>figure))::(?(picture)[ \t]+\S.*|\s*)"
)
_OPTION: Final = re.compile(r"\s+:[\w-]+:(?:\s|$)")
_FIELD: Final = re.compile(r":(?!\s)(?P<name>[^:`\n]{1,60}(?<!\s)):(?:[ \t]+(?P<said>\S.*)|[ \t]*)")
_GAP: Final = re.compile(r"\S {2,}\S")  # between an option and what it does, or columns


def as_shown(text: str) -> str:
    """A text as its page shows it, without what is for tools; as it is where nothing would be left.

    What stands in a box of its own, such as a note, is text like any other. A field and a term are on one line with
    what is said of them. What is indented otherwise may be code, and stays.
    """
    badges: set[str] = set()
    shown = _shown(text.split("\n"), badges)
    left = "\n".join(line for line in shown if not _is_of(badges, line))
    return left if left.strip() else text


def _shown(lines: Sequence[str], badges: set[str]) -> list[str]:
    """The lines that are shown, and the names of badges found on the way."""
    kept: list[str] = []
    at = 0
    while at < len(lines):
        marked = _EXPLICIT.fullmatch(lines[at])
        inner = None if marked is None else _inner(marked[1] or "", lines[at + 1 : _end(lines, at)], badges)
        if inner is not None:
            at = _end(lines, at)
            kept += [*([""] if kept and kept[-1].strip() else []), *inner, *([""] if inner else [])]
        elif marked is None and lines[at][:1].strip() and (at == 0 or not lines[at - 1][:1].isalnum()):
            said, at = _told(lines, at)
            kept += said
        else:
            kept.append(lines[at])
            at += 1
    return kept


def _inner(said: str, below: Sequence[str], badges: set[str]) -> list[str] | None:
    """What is shown of an explicit mark and the lines below that belong to it; None where they stay as they are."""
    badge = _BADGE.match(said)
    if badge:
        badges.add(badge["name"])
    if badge or not _SAYS.match(said) or _UNSAID.match(said):
        return []
    if _BOX.fullmatch(said) is None:
        return table_lines(said, below)
    content = dedent("\n".join(dropwhile(lambda line: _OPTION.match(line) is not None, below))).strip("\n")
    return "\n".join(_shown(content.split("\n"), badges)).rstrip("\n").split("\n")


def _end(lines: Sequence[str], at: int) -> int:
    """Behind the lines that are indented below one, and the blank ones among and behind them."""
    return next((end for end in range(at + 1, len(lines)) if lines[end][:1].strip()), len(lines))


def _told(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """A line at the margin as it is shown, with what is said of it below if it is a term, and where text goes on."""
    line = lines[at].rstrip()
    field = _FIELD.fullmatch(line)
    end = next((end for end in range(at + 1, len(lines)) if not lines[end][:1].isspace()), len(lines))
    below = list(takewhile(str.strip, lines[at + 1 : end]))  # with no blank line before or among them
    if field and (field["said"] or below):
        return [f"{field['name']}: {field['said'] or ''}".rstrip()], at + 1
    if field:
        return [], at + 1  # such as ":orphan:"
    is_named = is_term(line) and any(map(str.isalnum, line)) and not line.endswith("::")
    if not below or not is_named or begins_item(line) or _GAP.search(line) or begins_item(below[0].lstrip()):
        return [lines[at]], at + 1
    if any(indent(each) != indent(below[0]) for each in below):
        return [lines[at]], at + 1  # terms within terms
    return [described(line, " ".join(map(str.strip, below)))], at + 1 + len(below)


def _is_of(badges: set[str], line: str) -> bool:
    """Whether a line has nothing but badges."""
    names = re.findall(r"\|([^|\n]+)\|", line)
    return bool(names) and badges.issuperset(names) and not re.sub(r"\|[^|\n]+\|", "", line).strip()

"""Tables and lists that a Markdown file has as HTML, read as those of web pages are: no cell is glued to the next one.

What is written in Markdown within them, behind a tag and a blank line, is left to be read as Markdown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from polyhop.documents.edits import TextEdit, TextEdits
from polyhop.documents.loaders.html import read_page

_TAG: Final = re.compile(r"<(?P<end>/?)(?P<name>table|dl|ol|ul)(?=[\s>])[^<>]{0,1000}>", re.IGNORECASE)
_MARKDOWN: Final = re.compile(r"<\w[^<>]{0,1000}>[ \t]*\n[ \t]*\n(?!\s*<)")


def with_html_read(text: str, prose: str) -> str:
    """A text with a line for each row and item of its tables and lists; ``prose``: the text with spaces for code."""
    edits: list[TextEdit] = []
    for start, end in _blocks(prose):
        said = "" if _MARKDOWN.search(text, start, end) else read_page(text[start:end].encode()).flow().text()
        if said:
            while start and text[start - 1].isspace():
                start -= 1
            below = "" if text.startswith("\n", end) else "\n\n"
            edits.append(TextEdit(start, end, f"\n\n{said}{below}"))
    return TextEdits(edits).applied(text)


def _blocks(prose: str) -> Sequence[tuple[int, int]]:
    """The outermost tables and lists that end, in their order."""
    found: list[tuple[int, int]] = []
    begun: list[tuple[str, int]] = []
    count = Counter[str]()
    for tag in _TAG.finditer(prose):
        name = tag["name"].lower()
        if not tag["end"]:
            begun.append((name, tag.start()))
            count[name] += 1
        elif count[name]:
            start = -1
            while start < 0:  # what was begun within it and never ended is a part of it
                inner, at = begun.pop()
                count[inner] -= 1
                start = at if inner == name else -1
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, tag.end()))
    return found

"""Lines of a text that are headings by themselves: with Markdown's marks, or alone and no sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from polyhop.documents.sentences import has_ended

_MARKED: Final = re.compile(r" {0,3}#{1,6}[ \t]+\S")
_LONGEST: Final = 120  # characters of a line that stands alone
_ENDS: Final = (",", "-", "|")  # of a line that goes on, or of a row


def heading_lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each, without the white space around it."""
    at = 0
    blank_before = True
    lines = text.split("\n")
    for number, line in enumerate(lines):
        said = line.strip()
        alone = blank_before and number + 1 < len(lines) and not lines[number + 1].strip()
        if said and (is_marked(line) or (alone and _is_title(said))):
            start = at + line.index(said)
            yield start, start + len(said)
        blank_before = not said
        at += len(line) + 1


def is_marked(line: str) -> bool:
    """Whether a line begins with the marks of a heading in Markdown."""
    return _MARKED.match(line) is not None


def _is_title(line: str) -> bool:
    return len(line) <= _LONGEST and not has_ended(line) and not line.endswith(_ENDS) and any(map(str.isalpha, line))

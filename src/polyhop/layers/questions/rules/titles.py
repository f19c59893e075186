"""Titles that name nothing: a number, an identifier, a day, a file."""

from __future__ import annotations

import re
from typing import Final

from polyhop.english.dates import MONTH

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
# Letters that number things, and words that do so before a number: "doc 12", "page-003".
_COUNTED: Final = re.compile(
    r"(?:doc(?:ument)?|page|file|row|item|part|section|chapter|chunk|passage|record|entry|no|nr|id|img|image|scan|"
    r"note|notes|text|untitled|unnamed|draft|copy|version|week|day|session|chat|message|log|[a-z]{1,2})?"
    r"[\W_]*\(?\d[\d\W_a-z]{0,3}\)?",
    re.IGNORECASE,
)
_FILE: Final = re.compile(r"\S*\.[a-z][a-z\d]{1,4}|\S*[/\\]\S*\d\S*|[a-z\d]+(?:_[a-z\d]+)+", re.IGNORECASE)
_CODE: Final = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[a-f])[\da-f]{6,}(?:-[\da-f]{2,})*", re.IGNORECASE)
_DAY: Final = re.compile(rf"[\d\W_]*(?:st|nd|rd|th)?[\d\W_]*{MONTH}\b[\d\W_]*(?:st|nd|rd|th)?[\d\W_]*", re.IGNORECASE)
_BEFORE: Final = tuple(" \n\t\"'“‘*")
_IS: Final = re.compile(r"[\"'”’*]*(?: \([^)\n]{1,80}\))? (?:is|was|are|were)\s")
_SAID_OF: Final = 200  # characters of a text in which it says what its title is


def names_something(title: str, text: str) -> bool:
    """Whether a title can stand for what a text is about; one that looks like an identifier must be said of there."""
    title = " ".join(title.split())
    odd = not _WORD.search(title) or any(form.fullmatch(title) for form in (_COUNTED, _FILE, _CODE, _DAY))
    if not odd:
        return True
    at = text.find(title, 0, _SAID_OF) if title else -1
    alone = not at or text[at - 1 : at] in _BEFORE
    return at >= 0 and alone and _IS.match(text, at + len(title)) is not None

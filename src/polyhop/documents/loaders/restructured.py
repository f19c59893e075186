"""What reStructuredText has for its tools and not for readers: comments, badges, and places to link to.

A comment begins with two dots that no directive, note or link follows, and goes on as far as it is indented.
"""

from __future__ import annotations

import re
from typing import Final

_EXPLICIT: Final = re.compile(r"\.\.(?:[ \t]+(\S.*))?")
_SAYS: Final = re.compile(  # what a reader sees, or where a link leads
    r"(?:\|[^|\n]+\|[ \t]+)?[\w.+:-]+::(?:\s|$)|\[[^\]\n]+\][ \t]|__ |_(?:`[^`\n]+`|[^:\n]+):[ \t]+\S"
)
_BADGE: Final = re.compile(r"\|(?P<name>[^|\n]+)\|[ \t]+image::(?:\s|$)")


def without_comments(text: str) -> str:
    """A text without its comments, without badges and without names of places; as it is where nothing would be left.

    What is indented may be code, and stays.
    """
    kept: list[str] = []
    badges: set[str] = set()
    left_out = False
    for line in text.split("\n"):
        if left_out and (not line.strip() or line[0].isspace()):
            continue
        if left_out and kept and kept[-1].strip():
            kept.append("")
        marked = _EXPLICIT.fullmatch(line)
        said = (marked[1] or "") if marked else ""
        badge = _BADGE.match(said)
        if badge:
            badges.add(badge["name"])
        left_out = marked is not None and (badge is not None or not _SAYS.match(said))
        if not left_out:
            kept.append(line)
    left = "\n".join(line for line in kept if not _is_of(badges, line))
    return left if left.strip() else text


def _is_of(badges: set[str], line: str) -> bool:
    """Whether a line has nothing but badges."""
    names = re.findall(r"\|([^|\n]+)\|", line)
    return bool(names) and badges.issuperset(names) and not re.sub(r"\|[^|\n]+\|", "", line).strip()

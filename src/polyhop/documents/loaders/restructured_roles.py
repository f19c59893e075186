"""Roles of reStructuredText as a reader sees them: ``:ref:`the wheel <wheel>``` says "the wheel".

What is code stays as it is written: what stands between two pairs of backquotes, below a line that ends with two
colons, or in a block of code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from polyhop.documents.labelled_lines import indent

_ROLE: Final = re.compile(
    r"``[^`\n]+``|(?<![\w:`]):(?P<role>[A-Za-z][\w+.-]*(?::[\w+.-]+)*):`(?P<said>[^`\n]+(?:\n[^`\n]+)?)`"
)
_TARGET: Final = re.compile(r"(?<=\S)\s*<[^<>]*>\Z")  # where it leads
_NUMBERED: Final = frozenset(("pep", "rfc"))
_CODE: Final = re.compile(
    r"(?!\.\. ).*::|\.\. +(?:code|code-block|sourcecode|parsed-literal|math|doctest|testcode)::.*"
)


def without_roles(text: str) -> str:
    """A text with what its roles say in their place."""
    pieces = groupby(_told(text.split("\n")), key=lambda told: told[0])
    blocks = ((is_code, "\n".join(line for _, line in group)) for is_code, group in pieces)
    return "\n".join(block if is_code else _ROLE.sub(_seen, block) for is_code, block in blocks)


def _told(lines: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """Each line, and whether it is code."""
    around: int | None = None  # how far in the line stands below which there is code
    for line in lines:
        if line.strip() and (around is None or indent(line) <= around):
            around = indent(line) if _CODE.fullmatch(line.strip()) else None
            yield False, line
        else:
            yield around is not None, line


def _seen(found: re.Match[str]) -> str:
    if found["role"] is None:
        return found[0]
    said = _TARGET.sub("", found["said"].strip())
    if said.startswith("~"):
        said = said.rpartition(".")[2].removeprefix("~")
    return f"{found['role'].upper()} {said}" if found["role"] in _NUMBERED else said.removeprefix("!")

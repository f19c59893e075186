"""What passages are about, told from their titles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.indexes.folding import fold, pieces
from polyhop.types import Passage

_PARENTHESIS: Final = re.compile(r"\s*\([^()]*\)")


def plain(title: str) -> str:
    """A title without the parentheses that tell it from its namesakes."""
    return _PARENTHESIS.sub("", title).strip() or title


def likeness(name: str, title: str) -> float:
    """How likely two names mean the same thing, 0 to 1; parentheses only tell namesakes apart."""
    if fold(name) == fold(title):
        return 1.0
    first, second = pieces(plain(name)), pieces(plain(title))
    if not first or not second:
        return 0.0
    if first == second:
        return 0.95
    common = set(first) & set(second)
    if common in (set(first), set(second)):
        return 0.6 + 0.3 * len(common) / max(len(set(first)), len(set(second)))
    return 0.6 * len(common) / len(set(first) | set(second))


def about(name: str, passages: Sequence[Passage], *, least: float = 0.5) -> Passage | None:
    """The passage whose title is most like a name, the first of several, if any is like enough."""
    titled = [(likeness(name, passage.title), -position) for position, passage in enumerate(passages) if passage.title]
    best, position = max(titled, default=(0.0, 0))
    return passages[-position] if best >= least else None

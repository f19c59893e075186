"""What questions name and what passages are about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from polyhop.english.question import mentions
from polyhop.indexes.folding import fold, pieces
from polyhop.types import Passage

_PARENTHESIS: Final = re.compile(r"\s*\([^()]*\)")
_SHORTEST: Final = 3  # characters of a title that is looked for in a question


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


def names_in(question: str, titles: Iterable[str]) -> list[tuple[int, int]]:
    """Where a question names something, in order: titles of passages and what looks like a name.

    Of those that overlap, the longest counts; a title in small letters only where nothing looks like a name.
    """
    titled = set(_titles(question, titles))
    written = {*_mentions(question), *(place for place in titled if _is_written_as_name(question[slice(*place)]))}
    taken: list[tuple[int, int]] = []
    for start, end in sorted(written or titled, key=lambda place: (place[0] - place[1], place)):
        if all(end <= first or start >= last for first, last in taken):
            taken.append((start, end))
    return sorted(taken)


def _titles(question: str, titles: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Titles that stand in the question in any case, with or without their parentheses."""
    lowered = question.lower()
    if len(lowered) != len(question):
        return
    forms = {form.lower() for title in titles for form in (title, plain(title)) if len(form) >= _SHORTEST}
    for form in forms:
        for match in re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)", lowered):
            yield match.span()


def _is_written_as_name(text: str) -> bool:
    return any(character.isupper() or character.isdigit() for character in text)


def _mentions(question: str) -> Iterator[tuple[int, int]]:
    for name in mentions(question):
        start = question.find(name)
        if start >= 0:
            yield start, start + len(name)

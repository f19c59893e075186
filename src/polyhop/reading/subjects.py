"""What passages are about, told from their titles, and of which version they speak, told from their headings.

Changelogs and checklists say the same of one version after another, and only headings tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from polyhop.english.numbers import names_version, versions_in
from polyhop.indexes.folding import fold, pieces
from polyhop.reading.pointing import Pointing
from polyhop.reading.reader import Quote, headings_over, text_of
from polyhop.types import Passage

_PARENTHESIS: Final = re.compile(r"\s*\([^()]*\)")
_NUMBERS: Final = re.compile(r"(?<![\d.])\d+(?:\.\d+)+")
_ALIKE: Final = 0.5  # likeness of a name and the title of what it means, at least
_SECTION: Final = re.compile(r"^\d+(?:\.\d+)*[.)]?\s+(?=[^\W\d_])")  # before its name


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


def about(name: str, passages: Sequence[Passage]) -> Passage | None:
    """The passage whose title is most like a name, the first of several, if any is like enough."""
    titled = [(likeness(name, passage.title), -position) for position, passage in enumerate(passages) if passage.title]
    best, position = max(titled, default=(0.0, 0))
    return passages[-position] if best >= _ALIKE else None


def of_its_version(found: Pointing) -> Pointing:
    """The reading without what stands under the headings of other versions, where the question names one.

    A sentence that says the number itself speaks of it wherever it stands.
    """
    asked, numbers = versions_in(found.question), _NUMBERS.findall(found.question)
    if not numbers:
        return found

    def speaks(quote: Quote) -> bool:
        return not (_heads_another(quote, numbers) or (asked and _is_of_another(quote, asked)))

    return replace(
        found,
        answers=tuple(one for one in found.answers if one.quote is None or speaks(one.quote)),
        sentences=tuple(one for one in found.sentences if speaks(one.quote)),
    )


def _heads_another(quote: Quote, numbers: Sequence[str]) -> bool:
    """Whether it is a heading with a version, and none of the numbers with dots that are asked for stands in it."""
    said = text_of(quote)
    heads = any(start <= quote.start < end for start, end in quote.passage.headings)
    return heads and bool(versions_in(said)) and not any(names_version(said, number) for number in numbers)


def _is_of_another(quote: Quote, asked: frozenset[str]) -> bool:
    """Whether the heading over a sentence names versions written like those asked for, and none of these.

    Over a heading itself stands that of the section before.
    """
    heads = any(start <= quote.start < end for start, end in quote.passage.headings)
    headings = (text_of(quote),) if heads else (*headings_over(quote), *_wider_headings(quote))
    over = [heading for heading in headings if versions_in(heading)]
    if not over or any(asked & versions_in(said) for said in (*over, text_of(quote))):
        return False
    parts = {version.count(".") for version in asked}
    named = (versions_in(_SECTION.sub("", heading)) for heading in over)
    return any(version.count(".") in parts for versions in named for version in versions)


def _wider_headings(quote: Quote) -> Iterator[str]:
    """The headings of its passage that the nearest one above a sentence stands under, as Markdown's signs tell."""
    text = quote.passage.text
    least = 0
    for start, end in reversed([heading for heading in quote.passage.headings if heading[1] <= quote.start]):
        signs = _signs_before(text, start)
        if not signs or signs == 1:
            return
        if least and signs < least:
            yield text[start:end]
        least = min(least or signs, signs)
    if least:
        yield from quote.passage.section


def _signs_before(text: str, start: int) -> int:
    before = text[max(0, start - 8) : start].rstrip(" ")
    return len(before) - len(before.rstrip("#"))

"""Several things that answer a question: the items of an enumeration or a sentence, several answers, a paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.reading.enumerations import items_at, items_within
from polyhop.reading.pointing import Pointing
from polyhop.reading.reader import Quote
from polyhop.reading.rows import cells_alike, row_at, word_families
from polyhop.types import Passage

SHARE: Final = 0.6  # of the likeliest answer's chance, that another needs to be listed
MEMBERS: Final = 2  # lines of an enumeration that are likely, from which it is what is asked for
LIKELY: Final = 0.5  # of the likeliest sentence's chance
LONGEST: Final = 120  # words of a paragraph that is an answer
SUREST: Final = 0.95  # chance of a list: its lines do not speak for it independently
_BLANK: Final = re.compile(r"\n\s*\n")

Items = Sequence[tuple[str, Quote]]


def likeliest_list(found: Pointing) -> tuple[Items, float]:
    """The items of the enumeration that the likeliest sentences introduce or stand in, and its chance; none, and 0.

    One item may answer a question by itself. Several that are likely, and the line that introduces them, speak for the
    whole: each by its chance.
    """
    least = LIKELY * max((one.chance for one in found.sentences), default=0.0)
    lists: dict[tuple[str, int], list[float]] = {}
    items: dict[tuple[str, int], Items] = {}
    for one in found.sentences:
        listed = _items(one.quote.passage, items_at(one.quote.passage.text, one.quote.start, one.quote.end))
        if listed:
            key = (one.quote.passage.id, listed[0][1].start)
            items[key] = listed
            lists.setdefault(key, []).append(one.chance)
    told = {key: _any(chances) for key, chances in lists.items() if sum(one >= least for one in chances) >= MEMBERS}
    if not told:
        return [], 0.0
    best = max(told, key=lambda key: told[key])
    return items[best], min(told[best], SUREST)


def answers_listed(found: Pointing) -> Items:
    """What the likeliest answer lists in one breath, or the answers that are likely beside it; none of one thing."""
    best = found.answers[0]
    if best.quote is not None:
        passage = best.quote.passage
        within = _items(passage, items_within(passage.text, best.start, best.end))
        if within:
            return within
    likely = [one for one in found.answers if one.chance >= SHARE * found.chance]
    items = [(one.text, one.quote) for one in likely if one.quote is not None]
    return items if len(items) > 1 else []


def paragraph_of(found: Pointing) -> Quote | None:
    """The paragraph of the likeliest sentence, where another of its sentences is likely too; none that is long."""
    best = found.sentences[0].quote
    text = best.passage.text
    starts = [match.end() for match in _BLANK.finditer(text, 0, best.start)]
    behind = _BLANK.search(text, best.end)
    start, end = max(starts, default=0), behind.start() if behind else len(text)
    start = max([start, *(stop for _, stop in best.passage.headings if stop <= best.start)])
    least = LIKELY * found.sentences[0].chance
    inside = [one for one in found.sentences if one.quote.passage == best.passage and start <= one.quote.start < end]
    if sum(one.chance >= least for one in inside) < MEMBERS or len(text[start:end].split()) > LONGEST:
        return None
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Quote(best.passage, start, start + len(text[start:end].rstrip()))


def column_listed(question: str, found: Pointing) -> Items:
    """The cells of a column that the likeliest answer is one of, where its row is one of several that are asked for."""
    best = found.answers[0]
    row = row_at(best.quote) if best.quote is not None else None
    cell = next((one for one in row.cells if one.start <= best.start < one.end), None) if row is not None else None
    if row is None or cell is None:
        return []
    return [
        (one.said, Quote(its.quote.passage, one.start, one.end))
        for one, its in cells_alike(cell, row, [row.quote.passage], word_families(question))
    ]


def _any(chances: Sequence[float]) -> float:
    """The chance that any of several holds, if each did so by itself."""
    none = 1.0
    for chance in chances:
        none *= 1 - chance
    return 1 - none


def _items(passage: Passage, places: Sequence[tuple[int, int]]) -> list[tuple[str, Quote]]:
    return [(" ".join(passage.text[start:end].split()), Quote(passage, start, end)) for start, end in places]

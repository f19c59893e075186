"""Enumerations in documents: the items of the list that a place in a text belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.english.events import PERSONAL
from polyhop.english.verbs import is_finite, is_participle
from polyhop.english.words import WH_WORDS

_MARKED: Final = re.compile(r"[ \t]*(?:[-*•‣◦▪–·]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])[ \t]+(?=\S)", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\s*(?:,\s*(?:and|or)\s+|;\s*(?:and|or)?\s*|,\s+|\s+(?:and|or)\s+)")
_JOINS: Final = re.compile(r"\b(?:and|or)\b")
_APART: Final = re.compile(r"[:;]\s|\n|,?\sbut\s")  # between an enumeration and what leads to it, or comes behind it
_SUBJECTS: Final = PERSONAL | {"there"}
_ARTICLES: Final = ("the ", "a ", "an ", "his ", "her ", "its ", "their ")
_BEFORE_VERBS: Final = frozenset({"more", "most", "also", "often", "then", "now", "once", "still"})
_PHRASE: Final = 10  # words of an item within a sentence
_LEAST: Final = 2  # items of a list
_LONGEST: Final = 40  # words of an item, in the mean: longer ones are sections of a text


def items_at(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The items of the marked list that the stretch introduces or stands in; none where there is no such list.

    An item begins with a bullet, a number or a letter at the beginning of its line. Lines that are indented, or within
    a sentence, go on with it. Blank lines may stand between items of one kind.
    """
    found: list[list[_Item]] = []
    for items in _lists(text):
        begin, stop = items[0].start, items[-1].end
        gap = text[end:begin]
        introduced = start < begin and not gap.strip(": \n") and ("\n\n" not in gap or not _MARKED.match(text, start))
        if len(items) >= _LEAST and (introduced or begin <= start < stop):
            found.append(items)
    innermost = min(found, key=lambda items: items[-1].end - items[0].start, default=[])
    return _places(text, innermost)


def lists_in(text: str) -> list[list[tuple[int, int]]]:
    """The items of each marked list of a text, those within items of others too."""
    return [places for items in _lists(text) if len(items) >= _LEAST and (places := _places(text, items))]


@dataclass(slots=True)
class _Item:
    start: int  # of its line
    said: int  # behind its mark
    end: int


def _lists(text: str) -> Iterator[list[_Item]]:
    """The marked lists of a text, those within items of others too."""
    inside = [span for span in sentence_spans(text) if "\n" in text[slice(*span)]]
    nested: dict[str, list[_Item]] = {}  # lists that are open, by the kind of their marks, the innermost last
    blank = False
    for first, last in _lines(text):
        marked = _MARKED.match(text, first, last)
        said = text[first:last].strip()
        goes_on = text[first].isspace() or any(start < first < end for start, end in inside)
        if marked:
            if blank and _kind(marked) not in nested and not text[first].isspace():
                yield from nested.values()
                nested = {}
            while _kind(marked) in nested and list(nested)[-1] != _kind(marked):
                yield nested.popitem()[1]
            nested.setdefault(_kind(marked), []).append(_Item(first, marked.end(), last))
        elif said and (blank or not goes_on):
            yield from nested.values()
            nested = {}
        if said:
            for items in nested.values():
                items[-1].end = last
        blank = not said
    yield from nested.values()


def _places(text: str, items: Sequence[_Item]) -> list[tuple[int, int]]:
    """Where items say something; none where that is too long for a list."""
    places = [_stripped(text, item.said, item.end) for item in items]
    return places if sum(len(text[slice(*place)].split()) for place in places) <= _LONGEST * len(places) else []


def _kind(marked: re.Match[str]) -> str:
    """What items of one list have in common: the same bullet, or that they have numbers, or letters."""
    mark = marked.group().strip()
    return mark if len(mark) == 1 else "number" if any(map(str.isdigit, mark)) else "letter"


def items_within(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """What a stretch such as "a wick, oil and a match" lists, up to what says something; none of one thing only."""
    cuts = [match.span() for match in _BETWEEN.finditer(text, start, end)]
    bounds = [start, *(at for cut in cuts for at in cut), end]
    items = [_stripped(text, *bounds[at : at + 2]) for at in range(0, len(bounds), 2)]
    items = [item for item in items if item[0] < item[1]]
    said = next((at for at, item in enumerate(items) if at and _says(text[slice(*item)].lower().split())), len(items))
    items = items[:said]
    return items if len(items) >= _LEAST else []


def items_around(
    text: str, start: int, end: int, sentence: tuple[int, int], *, objects: bool = False
) -> list[tuple[int, int]]:
    """The items of the enumeration in a sentence of which a stretch is a part.

    It ends with an "and" or an "or", or stands behind a colon. What goes on behind its last item, or leads to its
    first, is not of it, as far as verbs tell. ``objects``: the first may stand behind the verb that all of them share.
    """
    colons = [match.end() for match in _APART.finditer(text, sentence[0], start)]
    begin = max([sentence[0], *colons])
    stop = next((match.start() for match in _APART.finditer(text, end, sentence[1])), sentence[1])
    while stop > end and (text[stop - 1].isspace() or text[stop - 1] in ".!?"):
        stop -= 1
    cuts = list(_BETWEEN.finditer(text, begin, stop))
    bounds = [begin, *(at for cut in cuts for at in cut.span()), stop]
    parts = list(zip(bounds[::2], bounds[1::2], strict=True))
    first = next((at for at, part in enumerate(parts) if start < part[1]), 0)
    last = next((at for at, part in enumerate(parts) if end <= part[1]), len(parts) - 1)
    listed = bool(colons) and text[begin - 1 : begin].isspace() and ":" in text[begin - 2 : begin]
    if not listed:
        joined = next((at for at, cut in enumerate(cuts) if at + 1 >= last and _JOINS.search(cut.group())), None)
        if joined is None:
            return []
        last = max(last, joined + 1)
        begun = _is_item(text[parts[first][0] : start])  # no verb stands before it, so that others may
        while begun and first > 0 and (first - 1 == joined or not _JOINS.search(cuts[first - 1].group())):
            first -= 1
            if not _is_item(text[slice(*parts[first])]):
                parts[first] = _behind_verb(text, *parts[first]) if objects else (end, end)
                begun = False
        first += parts[first][0] == parts[first][1]
        parts = parts[first : last + 1]
    parts = [_stripped(text, *part) for part in parts]
    if not listed:
        parts[0] = (max(parts[0][0], start) if start < parts[0][1] else parts[0][0], parts[0][1])
        parts[-1] = (parts[-1][0], end if end > parts[-1][0] else _before_verb(text, *parts[-1]))
    said = [text[slice(*part)].lower().split() for part in parts]
    short = all(0 < len(words) <= _PHRASE for words in said)
    return parts if len(parts) >= _LEAST and short and not any(map(_begins_clause, filter(None, said[1:]))) else []


def _begins_clause(words: Sequence[str]) -> bool:
    first = next((word for word in words if word not in _BEFORE_VERBS and not word.endswith("ly")), words[0])
    return words[0] in WH_WORDS or is_finite(first) or is_participle(first) or _says(words)


def _says(words: Sequence[str]) -> bool:
    """Whether a pronoun and what it does stand at the beginning: "she's to shout" is no item."""
    pronoun, *contracted = re.split("['’]", words[0])
    return pronoun in _SUBJECTS and (bool(contracted) or len(words) > 1)


def _is_item(said: str) -> bool:
    return not any(is_finite(word.lower()) for word in said.split())


def _behind_verb(text: str, start: int, end: int) -> tuple[int, int]:
    """The thing behind the last verb of a stretch, "she built the mill" before "and the weir"; empty where none is."""
    verbs = [word for word in re.finditer(r"\S+", text[start:end]) if is_finite(word.group().lower())]
    begin = start + verbs[-1].end() + 1 if verbs else end
    said = text[begin:end]
    named = said[:1].isupper() or said[:1].isdigit() or said.lower().startswith(_ARTICLES)
    return (begin, end) if named else (end, end)


def _before_verb(text: str, start: int, end: int) -> int:
    """Where a stretch ends before its first verb, unless that describes it."""
    words = list(re.finditer(r"\S+", text[start:end]))
    if any(word.group().lower() in WH_WORDS | {"that"} for word in words):
        return end
    verb = next((word.start() for word in words[1:] if is_finite(word.group().lower())), end - start)
    return start + len(text[start : start + verb].rstrip())


def _lines(text: str) -> Sequence[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"[^\n]*\n?", text) if match.start() < match.end()]


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

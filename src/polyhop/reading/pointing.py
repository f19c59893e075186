"""What the span model points at in passages: possible answers, and the sentences that answers rest on."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from string import punctuation
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.english.answer_type import AnswerType, answer_type
from polyhop.english.dates import DAY_IN_DIGITS, DAY_OF_A_YEAR
from polyhop.english.words import FUNCTION_WORDS
from polyhop.indexes.folding import fold
from polyhop.models.choice import Models
from polyhop.ports import PointedSpan, SpanReading, TextPart
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.reader import Quote, heading_over, less_likely, text_of
from polyhop.reading.rows import row_at
from polyhop.types import Passage

APART: Final = -1.6  # logits of a sentence that is to tell a value, where the likeliest value stands in another one
# Marks of which one opens and one closes; straight quotation marks and those of code do both.
PAIRED: Final = tuple(
    pair.split() for pair in ("( )", "[ ]", "\u201c \u201d", "\u201e \u201c", "\u00ab \u00bb", '" "', "`` ``", "` `")
)
_CODE: Final = "`"  # around what is code, in Markdown and the like
_MARKS: Final = f"{punctuation}\u2022\u2013\u2014\u2026\u201c\u201d\u201e\u00ab\u00bb"  # of which alone no answer is
_WITHIN: Final = re.compile(  # the rest of a name or number that goes on: "_mib", ".body_mib", the ".1" of "2.0.1"
    r"(?:(?<=\w)_\w+|(?<=[^\W\d])\.(?=[a-z])\w+|(?<=\d)(?<!\d{4})\.\d\w*)+"
)
_ENDING: Final = re.compile(r"\([a-z]{1,4}\)(?!\w)")  # another form of a word: "file(s)"
_INITIAL: Final = re.compile(r"(?<=[a-z] )(?:[A-Z]\.[ ]?){1,3}\Z")  # behind a first name
_NAME_AFTER: Final = re.compile(r"[ ]((?:[A-Z]['\u2019])?[A-Z][a-z]+(?:-[A-Z][a-z]+)?)\b")
_BULLET: Final = re.compile(r"[-*\u2022\u2013\u2014]\s+(?=\S)")  # before what is pointed at
_ASKS_ADDRESS: Final = re.compile(
    r"\b(?:what|which) (?:(?:is|was) [^?]{0,60}?\b)?e-?mail(?: address\b| (?:of|for)\b|\s{0,9}\?)", re.IGNORECASE
)
_ADDRESS: Final = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_KEY: Final = re.compile(  # or a number that is written in groups of one size
    "|".join(rf"(?<![^\W_])[0-9A-F]{{{size}}}(?: [0-9A-F]{{{size}}})+(?![^\W_])" for size in range(2, 9))
)
_MYSELF: Final = frozenset(("i", "me", "my", "mine", "myself"))
_OURSELVES: Final = frozenset(("we", "us", "our", "ours", "ourselves"))
_AROUND: Final = 60  # characters beside a stretch, in which a day or a key that it is a part of may begin or end


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointed:
    """A possible answer, where it stands in its passage's text, and the sentence around it."""

    text: str
    chance: float  # that it is the answer, 0 to 1
    quote: Quote | None  # of its sentence; none where it stands in the question only
    start: int = 0  # in the passage's text
    end: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Supporting:
    """A sentence and how likely it is that the answer rests on it, 0 to 1."""

    chance: float
    quote: Quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointing:
    """What was found for one question in some passages, everything best first."""

    question: str
    answers: tuple[Pointed, ...] = ()
    sentences: tuple[Supporting, ...] = ()
    yes: float = 0.0
    no: float = 0.0
    none: float = 1.0  # that no passage answers it

    @property
    def best(self) -> Pointed | None:
        """The likeliest answer."""
        return self.answers[0] if self.answers else None

    @property
    def chance(self) -> float:
        """Of the likeliest answer; 0 where there is none."""
        return self.answers[0].chance if self.answers else 0.0

    @property
    def telling(self) -> float:
        """How likely the likeliest sentence tells a value that is asked for; 0 where there is none.

        Hardly, where what was pointed at as the likeliest value stands in another one: each then tells against the
        other.
        """
        if not self.sentences:
            return 0.0
        chance, quote = self.sentences[0].chance, self.sentences[0].quote
        return chance if self.best is None or self.best.quote == quote else less_likely(chance, APART)

    @property
    def explaining(self) -> float:
        """How likely the likeliest sentence tells a reason or what to do; 0 where there is none.

        Where the likeliest answer stands in it, it does so at least as likely as that is right.
        """
        if not self.sentences:
            return 0.0
        chance, quote = self.sentences[0].chance, self.sentences[0].quote
        return chance if self.best is None or self.best.quote != quote else max(chance, self.chance)


def point(question: str, passages: Sequence[Passage], models: Models) -> Pointing:
    """Read each passage by itself."""
    if not passages:
        return Pointing(question=question)
    return _read(question, [[Quote(passage, 0, len(passage.text))] for passage in passages], models)


def point_each(question: str, quotes: Sequence[Quote], models: Models) -> list[Pointing]:
    """Read each of several stretches by itself, under its title and headings, and tell what was found in each."""
    dated = _asks_when(question)
    laid = [_laid_out([quote], dated=dated) for quote in quotes]
    readings = models.span_model.read(question, [[part for part, _ in text] for text in laid])
    return [
        _gathered(question, [reading], [[place for _, place in text]])
        for reading, text in zip(readings, laid, strict=True)
    ]


def point_together(question: str, quotes: Sequence[Quote], models: Models) -> Pointing:
    """Read stretches of several passages as one text, in the order given, each passage under its title."""
    if not quotes:
        return Pointing(question=question)
    return _read(question, [quotes], models)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a part of what is read stands; of a speaker's name, also what is said behind it."""

    quote: Quote
    said: Quote | None = None
    by: Quote | None = None  # of what is said, the name of who says it


_Laid = list[tuple[TextPart, _Place | None]]  # parts that no answer is read in have no place


def _read(question: str, texts: Sequence[Sequence[Quote]], models: Models) -> Pointing:
    """Read texts that are put together from stretches; titles and headings tell what they are about, and no more.

    But for a heading with a day in it, such as "2.1.0 (2031-02-04)", where it is asked when something was.
    """
    dated = _asks_when(question)
    laid = [_laid_out(text, dated=dated) for text in texts]
    readings = models.span_model.read(question, [[part for part, _ in text] for text in laid])
    return _gathered(question, readings, [[place for _, place in text] for text in laid])


def _asks_when(question: str) -> bool:
    return answer_type(question) is AnswerType.DATE


def _laid_out(quotes: Sequence[Quote], *, dated: bool) -> _Laid:
    """Stretches as parts, those of each passage behind its title; ``dated``: for a question when something was."""
    parts: _Laid = []
    for _, ours in groupby(quotes, key=lambda quote: quote.passage):
        stretches = list(ours)
        spoken = SpokenPassage.of(stretches[0].passage)
        parts += _prose(stretches, dated=dated) if spoken is None else _turns(spoken, stretches)
    return parts


def _prose(quotes: Sequence[Quote], *, dated: bool) -> _Laid:
    """Stretches of a passage behind its title and the headings that they stand under.

    ``dated``: answers are read in headings that have a day in them.
    """
    passage = quotes[0].passage
    parts: _Laid = [(TextPart(f"{passage.title}: ", answers=False), None)] if passage.title else []
    shown: set[str] = set()
    for quote in quotes:
        heading = heading_over(quote)
        if heading and heading not in shown:
            parts.append((TextPart(f"{heading} ", answers=False), None))
            shown.add(heading)
        at = quote.start
        for start, end in (*passage.headings, (quote.end, quote.end)):
            if at < min(start, quote.end):
                stretch = Quote(passage, at, min(start, quote.end))
                parts.append((TextPart(text_of(stretch) + " "), _Place(stretch)))
            if quote.start <= start < end <= quote.end:
                tells = dated and DAY_OF_A_YEAR.search(passage.text, start, end) is not None
                place = _Place(Quote(passage, start, end)) if tells else None
                parts.append((TextPart(passage.text[start:end] + " ", answers=tells), place))
            at = max(at, end)
    return parts


def _turns(spoken: SpokenPassage, quotes: Sequence[Quote]) -> _Laid:
    """What is said, each turn behind the name of who says it, under the conversation's title and day."""
    parts: _Laid = [(TextPart(f"{spoken.heading}: ", answers=False), None)] if spoken.heading else []
    for quote in quotes:
        for turn, said in spoken.turns_in(quote):
            name = spoken.name_in(turn)
            parts.append((TextPart(turn.speaker), _Place(name, said)))
            parts.append((TextPart(": ", answers=False), None))
            parts.append((TextPart(text_of(said) + "\n"), _Place(said, by=name)))
    return parts


def _gathered(question: str, readings: Sequence[SpanReading], places: Sequence[Sequence[_Place | None]]) -> Pointing:
    """The readings of texts as one; ``places`` says what passage each of their parts is of."""
    answers = [
        pointed
        for reading, ours in zip(readings, places, strict=True)
        for span in reading.spans
        if (pointed := _pointed(question, span, ours)) is not None
    ]
    supporting = [
        Supporting(reading.support(number, start - quote.start, end - quote.start), Quote(quote.passage, start, end))
        for reading, ours in zip(readings, places, strict=True)
        for number, place in enumerate(ours)
        if place is not None and place.said is None
        for quote in (place.quote,)
        for start, end in _sentences(quote)
    ]
    surest = min(readings, key=lambda reading: reading.none)
    return Pointing(
        question=question,
        answers=tuple(_distinct(answers)),
        sentences=tuple(sorted(supporting, key=lambda one: -one.chance)),
        yes=surest.yes,
        no=surest.no,
        none=surest.none,
    )


def _pointed(question: str, span: PointedSpan, places: Sequence[_Place | None]) -> Pointed | None:
    chance = math.exp(span.score)
    if span.part < 0:
        return Pointed(text=question[span.start : span.end].strip(), chance=chance, quote=None)
    found = places[span.part]
    if found is None:
        return None
    place = found.quote
    start, end = place.start + span.start, min(place.start + span.end, place.end)
    if found.said is not None:  # a name is shown as it is spoken, and meant whole
        start, end = place.start, place.end
    start, end = closed(place, *whole(place, start, end))
    around = next((one for one in _sentences(place) if one[0] <= start < one[1]), (start, end))
    start = behind_column(Quote(place.passage, *around), start, end)
    text = place.passage.text[start:end].strip()
    if not text.strip(_MARKS):
        return None
    own = _named_self(question, text, found.by)
    if own is None:
        return None
    quote = found.said or Quote(place.passage, around[0], max(around[1], end))
    return Pointed(text=own, chance=chance, quote=quote, start=start, end=end)


def behind_column(quote: Quote, start: int, end: int) -> int:
    """Where a stretch of a row begins that would reach from the name of a column into its value: with the value."""
    row = row_at(quote)
    cell = row.at(end - 1) if row is not None else None
    if row is None or cell is None or any(start < one.end <= cell.start for one in row.cells):
        return start
    return max(start, cell.start)


def _named_self(question: str, said: str, by: Quote | None) -> str | None:
    """What answers a question: where it is asked who, the name of who says "I"; None where that is not known."""
    told = said.lower()
    if told not in _MYSELF | _OURSELVES or answer_type(question) is not AnswerType.PERSON:
        return said
    return text_of(by) if by is not None and told in _MYSELF else None


def whole(place: Quote, start: int, end: int) -> tuple[int, int]:
    """A stretch with the rest of what it is within: a day in digits, "address(es)", a key in groups, "Ada B. Rook".

    A name of code is whole with all its parts, and needs no marks around it.
    """
    text = place.passage.text
    bullet = _BULLET.match(text, start, end)
    start = bullet.end() if bullet else start
    name = text[start:end].strip(_CODE)
    if name and _CODE not in name:
        start = text.index(name, start)
        end = start + len(name)
    around = max(place.start, start - _AROUND), min(place.end, end + _AROUND)
    keys = _KEY.finditer(text, *around) if _KEY.fullmatch(text, start, end) else ()
    for one in (*DAY_IN_DIGITS.finditer(text, *around), *keys):
        if one.start() <= start < one.end() or one.start() < end <= one.end():
            return min(start, one.start()), max(end, one.end())
    named = _NAME_AFTER.match(text, end, place.end) if _INITIAL.search(text[start:end]) else None
    if named is not None and named[1].lower() not in FUNCTION_WORDS:
        return start, named.end()
    rest = _WITHIN.match(text, end, place.end)
    if rest is not None:
        return start, rest.end()
    ending = _ENDING.match(text, end, place.end)
    if ending is not None and text[end - 1 : end].isalpha():
        return start, ending.end()
    return start, end


def closed(place: Quote, start: int, end: int) -> tuple[int, int]:
    """A stretch with the marks beside it that it opens and does not close, or closes and does not open."""
    text = place.passage.text
    said = text[start:end]
    for opening, closing in PAIRED:
        odd = opening == closing and said.count(opening) % 2 == 1
        surplus = said.count(opening) - said.count(closing)
        opened, closes = text.endswith(opening, place.start, start), text.startswith(closing, end, place.end)
        if (
            opening == closing and opening in said and opened and closes and not odd
        ):  # from within one to within another
            return start - len(opening), end + len(closing)
        if closes and (odd or surplus > 0):
            return start, end + len(closing)
        if opened and (odd or surplus < 0):
            return start - len(opening), end
    return start, end


def _sentences(place: Quote) -> Iterator[tuple[int, int]]:
    """The sentences of a stretch, as places in its passage's text; marks between two headings are none."""
    said = place.passage.text[place.start : place.end]
    for start, end in sentence_spans(said):
        if any(character.isalnum() for character in said[start:end]):
            yield place.start + start, place.start + end


def _distinct(answers: Sequence[Pointed]) -> list[Pointed]:
    """Best first; what is said in several places counts once, and each place adds to its chance.

    Passages overlap: a place that several of them have is one place.
    """
    by_text: dict[str, Pointed] = {}
    places: set[tuple[str, str, int]] = set()
    for one in sorted(answers, key=lambda one: -one.chance):
        key = fold(one.text)
        if one.quote is not None:
            passage = one.quote.passage
            place = (key, passage.document_id, passage.start + one.start)
            if place in places:
                continue
            places.add(place)
        known = by_text.get(key)
        if known is None:
            by_text[key] = one
        else:
            both = 1 - (1 - known.chance) * (1 - one.chance)
            by_text[key] = replace(known, chance=both, quote=known.quote or one.quote)
    return sorted(by_text.values(), key=lambda one: -one.chance)


def address_asked_for(found: Pointing) -> Pointed | None:
    """The one address that the likeliest sentence with any has, where an e-mail address is asked for; else None."""
    if _ASKS_ADDRESS.search(found.question) is None or (found.answers and "@" in found.answers[0].text):
        return None
    pointed = [one.quote for one in found.answers if one.quote is not None]
    for quote in (*pointed, *(one.quote for one in found.sentences)):
        named = {match[0]: match for match in _ADDRESS.finditer(quote.passage.text, quote.start, quote.end)}
        if len(named) == 1:
            ((address, match),) = named.items()
            return Pointed(text=address, chance=found.chance, quote=quote, start=match.start(), end=match.end())
        if named:
            return None
    return None

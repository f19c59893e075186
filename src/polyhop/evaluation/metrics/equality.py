"""Whether one text says what another says, by rules of its own: it shares none with the readers that it judges.

Words are compared normalised, without accents and in any case. Numbers count as figures: "three" is 3, "1,200" is 1200
and "fourth" is 4th. Dates count as moments, written out ("4 March 1895", "March 4th, 1895") or as in ISO 8601
("1895-03-04", "18950304T18:30"), and a date may be more exact than the one that is asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from polyhop.evaluation.metrics.normalise import normalise

Moment = tuple[int, int, int, int]
"""Year (negative before our era), month and day, 0 where unknown, and the minute of the day, -1 where unknown."""

YES_OR_NO: Final = frozenset({"yes", "no"})
_CARDINALS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
)  # fmt: skip
_FIGURES: Final = {word: str(value) for value, word in enumerate(_CARDINALS)} | {
    word: f"{value}th" for value, word in enumerate(_ORDINALS, 1)
}
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    "|Nov(?:ember)?|Dec(?:ember)?"
)
_NTH: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_WRITTEN: Final = re.compile(
    rf"\b(?:{_NTH}(?: of)? ({_MONTH})\b\.?|({_MONTH})\b\.? {_NTH}|({_MONTH})\b\.?),? (\d{{3,4}})\b"
    r"|\b(\d{1,4}) BCE?\b|\b(\d{3,4})\b"
)
_ISO: Final = re.compile(r"\b(\d{4})-?([01]\d)-?([0-3]\d)(?:[T _]([0-2]\d):?([0-5]\d)(?::?\d\d)?)?(?![\d:])")
_CLOCK: Final = re.compile(
    r"\b(?:(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b\.?|(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)\b)", re.IGNORECASE
)
_AROUND_DATES: Final = frozenset(
    ("about", "around", "at", "by", "date", "day", "from", "in", "it", "of", "on", "since", "time", "until", "was")
)
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")
_ZEROS: Final = re.compile(r"(?<=\d)\.0+\b")
_WITHIN: Final = re.compile(r"(?<=\d)[.:](?=\d)")  # a number, or a time of day, which is written with either
_ORDINAL: Final = re.compile(r"\b(\d+)(?:st|nd|rd)\b")
_LIST: Final = re.compile(r"\s*[&;]\s*|,?\s+and\s+|,\s+", re.IGNORECASE)
_JOINED: Final = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")  # within a name such as AdaBrisk, as chats write it
_WHOLE_LETTERS: Final = str.maketrans({"ł": "l", "đ": "d", "ð": "d", "ø": "o", "ı": "i", "æ": "ae", "œ": "oe"})


def says(prediction: str, reference: str) -> bool:
    """Whether a prediction contains what a reference says.

    A reference of yes or no has to be the prediction's first word. One that is a date has to be among the prediction's
    dates, which may be more exact. Of anything else the normalised words have to stand in the prediction one after the
    other, with numbers as figures; of a list ("a & b; c", "a, b and c") each item for itself, in any order.
    """
    words, wanted = terms(prediction), terms(reference)
    if len(wanted) == 1 and wanted[0] in YES_OR_NO:
        return words[:1] == wanted
    if words == wanted:
        return True
    moment = only_date(reference)
    if moment is not None and any(_is_within(found, moment) for found in moments(prediction)):
        return True
    items = [terms(item) for item in _LIST.split(reference)]
    return bool(wanted) and (_holds(words, wanted) or all(_holds(words, item) for item in items if item))


def terms(text: str) -> list[str]:
    """The normalised words of a text (see ``normalise``), without accents, numbers as figures, ``AdaBrisk`` as two."""
    figures = _ZEROS.sub("", _THOUSANDS.sub("", _unaccented(_JOINED.sub(" ", text))))
    figures = _WITHIN.sub("p", figures)  # without its point "3.5" would be 35
    words = normalise(re.sub(r"[-_/–—]", " ", figures)).split()
    return [_FIGURES.get(word, _ORDINAL.sub(r"\1th", word)) for word in words]


def moments(text: str) -> list[Moment]:
    """The dates in a text, each with the text's time of day where it has none of its own."""
    text = _THOUSANDS.sub("", text)
    found: list[Moment] = []
    for match in _ISO.finditer(text):
        year, month, day, hour, minute = (int(part or -1) for part in match.groups())
        if 1 <= month <= 12 and 1 <= day <= 31:
            found.append((year, month, day, hour * 60 + minute if hour >= 0 else -1))
    rest = _ISO.sub(" ", text)
    found += [_written(match) for match in _WRITTEN.finditer(rest)]
    clock = _CLOCK.search(rest)
    if clock is None:
        return found
    return [(*moment[:3], _minute(clock)) if moment[3] < 0 else moment for moment in found]


def only_date(text: str) -> Moment | None:
    """The date that a text consists of, None where it says more or says none."""
    found = moments(text)
    rest = _CLOCK.sub(" ", _WRITTEN.sub(" ", _ISO.sub(" ", text)))
    return found[0] if len(found) == 1 and _AROUND_DATES.issuperset(normalise(rest).split()) else None


def _written(match: re.Match[str]) -> Moment:
    """The moment of a date in words."""
    first, month, other_month, second, bare_month, year, before, alone = match.groups()
    name = month or other_month or bare_month
    number = 1 + _MONTHS.index(name[:3].lower()) if name else 0
    return -int(before) if before else int(year or alone), number, int(first or second or 0), -1


def _minute(clock: re.Match[str]) -> int:
    twelve, past, half, hour, minute = clock.groups()
    if hour is not None:
        return int(hour) * 60 + int(minute)
    return (int(twelve) % 12 + (12 if half in "pP" else 0)) * 60 + int(past or 0)


def _unaccented(text: str) -> str:
    """A text without case and accents."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = "".join(character for character in apart if not "\u0300" <= character <= "\u036f")
    return unicodedata.normalize("NFC", kept.translate(_WHOLE_LETTERS))


def _is_within(found: Moment, wanted: Moment) -> bool:
    """Whether a date is the one that is wanted, in all that is known of that."""
    *date, minute = wanted
    same = all(not part or part == own for part, own in zip(date, found, strict=False))
    return same and minute in (-1, found[3])


def _holds(words: Sequence[str], item: Sequence[str]) -> bool:
    return any(words[at : at + len(item)] == item for at in range(len(words) - len(item) + 1))

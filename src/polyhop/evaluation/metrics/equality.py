"""Whether one text says what another says, by rules: normalised words, numbers and dates however they are written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.english.dates import DATE, parse_date
from polyhop.english.words import word_set
from polyhop.evaluation.metrics.normalise import normalise
from polyhop.indexes.folding import fold

Moment = tuple[int, int, int, int]
"""Year, month and day, 0 where unknown, and the minute of the day, -1 where unknown."""

YES_OR_NO: Final = frozenset({"yes", "no"})
_CARDINALS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
)  # fmt: skip
_NUMBERS: Final = {
    **{word: str(value) for value, word in enumerate(_CARDINALS)},
    **{word: f"{value}th" for value, word in enumerate(_ORDINALS, 1)},
}
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")
_ZEROS: Final = re.compile(r"(?<=\d)\.0+\b")
_ORDINAL: Final = re.compile(r"\b(\d+)(?:st|nd|rd)\b")
_LABEL: Final = re.compile(r"\A\s*answer\s*:\s*", re.IGNORECASE)
_LIST: Final = re.compile(r"\s*[&;]\s*|,?\s+and\s+|,\s+", re.IGNORECASE)
_JOINED: Final = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")  # within a name such as AdaBrisk, as chats write it
_STAMP: Final = re.compile(r"\b(\d{4})-?([01]\d)-?([0-3]\d)(?:[_T ]?([0-2]\d):?([0-5]\d)(?::?\d\d)?)?(?![\d:])")
_CLOCK: Final = re.compile(
    r"\b(?:(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b\.?|(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)\b)", re.IGNORECASE
)
_AROUND_DATES: Final = word_set("about around at by date day from in it of on since time until was")


def says(prediction: str, reference: str) -> bool:
    """Whether a prediction contains what a reference says.

    A reference of yes or no has to be the prediction's first word. One that is a date has to be among the prediction's
    dates, which may be more exact. Of anything else the normalised words have to stand in the prediction one after the
    other, with numbers as figures; of a list ("a & b; c", "a, b and c") each item for itself, in any order.
    """
    said, meant = _LABEL.sub("", prediction), _LABEL.sub("", reference)
    words, wanted = terms(said), terms(meant)
    if len(wanted) == 1 and wanted[0] in YES_OR_NO:
        return words[:1] == wanted
    if words == wanted:
        return True
    moment = only_date(meant)
    if moment is not None and any(_is_within(found, moment) for found in moments(said)):
        return True
    items = [terms(item) for item in _LIST.split(meant)]
    return bool(wanted) and (_holds(words, wanted) or all(_holds(words, item) for item in items if item))


def terms(text: str) -> list[str]:
    """The normalised words of a text (see ``normalise``), without accents, numbers as figures, ``AdaBrisk`` as two."""
    figures = _ZEROS.sub("", _THOUSANDS.sub("", fold(_JOINED.sub(" ", text))))
    words = normalise(re.sub(r"[-_/–—]", " ", figures)).split()
    return [_NUMBERS.get(word, _ORDINAL.sub(r"\1th", word)) for word in words]


def moments(text: str) -> list[Moment]:
    """The dates in a text, written out or as stamps such as 1895-03-04 or 18950304_18:30, each with the text's time.

    A time that stands apart belongs to every date without one.
    """
    text = _THOUSANDS.sub("", text)
    found: list[Moment] = []
    for match in _STAMP.finditer(text):
        year, month, day, hour, minute = (int(part or -1) for part in match.groups())
        if 1 <= month <= 12 and 1 <= day <= 31:
            found.append((year, month, day, hour * 60 + minute if hour >= 0 else -1))
    rest = _STAMP.sub(" ", text)
    dates = [parse_date(match[0]) for match in DATE.finditer(rest)]
    found += [(*date, -1) for date in dates if date is not None]
    clock = _CLOCK.search(rest)
    if clock is None:
        return found
    return [(*moment[:3], _minute(clock)) if moment[3] < 0 else moment for moment in found]


def only_date(text: str) -> Moment | None:
    """The date that a text consists of, None where it says more or says none."""
    found = moments(text)
    rest = _CLOCK.sub(" ", DATE.sub(" ", _STAMP.sub(" ", text)))
    words = set(normalise(rest).split())
    return found[0] if len(found) == 1 and words <= _AROUND_DATES else None


def _minute(clock: re.Match[str]) -> int:
    twelve, past, half, hour, minute = clock.groups()
    if hour is not None:
        return int(hour) * 60 + int(minute)
    return (int(twelve) % 12 + (12 if half in "pP" else 0)) * 60 + int(past or 0)


def _is_within(found: Moment, wanted: Moment) -> bool:
    """Whether a date is the one that is wanted, in all that is known of that."""
    *date, minute = wanted
    same = all(not part or part == own for part, own in zip(date, found, strict=False))
    return same and minute in (-1, found[3])


def _holds(words: Sequence[str], item: Sequence[str]) -> bool:
    return any(words[at : at + len(item)] == item for at in range(len(words) - len(item) + 1))

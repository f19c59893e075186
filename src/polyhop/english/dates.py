"""Dates as they are written, as something that can be compared."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from polyhop.english.numbers import counted

Date = tuple[int, int, int]  # year (negative before our era), month and day, 0 where unknown

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DATE_NAMES: Final = frozenset(name.lower() for name in MONTHS + WEEKDAYS)
"""The names of months and of days of the week, in small letters."""

MONTH: Final = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    "|Nov(?:ember)?|Dec(?:ember)?)"
)
"""A month, in full or abbreviated, as a pattern without groups."""

WEEKDAY: Final = "(?:Mon|Tue(?:s)?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?"
"""A day of the week, in full or abbreviated, as a pattern without groups."""

NTH: Final = r"\d{1,2}(?:st|nd|rd|th)?"
"""The number of a day, as a pattern without groups."""

_ERA: Final = r"(?:\d{1,4} BCE?|AD \d{1,4})\b"
DATE: Final = re.compile(
    rf"\b{MONTH}\.?,? {_ERA}|\b{NTH}(?: of)? {MONTH}\.?(?:,? ?(?:{_ERA}|\d{{3,4}}\b))?"
    rf"|\b{MONTH}\.? {NTH}(?:,? ?(?:{_ERA}|\d{{3,4}}))?\b|\b{MONTH}\.?,? \d{{4}}\b|\b{_ERA}"
    r"|(?:(?<!\d[.,])|(?<=\.\d\.)|(?<=\.\d\d\.))\b\d{3,4}\b"  # not the end of "7,400"
    r"(?![,.]\d|%| (?:people|inhabitants|met|feet|km|miles|members))"
)

DAY_OF_A_YEAR: Final = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b{NTH}(?: of)? {MONTH}\.?,? \d{{4}}\b|\b{MONTH}\.? (?:{NTH},? )?\d{{4}}\b"
)
"""A day, or a month, whose year is written beside it."""

DAY_IN_DIGITS: Final = re.compile(r"(?<![\w-])\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?![\w-])")
"""A day in digits alone, whatever their order, or a version: what stands between such digits does not part them."""

_MONTH_IN: Final = re.compile(rf"\b({MONTH})\b", re.IGNORECASE)
_BEGINNINGS: Final = tuple(month[:3].lower() for month in MONTHS)
_YEAR: Final = re.compile(r"\b(?:(\d{1,4})\s*BCE?|(\d{3,4})|AD\s*(\d{1,2})|(\d{1,2})\s*(?:AD|CE))\b")
_ISO: Final = re.compile(r"\b(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b")
_DAY_IN: Final = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\b")


def parse_date(text: str) -> Date | None:
    """The date in a text such as ``4 March 1895``, ``1895-03-04``, ``May 1895`` or ``44 BC``; None without a year."""
    written = _ISO.search(text)
    if written is not None:
        return int(written[1]), int(written[2]), int(written[3])
    year = _YEAR.search(text)
    if year is None:
        return None
    number = int(year[year.lastindex or 0])
    month = _MONTH_IN.search(text)
    day = _DAY_IN.search(f"{text[: year.start()]} {text[year.end() :]}") if month else None
    return (
        -number if year[1] else number,
        month_number(month[1]) if month else 0,
        int(day[1]) if day else 0,
    )


def length_of(first: Date, second: Date) -> Date:
    """What lies between two dates, as something that can be compared: whole years, and months and days beyond them.

    Where only years are known, a year more than that may be told, and months or days below 0.
    """
    years, months, days = second[0] - first[0], second[1] - first[1], second[2] - first[2]
    if first[2] and second[2] and days < 0:
        months, days = months - 1, days + 31
    if first[1] and second[1] and months < 0:
        years, months = years - 1, months + 12
    return years, months, days


def time_apart(one: Date, other: Date, unit: str = "", *, age: bool = False) -> str | None:
    """How far two dates lie apart, in whole years, months, weeks or days, or in what tells most; None where unknown.

    An ``age`` is years without the word; where only years are known, it is one of two.
    """
    first, second = sorted((one, other))
    years = second[0] - first[0] - (first[0] < 0 < second[0])  # there was no year 0
    if not (first[1] and second[1]):
        told = f"{years - 1} or {years}" if age and years else counted(years, "years")
        return told if unit in ("", "years") else None
    months = 12 * years + second[1] - first[1] - (0 < second[2] < first[2])
    ends = [calendar_day(f"{year:04}{month:02}{day:02}") for year, month, day in (first, second)]
    days = (ends[1] - ends[0]).days if ends[0] is not None and ends[1] is not None else None
    if age:
        return str(months // 12)
    if not unit:
        unit = "years" if months >= 24 else "months" if days is None or days > 60 else "days"
    length = {"years": months // 12, "months": months, "weeks": days and days // 7, "days": days}[unit]
    return None if length is None else counted(length, unit)


def in_words(day: date) -> str:
    """A day as people write it, as in "4 February 2031": its month, as a word, can be read in one way only."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def written_day(day: str) -> str:
    """The same of a day of eight digits, which no calendar need have; nothing for no day."""
    return f"{int(day[6:])} {MONTHS[int(day[4:6]) - 1]} {day[:4]}" if day else ""


def calendar_day(day: str) -> date | None:
    """A day of eight digits; None where the calendar has no such day, or nothing is written."""
    try:
        return date(int(day[:4]), int(day[4:6]), int(day[6:8]))
    except ValueError:
        return None


def month_number(name: str) -> int:
    """The number of a month, 1 to 12, by its name in full or abbreviated. Raises ValueError where it names none."""
    return 1 + _BEGINNINGS.index(name[:3].lower())

"""Dates as they are written, as something that can be compared."""

from __future__ import annotations

import re
from typing import Final

Date = tuple[int, int, int]  # year (negative before our era), month and day, 0 where unknown

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DATE_NAMES: Final = frozenset(name.lower() for name in MONTHS + WEEKDAYS)
"""The names of months and of days of the week, in small letters."""

_MONTH: Final = rf"(?:{'|'.join((*MONTHS, *(month[:3] for month in MONTHS)))})\.?"
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?"
DATE: Final = re.compile(
    rf"\b{_DAY}(?: of)? {_MONTH}(?:,? ?\d{{3,4}}\b)?|\b{_MONTH} {_DAY}(?:,? ?\d{{3,4}})?\b|\b{_MONTH},? \d{{4}}\b"
    r"|\b\d{1,4} BCE?\b|\b\d{3,4}\b(?![,.]\d|%| (?:people|inhabitants|met|feet|km|miles|members))"
)

_NUMBERS: Final = {month[:3].lower(): number for number, month in enumerate(MONTHS, 1)}
_MONTH_IN: Final = re.compile(rf"\b({'|'.join(month[:3] for month in MONTHS)})[a-z]*\b", re.IGNORECASE)
_YEAR: Final = re.compile(r"\b(\d{3,4})\b(\s*BCE?\b)?")
_DAY_IN: Final = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\b")


def parse_date(text: str) -> Date | None:
    """The date in a text such as ``4 March 1895``, ``March 1895`` or ``895 BC``; None without a year."""
    year = _YEAR.search(text)
    if year is None:
        return None
    month = _MONTH_IN.search(text)
    day = _DAY_IN.search(text) if month else None
    return (
        -int(year[1]) if year[2] else int(year[1]),
        _NUMBERS[month[1].lower()] if month else 0,
        int(day[1]) if day else 0,
    )

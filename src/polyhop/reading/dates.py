"""Dates as they are written, as something that can be compared."""

from __future__ import annotations

import re
from typing import Final

from polyhop.reading.spans import MONTHS

Date = tuple[int, int, int]  # year (negative before our era), month and day, 0 where unknown

_NUMBERS: Final = {month[:3].lower(): number for number, month in enumerate(MONTHS, 1)}
_MONTH: Final = re.compile(rf"\b({'|'.join(month[:3] for month in MONTHS)})[a-z]*\b", re.IGNORECASE)
_YEAR: Final = re.compile(r"\b(\d{3,4})\b(\s*BCE?\b)?")
_DAY: Final = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\b")


def parse_date(text: str) -> Date | None:
    """The date in a text such as ``4 March 1895``, ``March 1895`` or ``895 BC``; None without a year."""
    year = _YEAR.search(text)
    if year is None:
        return None
    month = _MONTH.search(text)
    day = _DAY.search(text) if month else None
    return (
        -int(year[1]) if year[2] else int(year[1]),
        _NUMBERS[month[1].lower()] if month else 0,
        int(day[1]) if day else 0,
    )

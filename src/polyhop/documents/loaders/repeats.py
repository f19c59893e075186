"""How often something of a calendar comes again, in words: every 2 weeks on Monday and Friday, until 4 July 2031."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.documents.loaders.calendar_times import moments
from polyhop.documents.loaders.content_lines import ContentLine
from polyhop.english.dates import MONTHS, WEEKDAYS, in_words

_UNITS: Final = {
    "SECONDLY": "second",
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
_DAYS: Final = {day[:2].upper(): day for day in WEEKDAYS}
_DAY: Final = re.compile(r"([+-]?\d{0,2})([A-Z]{2})")
_RANKS: Final = {
    **dict(enumerate(("first", "second", "third", "fourth", "fifth"), start=1)),
    -1: "last",
    -2: "last but one",
}


def repeats(rule: str, own_zone: str) -> str:
    """A rule of RFC 5545 in words; empty for one that says not how often."""
    parts = dict(part.upper().partition("=")[::2] for part in rule.split(";"))
    unit = _UNITS.get(parts.get("FREQ", ""))
    if unit is None:
        return ""
    number = _number(parts.get("INTERVAL", "1"))
    said = [f"every {unit}" if number < 2 else f"every {number} {unit}s"]
    said += [f"in {_listed(months)}"] if (months := _months(parts.get("BYMONTH", ""))) else []
    said += [f"on {_listed(days)}"] if (days := _days(parts)) else []
    until = moments(ContentLine({}, parts.get("UNTIL", "")), own_zone)
    if until:
        said.append(f"until {in_words(until[0].day)}")
    elif (count := _number(parts.get("COUNT", "0"))) > 0:
        said.append("once" if count == 1 else f"{count} times")
    return " ".join(said)


def _days(parts: dict[str, str]) -> list[str]:
    """Days of the week or of the month, such as "the last Friday" and "the 15th"."""
    days = [found for day in parts.get("BYDAY", "").split(",") if (found := _DAY.fullmatch(day)) and found[2] in _DAYS]
    ranked = [(_number(day[1]), _DAYS[day[2]]) for day in days]
    place = _number(parts.get("BYSETPOS", ""))
    if place in _RANKS and days:  # of all the days that are meant
        names = [name for _, name in ranked]
        ranked = [(place, "working day" if names == [*WEEKDAYS[:5]] else " or ".join(names))]
    said = [f"the {_RANKS[rank]} {name}" if rank in _RANKS else name for rank, name in ranked]
    return said + [_of_month(_number(day)) for day in parts.get("BYMONTHDAY", "").split(",") if day]


def _of_month(day: int) -> str:
    if day < 0:
        return f"the {_RANKS.get(day, f'{-day}th to last')} day"
    ending = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"the {day}{ending}"


def _months(value: str) -> list[str]:
    return [MONTHS[number - 1] for month in value.split(",") if 0 < (number := _number(month)) <= len(MONTHS)]


def _number(value: str) -> int:
    return int(value) if re.fullmatch(r"[+-]?\d{1,6}", value.strip()) else 0


def _listed(things: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(things[:-1]), things[-1])))

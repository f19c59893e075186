"""Days and times of calendars as people say them: Tuesday 27 May 2031, 16:00 to 16:30."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from polyhop.documents.loaders.content_lines import ContentLine
from polyhop.english.dates import WEEKDAYS, in_words

_MOMENT: Final = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")
_LENGTH: Final = re.compile(r"\+?P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,5})S)?)?")
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class CalendarTime:
    """A day, with the time where it is not about all of it; ``zone``: where that is no time of the calendar itself."""

    day: date
    clock: time | None = None
    zone: str = ""

    def after(self, length: timedelta) -> CalendarTime:
        """The moment so much later. Raises OverflowError."""
        if self.clock is None:
            return CalendarTime(self.day + length, None, self.zone)
        later = datetime.combine(self.day, self.clock) + length
        return CalendarTime(later.date(), later.time(), self.zone)

    @property
    def hour(self) -> str:
        """The time, as on a clock; empty where the moment is a day."""
        return "" if self.clock is None else f"{self.clock:%H:%M}"

    def __str__(self) -> str:
        day = f"{WEEKDAYS[self.day.weekday()]} {in_words(self.day)}"
        return ", ".join(filter(None, (day, self.hour))) + (f" ({self.zone})" if self.zone else "")


def moments(line: ContentLine | None, own_zone: str) -> list[CalendarTime]:
    """The days and times of a line, which may list several; those that are none are left out."""
    if line is None:
        return []
    found = (_moment(value, line.parameters.get("TZID", ""), own_zone) for value in line.value.split(","))
    return [moment for moment in found if moment is not None]


def length_of(value: str) -> timedelta:
    """How long something takes that lasts so long (``PT1H30M``); nothing for what says no length."""
    found = _LENGTH.fullmatch(value.strip())
    weeks, days, hours, minutes, seconds = (int(number or 0) for number in found.groups()) if found else (0,) * 5
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def span(begin: CalendarTime, end: CalendarTime | None) -> str:
    """From when to when; an end that is a day is the first one behind it, as calendars have it."""
    last = end
    if end is not None and end.clock is None:
        last = CalendarTime(end.day - _DAY) if end.day > begin.day else None
    if last is None or last == begin:
        return str(begin)
    if (last.day, last.zone) == (begin.day, begin.zone) and None not in (begin.clock, last.clock):
        return str(begin).replace(begin.hour, f"{begin.hour} to {last.hour}", 1)
    return f"{begin} to {last}"


def _moment(value: str, zone: str, own_zone: str) -> CalendarTime | None:
    found = _MOMENT.fullmatch(value.strip().partition("/")[0])  # of a period, when it begins
    if found is None:
        return None
    try:
        day = date(int(found[1]), int(found[2]), int(found[3]))
        if found[4] is None:
            return CalendarTime(day)
        clock = time(int(found[4]), int(found[5]))
    except ValueError:
        return None
    if found[7] == "Z":
        return _at_home(datetime.combine(day, clock, UTC), own_zone)
    return CalendarTime(day, clock, found[7] or ("" if zone == own_zone else zone))


def _at_home(moment: datetime, zone: str) -> CalendarTime:
    """A time of the whole world as clocks of the calendar's own place show it, where that is known."""
    try:
        there = moment.astimezone(ZoneInfo(zone))
    except (KeyError, ValueError, OSError, OverflowError):
        return CalendarTime(moment.date(), moment.time(), "UTC")
    return CalendarTime(there.date(), there.time())

"""The dates and times of day that chats write before what is said, as something that can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import pairwise
from typing import Final, NamedTuple

from polyhop.english.dates import MONTH, NTH, WEEKDAY, month_number

MARKS: Final = "[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]{0,4}"
"""The invisible marks that chats write around names and dates, as a pattern."""

_WORDED: Final = (
    rf"(?:{WEEKDAY}\.?,?\s{{1,2}})?"
    rf"(?:{NTH}\s(?:of\s)?{MONTH}\.?,?\s\d{{4}}|{MONTH}\.?\s{NTH},?\s\d{{4}})"
)
_PART: Final = "[\u200e\u200f]?[./-]"  # between numbers; Arabic has marks there
_NUMERIC: Final = (
    rf"\d{{4}}{_PART}\d{{1,2}}{_PART}\d{{1,2}}|\d{{1,2}}{_PART}\d{{1,2}}{_PART}(?:\d{{4}}|\d{{2}})|\d{{8}}"
    r"|\d{4}年\d{1,2}月\d{1,2}日|\d{4}년\s?\d{1,2}월\s?\d{1,2}일|\d{4}\.\s\d{1,2}\.\s\d{1,2}\."
)
DAY: Final = rf"(?:(?<!\d)(?:{_NUMERIC})(?!\d)|\b{_WORDED})"
"""A date with its year, as a pattern without groups."""

_MORNING: Final = "오전|午前|上午|凌晨|早上"  # before the time
_LATER: Final = "오후|午後|下午|中午|晚上"
_HALF_BEFORE: Final = rf"(?:(?:{_MORNING}|{_LATER})\s?)?"
_HALF: Final = r"(?:\s?(?:[aApP](?:\.\s?[mM]\.|[mM]\b)|[صم](?!\w)))?"
CLOCK: Final = rf"{_HALF_BEFORE}\d{{1,3}}:\d{{2}}(?::\d{{2}})?(?:[.,]\d{{1,3}})?{_HALF}"
"""A time of day, or of a recording, as a pattern without groups."""

_CLOCK_BESIDE: Final = (  # "17.30" beside a date
    rf"{_HALF_BEFORE}\d{{1,2}}[:.h]\d{{2}}(?:[:.]\d{{2}})?(?:[.,]\d{{1,3}})?{_HALF}"
)
_ZONE: Final = r"(?:Z|\s?(?:UTC|GMT)|\s?[+-]\d{2}:?\d{2})?"
_BETWEEN: Final = r"(?:[,،]?\s(?:(?:at|à|às|um|a las|alle)\s)?|[,،]|T|_)\s?"
STAMP: Final = rf"(?:{DAY}{_BETWEEN}{_CLOCK_BESIDE}(?!\d){_ZONE}|{_CLOCK_BESIDE}(?!\d),?\s{{1,2}}{DAY})"
"""A date with a time of day, in either order, as a pattern without groups."""

_DAY_NAME: Final = (  # behind a date: "(水)", "수요일"
    rf"(?:\s?[(（]?(?:{WEEKDAY}|[月火水木金土日](?:曜日?)?|(?:星期|周)[一二三四五六日天]|[월화수목금토일](?:요일)?)[)）]?)?"
)
SEPARATOR: Final = re.compile(
    rf"{MARKS}(?:[-–—=_*•#]{{1,20}}\s{{0,3}})?(?:Day changed(?: to)? )?(?P<time>{DAY})"
    rf"{_DAY_NAME}(?:\s{{0,3}}[-–—=_*•]{{1,20}})?{MARKS}\s*"
)
"""A line that is nothing but a date: the day of what follows it."""

_DATED: Final = re.compile(DAY)
_NUMBERS: Final = re.compile(r"\d+")
_WORD: Final = re.compile(MONTH)
_TIME: Final = re.compile(r"(?<![\d./-])(\d{1,2})[:.h](\d{2})(?![\d/-])(?:\s?([aApP])\.?\s?[mM])?")
_HALVES: Final = re.compile(r"(?<!\d)(\d{1,2})[:.h](\d{2})(?:[:.]\d{2})?(?:[.,]\d{1,3})?\s?([aApP])\.?\s?[mM]")
_IN_THE_MORNING: Final = re.compile(rf"{_MORNING}|\d\s?ص(?!\w)")
_IN_THE_AFTERNOON: Final = re.compile(rf"{_LATER}|\d\s?م(?!\w)")
_OF_THIS_CENTURY: Final = 70  # "69" is 2069, and "70" is 1970
_MONTHS_A_YEAR: Final = 12
_NOON: Final = 12


class _Day(NamedTuple):
    """A date in numbers; the day and the month in the order in which they are written where that is open."""

    year: int
    first: int
    second: int
    is_open: bool  # whether it may be day first or month first


def is_dated(written: str) -> bool:
    """Whether a time names its day."""
    return _DATED.search(written) is not None


def is_month_first(written: Iterable[str]) -> bool:
    """Whether dates such as ``2/4/31``, given in the order of the text, are to be read month first.

    One that has to be read so decides, unless another cannot be. Where each may be read either way, they are read so if
    only then they are in order, the oldest or the newest first.
    """
    days = [day for text in written if (day := _day_in(text)) is not None and day.is_open]
    if any(day.first > _MONTHS_A_YEAR for day in days):
        return False
    if any(day.second > _MONTHS_A_YEAR for day in days):
        return True
    return _in_order([(day.year, day.first, day.second) for day in days]) and not _in_order(
        [(day.year, day.second, day.first) for day in days]
    )


def day_of(written: str, *, month_first: bool = False) -> str:
    """The day in a time, as eight digits; nothing where it names none, or one that no calendar has."""
    day = _day_in(written)
    if day is None:
        return ""
    month, number = day.first, day.second
    if day.is_open and (month > _MONTHS_A_YEAR or (not month_first and number <= _MONTHS_A_YEAR)):
        month, number = number, month
    try:
        date(day.year, month, number)
    except ValueError:
        return ""
    return f"{day.year:04}{month:02}{number:02}"


def minute_of(written: str) -> int:
    """The minute of the day in a time, 0 to 1439; -1 where it tells none."""
    clock = _HALVES.search(written) or _TIME.search(_DATED.sub(" ", written))
    if clock is None:
        return -1
    hour, minute, half = int(clock[1]), int(clock[2]), (clock[3] or "").lower() or _half_in(written)
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    return hour * 60 + minute if hour < 24 and minute < 60 else -1


def _half_in(written: str) -> str:
    """The half of the day that a time names in other words than ours, as "a" or "p"; nothing where it names none."""
    if _IN_THE_MORNING.search(written):
        return "a"
    return "p" if _IN_THE_AFTERNOON.search(written) else ""


def _in_order(days: Sequence[tuple[int, int, int]]) -> bool:
    return all(one <= other for one, other in pairwise(days)) or all(one >= other for one, other in pairwise(days))


def _day_in(written: str) -> _Day | None:
    found = _DATED.search(written)
    if found is None:
        return None
    numbers = _NUMBERS.findall(found[0])
    word = _WORD.search(found[0])
    if word is not None:
        return _Day(int(numbers[1]), month_number(word[0]), int(numbers[0]), is_open=False)
    if len(numbers) == 1:
        return _Day(int(numbers[0][:4]), int(numbers[0][4:6]), int(numbers[0][6:]), is_open=False)
    first, second, third = map(int, numbers)
    if len(numbers[0]) == len("2031"):
        return _Day(first, second, third, is_open=False)
    year = third if len(numbers[2]) > 2 else third + (2000 if third < _OF_THIS_CENTURY else 1900)
    return _Day(year, first, second, is_open=True)

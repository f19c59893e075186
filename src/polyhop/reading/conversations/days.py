"""Which day a conversation means by "yesterday", "next Saturday" or "March 7th", told from the day it took place."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from polyhop.english.answer_type import AnswerType, answer_type
from polyhop.english.dates import DATE, MONTH, WEEKDAYS, calendar_day, month_number
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.pointing import Pointed

_WEEKDAYS: Final = tuple(day.lower() for day in WEEKDAYS)
_FULL: Final = re.compile(r"\b\d{4}\b")
_HALF_A_YEAR: Final = 183  # days: not every year has a 29 February, and that of another one is not meant
_STATED: Final = re.compile(
    rf"{DATE.pattern}|\b(?:{'|'.join(_WEEKDAYS)}|yesterday|today|tonight|tomorrow|ago"
    rf"|(?:last|this|next) (?:night|morning|week|weekend|month|year|spring|summer|autumn|fall|winter|{MONTH}))\b",
    re.IGNORECASE,
)


def _weekday(match: re.Match[str], said: date) -> date:
    """The weekday as most say it: "this" and a bare one are the next to come, today counts."""
    ahead = (_WEEKDAYS.index(match["day"].lower()) - said.weekday()) % 7
    match (match["which"] or "").lower():
        case "next":
            return said + timedelta(days=_WEEKDAYS.index(match["day"].lower()) - said.weekday() + 7)
        case "last":
            return said - timedelta(days=(7 - ahead) or 7)
        case _:
            return said + timedelta(days=ahead)


def _nearest(match: re.Match[str], said: date) -> date:
    """The day of a month in the year in which it is nearest. Raises ValueError where no such day is near."""
    written = f"{month_number(match['month']):02}{int(match['day']):02}"
    years = (calendar_day(f"{said.year + step:04}{written}") for step in (-1, 0, 1))
    near = (day for day in years if day is not None and abs((day - said).days) <= _HALF_A_YEAR)
    return min(near, key=lambda day: abs((day - said).days))


_RULES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], date]], ...]] = (
    (re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", re.IGNORECASE), lambda _, said: said),
    (re.compile(r"\btomorrow\b", re.IGNORECASE), lambda _, said: said + timedelta(days=1)),
    (re.compile(r"\b(?:yesterday|last night)\b", re.IGNORECASE), lambda _, said: said - timedelta(days=1)),
    (re.compile(rf"\b(?:(?P<which>this|next|last)\s+)?(?P<day>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE), _weekday),
    (re.compile(rf"\b(?P<month>{MONTH})\.? (?P<day>\d{{1,2}})(?!\d|:)", re.IGNORECASE), _nearest),
    (re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{MONTH})\b", re.IGNORECASE), _nearest),
)


def meant_day(text: str, said_on: str) -> date | None:
    """The one day that a time such as "this Saturday at 7 PM" means; ``said_on``: the conversation's day, eight digits.

    None where it names a year itself, no single day or one that no near year has, and where the conversation's day is
    unknown.
    """
    said = calendar_day(said_on)
    if said is None:
        return None
    try:
        found = {rule(match, said) for pattern, rule in _RULES for match in pattern.finditer(text)}
    except ValueError:  # there is no such day
        return None
    return found.pop() if len(found) == 1 and not _FULL.search(text) else None


def states_time(text: str) -> bool:
    """Whether a text says of what day, month or year it speaks."""
    return _STATED.search(text) is not None


def with_the_day(question: str, answer: Pointed) -> str:
    """An answer, with the day that it means behind it: "this Saturday (2031-02-08)", where a time is asked for."""
    spoken = SpokenPassage.of(answer.quote.passage) if answer.quote is not None else None
    if answer.quote is None or spoken is None or answer_type(question) is not AnswerType.DATE:
        return answer.text
    turn = spoken.turn_of(answer.quote)
    day = meant_day(answer.text, turn.date) if turn is not None else None
    return answer.text if day is None else f"{answer.text} ({day.isoformat()})"

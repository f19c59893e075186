"""What a question asks of conversations as such: when something was said, or what all of a day's talk was about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.documents.conversations.stamps import DAY, day_of, is_dated, minute_of
from polyhop.english.events import SPEECH
from polyhop.english.verbs import base_form
from polyhop.english.words import word_set
from polyhop.indexes.folding import tokens

_DATE: Final = re.compile(DAY)
_CLOCK: Final = re.compile(r"\bat (?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?:\s?(?P<half>[ap])\.?m\b)?", re.IGNORECASE)
_ANY_CLOCK: Final = re.compile(
    r"\b(?:at|around|from)?\s*\d{1,2}(?:[:.]\d{2})?\s*(?:[ap]\.?m\b\.?|o'clock)?", re.IGNORECASE
)
_WHOLE: Final = frozenset(
    tokens(
        "what which was were is are did do does have has had been the a an of in on at about between and with to for "
        "we they them us i he she there tell me main topic topics subject theme gist conversation conversations chat "
        "chats group discussion call meeting talk talked talking discuss discussed speak spoke said happen happened "
        "going summarise summarize summary"
    )
)
"""Words with which a whole conversation is asked for, and nothing that is said in it."""

_DONE: Final = word_set("celebrate finish give join receive visit volunteer")  # of SPEECH, but not by speaking
_PAST: Final = ("did", "does", "was", "has")
_OBJECT: Final = 4  # words behind a verb of saying, among which a clause would begin
_CLAUSE: Final = ("is", "are", "was", "will", "can", "that")


def said_when(question: str) -> str | None:
    """What a question asks the time of, where it asks when something was said or asked for; else None.

    ``When did Ada ask Tom for a ladder?`` does, and ``When did Ada paint her boat?`` asks for a time that is told.
    """
    found = _said(question)
    return None if found is None else found[0]


def told_as_done(question: str) -> bool:
    """Whether that is something that is done elsewhere, and told afterwards: "When did Ada visit Rome?"."""
    found = _said(question)
    return found is not None and found[1] in _DONE


def _said(question: str) -> tuple[str, str] | None:
    """What a question asks the time of, as it is looked for, and its verb."""
    words = question.rstrip(" ?").split()
    low = [word.strip(",.?!\"'“”").lower() for word in words]
    at = low.index("when") if "when" in low else len(low)
    rest = low[at + 1 :]
    if not rest or rest[0] not in _PAST:
        return None
    said = next((place for place, word in enumerate(rest) if base_form(word) in SPEECH or word in SPEECH), None)
    if said is None or any(word in _CLAUSE for word in rest[said + 1 : said + 1 + _OBJECT]):
        return None
    return " ".join([*words[:at], *words[at + 2 :]]), base_form(rest[said])


def asks_of_all(question: str, names: Sequence[str]) -> bool:
    """Whether a question asks what a conversation of a day is about, rather than for something that is said in it.

    ``names``: of those who speak in it.
    """
    if not is_dated(question):
        return False
    said = set(tokens(_ANY_CLOCK.sub(" ", _DATE.sub(" ", question))))
    return said <= _WHOLE.union(*(tokens(f"{name} {name.replace(' ', '')}") for name in names))


def days_in(text: str) -> tuple[str, ...]:
    """The days that a text names, as eight digits; both, where it is open which number is the month."""
    written = dict.fromkeys(match[0] for match in _DATE.finditer(text))
    read = [day_of(date, month_first=first) for date in written for first in (False, True)]
    return tuple(dict.fromkeys(filter(None, read)))


def minute_in(question: str) -> int:
    """The minute of the day that a question names beside a day, -1 where it names none; "5 PM" is one."""
    if _DATE.search(question) is None:
        return -1
    found = _CLOCK.search(question)
    if found is None:
        return minute_of(question)
    hour = int(found["hour"])
    if half := (found["half"] or "").lower():
        hour = hour % 12 + 12 * (half == "p")
    return hour * 60 + int(found["minute"] or 0)

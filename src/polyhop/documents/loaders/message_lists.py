"""Exports of chats as JSON, a list of messages, as lines that a conversation is read from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from polyhop.documents.conversations.speakers import LONGEST_NAME
from polyhop.documents.conversations.stamps import STAMP
from polyhop.documents.conversations.transcripts import transcript_of
from polyhop.documents.loaders import fields
from polyhop.documents.loaders.mail_headers import day_and_time
from polyhop.documents.loaders.objects import named, shown
from polyhop.documents.loading import one_line

# How exports call who says something, when and what; the first of them that says it counts.
_AUTHORS: Final = (
    "user_profile",
    "author",
    "sender",
    "from",
    "creator",
    "user",
    "sender_name",
    "user_name",
    "username",
)
_TIMES: Final = (
    *("ts", "timestamp", "timestamp_ms", "time", "datetime", "date_time", "date", "sent_at", "created_at"),
    *("created_date", "created_date_time"),
)
_TEXTS: Final = ("text", "content", "message", "body")
_MOST: Final = 0.5  # of the objects, more than which are messages
_DISTINCT: Final = 0.75  # authors for each message, at most, where there are several: those of posts differ
_SEVERAL: Final = 4
_EPOCH: Final = (1e8, 1e11)  # seconds since 1970: from 1973 on; a thousand times as many are milliseconds
_CLOCK: Final = re.compile(r"\d[:.h]\d{2}")
_STAMP: Final = re.compile(STAMP)
_MENTION: Final = re.compile(r"<@(\w{1,40})(?:\|[^<>\n]{0,60})?>")
_LINK: Final = (
    re.compile(  # as Slack writes links and calls: "<https://mill.example|the mill>", "<#C1|gates>", "<!here>"
        r"<(?:[#!]|(?:https?|mailto|tel):)[^<>|\n]{0,2000}\|(?P<said>[^<>\n]{1,300})>"
        r"|<(?P<bare>(?:https?|mailto|tel):[^<>|\n]{1,2000})>|<!(?P<call>here|channel|everyone)>"
    )
)
_NO_NAME: Final = re.compile(r"[:：<>\[\](){}\"“”|=;!?/\\#*\s]+")


@dataclass(frozen=True, slots=True)
class _Message:
    who: str
    by: str  # the id of who says it, as others mention them
    when: str
    moment: float  # in seconds, by which messages are in order; 0 where the time is not known so well
    said: str
    escaped: bool  # whether three signs are entities, so that links and mentions can stand in angle brackets


def conversation_in(items: Sequence[object]) -> str | None:
    """The lines of a conversation, the oldest message first; None where a list is none.

    Most of its objects have an author, a time of day and a text, and no title, and some of their authors come back.
    """
    messages = [message for item in items if isinstance(item, Mapping) and (message := _message(item))]
    authors = {message.who for message in messages}
    if len(messages) <= _MOST * len(items) or (len(messages) >= _SEVERAL and len(authors) > _DISTINCT * len(messages)):
        return None
    if all(message.moment for message in messages):
        messages.sort(key=lambda message: message.moment)
    names = {message.by: message.who for message in messages}
    text = "\n".join(_written(messages, names))
    return text if transcript_of(text) is not None else None


def _message(item: Mapping[str, object]) -> _Message | None:
    if named(item, fields.TITLES):
        return None
    keys = tuple(item)
    said = next((text for key in fields.bearing(keys, _TEXTS) if (text := _text(item[key]))), "")
    who = next((name for key in fields.bearing(keys, _AUTHORS) if (name := _name(item[key]))), "")
    when, moment = next((time for key in fields.bearing(keys, _TIMES) if (time := _time(item[key]))), ("", 0.0))
    if not (said and who and when):
        return None
    by = shown(item["user"]) if "user" in item else None
    return _Message(who, by or who, when, moment, said, escaped="ts" in item)


def _text(value: object) -> str:
    """What is said, which may be in pieces, some of them formatted."""
    if isinstance(value, list):
        return "".join(map(_text, value)).strip("\n")
    if isinstance(value, Mapping):
        return next((text for key in fields.bearing(tuple(value), _TEXTS) if (text := _text(value[key]))), "")
    return value.strip("\n") if isinstance(value, str) and value.strip() else ""


def _name(value: object) -> str:
    """Somebody's name without the signs that part it from what is said; of an object the one in it."""
    if isinstance(value, Mapping):
        own = named(value, fields.NAMES)
        inner = (_name(named(one, fields.NAMES)) for one in value.values() if isinstance(one, Mapping))
        return _name(own) if own else next(filter(None, inner), "")
    return _NO_NAME.sub(" ", shown(value) or "").strip()[:LONGEST_NAME].strip()


def _time(value: object) -> tuple[str, float] | None:
    """A time of day with its date as people write it, and when it was; None for anything else."""
    said = shown(value) or ""
    try:
        number = float(said)
    except ValueError:
        return _written_time(said)
    low, high = _EPOCH
    seconds = number / 1000 if number >= high else number
    return _shown(datetime.fromtimestamp(seconds, UTC)) if low <= seconds < high else None


def _written_time(said: str) -> tuple[str, float] | None:
    if not _CLOCK.search(said):
        return None
    try:
        return _shown(datetime.fromisoformat(said))
    except ValueError:
        return (said, 0.0) if _STAMP.fullmatch(said) else None


def _shown(moment: datetime) -> tuple[str, float]:
    """A day in words and the time of day, which stays that of its own zone."""
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return day_and_time(moment), known.timestamp()


def _written(messages: Sequence[_Message], names: Mapping[str, str]) -> Iterator[str]:
    """The messages as turns, with names for ids; without notices that somebody came or went."""
    for message in messages:
        first = _MENTION.match(message.said)
        if first is None or first[1] != message.by:
            said = _MENTION.sub(lambda mention: f"@{names.get(mention[1], mention[1])}", message.said)
            yield f"[{message.when}] {one_line(message.who)}: {_unescaped(said) if message.escaped else said}"


def _unescaped(said: str) -> str:
    """A message of Slack as people see it: of links what they say, and signs for entities."""
    plain = _LINK.sub(lambda link: link["said"] or link["bare"] or f"@{link['call']}", said)
    return plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")

"""Exports of chats as JSON, a list of messages, as lines that a conversation is read from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
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
_BYTES: Final = re.compile(r"(?<!\\)(?:\\u00[89a-fA-F][0-9a-fA-F]){2,}")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
_LARGEST: Final = 1 << 26  # bytes of a list of members
NOBODY: Final[Mapping[str, str]] = MappingProxyType({})
_NO_NAME: Final = re.compile(r"[:：<>\[\](){}\"“”|=;!?/\\#*\s]+")


@dataclass(frozen=True, slots=True)
class _Message:
    who: str
    by: str  # the id of who says it, as others mention them
    when: str
    moment: float  # in seconds, by which messages are in order; 0 where the time is not known so well
    said: str
    escaped: bool  # whether three signs are entities, so that links and mentions can stand in angle brackets


def as_meant(text: str) -> str:
    r"""JSON without the mistake of Facebook's and Instagram's exports: é is written as its bytes, as \u00c3\u00a9."""
    if '"sender_name"' not in text or '"timestamp_ms"' not in text:
        return text
    return _BYTES.sub(lambda found: _decoded(found[0]), text)


def _decoded(escapes: str) -> str:
    try:
        return bytes.fromhex(escapes.replace(r"\u00", "")).decode("utf-8")
    except UnicodeDecodeError:
        return escapes


def members_beside(path: Path) -> Mapping[str, str]:
    """Of a day of a channel of Slack, whose file is called by its date, the names that the export has by ids."""
    file = path.parent.parent / "users.json"
    try:
        told = file.stat() if _DAY.fullmatch(path.name) else None
        return _members(file, told.st_mtime_ns) if told and told.st_size <= _LARGEST else {}
    except (OSError, ValueError, TypeError, RecursionError):
        return {}


@lru_cache(maxsize=4)
def _members(file: Path, _changed: int) -> Mapping[str, str]:
    told = json.loads(file.read_bytes())
    rows = [row for row in told if isinstance(row, Mapping) and isinstance(row.get("id"), str)]
    return {row["id"]: name for row in rows if (name := _name(row.get("profile")) or _name(row))}


def conversation_in(items: Sequence[object], members: Mapping[str, str] = NOBODY) -> str | None:
    """The lines of a conversation, the oldest message first; None where a list is none.

    ``members``: names by the ids that stand in messages.

    Most of its objects have an author, a time of day and a text, and no title, and some of their authors come back.
    """
    found = (_message(item) for item in items if isinstance(item, Mapping))
    messages = [replace(one, who=members.get(one.who, one.who)) for one in found if one is not None]
    authors = {message.who for message in messages}
    if len(messages) <= _MOST * len(items) or (len(messages) >= _SEVERAL and len(authors) > _DISTINCT * len(messages)):
        return None
    if all(message.moment for message in messages):
        messages.sort(key=lambda message: message.moment)
    names = {**members, **{message.by: message.who for message in messages}}
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

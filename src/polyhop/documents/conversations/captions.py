"""Captions of a recording (WebVTT, SubRip): stretches of time, and under each of them who says what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from polyhop.documents.conversations.speakers import LONGEST_NAME, is_label, is_named, spoken
from polyhop.documents.conversations.turn_lines import Turn, TurnDraft

_MOMENT: Final = r"(?:\d{1,3}:)?\d{2}:\d{2}[.,]\d{3}"
_TIMES: Final = re.compile(rf"\s{{0,3}}(?P<time>{_MOMENT})\s{{1,3}}-->\s{{1,3}}{_MOMENT}")
_VOICE: Final = re.compile(r"\s{0,3}<v(?:\.[^\s>]{1,40})?\s{1,3}(?P<name>[^\s>\r\n][^>\r\n]{0,60})>\s{0,3}")
_NAMED: Final = re.compile(
    r"\s{0,3}(?:[-–—]\s{0,2})?(?P<name>[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,3})"
    r"(?: ?\([^)\n]{1,30}\))?\s?[:：](?!//)\s{0,3}"
)
_CLOSED: Final = re.compile(r"</v>\s*\Z")


def caption_draft(lines: Sequence[tuple[int, str]]) -> TurnDraft | None:
    """The turns in captions, each timed by the beginning of its caption; None where there are none that say who speaks.

    A caption without a speaker goes on with what the one before it says, and is a turn of its own.
    """
    draft = TurnDraft()
    time = (0, 0)
    end_of_last, fresh = -1, False  # where the line before ended; whether this caption has said nothing yet
    for start, line in lines:
        times = _TIMES.match(line)
        if times is not None:
            time = (start + times.start("time"), start + times.end("time"))
            end_of_last, fresh = start + len(line), True
            continue
        if start != end_of_last:
            continue  # after a blank line: the number of the next caption, or a comment
        end_of_last = start + len(line)
        draft.lines += 1
        turn = _turn(start, line)
        if turn is None and fresh and draft.turns:
            last = draft.turns[-1]
            begin = start + len(line) - len(line.lstrip())
            turn = last._replace(start=begin, end=begin + len(_CLOSED.sub("", line.strip())))
        if turn is not None:
            draft.add(turn._replace(time_start=time[0], time_end=time[1]), (0, 0))
        elif draft.turns:
            draft.extend(start, start + len(_CLOSED.sub("", line.rstrip())))
        fresh = False
    return draft if draft.turns else None


def is_marked(text: str, turn: Turn) -> bool:
    """Whether the name of who speaks is marked as such: ``<v Ada>`` in captions, ``<ada>`` in chats."""
    return text[turn.name_end : turn.name_end + 1] == ">"


def _turn(start: int, line: str) -> Turn | None:
    match = _VOICE.match(line) or _NAMED.match(line)
    if match is None or len(match["name"]) > LONGEST_NAME:
        return None
    name = match["name"].rstrip()
    if match.re is _NAMED and (is_label(name) or not is_named(name)):
        return None
    at = start + match.start("name")
    said = _CLOSED.sub("", line.rstrip())
    return Turn(spoken(name), at, at + len(name), start + match.end(), max(start + len(said), start + match.end()))

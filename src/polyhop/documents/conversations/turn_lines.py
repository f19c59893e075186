"""The lines that begin a turn, in each of the ways in which chats, their exports and transcripts write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple

from polyhop.documents.conversations.speakers import LONGEST_NAME, is_label, is_named, may_speak, spoken
from polyhop.documents.conversations.stamps import CLOCK, DAY, MARKS, SEPARATOR, STAMP

Trust = Literal["sure", "likely", "unsure"]
"""How much a line tells by itself: a date, a time and a name; a time and a name; or what labels look like too."""

Span = tuple[int, int]

_COLON: Final = rf"{MARKS}\s?[:：]\s*{MARKS}"
_WIDE: Final = (  # what phones let people call themselves
    r"(?P<name>[^\s:：<>\[\](){}\"“”|=;!?/\\#*-][^:：<>\[\]{}\"“”|=;!?/\\\r\n\t]{0,39}?)"
)
_ROLE: Final = r"(?: ?\([^)\n]{1,30}\))?"
_HALF_DAY: Final = r"\d{1,2}:\d{2}(?::\d{2})?\s?[aApP]\.?\s?[mM]\b"
_EVENT: Final = r"(?:\*{1,3}|-!-|-->|<--|---?|=-=)\s"


@dataclass(frozen=True, kw_only=True)
class Form:
    """A way to write turns."""

    opens: str  # an expression for a line up to what is said; groups name and, where it writes one, time
    trust: Trust
    admits: Callable[[str], bool] = may_speak  # who may be a speaker
    notices: str | None = None  # an expression for lines that nobody says
    has_days: bool = True  # whether days stand on lines of their own
    needs_day: bool = False  # whether a day stands before the first turn
    ahead: int = 3  # lines before the first turn, at most: the end of a turn that was cut off

    @cached_property
    def opening(self) -> re.Pattern[str]:
        """The line of a turn; compiled when a text is first looked at, for most commands look at none."""
        return re.compile(self.opens)

    @cached_property
    def notice(self) -> re.Pattern[str] | None:
        """The line that nobody says."""
        return None if self.notices is None else re.compile(self.notices)


class Turn(NamedTuple):
    """What one speaker says at a time: the offsets of the name and of what follows it.

    The name may stand before an earlier turn: where a caption goes on, or a new day begins within what somebody says.
    """

    speaker: str  # as a question says it
    name_start: int
    name_end: int
    start: int
    end: int
    time_start: int = 0  # where its own time is written; 0, 0 where it has none
    time_end: int = 0
    date: str = ""  # the day on which it was said, as eight digits, or nothing
    minute: int = -1  # of that day, or -1


@dataclass(slots=True)
class TurnDraft:
    """The turns of a text as far as its lines tell."""

    turns: list[Turn] = field(default_factory=list)
    days: list[Span] = field(default_factory=list)  # for each turn the date on a line of its own before it, or 0, 0
    lines: int = 0  # that are not blank, days and notices not counted
    ahead: int = 0  # characters before the first turn that are no part of a conversation

    def add(self, turn: Turn, day: Span) -> None:
        """Another turn."""
        self.turns.append(turn)
        self.days.append(day)

    def extend(self, start: int, end: int) -> None:
        """More of what is said last: the non-blank stretch of a line."""
        last = self.turns[-1]
        self.turns[-1] = last._replace(start=start if last.end <= last.start else last.start, end=end)


def _is_named_speaker(name: str) -> bool:
    return is_named(name) and may_speak(name)


PLAIN: Final = Form(
    opens=(
        r"(?:[\[(][^\])\n]{1,40}[\])]\s*)?@?(?P<name>[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,3})"
        rf"{_ROLE}\s?[:：](?!//)\s*"
    ),
    trust="unsure",
    admits=lambda name: not is_label(name),
    ahead=0,
)
"""``Ada: text``"""

FORMS: Final = (
    Form(  # "2031년 3월 12일 오전 10:03, 은서 : text"
        opens=(
            rf"{MARKS}(?P<time>\d{{4}}(?:년\s\d{{1,2}}월\s\d{{1,2}}일|\.\s\d{{1,2}}\.\s\d{{1,2}}\.)\s{CLOCK}),\s{_WIDE}{_COLON}"
        ),
        trust="sure",
        notices=rf"{MARKS}\d{{4}}년\s\d{{1,2}}월\s\d{{1,2}}일\s{CLOCK}(?:\s*\Z|[,:]\s)",
    ),
    Form(  # "[12.03.31, 17:30:05] Ada: text"
        opens=rf"{MARKS}[\[(](?P<time>{STAMP}|{DAY})[\])]{MARKS}\s{{0,3}}{MARKS}{_WIDE}{_ROLE}{_COLON}",
        trust="sure",
        notices=rf"{MARKS}[\[(](?:{STAMP}|{DAY})[\])]\s",
        has_days=False,
    ),
    Form(  # "12/03/2031, 17:30 - Ada: text"
        opens=rf"{MARKS}(?P<time>{STAMP})\s{{0,3}}(?:[-–—:|]\s{{0,3}})?{MARKS}{_WIDE}{_ROLE}{_COLON}",
        trust="sure",
        notices=rf"{MARKS}{STAMP}\s{{0,3}}[-–—]\s",
        has_days=False,
    ),
    Form(  # "[은서] [오전 10:03] text"
        opens=rf"{MARKS}\[(?P<name>[^\[\]\r\n\t]{{1,40}})\]\s\[(?P<time>{CLOCK})\]\s",
        trust="likely",
        needs_day=True,
    ),
    Form(  # "10:03<tab>みちる<tab>text"
        opens=rf"{MARKS}(?P<time>{CLOCK})\t(?P<name>[^\t\r\n]{{1,40}})\t",
        trust="unsure",
        admits=_is_named_speaker,
        notices=rf"{MARKS}{CLOCK}\t[^\t\r\n]*\s*\Z",
        needs_day=True,
    ),
    Form(  # "Ada Brisk, [04.02.31 17:30]", the text below
        opens=rf"{MARKS}{_WIDE}{MARKS},\s?\[(?P<time>{STAMP}|{CLOCK})\]{MARKS}\s*\Z",
        trust="sure",
    ),
    Form(  # "[17:30] <ada> text"
        opens=(
            rf"{MARKS}\[?(?P<time>{STAMP}|{CLOCK})\]?\s{{1,2}}<[@+%&~!\s]?(?P<name>[^\s<>/=@+%&~!][^<>/=\r\n]{{0,29}})>\s+"
        ),
        trust="likely",
        notices=rf"{MARKS}\[?(?:{STAMP}|{CLOCK})\]?\s{{1,2}}{_EVENT}",
    ),
    Form(  # "[17:30] Ada: text"
        opens=(rf"{MARKS}[\[(](?P<time>{CLOCK})[\])]{MARKS}\s{{0,3}}(?:[-–—]\s)?{MARKS}{_WIDE}{_ROLE}{_COLON}"),
        trust="likely",
        notices=rf"{MARKS}[\[(]{CLOCK}[\])]\s",
    ),
    Form(  # "Ada Brisk  5:30 PM", the text below
        opens=(
            rf"{MARKS}{_WIDE}(?:\sAPP)?(?:\s{{2,6}}|\s?[—–|·•,]\s?|\s(?=\[|{STAMP}|{_HALF_DAY}))\[?"
            rf"(?:(?:Today|Yesterday) at )?(?P<time>{STAMP}|{CLOCK})\]?{MARKS}\s*\Z"
        ),
        trust="likely",
        admits=_is_named_speaker,
    ),
    Form(  # "[04.02.2031 17:30] Ada Brisk", the text below
        opens=rf"{MARKS}[\[(](?P<time>{STAMP}|{CLOCK})[\])]\s{{1,3}}{_WIDE}{MARKS}\s*\Z",
        trust="likely",
        admits=_is_named_speaker,
    ),
    Form(  # "00:03:15 Ada Brisk: text", "17:30:05 From Ada Brisk to Everyone: text"
        opens=(
            rf"{MARKS}(?P<time>{CLOCK})\s{{1,4}}(?:[-–—|]\s)?(?:From\s{{1,3}})?{_WIDE}"
            rf"(?:\s{{1,3}}to\s[^:：\r\n]{{1,60}})?{_ROLE}{_COLON}"
        ),
        trust="unsure",
        admits=_is_named_speaker,
    ),
    Form(  # "<ada> text"
        opens=rf"{MARKS}<[@+%&~!\s]?(?P<name>[^\s<>/=@+%&~!][^<>/=\r\n]{{0,29}})>\s+(?!.{{0,200}}</)",
        trust="unsure",
        notices=_EVENT,
    ),
    Form(  # "**Ada Brisk:** text"
        opens=rf"(?:\*\*|__){_WIDE}{_ROLE}\s?(?:[:：]\s?(?:\*\*|__)|(?:\*\*|__)\s?[:：])\s*",
        trust="unsure",
        admits=_is_named_speaker,
        ahead=0,
    ),
    PLAIN,
)


def drafted(form: Form, lines: Sequence[tuple[int, str]], *, dated: bool = False) -> TurnDraft | None:
    """The turns that lines (each with its offset) write in a form; None where they begin with something else.

    ``dated``: whether their day is known, and need not stand before them.
    """
    draft = TurnDraft()
    day, going, broken = (0, 0), False, False  # the day in force; whether somebody is speaking; and a new day began
    for start, line in lines:
        said = line.rstrip()
        opening = _opening(form, start, line)
        if opening is not None:
            draft.lines += 1
            draft.add(opening._replace(end=start + len(said)), day)
            going, broken = True, False
        elif form.notice is not None and form.notice.match(line):
            going = False
        elif form.has_days and (alone := SEPARATOR.fullmatch(said)):
            day, broken = (start + alone.start("time"), start + alone.end("time")), True
        elif not draft.turns:
            draft.lines += 1
            draft.ahead += len(said)
            if draft.lines > form.ahead:
                return None
        elif going:
            draft.lines += draft.turns[-1].start < draft.turns[-1].end  # the first line below a name belongs to it
            begin, end = start + len(said) - len(said.lstrip()), start + len(said)
            last = draft.turns[-1]
            if broken and last.start < last.end:  # the same one goes on, on another day
                draft.add(last._replace(start=begin, end=end, time_start=0, time_end=0), day)
            else:
                draft.days[-1] = day
                draft.extend(begin, end)
            broken = False
    return draft if draft.turns and (dated or not form.needs_day or draft.days[0] != (0, 0)) else None


def _opening(form: Form, start: int, line: str) -> Turn | None:
    """The beginning of a turn that ends where it begins, if a line is one."""
    match = form.opening.match(line)
    if match is None:
        return None
    name = match["name"].rstrip()
    lead = len(name) - len(name.lstrip("~ \u202f\xa0"))
    if not name[lead:] or len(name) > LONGEST_NAME or not form.admits(name[lead:]):
        return None
    if form is PLAIN and name[0].islower():
        return None
    timed = "time" in form.opening.groupindex
    at = start + match.start("name")
    return Turn(
        speaker=spoken(name[lead:]),
        name_start=at + lead,
        name_end=at + len(name),
        start=start + match.end(),
        end=start + match.end(),
        time_start=start + match.start("time") if timed else 0,
        time_end=start + match.end("time") if timed else 0,
    )

"""Transcripts: who says what in a text of lines like ``Ada: Good morning!``, and when."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Final

from polyhop.documents.conversations.captions import caption_draft, is_marked
from polyhop.documents.conversations.speakers import is_named
from polyhop.documents.conversations.stamps import DAY, day_of, is_dated, is_month_first, minute_of
from polyhop.documents.conversations.turn_lines import FORMS, Span, Trust, Turn, TurnDraft, drafted
from polyhop.types import Occasion, Passage

# A header line such as "Time: 2031-02-04 17:30".
_HEADER: Final = re.compile(
    r"(?:\[LINE\]\s|(?:time|date|datum|fecha|дата|日期|时间|保存日時|저장한 날짜|التاريخ|sent|subject|topic|channel"
    r"|group|participants?|saved on)\s*[:：]\s*)(\S.*)",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"(?<!\d)(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?!\d)")
_WRITTEN: Final = re.compile(DAY)
_CAPTIONS: Final = re.compile(r"\d{2}:\d{2}[.,]\d{3}\s{1,3}-->")
_LOOKED_AT: Final = 3000  # characters at the beginning in which captions show

_LINES: Final = 0.6  # of the lines that are not blank, those that begin a turn where nothing but a colon tells
_TIMED_LINES: Final = 0.15  # and where a time does: what is said then has several lines
_LINES_BELOW: Final = 0.3  # and where a clock without a day does
_FEWEST: Final = 3  # turns of a transcript that only names tell
_DISTINCT: Final = 0.75  # speakers for each turn, at most
_FIELDS: Final = 2.5  # of a record, on average
_SENTENCES: Final = 1 / 3  # of the turns, those that say more than a value does
_WORDS: Final = 5  # of a sentence without an end mark
_LETTERS: Final = 12  # of one in a script without spaces
_AHEAD: Final = 0.25  # of a text, what may stand before the first turn
_ASKED: Final = frozenset(("Q", "Question"))
_ANSWERED: Final = frozenset(("A", "Answer"))
_MYSELF: Final = re.compile(r"\b(?:I|I['’]\w+|me|my|we|our|us)\b")
_END: Final = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*\Z")
_NOTHING: Final = re.compile(
    r"(?:<Media omitted>|(?:image|video|audio|sticker|GIF|document|voice message|contact card) omitted"
    r"|<(?:Medien ausgeschlossen|Médias omis|Multimedia omitido|Media omessi|Mídia oculta"
    r"|Без медиафайлов|تم استبعاد الوسائط)>"
    r"|\[(?:スタンプ|写真|動画|ボイスメッセージ|Sticker|Photo|Video|스티커|사진|동영상)\]|사진|동영상|이모티콘"
    r"|<attached: [^>\n]{1,200}>|(?:This message was|You) deleted(?: this message)?\.?|Missed (?:voice|video) call\.?)",
    re.IGNORECASE,
)
_UNSEEN: Final = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff" + "".join(
    character for character in map(chr, range(0x3001)) if character.isspace()
)
_LETTER: Final = re.compile(r"[^\W\d_]|[^\w\s!-~]")  # or an emoji
_YEAR: Final = re.compile(r"\b(?:1[5-9]|20)\d\d[.)]{0,2}\Z")
_OF_A_RECORDING: Final = 10  # minutes within which a recording begins to be spoken in
_MILLISECONDS: Final = re.compile(r"[.,]\d{3}\Z")
_HALF_A_DAY: Final = 720  # minutes


@dataclass(frozen=True)
class Transcript:
    """A conversation: its turns in order, and where a header says when it took place (0, 0 where none does)."""

    turns: tuple[Turn, ...]
    time_start: int = 0
    time_end: int = 0
    date: str = ""  # as the header writes it, or nothing
    occasion: Occasion = Occasion()  # how its times were read; the day is that of the header

    @property
    def speakers(self) -> list[str]:
        """Those who speak, in the order in which they first do."""
        return list(dict.fromkeys(turn.speaker for turn in self.turns))


def transcript_of(text: str, occasion: Occasion | None = None) -> Transcript | None:
    """The conversation that a text writes down, or nothing where it is prose; takes linear time, and is never an error.

    Dates in numbers are read day first, unless all of them together tell otherwise. ``occasion``: what is known of the
    text beforehand, which is that it is a part of a conversation, and when that took place.
    """
    lines, (start, end), day = _headed(text, _lines(text))
    draft = _draft(text, lines, headed=bool(day) or occasion is not None, dated=occasion is not None)
    if draft is None:
        return None
    occasion = occasion or _occasion(text, draft, day)
    turns = (_without_marks(text, turn) for turn in _dated(text, draft, occasion))
    said = tuple(turn for turn in turns if turn.start < turn.end and not _says_nothing(text, turn))
    return Transcript(said, start, end, day, occasion) if said else None


@lru_cache(maxsize=256)  # readers and strategies take the same few passages apart, several times for a question
def transcript_in(passage: Passage) -> Transcript | None:
    """The conversation that a passage writes down, with what its document tells of when; nothing where it is prose."""
    return transcript_of(passage.text, passage.occasion)


def occasion_in(whole: Transcript, text: str, start: int, end: int) -> Occasion | None:
    """What a passage from ``start`` to ``end`` of a conversation's text has to be told; None where it says as much."""
    first, behind = (bisect_left(whole.turns, place, key=lambda turn: turn.start) for place in (start, end))
    turns = whole.turns[first:behind]
    alone = transcript_of(text[start:end])
    if not turns or (alone is not None and _facts(alone.turns) == _facts(turns, start)):
        return None
    return replace(whole.occasion, day=turns[0].date)


def _facts(turns: Sequence[Turn], start: int = 0) -> list[tuple[int, str, str, int]]:
    """Of each turn where what it says begins, after ``start``, who says it and when."""
    return [(turn.start - start, turn.speaker, turn.date, turn.minute) for turn in turns]


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, each with its offset."""
    at = 0
    found = []
    for line in text.splitlines(keepends=True):
        if line.strip(_UNSEEN):
            found.append((at, line))
        at += len(line)
    return found


def _headed(text: str, lines: list[tuple[int, str]]) -> tuple[list[tuple[int, str]], Span, str]:
    """The lines after the header, and where and how it writes its date; (0, 0) and nothing where it has none."""
    time, day = (0, 0), ""
    for number, (start, line) in enumerate(lines):
        header = _HEADER.match(line.rstrip())
        if header is None:
            return lines[number:], time, day
        span = start + header.start(1), start + header.end(1)
        found = _DIGITS.search(text, *span) or _WRITTEN.search(text, *span)
        if found is not None:
            time, day = span, found.group()
    return [], time, day


def _draft(text: str, lines: Sequence[tuple[int, str]], *, headed: bool, dated: bool) -> TurnDraft | None:
    """The turns in the first form in which the lines are clearly written."""
    if _CAPTIONS.search(text, 0, _LOOKED_AT):
        draft = caption_draft(lines)
        if draft is not None:
            marked = all(is_marked(text, turn) for turn in draft.turns)
            return draft if _is_clear(text, draft, "sure" if marked else "likely", headed=headed) else None
    for form in FORMS:
        draft = drafted(form, lines, dated=dated)
        if draft is not None and _is_clear(text, draft, form.trust, headed=headed):
            return draft
    return None


def _is_clear(text: str, draft: TurnDraft, trust: Trust, *, headed: bool) -> bool:
    """Whether turns are those of a conversation, and no list of labels, names or events."""
    turns = draft.turns
    speakers = [turn.speaker for turn in turns]
    timed = turns[0].time_end > 0
    if draft.ahead > _AHEAD * len(text) or len(turns) < (_TIMED_LINES if timed else 0) * draft.lines:
        return False
    if (not _ASKED.isdisjoint(speakers) or _ANSWERED.issuperset(speakers)) and not _is_interview(text, turns):
        return False
    if trust == "sure":
        return not _is_log(text, turns) and (len(turns) > 1 or headed or draft.ahead == 0)
    repeated = len(set(speakers)) < len(turns)
    if trust == "likely":
        return headed or (len(turns) > 1 and repeated)
    if headed:
        return repeated or len(turns) < _FEWEST or _has_sentences(text, turns)
    return (
        len(turns) >= max(_FEWEST, (_LINES_BELOW if timed else _LINES) * draft.lines)
        and len(set(speakers)) <= _DISTINCT * len(turns)
        and _comes_back(speakers)
        and not _are_records(text, turns)
        and not _are_works(text, turns)
        and (is_marked(text, turns[0]) or _has_sentences(text, turns))
    )


def _comes_back(speakers: Sequence[str]) -> bool:
    """Whether somebody speaks again after somebody else: sorted lists never do."""
    stretches = 1 + sum(one != other for one, other in pairwise(speakers))
    return stretches > len(set(speakers))


def _is_log(text: str, turns: Sequence[Turn]) -> bool:
    """Whether a program writes of itself: with the year first and names in small letters, or nothing but numbers."""
    small = sum(not is_named(text[turn.name_start : turn.name_end]) for turn in turns)
    year_first = text[turns[0].time_start : turns[0].time_end][:4].isdigit()
    return (year_first and 2 * small > len(turns)) or not any(
        _LETTER.search(text, turn.start, turn.end) for turn in turns
    )


def _are_works(text: str, turns: Sequence[Turn]) -> bool:
    """Whether most of what is said ends in a year, as in a list of books."""
    return (
        sum(_YEAR.search(text[max(turn.start, turn.end - 8) : turn.end]) is not None for turn in turns)
        > len(turns) * _LINES
    )


def _are_records(text: str, turns: Sequence[Turn]) -> bool:
    """Whether blank lines part groups of several lines in which nothing occurs twice: fields, not speakers."""
    groups, seen = 1, {turns[0].speaker}
    for one, other in pairwise(turns):
        if text.count("\n", one.end, other.name_start) > 1:
            groups, seen = groups + 1, set()
        if other.speaker in seen:
            return False
        seen.add(other.speaker)
    return groups > 1 and len(turns) >= _FIELDS * groups


def _has_sentences(text: str, turns: Sequence[Turn]) -> bool:
    """Whether enough turns say more than the value of a field does."""
    said = sum(_is_sentence(text[turn.start : turn.end]) for turn in turns)
    return said >= _SENTENCES * len(turns)


def _is_sentence(said: str) -> bool:
    return (
        len(said.split(maxsplit=_WORDS)) >= _WORDS
        or _END.search(said[-8:]) is not None
        or (len(said) >= _LETTERS and not said.isascii())
    )


def _is_interview(text: str, turns: Sequence[Turn]) -> bool:
    """Whether questions and answers take turns, and those who answer speak of themselves: no list of questions does."""
    asked, answered = turns[::2], turns[1::2]
    if len(asked) != len(answered) or len(asked) < 2 or not {turn.speaker for turn in asked} <= _ASKED:
        return False
    of_themselves = sum(_MYSELF.search(text, turn.start, turn.end) is not None for turn in answered)
    return {turn.speaker for turn in answered} <= _ANSWERED and 2 * of_themselves >= len(answered)


def _occasion(text: str, draft: TurnDraft, header: str) -> Occasion:
    """When a conversation took place, as all of its dates tell; ``header``: the date in the header, or nothing."""
    spans = sorted({(turn.time_start, turn.time_end) for turn in draft.turns}.union(draft.days))
    month_first = is_month_first([header, *(text[start:end] for start, end in spans)])
    return Occasion(
        day=day_of(header, month_first=month_first),
        month_first=month_first,
        recorded=_is_recording(text, draft.turns),
    )


def _dated(text: str, draft: TurnDraft, occasion: Occasion) -> list[Turn]:
    """The turns with their days and times."""
    day, month_first = occasion.day, occasion.month_first
    found: list[Turn] = []
    since, late = (0, 0), -1  # the day on a line of its own that is in force; the minute of the turn before
    for turn, alone in zip(draft.turns, draft.days, strict=True):
        if alone != since:
            since, day, late = alone, day_of(text[slice(*alone)], month_first=month_first), -1
        time = text[turn.time_start : turn.time_end]
        minute = -1 if occasion.recorded else minute_of(time)
        if is_dated(time):
            day = day_of(time, month_first=month_first)
        elif 0 <= minute < late - _HALF_A_DAY:
            day = _next(day)  # midnight has passed
        late = minute if minute >= 0 else late
        where = (turn.time_start, turn.time_end) if time else alone
        found.append(turn._replace(time_start=where[0], time_end=where[1], date=day, minute=minute))
    return found


def _is_recording(text: str, turns: Sequence[Turn]) -> bool:
    """Whether the times are those of a recording, which begins at 0:00, and none of the day."""
    first = text[turns[0].time_start : turns[0].time_end]
    if is_dated(first):
        return False
    return _MILLISECONDS.search(first) is not None or 0 <= minute_of(first) < _OF_A_RECORDING


def _next(day: str) -> str:
    if not day:
        return ""
    try:
        after = date(int(day[:4]), int(day[4:6]), int(day[6:])) + timedelta(days=1)
    except (OverflowError, ValueError):  # no calendar has such a day, or none after it
        return ""
    return f"{after.year:04}{after.month:02}{after.day:02}"


def _without_marks(text: str, turn: Turn) -> Turn:
    """A turn without the invisible marks at its ends."""
    said = text[turn.start : turn.end]
    left = len(said) - len(said.lstrip(_UNSEEN))
    right = len(said) - len(said.rstrip(_UNSEEN))
    return turn._replace(start=turn.start + left, end=max(turn.end - right, turn.start + left)) if said else turn


def _says_nothing(text: str, turn: Turn) -> bool:
    return turn.end - turn.start < 240 and _NOTHING.fullmatch(text, turn.start, turn.end) is not None

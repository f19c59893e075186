"""Transcripts: who says what in a text of lines like ``Ada: Good morning!``, and when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

# A header line such as "Time: 2031-02-04 17:30", a time in brackets before a name, and a turn.
_HEADER: Final = re.compile(
    r"(?:time|date|datum|sent|subject|topic|channel|group|participants?)\s*[:：]\s*(\S.*)", re.IGNORECASE
)
_TURN: Final = re.compile(
    r"(?:[\[(][^\])\n]{1,40}[\])]\s*)?@?(?P<name>[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,3})"
    r"(?: ?\([^)\n]{1,30}\))?\s?[:：]\s*"
)
_DATE: Final = re.compile(r"(?<!\d)(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?!\d)")
_LINES: Final = 0.6  # of the lines that are not blank, those that begin a turn
_FEWEST: Final = 3  # turns of a transcript without a header
_LONGEST_NAME: Final = 40  # characters
_INSIDE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Turn(NamedTuple):
    """What one speaker says at a time: the offsets of the name and of what follows it."""

    speaker: str  # as a question says it
    name_start: int
    name_end: int
    start: int
    end: int


@dataclass(frozen=True)
class Transcript:
    """A conversation: its turns in order, and where the text says when it took place (0, 0 where it does not)."""

    turns: tuple[Turn, ...]
    time_start: int = 0
    time_end: int = 0
    date: str = ""  # as the text writes it, or nothing

    @property
    def speakers(self) -> list[str]:
        """Those who speak, in the order in which they first do."""
        return list(dict.fromkeys(turn.speaker for turn in self.turns))


def transcript_of(text: str) -> Transcript | None:
    """The conversation that a text writes down, or nothing where it is prose."""
    turns: list[Turn] = []
    lines, time, headed = 0, (0, 0), False
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        said = line.rstrip()
        if not said:
            continue
        header = _HEADER.match(said)
        if header is not None and not turns:
            headed = True
            if _DATE.search(header.group(1)):
                time = (start + header.start(1), start + header.end(1))
            continue
        lines += 1
        turn = _TURN.match(line)
        if turn is not None and len(turn.group("name")) <= _LONGEST_NAME and turn.group("name")[0].isupper():
            name = spoken(turn.group("name"))
            places = (start + turn.start("name"), start + turn.end("name"), start + turn.end(), start + len(said))
            turns.append(Turn(name, *places))
        elif turns:
            turns[-1] = turns[-1]._replace(end=start + len(said))
        if not turns:
            return None  # prose begins at once: no need to read on
    repeated = len({turn.speaker for turn in turns}) < len(turns)
    whole = repeated and len(turns) >= _FEWEST and len(turns) >= _LINES * lines
    if not turns or not (whole or headed):
        return None
    date = _DATE.search(text, *time)
    return Transcript(
        turns=tuple(turn for turn in turns if turn.start < turn.end),
        time_start=time[0],
        time_end=time[1],
        date=date.group() if date else "",
    )


def spoken(name: str) -> str:
    """A name as people say it: ``AdaBrisk`` is Ada Brisk."""
    return _INSIDE.sub(" ", name).strip()

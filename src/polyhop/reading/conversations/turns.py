"""Conversations as they are read: under their day, each turn behind the name of who speaks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Final, Self

from polyhop.documents.conversations.transcripts import Transcript, transcript_in
from polyhop.documents.conversations.turn_lines import Turn
from polyhop.english.dates import WEEKDAYS, written_day
from polyhop.reading.reader import Quote, text_of
from polyhop.types import Passage

REPLIED_TO: Final = 200  # characters of the turn before that are read with a sentence


@dataclass(frozen=True, slots=True)
class SpokenPassage:
    """A passage that writes down what people say to one another."""

    passage: Passage
    chat: Transcript

    @classmethod
    def of(cls, passage: Passage) -> Self | None:
        """The conversation in a passage; None where it is prose."""
        chat = transcript_in(passage)
        return None if chat is None else cls(passage, chat)

    @property
    def heading(self) -> str:
        """What stands above it: the passage's title and the day."""
        days = [turn.date for turn in self.chat.turns if turn.date]
        return ", ".join(part for part in (self.passage.title, _day(days[0]) if days else "") if part)

    def turns_in(self, quote: Quote) -> list[tuple[Turn, Quote]]:
        """The turns that a stretch of the passage has a part of, each with that part."""
        parts = [
            (turn, Quote(self.passage, max(turn.start, quote.start), min(turn.end, quote.end)))
            for turn in self.chat.turns
        ]
        return [(turn, part) for turn, part in parts if part.start < part.end]

    def with_what_it_replies_to(self, quote: Quote) -> list[Quote]:
        """The whole turns that a stretch is of, and the one before them."""
        found = [number for number, turn in enumerate(self.chat.turns) if _overlap(turn, quote)]
        turns = self.chat.turns[max(0, found[0] - 1) : found[-1] + 1] if found else ()
        return [Quote(self.passage, turn.start, turn.end) for turn in turns]

    def in_place(self, quote: Quote) -> tuple[str, str]:
        """What a stretch says, behind the name of who says it: alone, and after what was said before."""
        said, text = text_of(quote), self.passage.text
        at = next((number for number, turn in enumerate(self.chat.turns) if _overlap(turn, quote)), None)
        if at is None:
            return said, said
        turn = self.chat.turns[at]
        before = [f"{one.speaker}: {text[one.start : one.end][-REPLIED_TO:]} " for one in self.chat.turns[:at][-1:]]
        name = f"{turn.speaker}: "
        return name + said, "".join([*before, name, text[turn.start : quote.start], said])

    def turn_of(self, quote: Quote) -> Turn | None:
        """The turn that a stretch of the passage is of, the first of several; None where nobody says it."""
        return next((turn for turn in self.chat.turns if _overlap(turn, quote)), None)

    def time_of(self, turn: Turn) -> tuple[int, int]:
        """Where the passage writes when a turn was said, or when all of it was; 0, 0 where nowhere."""
        chat = self.chat
        return (turn.time_start, turn.time_end) if turn.time_end else (chat.time_start, chat.time_end)

    def turn_after(self, turn: Turn) -> Turn | None:
        """The turn that follows."""
        turns = self.chat.turns
        return next((following for one, following in pairwise(turns) if one == turn), None)

    def name_in(self, turn: Turn) -> Quote:
        """Where the passage writes who speaks."""
        return Quote(self.passage, turn.name_start, turn.name_end)


def reply_to(quote: Quote) -> Quote | None:
    """What is said to a question that somebody asks in a conversation; None for all else."""
    spoken = SpokenPassage.of(quote.passage)
    turn = spoken.turn_of(quote) if spoken is not None and text_of(quote).rstrip().endswith("?") else None
    reply = spoken.turn_after(turn) if spoken is not None and turn is not None else None
    return None if reply is None else Quote(quote.passage, reply.start, reply.end)


def _overlap(turn: Turn, quote: Quote) -> bool:
    return turn.start < quote.end and quote.start < turn.end


def _day(eight_digits: str) -> str:
    try:
        weekday = date(int(eight_digits[:4]), int(eight_digits[4:6]), int(eight_digits[6:8])).weekday()
    except ValueError:  # there is no such day
        return ""
    return f"{WEEKDAYS[weekday]} {written_day(eight_digits)}"

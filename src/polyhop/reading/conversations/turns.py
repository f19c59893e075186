"""Conversations as they are read: under their day, each turn behind the name of who speaks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Self

from polyhop.documents.conversations.transcripts import Transcript, transcript_in
from polyhop.documents.conversations.turn_lines import Turn
from polyhop.english.dates import WEEKDAYS, calendar_day, written_day
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
        day = next((turn.date for turn in self.chat.turns if turn.date), "")
        date = calendar_day(day)
        return ", ".join(
            filter(None, (self.passage.title, "" if date is None else f"{WEEKDAYS[date.weekday()]} {written_day(day)}"))
        )

    def turns_on(self, days: Collection[str]) -> list[Turn]:
        """The turns that were said on one of some days, each as eight digits."""
        return [turn for turn in self.chat.turns if turn.date in days]

    def turns_in(self, quote: Quote) -> list[tuple[Turn, Quote]]:
        """The turns that a stretch of the passage has a part of, each with that part."""
        parts = [
            (turn, Quote(self.passage, max(turn.start, quote.start), min(turn.end, quote.end)))
            for turn in self.chat.turns
        ]
        return [(turn, part) for turn, part in parts if part.start < part.end]

    def turn_of(self, quote: Quote) -> Turn | None:
        """The turn that a stretch of the passage is of, the first of several; None where nobody says it."""
        at = self._number_of(quote)
        return None if at is None else self.chat.turns[at]

    def with_what_it_replies_to(self, quote: Quote) -> list[Quote]:
        """The whole turn that a stretch is of, behind the one before it; nothing where nobody says it."""
        at = self._number_of(quote)
        return [] if at is None else [self.said(turn) for turn in self.chat.turns[max(0, at - 1) : at + 1]]

    def in_place(self, quote: Quote) -> tuple[str, str]:
        """What a stretch says, behind the name of who says it: alone, and after what was said before."""
        said, at = text_of(quote), self._number_of(quote)
        if at is None:
            return said, said
        turn = self.chat.turns[at]
        before = [f"{one.speaker}: {text_of(self.said(one))[-REPLIED_TO:]} " for one in self.chat.turns[:at][-1:]]
        name = f"{turn.speaker}: "
        return name + said, "".join([*before, name, self.passage.text[turn.start : quote.start], said])

    def reply_to(self, quote: Quote) -> Quote | None:
        """The turn after a stretch that asks something; None where it asks nothing, or nothing follows."""
        at = self._number_of(quote) if text_of(quote).rstrip().endswith("?") else None
        return next(map(self.said, self.chat.turns[at + 1 :]), None) if at is not None else None

    def said(self, turn: Turn) -> Quote:
        """All that is said in a turn."""
        return Quote(self.passage, turn.start, turn.end)

    def name_in(self, turn: Turn) -> Quote:
        """Where the passage writes who speaks."""
        return Quote(self.passage, turn.name_start, turn.name_end)

    def time_of(self, turn: Turn) -> Quote | None:
        """Where the passage writes when a turn was said, or when all of it was; None where nowhere."""
        chat = self.chat
        start, end = (turn.time_start, turn.time_end) if turn.time_end else (chat.time_start, chat.time_end)
        return Quote(self.passage, start, end) if start < end else None

    def _number_of(self, quote: Quote) -> int | None:
        turns = enumerate(self.chat.turns)
        return next((at for at, turn in turns if turn.start < quote.end and quote.start < turn.end), None)

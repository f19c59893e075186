"""An answer that was found in a conversation, and what is quoted with it."""

from __future__ import annotations

from dataclasses import dataclass

from polyhop.reading.conversations.ranking import Ranked
from polyhop.reading.reader import Quote


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer and where it stands; the text where it is no stretch of the passage."""

    heard: Ranked
    start: int
    end: int
    text: str = ""
    unmet: bool = False  # whether something of another kind was asked for, of which nothing was heard
    whole: bool = False  # whether a whole conversation was asked for by its day, and this is what it is about

    @property
    def answer(self) -> str:
        """What is given as the answer."""
        return self.text or self.heard.utterance.passage.text[self.start : self.end]

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """What was heard and, where the answer stands apart from it, that, too: the time of a conversation."""
        told = self.heard.utterance
        apart = self.start < told.name_start
        heard = Quote(told.passage, told.start if apart else min(told.start, self.start), max(told.end, self.end))
        return (heard, Quote(told.passage, self.start, self.end)) if apart else (heard,)

"""What conversations tell: their turns and sentences, each with who says it, when, and what it replies to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from polyhop.corpus.sentences import sentence_spans
from polyhop.corpus.transcripts import Transcript, transcript_of
from polyhop.types import Passage

_ASKS: Final = re.compile(r"[?？]\W*$")
_SHOWN: Final = 700  # characters of a turn that are read
_CONTEXT: Final = 200  # characters of what was said before it


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Something that is said in a conversation, a turn or a sentence of one; offsets into the passage's text."""

    passage: Passage
    rank: int  # of the passage among those found, 0 is the best
    turn: int  # its number in the conversation
    speaker: str  # as a question says it
    name_start: int  # where the passage writes the name
    name_end: int
    start: int
    end: int
    before: str = ""  # the question that a turn may answer; or the sentence before it
    time_start: int = 0  # where the passage says when it was said, or when the conversation took place
    time_end: int = 0
    date: str = ""  # the day of it, as eight digits

    @property
    def text(self) -> str:
        """What is said."""
        return self.passage.text[self.start : self.end]

    @property
    def time(self) -> str:
        """When it was said, or the conversation took place, as the passage writes it, or nothing."""
        return self.passage.text[self.time_start : self.time_end]

    @property
    def asks(self) -> bool:
        """Whether it ends in a question."""
        return _ASKS.search(self.text) is not None

    @property
    def shown(self) -> str:
        """It with its speaker, after what was said before: what the cross-encoder reads."""
        return f"{self.before[-_CONTEXT:]} {self.speaker}: {self.text[:_SHOWN]}".strip()

    def sentences(self) -> list[Told]:
        """The sentences of a turn, in order, each after the one before."""
        found: list[Told] = []
        before = self.before
        for start, end in sentence_spans(self.text):
            sentence = replace(self, start=self.start + start, end=self.start + end, before=before)
            found.append(sentence)
            before = sentence.text
        return found


def told_in(passages: Sequence[Passage]) -> list[Told]:
    """The turns of all conversations among some passages, in the order of the passages."""
    conversations = ((rank, passage, transcript_of(passage.text)) for rank, passage in enumerate(passages))
    return [
        turn
        for rank, passage, transcript in conversations
        if transcript is not None
        for turn in _turns(rank, passage, transcript)
    ]


def _turns(rank: int, passage: Passage, transcript: Transcript) -> Iterator[Told]:
    before = ""
    for number, turn in enumerate(transcript.turns):
        told = Told(
            passage=passage,
            rank=rank,
            turn=number,
            speaker=turn.speaker,
            name_start=turn.name_start,
            name_end=turn.name_end,
            start=turn.start,
            end=turn.end,
            before=before,
            time_start=turn.time_start if turn.time_end else transcript.time_start,
            time_end=turn.time_end or transcript.time_end,
            date=turn.date,
        )
        yield told
        parts = [told.text[start:end] for start, end in sentence_spans(told.text)]
        asked = [part for part in parts if _ASKS.search(part)]
        before = f"{told.speaker}: {asked[-1]}" if asked else ""

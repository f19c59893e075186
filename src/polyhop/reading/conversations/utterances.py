"""What conversations tell: their turns and sentences, each with who says it, when, and what it replies to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from polyhop.documents.conversations.stamps import minute_of
from polyhop.documents.conversations.transcripts import Transcript, transcript_in
from polyhop.documents.sentences import sentence_spans
from polyhop.types import Passage

_ASKS: Final = re.compile(r"[?？]\W*$")
_SHOWN: Final = 700  # characters of a turn that are read
_CONTEXT: Final = 200  # characters of what was said before it


@dataclass(frozen=True, slots=True)
class Chats:
    """Passages in the order found, the best first, each with the conversation that it writes down, or none for prose.

    Whoever reads passages makes it once for a question, and hands it on, so that each is taken apart into turns once.
    """

    passages: tuple[tuple[Passage, Transcript | None], ...]

    @classmethod
    def of(cls, passages: Sequence[Passage]) -> Chats:
        """Passages with their conversations."""
        return cls(tuple((passage, transcript_in(passage)) for passage in passages))

    @property
    def prose(self) -> list[Passage]:
        """The passages that are no conversations, in their order."""
        return [passage for passage, chat in self.passages if chat is None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
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
    def place(self) -> tuple[str, int]:
        """The passage and the number of the turn that it is, or is a sentence of."""
        return self.passage.id, self.turn

    @property
    def text(self) -> str:
        """What is said."""
        return self.passage.text[self.start : self.end]

    @property
    def time(self) -> str:
        """When it was said, or the conversation took place, as the passage writes it, or nothing."""
        return self.passage.text[self.time_start : self.time_end]

    @property
    def minute(self) -> int:
        """The minute of the day at which it was said, or the conversation took place, -1 where nothing tells."""
        return minute_of(self.time)

    @property
    def asks(self) -> bool:
        """Whether it ends in a question."""
        return _ASKS.search(self.text) is not None

    @property
    def shown(self) -> str:
        """It with its speaker, after what was said before: what the cross-encoder reads."""
        return f"{self.before[-_CONTEXT:]} {self.speaker}: {self.text[:_SHOWN]}".strip()

    def sentences(self) -> list[Utterance]:
        """The sentences of a turn, in order, each after the one before."""
        found: list[Utterance] = []
        before = self.before
        for start, end in sentence_spans(self.text):
            sentence = replace(self, start=self.start + start, end=self.start + end, before=before)
            found.append(sentence)
            before = sentence.text
        return found


def utterances_in(chats: Chats) -> list[Utterance]:
    """The turns of all conversations, in the order of the passages."""
    ranked = enumerate(chats.passages)
    return [turn for rank, (passage, chat) in ranked if chat is not None for turn in _turns(rank, passage, chat)]


def after(turn: Utterance, told: Sequence[Utterance]) -> list[Utterance]:
    """The turns that follow one in its passage."""
    return [other for other in told if other.passage.id == turn.passage.id and other.turn > turn.turn]


def _turns(rank: int, passage: Passage, chat: Transcript) -> Iterator[Utterance]:
    before = ""
    for number, turn in enumerate(chat.turns):
        told = Utterance(
            passage=passage,
            rank=rank,
            turn=number,
            speaker=turn.speaker,
            name_start=turn.name_start,
            name_end=turn.name_end,
            start=turn.start,
            end=turn.end,
            before=before,
            time_start=turn.time_start if turn.time_end else chat.time_start,
            time_end=turn.time_end or chat.time_end,
            date=turn.date,
        )
        yield told
        parts = [told.text[start:end] for start, end in sentence_spans(told.text)]
        asked = [part for part in parts if _ASKS.search(part)]
        before = f"{told.speaker}: {asked[-1]}" if asked else ""

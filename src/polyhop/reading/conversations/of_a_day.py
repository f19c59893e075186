"""Conversations of a day that a question names, and what one of them is about: how it opens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from polyhop.documents.conversations.stamps import minute_of
from polyhop.documents.conversations.turn_lines import Turn
from polyhop.documents.sentences import sentence_spans
from polyhop.english.words import FUNCTION_WORDS
from polyhop.indexes.folding import pieces
from polyhop.reading.conversations.asked import asks_of_all, days_in, minute_in
from polyhop.reading.conversations.turns import SpokenPassage
from polyhop.reading.reader import Quote, Reading, text_of
from polyhop.types import AnswerKind, Passage

_MOST: Final = 3  # sentences
_TELLS: Final = 3  # words that mean something, from which a sentence is more than a greeting
_SURE: Final = 0.9  # a conversation of that day is there


def of_the_day(question: str, passages: Sequence[Passage]) -> list[Passage]:
    """The passages without conversations of other days, where a question names a day and one of that day is there."""
    days = days_in(question)
    spoken = _spoken(passages) if days else []
    of_other_days = {one.passage.id for one in spoken if not one.turns_on(days)}
    if len(of_other_days) == len(spoken):
        return list(passages)
    return [passage for passage in passages if passage.id not in of_other_days]


def read_day(question: str, passages: Sequence[Passage]) -> Reading | None:
    """The first sentences of the conversation that a question asks for by its day; None where it asks otherwise."""
    days = days_in(question)
    spoken = _spoken(passages) if days else []
    if not asks_of_all(question, [name for one in spoken for name in one.chat.speakers]):
        return None
    talks = [(one, turns) for one in spoken if (turns := one.turns_on(days))]
    minute = minute_in(question)
    timely = [(one, turns) for one, turns in talks if any(_minute(one, turn) == minute for turn in turns)]
    for one, turns in timely if minute >= 0 and timely else talks:
        sentences = [quote for turn in turns for quote in _telling(one.said(turn))][:_MOST]
        if sentences:
            return Reading(
                text=" ".join(" ".join(text_of(quote).split()) for quote in sentences),
                kind=AnswerKind.EXTRACT,
                quotes=tuple(sentences),
                confidence=_SURE,
                note="how the conversation of that day opens",
            )
    return None


def _spoken(passages: Sequence[Passage]) -> list[SpokenPassage]:
    return [one for one in map(SpokenPassage.of, passages) if one is not None]


def _minute(spoken: SpokenPassage, turn: Turn) -> int:
    time = spoken.time_of(turn)
    return -1 if time is None else minute_of(text_of(time))


def _telling(said: Quote) -> Iterator[Quote]:
    """The sentences that are more than a greeting."""
    for start, end in sentence_spans(text_of(said)):
        quote = Quote(said.passage, said.start + start, said.start + end)
        if sum(word not in FUNCTION_WORDS for word in pieces(text_of(quote))) >= _TELLS:
            yield quote

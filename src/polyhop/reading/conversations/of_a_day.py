"""Conversations of a day that a question names, and what one of them is about: how it opens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from polyhop.english.words import FUNCTION_WORDS
from polyhop.indexes.folding import pieces
from polyhop.reading.conversations.asked import asks_of_all, days_in, minute_in
from polyhop.reading.conversations.utterances import Chats, Utterance, utterances_in
from polyhop.reading.reader import Quote, Reading
from polyhop.types import AnswerKind, Passage

_MOST: Final = 3  # sentences
_TELLS: Final = 3  # words that mean something, from which a sentence is more than a greeting
_SURE: Final = 0.9  # a conversation of that day is there


def of_the_day(question: str, chats: Chats) -> list[Passage]:
    """The passages without conversations of other days, where a question names a day and one of that day is there."""
    days = days_in(question)
    passages = [passage for passage, _ in chats.passages]
    of_day = [chat is None or any(turn.date in days for turn in chat.turns) for _, chat in chats.passages]
    talked = any(kept for kept, (_, chat) in zip(of_day, chats.passages, strict=True) if chat is not None)
    return [passage for kept, passage in zip(of_day, passages, strict=True) if kept] if talked else passages


def read_day(question: str, chats: Chats) -> Reading | None:
    """The first sentences of the conversation that a question asks for by its day; None where it asks otherwise."""
    told = utterances_in(chats)
    if not asks_of_all(question, list(dict.fromkeys(turn.speaker for turn in told))):
        return None
    days = days_in(question)
    of_day = [turn for turn in told if turn.date in days]
    minute = minute_in(question)
    first = next((turn for turn in of_day if minute >= 0 and turn.minute == minute), next(iter(of_day), None))
    if first is None:
        return None
    sentences = list(_telling([turn for turn in of_day if turn.passage.id == first.passage.id]))[:_MOST]
    if not sentences:
        return None
    return Reading(
        text=" ".join(" ".join(one.text.split()) for one in sentences),
        kind=AnswerKind.EXTRACT,
        quotes=tuple(Quote(one.passage, one.start, one.end) for one in sentences),
        confidence=_SURE,
        note="how the conversation of that day opens",
    )


def _telling(turns: list[Utterance]) -> Iterator[Utterance]:
    for turn in turns:
        for sentence in turn.sentences():
            if sum(word not in FUNCTION_WORDS for word in pieces(sentence.text)) >= _TELLS:
                yield sentence

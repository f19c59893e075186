"""Conversations of a day that a question names: "What did we talk about on 4 May?" shares no other word with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.documents.conversations.stamps import minute_of
from polyhop.documents.conversations.transcripts import Transcript, transcript_in
from polyhop.english.dates import MONTHS
from polyhop.layers.view import View
from polyhop.reading.conversations.asked import days_in, minute_in
from polyhop.types import Passage, Span

GLANCED: Final = 1000  # passages that have all words of a way to write a day, at most: in many, they tell times
FOLLOWING: Final = 10  # passages after one of that day, at most: a chat that goes on does not write the day again


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedPassage:
    """A passage of a conversation that took place on a day which a question names."""

    number: int
    passage: Passage
    day: str  # as eight digits
    speakers: tuple[str, ...]
    timely: bool  # whether it is of the time of day that the question names, too
    where: Span  # its first turn, with when it was said where the passage tells


def passages_dated(question: str, over: View, ranking: Sequence[int] = ()) -> list[DatedPassage]:
    """The passages of conversations on days that a question names: those of the hour that it names, too, come first.

    Otherwise they are in the order of ``ranking``, then in their own. The words of a date find them, in each way to
    write it, and the day that they are read as decides. Nothing where the question names no day, or nothing was said
    on it.
    """
    days = days_in(question)
    if not days:
        return []
    minute = minute_in(question)
    found: dict[int, DatedPassage] = {}
    glanced = over.record.present(list(dict.fromkeys(_written(days, over))))
    for number, passage in glanced.items():
        named = passage.occasion is not None or not set(days).isdisjoint(days_in(passage.text))
        if named and number not in found:
            found.update({one.number: one for one in _following(number, days, minute, over)})
    ranks = {number: rank for rank, number in enumerate(ranking)}
    return sorted(found.values(), key=lambda one: (not one.timely, ranks.get(one.number, len(ranks)), one.number))


def _written(days: Sequence[str], over: View) -> Iterator[int]:
    """Passages that may write one of the days, by the words of each way to write it."""
    for day in days:
        year, month, number = day[:4], int(day[4:6]), int(day[6:])
        word = MONTHS[month - 1].lower()
        for form in (
            day,
            f"{year} {month:02} {number:02}",
            f"{month} {number} {year[2:]}",
            f"{month:02} {number:02} {year[2:]}",
            f"{month} {number} {year}",
            f"{number} {word} {year}",
            f"{number} {word[:3]} {year}",
        ):
            yield from over.text.lexical.search(form, GLANCED, among=over.text.lexical.with_all(form))[0].tolist()


def _following(number: int, days: Sequence[str], minute: int, over: View) -> Iterator[DatedPassage]:
    """A passage where it is of one of the days, and those of its document that follow, as long as they are, too."""
    present = over.record.present(range(number, number + FOLLOWING + 1))
    for place in range(number, number + FOLLOWING + 1):
        passage = present.get(place)
        if passage is None or passage.document_id != present[number].document_id:
            return
        chat = transcript_in(passage)
        turn = next((turn for turn in chat.turns if turn.date in days), None) if chat is not None else None
        if chat is None or turn is None:
            return
        start = min(turn.name_start, turn.time_start) if turn.time_end else turn.name_start
        yield DatedPassage(
            number=place,
            passage=passage,
            day=turn.date,
            speakers=tuple(chat.speakers),
            timely=minute >= 0 and minute in _minutes(chat, passage),
            where=Span(passage.document_id, passage.start + start, passage.start + turn.end),
        )


def _minutes(chat: Transcript, passage: Passage) -> set[int]:
    """The minutes of the day at which something is said, and those of the hour at which all of it began."""
    header = passage.text[chat.time_start : chat.time_end]
    return {turn.minute for turn in chat.turns} | ({minute_of(header)} if header else set())

"""What a model copies out of passages in support of an answer: how they are shown to it, and where its copies stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from polyhop.documents.conversations.transcripts import transcript_in
from polyhop.documents.sentences import sentence_spans
from polyhop.prompts.blocks import PromptBlock, date_line, section_line
from polyhop.prompts.borne_out import QuotedText
from polyhop.prompts.quotes import cuts_word, locate, parted
from polyhop.prompts.schemas import Schema, closed, listed
from polyhop.types import Passage

MOST: Final = 12  # quotations, where a task does not say otherwise
SCHEMA: Schema = listed(closed(passage="integer", quote="string"), maxItems=MOST)
"""Of the property ``support``: the number of a passage, from 1, and what was copied from it."""

_DATED = """

A line "Date:" below a title says on which day the passage below it begins. It is as true as the passage, but it is \
none of its sentences: quote what was said on that day, never the line."""

_WHOLE: Final = 400  # characters of sentences that are taken whole where a part of them was copied
_MARKS = " \t\n#*_=-"  # around a heading, as texts write one


@dataclass(frozen=True, slots=True)
class CopiedQuote:
    """A stretch of one of the passages that were read: its index in their order, offsets into its text."""

    passage_index: int
    start: int
    end: int


def shown(passages: Sequence[Passage]) -> list[PromptBlock]:
    """A block for each passage, ``PASSAGE 1`` and so on: its title, its date and its sentences, each on a line."""
    return [PromptBlock(f"PASSAGE {number}", _line_by_line(passage)) for number, passage in enumerate(passages, 1)]


def rules(system: str, passages: Sequence[Passage]) -> str:
    """What a model is told that reads these passages: also, where one of them has a date, what that is."""
    return system + _DATED if any(map(date_line, passages)) else system


def placed(support: Sequence[Mapping[str, Any]], passages: Sequence[Passage]) -> tuple[tuple[CopiedQuote, ...], int]:
    """Where the quotations stand, each once, and how many stand in no passage; ``support`` obeys SCHEMA.

    The date that a passage is shown with is no quotation of it, and no wrong one.
    """
    texts = [passage.text for passage in passages]
    dates = {line for passage in passages for line in date_line(passage)}
    found = [(item["quote"].strip(), _places(item["quote"], item["passage"] - 1, texts)) for item in support]
    quotes = tuple(dict.fromkeys(quote for _, places in found for quote in places))
    return quotes, sum(not places and copied not in dates for copied, places in found)


def whole(quote: CopiedQuote, text: str) -> tuple[int, int]:
    """Where the sentences begin and end that a quotation of a text stands in, as they are shown and cited.

    A model leaves out a full stop, or copies a clause; what is shown again has to be whole, so that it can be copied
    again. Of a text without ends of sentences only what was copied.
    """
    touched = [(start, end) for start, end in sentence_spans(text) if start < quote.end and quote.start < end]
    start = min([quote.start, *(start for start, _ in touched)])
    end = max([quote.end, *(end for _, end in touched)])
    return (start, end) if end - start <= max(_WHOLE, quote.end - quote.start) else (quote.start, quote.end)


def quoted(quote: CopiedQuote, passages: Sequence[Passage]) -> QuotedText:
    """A quotation with what its passage is about and who said it when, to be held against an answer."""
    passage = passages[quote.passage_index]
    chat = transcript_in(passage)
    turns = () if chat is None else chat.turns
    turn = next((turn for turn in turns if turn.name_start <= quote.start < turn.end), None)
    day = "" if passage.occasion is None else passage.occasion.day
    return QuotedText(
        text=passage.text[quote.start : quote.end],
        title=" ".join((passage.title, *passage.section)),
        day=day if turn is None else turn.date,
        speaker="" if turn is None else turn.speaker,
        present=() if chat is None else tuple(chat.speakers),
    )


def texts(passages: Sequence[Passage]) -> list[str]:
    """All that could be quoted, and what it is about."""
    return ["\n".join((passage.title, *passage.section, passage.text)) for passage in passages]


def _line_by_line(passage: Passage) -> str:
    """The sentences that citations have, without numbers, which nothing would refer to.

    A heading that repeats the title is left out.
    """
    sentences = [passage.text[start:end] for start, end in sentence_spans(passage.text)]
    titled = sentences[:1] and sentences[0].strip(_MARKS) == passage.title.strip()
    return "\n".join(
        (f"Title: {passage.title}", *section_line(passage), *date_line(passage), *sentences[1 if titled else 0 :])
    )


def _places(quote: str, index: int, texts: Sequence[str]) -> list[CopiedQuote]:
    """Where a quotation stands: as written, else its parts around an ellipsis, all of them or none."""
    copied = quote.strip()
    for parts in dict.fromkeys(((copied,), tuple(parted(copied)))):
        found = [_anywhere(part, index, texts) for part in parts]
        places = [place for place in found if place is not None]
        if places and len(places) == len(found):
            return places
    return []


def _anywhere(quote: str, index: int, texts: Sequence[str]) -> CopiedQuote | None:
    """The passage that the model named comes first; but a genuine quotation under a wrong number is still genuine."""
    if not any(character.isalnum() for character in quote):
        return None
    for candidate in sorted(range(len(texts)), key=lambda other: other != index):
        span = locate(quote, texts[candidate])
        if span is not None and not cuts_word(texts[candidate], *span):
            return CopiedQuote(candidate, *span)
    return None

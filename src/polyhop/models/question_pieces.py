"""A question as the planner's encoder reads it: pieces, and which of them begin and end its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from polyhop.english.described import PlacedWord, placed_words
from polyhop.models.pieces import encodable

MOST_PIECES: Final = 160  # of a question that is taken apart; what is longer is a text


@dataclass(frozen=True, slots=True)
class QuestionPieces:
    """The pieces of a question between the two that frame it; ``firsts`` and ``lasts`` are indices into ``ids``."""

    ids: tuple[int, ...]
    words: tuple[PlacedWord, ...]  # those that the encoder knows pieces of
    firsts: tuple[int, ...]
    lasts: tuple[int, ...]


def question_pieces(tokenizer: Any, question: str) -> QuestionPieces:
    """The pieces of a question, by a tokenizer that neither cuts nor pads."""
    text = encodable(question)
    frame = tokenizer.encode("").ids
    read = tokenizer.encode(text, add_special_tokens=False)
    found = [(word, _within(read.offsets, word)) for word in placed_words(text)]
    known = [(word, places) for word, places in found if places]
    return QuestionPieces(
        ids=(frame[0], *read.ids, frame[-1]),
        words=tuple(word for word, _ in known),
        firsts=tuple(places[0] + 1 for _, places in known),
        lasts=tuple(places[-1] + 1 for _, places in known),
    )


def _within(offsets: Sequence[tuple[int, int]], word: PlacedWord) -> list[int]:
    return [at for at, (start, end) in enumerate(offsets) if start < word.end and word.start < end]

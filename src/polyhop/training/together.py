"""Sentences of several texts as one window, as the reader reads what is likeliest of all passages together.

At question time the likeliest sentences of each passage are put under its title, in their order
(``reading/weighing.py``). Here the words that they share with the question stand for how likely they are.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from polyhop.training.rows import ReadingRow
from polyhop.training.windows import Part, Place, sentences

WORDS = 170  # as many as the reader reads together
_HOLDS = 100.0  # that a sentence holds what is asked for counts for more than any words


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A text under its title, and where in it the answers stand, or what a yes or no rests on."""

    title: str
    text: str
    places: tuple[tuple[str, int], ...] = ()  # text and start
    spoken: bool = False  # whether its lines, each behind a name, are read whole
    headings: tuple[tuple[int, int], ...] = ()  # start and end of each, in order

    @classmethod
    def of(cls, row: ReadingRow, *, answers: bool = True) -> Self:
        """The context of a row, with its answers, or what a yes or no rests on, or without either."""
        places = (row.answers or row.rests_on) if answers else ()
        return cls(title=row.title, text=row.context, places=places, spoken=row.spoken, headings=row.headings)

    @property
    def units(self) -> list[tuple[int, int]]:
        """Start and end of what is read whole or not at all: of conversations a line, else a sentence."""
        if self.spoken:
            return [match.span() for match in re.finditer(r"[^\n]+", self.text)]
        return [span for span in sentences(self.text) if not self._are_headings(*span)]

    def _are_headings(self, start: int, end: int) -> bool:
        return any(start <= first and last <= end for first, last in self.headings)

    def heading_over(self, place: int) -> str:
        """The nearest heading above a place; empty where there is none."""
        return next((self.text[start:end] for start, end in reversed(self.headings) if end <= place), "")

    def whole(self, behind: int = 0) -> tuple[list[Part], list[Place]]:
        """All of it behind its title, and where the answers stand in it, behind so many parts of others.

        Titles and headings tell what the text between them is about, and are never answers.
        """
        parts = [Part(f"{self.title}: ", answers=False)] if self.title else []
        places: list[Place] = []
        at = 0
        for start, end in (*self.headings, (len(self.text), len(self.text))):
            if at < start:
                number = behind + len(parts)
                places += [Place(number, place - at, said) for said, place in self.places if at <= place < start]
                parts.append(Part(self.text[at:start]))
            if start < end:
                parts.append(Part(f"{self.text[start:end]} ", answers=False))
            at = end
        return parts, places

    def lost(self) -> Told:
        """The same without the sentences that hold an answer: what tells the like of something else is left."""
        kept = [
            (start, end)
            for start, end in sentences(self.text)
            if not any(start < at + len(said) and at < end for said, at in self.places)
        ]
        text = ""
        headings: list[tuple[int, int]] = []
        following = [*(start for start, _ in kept[1:]), len(self.text)]
        for (start, end), behind in zip(kept, following, strict=False):  # where nothing is kept, nothing follows
            moved = len(text) - start
            headings += [(first + moved, last + moved) for first, last in self.headings if start <= first < end]
            text += self.text[start:end] + ("\n" if "\n" in self.text[end:behind] else " ")
        return Told(title=self.title, text=text.rstrip(), spoken=self.spoken, headings=tuple(headings))


def long_words(text: str) -> set[str]:
    """Its words of three letters and more, in small letters."""
    return set(re.findall(r"\w{3,}", text.lower()))


def together(
    question: str, texts: Sequence[Told], rng: random.Random, *, words: int = WORDS
) -> tuple[list[Part], list[Place]]:
    """The sentences that share most words with the question, and those that hold an answer, each text in its order.

    What is said in a conversation comes with what was said before it.
    """
    asked = long_words(question)
    units = [told.units for told in texts]
    ranked: list[tuple[float, int, int]] = []
    for number, told in enumerate(texts):
        for place, (start, end) in enumerate(units[number]):
            said = told.text[start:end]
            if said.strip():
                holds = any(start <= at < end for _, at in told.places)
                score = len(asked & long_words(said)) + rng.random() + holds * _HOLDS
                ranked.append((score, number, place))
    kept: dict[tuple[int, int], tuple[int, int]] = {}
    for _, number, place in sorted(ranked, reverse=True):
        before = max(0, place - 1) if texts[number].spoken else place
        for one in dict.fromkeys((place, before)):
            start, end = units[number][one]
            size = len(texts[number].text[start:end].split())
            if size <= words and (number, one) not in kept:
                kept[number, one] = start, end
                words -= size
    return _laid_out(texts, [(number, *kept[number, place]) for number, place in sorted(kept)])


def _laid_out(texts: Sequence[Told], kept: Sequence[tuple[int, int, int]]) -> tuple[list[Part], list[Place]]:
    parts: list[Part] = []
    places: list[Place] = []
    shown: tuple[int, str] | None = None
    for number, start, end in kept:
        told, heading = texts[number], texts[number].heading_over(start)
        if (shown is None or number != shown[0]) and told.title:
            parts.append(Part(f"{told.title}: ", answers=False))
        if heading and (number, heading) != shown:
            parts.append(Part(f"{heading} ", answers=False))
        shown = number, heading
        parts.append(Part(told.text[start:end] + " "))
        places += [Place(len(parts) - 1, at - start, text) for text, at in told.places if start <= at < end]
    return parts, places

"""Sentences of several texts as one window, as the reader reads what is likeliest of all passages together.

At question time the likeliest sentences of each passage are put under its title, in their order
(``reading/weighing.py``). Here the words that they share with the question stand for how likely they are.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

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

    @property
    def units(self) -> list[tuple[int, int]]:
        """Start and end of what is read whole or not at all: of conversations a line, else a sentence."""
        return [match.span() for match in re.finditer(r"[^\n]+", self.text)] if self.spoken else sentences(self.text)


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
    shown = -1
    for number, start, end in kept:
        told = texts[number]
        if number != shown and told.title:
            parts.append(Part(f"{told.title}: ", answers=False))
        shown = number
        parts.append(Part(told.text[start:end] + " "))
        places += [Place(len(parts) - 1, at - start, text) for text, at in told.places if start <= at < end]
    return parts, places

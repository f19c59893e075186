"""Questions for a yes or no that offer two things: "Does gas or oil cause harm?" asks which of them does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from polyhop.english.question import DOUBTING, Words, asking_part, read_words, render
from polyhop.english.verbs import is_finite, is_participle
from polyhop.english.words import ARTICLES, PREPOSITIONS, PRONOUNS

_LONGEST: Final = 5  # words of what is offered


@dataclass(frozen=True, slots=True)
class Alternatives:
    """The two things, and what is asked of each."""

    options: tuple[str, str]
    questions: tuple[str, str]


def alternatives(question: str) -> Alternatives | None:
    """What a question offers behind its first verb or at its end; None where it offers nothing."""
    words = read_words(asking_part(question))
    at = next((at for at, word in enumerate(words) if word.kind == "word" and word.low == "or"), 0)
    if len(words) < 4 or words[0].low not in DOUBTING or not 1 < at < len(words) - 1:
        return None
    end = _end(words, at)
    start = 1 if end < len(words) else _begin(words, at)
    if (
        start is None
        or at - start > _LONGEST
        or end - at - 1 > _LONGEST
        or (end < len(words) and at - start > end - at)
    ):
        return None
    if words[start].low in PRONOUNS:
        return None  # "is it true or false": what is offered is not who does it
    one, other = words[start:at], words[at + 1 : end]
    asked = tuple(f"{render((*words[:start], *option, *words[end:]))}?" for option in (one, other))
    return Alternatives((render(one), render(other)), (asked[0], asked[1]))


def _end(words: Words, at: int) -> int:
    """Where the second thing ends: before a verb, a participle or a preposition, else with the question."""
    begins = at + 1 + (words[at + 1].low in ARTICLES)
    ends = (i for i in range(begins + 1, len(words)) if _follows(words[i].low))
    return next(ends, len(words))


def _follows(low: str) -> bool:
    return low in PREPOSITIONS or is_finite(low) or is_participle(low)


def _begin(words: Words, at: int) -> int | None:
    """Where the first of two things at the end begins: with the article or preposition that the second begins with."""
    low = words[at + 1].low
    if low not in ARTICLES | PREPOSITIONS:
        return None
    return next((i for i in range(at - 2, 0, -1) if words[i].low == low), None)

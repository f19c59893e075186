"""Questions for a yes or no that offer two things: "Does gas or oil cause harm?" asks which of them does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from polyhop.english.degrees import FORMS, Degree, degree_within
from polyhop.english.question import DOUBTING, Word, Words, asking_part, read_words, render
from polyhop.english.verbs import is_finite, is_participle
from polyhop.english.words import ARTICLES, AUXILIARIES, PREPOSITIONS, PRONOUNS

_LONGEST: Final = 6  # words of what is offered
_NEITHER: Final = frozenset({"not", "so", "no"})  # "or not", "or so": nothing is offered


@dataclass(frozen=True, slots=True)
class Alternatives:
    """The two things, what is asked of each, and what they are compared by, if anything."""

    options: tuple[str, str]
    questions: tuple[str, str]
    degree: Degree | None = None


def offers(question: str) -> bool:
    """Whether a question for a yes or no has an "or" to which neither yes nor no is a full answer."""
    words = read_words(asking_part(question))
    return bool(_or(words))


def alternatives(question: str) -> Alternatives | None:
    """What a question offers behind its first verb or at its end; None where it offers nothing."""
    words = read_words(asking_part(question))
    at = _or(words)
    if len(words) < 4 or words[0].low not in DOUBTING or at < 2 or words[at + 1].low in AUXILIARIES:
        return None
    if any(word.low == "than" for word in words):
        return None  # both are compared with something else
    end = _end(words, at)
    start = _begin(words, at, end)
    if start is None or not 0 < at - start <= _LONGEST or not 0 < end - at - 1 <= _LONGEST:
        return None
    if words[start].low in PRONOUNS:
        return None  # "is it true or false": what is offered is not who does it
    one, other = words[start:at], words[at + 1 : end]
    asked = tuple(f"{render((*words[:start], *option, *words[end:]))}?" for option in (one, other))
    degree = degree_within((*words[:start], Word("{}", "name"), *words[end:]))
    return Alternatives((render(one), render(other)), (asked[0], asked[1]), degree)


def _or(words: Words) -> int:
    """Where the first "or" stands between two things; 0 where there is none."""
    places = (at for at, word in enumerate(words[:-1]) if word.kind == "word" and word.low == "or")
    return next((at for at in places if words[at + 1].low not in _NEITHER), 0)


def _end(words: Words, at: int) -> int:
    """Where the second thing ends: before a verb or a comparative, a preposition, else with the question."""
    begins = next((i for i in range(at + 1, len(words)) if words[i].low not in ARTICLES | PREPOSITIONS), len(words))
    behind = range(begins + 1, len(words))
    verb = next((i for i in behind if _tells(words[i].low)), len(words))
    if verb < len(words) and verb - at - 1 <= _LONGEST:
        return verb
    return next((i for i in behind if words[i].low in PREPOSITIONS), len(words))


def _tells(low: str) -> bool:
    return low in FORMS or is_finite(low) or is_participle(low)


def _begin(words: Words, at: int, end: int) -> int | None:
    """Where the first thing begins: behind the first verb, else with the word that the second begins with.

    Where neither tells, it is as long as the second.
    """
    if end < len(words) and not any(is_finite(word.low) for word in words[1:at]):
        return 1
    low = words[at + 1].low
    if low in ARTICLES | PREPOSITIONS:
        return next((i for i in range(at - 2, 0, -1) if words[i].low == low), None)
    begins = at - (end - at - 1)
    return begins if begins > 1 else None

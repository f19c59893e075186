"""Whether what is said denies what is asked: by the negations in the clause that speaks of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from polyhop.reading.rows import word_families

_BREAK: Final = re.compile(
    r"[,;.!?…()]\s+|\s(?=(?:and|but|because|so|since|though|although|while|unless|except|whereas)\s)", re.IGNORECASE
)
_NEGATION: Final = re.compile(
    r"\b(?:not(?! only| just| later| more| less| fewer)|no(?! more| later| less| fewer| sooner|\.)|never|neither|nor"
    r"|none|nobody|nothing|nowhere|without|cannot|\w+n['’]t|forbidden|prohibited|banned|excluded|refused)\b",
    re.IGNORECASE,
)
_FROM_THEN_ON: Final = re.compile(r"\b(?:before|till|until)\b", re.IGNORECASE)
_SAID: Final = re.compile(  # a reply, unlike "No dogs are allowed.", "No. 5 is listed." and the row "No: 5; Town: Harl"
    r"\W*(?P<verdict>yes|no)\b"
    r"(?:[\"'”’]?\s*(?:[,;!?…–—(\n]|-\s|[.:](?!\s*\d))|\s+(?:i|you|he|she|it|we|they|there|that|this)\b)",
    re.IGNORECASE,
)


def denies(sentence: str, question: str) -> bool:
    """Whether a sentence denies what a question asks for a yes or no about; it may begin with either."""
    said = _SAID.match(sentence)
    if said is not None:
        return said["verdict"].lower() == "no"
    asked = word_families(question)
    behind = reversed(list(_clauses(sentence)))  # of clauses that have as much, the later one: it says what is so
    clause = max(behind, key=lambda one: len(asked & word_families(one)))
    return negated(clause) != negated(question)


def spoken_of(sentence: str, question: str) -> float:
    """The share of a question's words that a clause of a sentence has, 0 to 1."""
    asked = word_families(question)
    return max(len(asked & word_families(clause)) for clause in _clauses(sentence)) / max(len(asked), 1)


def negated(text: str) -> bool:
    """Whether a text has an odd number of negations."""
    return len(_NEGATION.findall(text)) % 2 == 1


@lru_cache(maxsize=16384)
def negated_relation(relation: str) -> bool:
    """Whether the relation of a fact says that something is not so; "not open until" says when it is."""
    return negated(relation) and _FROM_THEN_ON.search(relation) is None


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for match in _BREAK.finditer(text):
        yield text[start : match.start()]
        start = match.end()
    yield text[start:]

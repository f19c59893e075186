"""Whether what is said denies what is asked: by the negations in the clause that speaks of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from polyhop.english.words import FUNCTION_WORDS

_BREAK: Final = re.compile(
    r"[,;.!?…()]\s+|\s(?=(?:and|but|because|so|since|though|although|while|unless|except|whereas)\s)", re.IGNORECASE
)
_NEGATION: Final = re.compile(
    r"\b(?:not(?! only| just| later| more| less| fewer)|no(?! more| later| less| fewer| sooner|\.)|never|neither|nor"
    r"|none|nobody|nothing|nowhere|without|cannot|\w+n['’]t|forbidden|prohibited|banned|excluded|refused)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+")
_FAMILY: Final = 5
_SAID: Final = re.compile(r"\W*(?P<verdict>yes|no)\b\W", re.IGNORECASE)


def denies(sentence: str, question: str) -> bool:
    """Whether a sentence denies what a question asks for a yes or no about; it may begin with either."""
    said = _SAID.match(sentence)
    if said is not None:
        return said["verdict"].lower() == "no"
    asked = _stems(question)
    behind = reversed(list(_clauses(sentence)))  # of clauses that have as much, the later one: it says what is so
    clause = max(behind, key=lambda one: len(asked & _stems(one)))
    return _negated(clause) != _negated(question)


def spoken_of(sentence: str, question: str) -> float:
    """The share of a question's words that a clause of a sentence has, 0 to 1."""
    asked = _stems(question)
    return max(len(asked & _stems(clause)) for clause in _clauses(sentence)) / max(len(asked), 1)


def _negated(text: str) -> bool:
    return len(_NEGATION.findall(text)) % 2 == 1


def _clauses(text: str) -> Iterator[str]:
    start = 0
    for match in _BREAK.finditer(text):
        yield text[start : match.start()]
        start = match.end()
    yield text[start:]


def _stems(text: str) -> frozenset[str]:
    """The words that mean something, by the letters that those of one family share."""
    words = _WORD.findall(text.lower())
    return frozenset(word[:_FAMILY] for word in words if word not in FUNCTION_WORDS and len(word) > 1)

"""Slips of the fingers in the word that a question begins with: "Waht song ...?" asks what "What song ...?" asks."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

_WORDS: Final = ("what", "which", "who", "whom", "whose", "when", "where", "why", "how")
_FIRST: Final = re.compile(r"\A\W*(?P<word>[A-Za-z]+)\b")


def _swapped(word: str) -> set[str]:
    """A word with two letters that stand side by side exchanged."""
    return {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)} - {word}


_SLIPS: Final = [(slip, word) for word in _WORDS for slip in _swapped(word)]
_MEANT: Final = {  # "hwo" may be "how" or "who"
    slip: word for slip, word in _SLIPS if Counter(slip for slip, _ in _SLIPS)[slip] == 1 and slip not in _WORDS
}


def without_slip(question: str) -> str:
    """A question whose question word, where it comes first, has its letters in order.

    A word that no document has would otherwise look like what the question is about.
    """
    first = _FIRST.match(question)
    meant = _MEANT.get(first["word"].lower()) if first else None
    if first is None or meant is None:
        return question
    word = meant.capitalize() if first["word"][0].isupper() else meant
    return question[: first.start("word")] + word + question[first.end("word") :]

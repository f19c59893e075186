"""Which of many questions a passage keeps: the most informative ones, spread over its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from typing import Final

from polyhop.english.words import FUNCTION_WORDS, word_set
from polyhop.layers.questions.rules.question_candidate import QuestionCandidate

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_AGAIN: Final = 0.15  # what a word is worth that questions before have
_SAME_PART: Final = 0.7  # what a question is worth whose sentence has given one already
_LEAST: Final = 2.0  # what the words of a pair must say
_LONG: Final = 12  # words that a pair says anything with; longer ones gain less and less
_EMPTY: Final = FUNCTION_WORDS | word_set("i my your our just really very too also some any there")


def chosen(
    text: str, questions: Iterable[QuestionCandidate], most: int, known: Iterable[str] = ()
) -> list[QuestionCandidate]:
    """At most ``most`` questions, best first: each is taken for the words that the ones before do not have yet.

    ``known`` are words that say nothing, as each question has them: of the title, of the speakers.
    """
    empty = _EMPTY.union(word.lower() for word in known)
    left = [
        (asked, _content(f"{asked.question} {text[asked.start : asked.end]}", empty))
        for asked in _distinct(text, questions)
    ]
    left = [(asked, words) for asked, words in left if sum(words.values()) >= _LEAST]
    kept: list[QuestionCandidate] = []
    seen: set[str] = set()
    parts: dict[int, int] = {}

    def gain(asked: QuestionCandidate, words: dict[str, float]) -> float:
        new = sum(weight * (_AGAIN if word in seen else 1.0) for word, weight in words.items())
        share = max(sum(words.values()), _LONG) ** 0.5
        return float(asked.certainty * new / share * _SAME_PART ** parts.get(asked.part, 0))

    while left and len(kept) < most:
        best = max(range(len(left)), key=lambda place: gain(*left[place]))
        asked, words = left.pop(best)
        kept.append(asked)
        seen.update(words)
        parts[asked.part] = parts.get(asked.part, 0) + 1
    return kept


def _distinct(text: str, questions: Iterable[QuestionCandidate]) -> list[QuestionCandidate]:
    """Each question once by its words, the surest; none that says its own answer."""
    best: dict[str, QuestionCandidate] = {}
    for asked in questions:
        key, answer = _key(asked.question), _key(text[asked.start : asked.end])
        if answer and f" {answer.removeprefix('the ')} " not in f" {key} ".replace("'s ", " "):
            known = best.get(key)
            best[key] = asked if known is None or known.certainty < asked.certainty else known
    return list(best.values())


def _key(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _content(text: str, empty: Set[str]) -> dict[str, float]:
    """The words of a pair that say something; names and numbers say twice as much."""
    found: dict[str, float] = {}
    for word in _WORD.findall(text):
        if word.lower() not in empty:
            found.setdefault(word.lower(), 1.0 if word.islower() else 2.0)
    return found

"""Which of many questions a passage keeps: the most informative ones, spread over its sentences."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Sequence, Set
from typing import Final

from polyhop.layers.asking.asked import Asked
from polyhop.layers.asking.words import word_set

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_AGAIN: Final = 0.15  # what a word is worth that questions before have
_SAME_PART: Final = 0.7  # what a question is worth whose sentence has given one already
_LEAST: Final = 2.0  # what the words of a pair must say
_LONG: Final = 12  # words that a pair says anything with; longer ones gain less and less
_EMPTY: Final = word_set(
    "a an the and or but if of in on at to for from by with about as into than then so that this these those it its "
    "he she they them his her their i me my you your we us our is am are was were be been being do does did done "
    "has have had will would can could should may might must not no yes what who whom whose which when where why "
    "how many much there here just really very too also some any all more most out up down over again one 's 're 'm"
)


def chosen(text: str, questions: Sequence[Asked], most: int, known: Iterable[str] = ()) -> list[Asked]:
    """At most ``most`` questions, best first: each is taken for the words that the ones before do not have yet.

    ``known`` are words that say nothing, as each question has them: of the title, of the speakers.
    """
    distinct = _distinct(text, questions)
    empty = _EMPTY.union(word.lower() for word in known)
    words = [_content(f"{asked.question} {text[asked.start : asked.end]}", empty) for asked in distinct]
    seen: set[str] = set()
    parts: dict[int, int] = {}

    def gain(number: int) -> float:
        new = sum(weight if word not in seen else _AGAIN * weight for word, weight in words[number].items())
        asked = distinct[number]
        length = max(sum(words[number].values()), _LONG) ** 0.5
        return float(asked.certainty * new / length * _SAME_PART ** parts.get(asked.part, 0))

    heap = [(-gain(number), number) for number in range(len(distinct)) if sum(words[number].values()) >= _LEAST]
    heapq.heapify(heap)
    kept: list[Asked] = []
    while heap and len(kept) < most:
        _, number = heapq.heappop(heap)
        now = -gain(number)  # never better than it was: words are only ever seen more often
        if heap and now > heap[0][0]:
            heapq.heappush(heap, (now, number))
            continue
        if not now:
            break
        kept.append(distinct[number])
        seen.update(words[number])
        parts[distinct[number].part] = parts.get(distinct[number].part, 0) + 1
    return kept


def _distinct(text: str, questions: Sequence[Asked]) -> list[Asked]:
    """Each question once, and no answer that its question says already."""
    best: dict[str, Asked] = {}
    for asked in questions:
        key = " ".join(_WORD.findall(asked.question.lower()))
        answer = " ".join(_WORD.findall(text[asked.start : asked.end].lower()))
        if not answer or f" {answer} " in f" {key} ":
            continue
        known = best.get(key)
        if known is None or known.certainty < asked.certainty:
            best[key] = asked
    return list(best.values())


def _content(said: str, empty: Set[str]) -> dict[str, float]:
    """The words of a pair that say something; names and numbers say twice as much."""
    found: dict[str, float] = {}
    for word in _WORD.findall(said):
        low = word.lower()
        if low not in empty:
            found[low] = 2.0 if not word.islower() else found.get(low, 1.0)
    return found

"""Which of many questions a passage keeps: the most informative ones, spread over its sentences."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Sequence, Set
from typing import Final

from polyhop.english.words import word_set
from polyhop.layers.questions.asking.asked import Asked

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_AGAIN: Final = 0.15  # what a word is worth that questions before have
_SAME_PART: Final = 0.7  # what a question is worth whose sentence has given one already
_LEAST: Final = 2.0  # what the words of a pair must say
_LONG: Final = 12  # words that a pair says anything with; longer ones gain less and less
# Two questions alike but for these are one.
_FILLERS: Final = word_set("a an the also still just really only even very too so actually currently mainly as for")
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
    best = _distinct(text, questions)
    distinct, keys = list(best.values()), list(best)
    empty = _EMPTY.union(word.lower() for word in known)
    words = [_content(said, empty) for _, said in distinct]
    told = [sum(weights.values()) for weights in words]
    seen: set[str] = set()
    parts: dict[int, int] = {}

    worth = [asked.certainty / max(told[number], _LONG) ** 0.5 for number, (asked, _) in enumerate(distinct)]

    def gain(number: int) -> float:
        new = 0.0
        for word, weight in words[number].items():
            new += weight if word not in seen else _AGAIN * weight
        return float(worth[number] * new * _SAME_PART ** parts.get(distinct[number][0].part, 0))

    heap = [(-worth[number] * told[number], number) for number in range(len(distinct)) if told[number] >= _LEAST]
    heapq.heapify(heap)
    kept: list[Asked] = []
    alike: set[str] = set()
    while heap and len(kept) < most:
        _, number = heapq.heappop(heap)
        now = -gain(number)  # never better than it was: words are only ever seen more often
        if heap and now > heap[0][0]:
            heapq.heappush(heap, (now, number))
            continue
        if not now:
            break
        asked = distinct[number][0]
        key = " ".join(word for word in keys[number].split() if word not in _FILLERS)
        if key in alike:
            continue
        alike.add(key)
        kept.append(asked)
        seen.update(words[number])
        parts[asked.part] = parts.get(asked.part, 0) + 1
    return kept


def _distinct(text: str, questions: Sequence[Asked]) -> dict[str, tuple[Asked, list[str]]]:
    """Each question once by its words, with the words of the pair; no answer that its question says already."""
    best: dict[str, tuple[Asked, list[str]]] = {}
    answers: dict[tuple[int, int], tuple[list[str], str]] = {}  # many questions have the same one
    for asked in questions:
        place = asked.start, asked.end
        if place not in answers:
            answers[place] = _words(text[asked.start : asked.end])
        (asking, key), (telling, answer) = _words(asked.question), answers[place]
        if not answer or ((core := answer.removeprefix("the ")) in key and _is_said(core, key)):
            continue
        known = best.get(key)
        if known is None or known[0].certainty < asked.certainty:
            best[key] = asked, asking + telling
    return best


def _is_said(answer: str, question: str) -> bool:
    """Whether a question has an answer in it, word by word; whose something is, is said too."""
    return f" {answer} " in f" {question} ".replace("'s ", " ")


def _words(text: str) -> tuple[list[str], str]:
    """The words of a text as written, and all of them in small letters."""
    words = _WORD.findall(text)
    return words, " ".join(words if text.isascii() else _WORD.findall(text.lower())).lower()


def _content(words: Iterable[str], empty: Set[str]) -> dict[str, float]:
    """The words of a pair that say something; names and numbers say twice as much."""
    found: dict[str, float] = {}
    for word in words:
        if word.islower():
            if word not in empty and word not in found:
                found[word] = 1.0
        elif (low := word.lower()) not in empty:
            found[low] = 2.0
    return found

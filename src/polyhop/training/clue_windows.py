"""The windows of a passage that may become the relation of a clue."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.layers.parsekg.graph import MASK
from polyhop.layers.parsekg.layer import masked
from polyhop.layers.parsekg.span_edges import GAP, WHOLE, WORD, edged
from polyhop.ports import ConstrainedModel
from polyhop.training.asked_passages import AskedPassage
from polyhop.types import Sentence

WINDOW: Final = 10  # words
LONGEST: Final = 16  # tokens of a relation, as many as decoding says
STEP: Final = 3  # words between windows, where no answer says which are to be tried
_MASKS = re.compile(rf"\s*{re.escape(MASK)}")
_MARKS = frozenset(string.punctuation + " ")


@dataclass(frozen=True, slots=True)
class ClueSpan:
    """A window: how it reads, with the answer, and what is to be said of it, without."""

    text: str
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A stretch of a hyperrelation without white space, as tokens from ``first`` up to ``last``."""

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """A hyperrelation word by word."""

    units: Sequence[_Unit]
    tokens: Sequence[int]
    flags: Sequence[int]
    marks: Sequence[bool]  # of tokens that are punctuation

    @classmethod
    def of(cls, hyperrelation: str, model: ConstrainedModel) -> _Words:
        """The words of a hyperrelation, which has a single space between them."""
        made = edged(hyperrelation, model)
        letters = [model.decode([token]) for token in made.tokens]
        cuts = [place for place, text in enumerate(letters) if place == 0 or text.startswith(" ")]
        units = [
            _Unit(model.decode(made.tokens[first:last]).strip(), first, last)
            for first, last in zip(cuts, [*cuts[1:], len(letters)], strict=True)
        ]
        marks = [set(text) <= _MARKS for text in letters]
        return cls(units=units, tokens=made.tokens, flags=made.flags, marks=marks)

    def is_gap(self, place: int) -> bool:
        """Whether a word is, or has, a masked entity."""
        unit = self.units[place]
        return any(flag & GAP for flag in self.flags[unit.first : unit.last])

    def said(self, start: int, end: int) -> tuple[int, ...]:
        """The tokens of some words, without masks and punctuation at the edges; nothing where decoding says none."""
        while start < end and self._edge(start) is None:
            start += 1
        first = None if start == end else self._edge(start)
        if first is None:
            return ()
        while end > start + 1 and self.units[end - 1].last - first > LONGEST:
            end -= 1
        last = self.units[end - 1].last
        while last > first and (self.marks[last - 1] or self.flags[last - 1] & GAP):
            last -= 1
        is_said = first < last <= first + LONGEST and self.flags[last - 1] & WHOLE
        return tuple(self.tokens[first:last]) if is_said else ()

    def _edge(self, place: int) -> int | None:
        """Where a span may begin within a word: with its first letter, behind a bracket or a mask."""
        unit = self.units[place]
        within = range(unit.first, unit.last)
        return next((at for at in within if self.flags[at] & WORD and not self.flags[at] & GAP), None)

    def reads(self, start: int, end: int) -> str:
        """Some words, masks removed."""
        return _MASKS.sub("", " ".join(unit.text for unit in self.units[start:end])).strip()


def grammar_spans(
    row: AskedPassage, sentence: Sentence, entities: Sequence[tuple[int, int]], model: ConstrainedModel
) -> list[ClueSpan]:
    """Windows of a sentence's hyperrelation around the answer, as slices of its tokens that decoding may say."""
    words = _Words.of(sentence.hyperrelation, model)
    if not row.answer:
        starts = range(0, max(1, len(words.units) - WINDOW + STEP), STEP)
        return _distinct(ClueSpan(words.reads(at, at + WINDOW), _said(words, at)) for at in starts)
    held = _held(row, sentence, entities, words)
    return [] if held is None else _distinct(_around(words, at, held, row.answer) for at in _starts(held))


def paper_spans(row: AskedPassage, entities: Iterable[tuple[int, int]], model: ConstrainedModel) -> list[ClueSpan]:
    """Windows of the passage without its entities but the answer, as the paper cuts them: what they say is words."""
    apart = [(start, end) for start, end in entities if end <= row.start or start >= row.end]
    before = _without(row.text[: row.start], 0, apart)
    after = _without(row.text[row.end :], row.end, apart)
    answer = row.answer.split()
    room = max(1, WINDOW - len(answer))
    found = []
    counts = range(room + 1) if answer else range(0, max(1, len(after) - room + STEP), STEP)
    for count in counts:
        left = before[len(before) - min(count, len(before)) :] if answer else []
        right = after[: room - count] if answer else after[count : count + room]
        tokens = model.encode([" ".join([*left, *right])])[0][:LONGEST]
        found.append(ClueSpan(" ".join([*left, *answer, *right]), tuple(tokens)))
    return _distinct(found)


def _without(text: str, offset: int, entities: Sequence[tuple[int, int]]) -> list[str]:
    """The words of a text that begins at an offset, its entities removed."""
    for start, end in sorted(entities, reverse=True):
        if offset <= start and end <= offset + len(text):
            text = f"{text[: start - offset]} {text[end - offset :]}"
    return text.split()


def _starts(held: tuple[int, int]) -> range:
    """Where windows begin that hold the answer."""
    first, last = held
    return range(max(0, min(first, last - WINDOW)), first + 1)


def _said(words: _Words, start: int) -> tuple[int, ...]:
    return words.said(start, min(len(words.units), start + WINDOW))


def _around(words: _Words, start: int, held: tuple[int, int], answer: str) -> ClueSpan:
    """The window from a word on; where the answer is masked its mask stays, else the longer side of it is said."""
    first, last = held
    end = min(len(words.units), max(last, start + WINDOW))
    text = " ".join(part for part in (words.reads(start, first), answer, words.reads(last, end)) if part)
    if all(words.is_gap(place) for place in range(first, last)):
        return ClueSpan(text, words.said(start, end))
    sides = words.said(start, first), words.said(last, end)
    return ClueSpan(text, max(sides, key=len))


def _held(
    row: AskedPassage, sentence: Sentence, entities: Sequence[tuple[int, int]], words: _Words
) -> tuple[int, int] | None:
    """Which words of the hyperrelation are the answer, from one up to another; None where it runs over its end."""
    touched = [entity for entity in entities if entity[0] < row.end and entity[1] > row.start]
    start = min([row.start, *(entity[0] for entity in touched)])
    end = max([row.end, *(entity[1] for entity in touched)])
    if end > sentence.end:
        return None
    before = masked(row.text, sentence.start, start, [one for one in entities if one[1] <= start])
    inside = masked(row.text, start, end, [one for one in entities if start <= one[0] and one[1] <= end])
    first = len(before.split())
    if first and not row.text[start - 1].isspace() and not before.endswith(MASK):
        first -= 1  # it begins within a word, such as behind a bracket
    last = first + len(inside.split())
    read = " ".join(unit.text for unit in words.units[first:last])
    return (first, last) if first < last and inside in read else None


def _distinct(spans: Iterable[ClueSpan]) -> list[ClueSpan]:
    """Those that say something, each once."""
    return list({span.tokens: span for span in spans if span.tokens}.values())

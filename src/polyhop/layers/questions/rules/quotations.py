"""Pairs for what is in a language that our grammar does not read: its sentences, each headed by how it begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from polyhop.documents.conversations.transcripts import Transcript
from polyhop.documents.conversations.turn_lines import Turn
from polyhop.documents.languages import is_english, is_surely_english
from polyhop.documents.sentences import sentence_spans
from polyhop.indexes.names import normal
from polyhop.layers.questions.rules.question_candidate import QuestionCandidate
from polyhop.types import Passage

_LONGEST: Final = 400  # characters of an answer: longer ones are cut between words, as in Thai, which has no full stop
_BEGINNING: Final = 40  # characters of a sentence that its question says, at most, and at most half of it
_LONGEST_BEGINNING: Final = 150  # where several begin alike
_CERTAINTY: Final = 0.5
_BREAK: Final = re.compile(r"\n|[,;:،؛、，；：]|\s(?=\S)")


class Excerpt(NamedTuple):
    """A stretch of a passage, and who says it or what it is about; nothing where that is not known."""

    start: int
    end: int
    of: str


def excerpts_of(passage: Passage, transcript: Transcript | None) -> tuple[list[Excerpt], bool]:
    """What of a passage is not in English, sentence by sentence or turn by turn, and whether that is all of it."""
    text = passage.text
    if transcript is None:
        parts = [Excerpt(start, end, passage.title) for start, end in sentence_spans(text)]
    else:
        parts = [Excerpt(turn.start, turn.end, _spoken(text, turn)) for turn in transcript.turns]
    if is_english(" ".join(text[part.start : part.end] for part in parts)):
        return [part for part in parts if not is_english(text[part.start : part.end])], False
    strange = [part for part in parts if not is_surely_english(text[part.start : part.end])]
    return strange, len(strange) == len(parts)


def _spoken(text: str, turn: Turn) -> str:
    """Who says something and, where that is written, when: ``Ada, 12.03.31, 10:03``."""
    time = text[turn.time_start : turn.time_end]
    return f"{turn.speaker}, {time}" if time else turn.speaker


def questions_of_excerpts(text: str, excerpts: Sequence[Excerpt], most: int) -> Iterator[QuestionCandidate]:
    """A pair for each excerpt, in order; neighbours share one where there are more than ``most``: none is left out.

    The question is the beginning of the answer, behind the title or the speaker: it must not say what is not known to
    be so, and in no other language than the text.
    """
    short = [piece for excerpt in excerpts for piece in _pieces(text, excerpt)]
    seen: set[str] = set()
    for part, excerpt in enumerate(_grouped(short, most)):
        said = text[excerpt.start : excerpt.end]
        question = _headed(said[: _cut(said, min(_BEGINNING, len(said) // 2))], excerpt.of)
        if normal(question) in seen:  # several sentences begin like that
            question = _headed(said[:_LONGEST_BEGINNING], excerpt.of)
        seen.add(normal(question))
        asked = QuestionCandidate.of(text, question, excerpt.start, excerpt.end, _CERTAINTY)
        if asked is not None:
            yield asked._replace(part=part)


def _headed(beginning: str, of: str) -> str:
    """``Ada Brisk: Sie baute …``; without the name where the beginning says it."""
    said, name = " ".join(beginning.split()), " ".join(of.split())
    return f"{said} …" if not name or name.casefold() in said.casefold() else f"{name}: {said} …"


def _pieces(text: str, excerpt: Excerpt) -> Iterator[Excerpt]:
    """An excerpt in pieces that are no longer than an answer may be."""
    start, end, of = excerpt
    while end - start > _LONGEST:
        cut = start + _cut(text[start:end], _LONGEST)
        yield Excerpt(start, cut, of)
        start = cut
    yield Excerpt(start, end, of)


def _cut(said: str, most: int) -> int:
    """Where the last word ends within some characters of a text; all of them where no word ends there."""
    ends = [match.start() for match in _BREAK.finditer(said, most // 2, most + 1)]
    return ends[-1] if ends else max(most, 1)


def _grouped(excerpts: Sequence[Excerpt], most: int) -> Iterator[Excerpt]:
    """At most so many excerpts, about as long as each other where several are put together."""
    if len(excerpts) <= most:
        yield from excerpts
        return
    bounds = [len(excerpts) * place // most for place in range(most + 1)]
    for first, behind in pairwise(bounds):
        group = excerpts[first:behind]
        yield Excerpt(group[0].start, group[-1].end, group[0].of)

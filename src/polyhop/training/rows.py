"""The rows that models are trained on, as their files have them: checked, each with the line it stands in."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Generic, Literal, TypeVar, get_args

from polyhop.indexes.folding import standing
from polyhop.store.json_lines import RowLine, rows

READING = "reading.jsonl.gz"
MULTI_HOP = "reader_reranker.jsonl"

T = TypeVar("T")
Kind = Literal["none", "span", "yes", "no"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ASIDE = 20  # one in so many texts is kept aside
ASIDE_BY = 200  # characters that decide on it
OCCURRENCES = 4  # of an answer in a text


@dataclass(frozen=True)
class TrainingSplit(Generic[T]):
    """What to train on, and what was kept aside for measuring."""

    training: tuple[T, ...]
    aside: tuple[T, ...]

    @classmethod
    def of(cls, each: Iterable[tuple[T, bool]], rng: random.Random) -> TrainingSplit[T]:
        """Examples, each with whether it is kept aside; those to train on come in an order of their own."""
        found = list(each)
        training = [one for one, kept in found if not kept]
        rng.shuffle(training)
        return cls(tuple(training), tuple(one for one, kept in found if kept))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRow:
    """A question about one context, and where in it the answers stand."""

    source: str
    licence: str
    question: str
    context: str
    answers: tuple[tuple[str, int], ...]  # text and start
    kind: Kind
    title: str = ""  # that stands above the context
    rests_on: tuple[tuple[str, int], ...] = ()  # what in the context a yes or no rests on, where that is known
    spoken: bool = False  # whether each line of the context is what somebody says, behind a name
    headings: tuple[tuple[int, int], ...] = ()  # start and end of those in the context; no answer stands in them


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPassage:
    """A passage of a row, with its title."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiHopRow:
    """A question with the passages that answer it together, and others that look like them."""

    source: str
    licence: str
    question: str
    answer: str  # empty where no passage tells
    positives: tuple[TrainingPassage, ...]
    negatives: tuple[TrainingPassage, ...]


def reading_rows(folder: Path) -> list[ReadingRow]:
    """The rows of ``reading.jsonl.gz``. Raises DatasetError with file and line."""
    return [_reading_row(line) for line in rows(folder / READING)]


def multi_hop_rows(folder: Path) -> list[MultiHopRow]:
    """The rows of ``reader_reranker.jsonl``. Raises DatasetError with file and line."""
    return [_multi_hop_row(line) for line in rows(folder / MULTI_HOP)]


def is_kept_aside(text: str) -> bool:
    """Whether what rests on a text is kept aside: one in twenty, told by the text alone, whatever else is there."""
    start = text[:ASIDE_BY].encode("utf-8", "replace")
    return int(hashlib.sha1(start, usedforsecurity=False).hexdigest(), 16) % ASIDE == 0


def occurrences(text: str, answer: str) -> list[int]:
    """Where an answer begins in a text, as words of its own; the first few places."""
    return list(islice(standing(answer, text), OCCURRENCES))


def _reading_row(line: RowLine) -> ReadingRow:
    context, kind = line.text("context"), line.text("kind")
    known = next((one for one in KINDS if one == kind), None)
    if known is None:
        raise line.wrong(f"kind is {kind!r}, and none of {', '.join(KINDS)}")
    answers = line.fields.get("answers")
    if not isinstance(answers, list) or bool(answers) != (known == "span"):
        raise line.wrong("answers is no list, or not filled for spans alone")
    return ReadingRow(
        source=line.text("src"),
        licence=line.text("licence", "license"),
        question=line.text("question"),
        context=context,
        answers=tuple(_answer(line, answer, context) for answer in answers),
        kind=known,
    )


def _answer(line: RowLine, answer: object, context: str) -> tuple[str, int]:
    match answer:
        case [str(text), int(start)] if start >= 0 and text.strip() and context.startswith(text, start):
            return text, start
    raise line.wrong(f"the answer {answer!r} is not a [text, start] of the context")


def _multi_hop_row(line: RowLine) -> MultiHopRow:
    return MultiHopRow(
        source=line.text("src"),
        licence=line.text("licence", "license"),
        question=line.text("question"),
        answer=line.text("answer").strip(),
        positives=_passages(line, "positives", least=1),
        negatives=_passages(line, "negatives", least=0),
    )


def _passages(line: RowLine, name: str, least: int) -> tuple[TrainingPassage, ...]:
    passages = []
    for entry in line.listed(name, optional=True):
        match entry:
            case {"title": str(title), "text": str(text)}:
                passages.append(TrainingPassage(title=title, text=text))
            case _:
                raise line.wrong(f"{name} holds something that is no passage with title and text")
    if len(passages) < least:
        raise line.wrong(f"{name} is empty")
    return tuple(passages)

"""Slates: a question and texts that compete for it, each with how much of what is asked for it holds.

And how well they are ordered: from logits, whoever computed them, to figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from polyhop.models.pieces import encodable, whole_tokenizer
from polyhop.training.card import figures_by

SlateKind = Literal["passages", "paths", "ordinary"]
LONGEST_QUESTION: Final = 96  # tokens
LONGEST_PAIR: Final = 448  # tokens of a question and a text; two excerpts of 800 characters rarely have more


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedText:
    """A text as a strategy has it judged, and its grade: the passages of a path that is all right, 0 for any other."""

    text: str
    grade: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Slate:
    """A question and the texts that compete for it, as token ids."""

    source: str
    licence: str
    kind: SlateKind
    pairs: tuple[tuple[int, ...], ...]  # question and text together, with special tokens
    asked: int  # tokens before the text, the same in all
    grades: tuple[int, ...]

    @property
    def ids(self) -> Sequence[int]:
        """All tokens one behind the other, by whose number batches are made."""
        return [one for pair in self.pairs for one in pair]


@dataclass(frozen=True, eq=False)
class SlateMaker:
    """Makes slates with a tokenizer, as the cross-encoder reads pairs."""

    tokenizer: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "_loaded", whole_tokenizer(self.tokenizer))

    def slate(
        self, question: str, candidates: Sequence[GradedText], *, kind: SlateKind, source: str, licence: str
    ) -> Slate | None:
        """A slate; None where there is nothing to choose between, or nothing right."""
        each = {one.text: one for one in candidates}
        grades = tuple(one.grade for one in each.values())
        if len(set(grades)) < 2:
            return None
        first, last = self._tokens("", special=True)
        asked = [first, *self._tokens(question)[:LONGEST_QUESTION], last]
        room = LONGEST_PAIR - len(asked) - 1
        pairs = tuple((*asked, *self._tokens(text)[:room], last) for text in each)
        return Slate(source=source, licence=licence, kind=kind, pairs=pairs, asked=len(asked), grades=grades)

    def _tokens(self, text: str, *, special: bool = False) -> list[int]:
        encoded = self._loaded.encode(encodable(text), add_special_tokens=special)  # type: ignore[attr-defined]
        ids: list[int] = encoded.ids
        return ids


@dataclass(frozen=True, slots=True, kw_only=True)
class SlateRead:
    """What was made of one slate."""

    kind: str
    first: bool  # whether a best text came first
    pairwise: float  # share of the pairs of unequal grade that are in order
    right: float  # mean logit of the texts that hold something
    wrong: float


def judged(slate: Slate, logits: ArrayLike) -> SlateRead:
    """Judge the logits of a slate's pairs."""
    scores, grades = np.asarray(logits, np.float64), np.array(slate.grades)
    better = grades[:, None] > grades[None, :]
    before = scores[:, None] > scores[None, :]
    return SlateRead(
        kind=slate.kind,
        first=bool(grades[int(np.argmax(scores))] == grades.max()),
        pairwise=float(before[better].mean()),
        right=float(scores[grades > 0].mean()),
        wrong=float(scores[grades == 0].mean()),
    )


def score(readings: Sequence[SlateRead]) -> float:
    """One figure, 0 to 100: the mean of how often a best text comes first, and how many pairs are in order."""
    return 50 * sum(one.first + one.pairwise for one in readings) / max(1, len(readings))


def figures(readings: Iterable[SlateRead]) -> dict[str, dict[str, float]]:
    """For each kind of slate and for all: first and pairwise, 0 to 100; the mean logits of right and wrong texts."""
    return figures_by(lambda one: one.kind, readings, _figures)


def _figures(readings: Sequence[SlateRead]) -> dict[str, float]:
    count = max(1, len(readings))
    return {
        "slates": float(len(readings)),
        "first": 100 * sum(one.first for one in readings) / count,
        "pairwise": 100 * sum(one.pairwise for one in readings) / count,
        "right": sum(one.right for one in readings) / count,
        "wrong": sum(one.wrong for one in readings) / count,
        "score": score(readings),
    }

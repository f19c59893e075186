"""How well slates are ordered: from logits, whoever computed them, to figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from polyhop.training.card import figures_by
from polyhop.training.slates import Slate


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

"""The stretches of a question that are taken for descriptions: none across another, so that they make a plan."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

import numpy as np

from polyhop.english.described import PlacedWord, means_something
from polyhop.ports import Floats

MOST: Final = 7  # stretches of a question
LIKELY: Final = 0.4  # of a description, at the least, its other readings included
NEAR: Final = 4  # words by which the edges of two readings of one description lie apart in all
FAINT: Final = 0.02  # what is less likely is not looked at

Stretch = tuple[int, int]  # of words, the end behind the last one


def nested(
    scores: Floats, words: Sequence[PlacedWord], *, likely: float = LIKELY, most: int = MOST
) -> tuple[Stretch, ...]:
    """The likeliest stretches of which any two lie apart or one within the other, innermost first.

    ``scores`` says of each first and last word how likely they frame a description, as a logit. Where an edge is not
    sure ("the club that Ada plays [for]"), the chances of its readings are added up, and the likeliest is taken. A
    stretch around another one says more than that does. The whole question is none. Never raises on finite scores.
    """
    chances = np.triu(1 / (1 + np.exp(-np.clip(scores, -30, 30))))
    if len(words):
        chances[0, len(words) - 1] = 0.0
    rows, columns = np.nonzero(chances > FAINT)
    ranked = sorted(zip((-chances[rows, columns]).tolist(), rows.tolist(), columns.tolist(), strict=True))
    told = [0, *accumulate(means_something(word.text) for word in words)]
    taken: list[Stretch] = []
    used: set[int] = set()
    for place, (_, first, last) in enumerate(ranked):
        stretch = (first, last + 1)
        if place in used or not all(_fits(stretch, other, told) for other in taken):
            continue
        near = [
            at
            for at, (_, start, end) in enumerate(ranked)
            if at not in used and abs(start - first) + abs(end - last) <= NEAR and start <= last and first <= end
        ]
        if sum(-ranked[at][0] for at in near) >= likely:
            taken.append(stretch)
            used |= {at for at in near if not _fits((ranked[at][1], ranked[at][2] + 1), stretch, told)}
        if len(taken) == most:
            break
    return tuple(sorted(taken, key=lambda one: (one[1] - one[0], one[0])))


def _fits(one: Stretch, other: Stretch, told: Sequence[int]) -> bool:
    """Whether two stretches lie apart, or one within the other and says less.

    ``told`` counts, up to each place, the words that say something.
    """
    if one[1] <= other[0] or other[1] <= one[0]:
        return True
    within = (one[0] <= other[0] and other[1] <= one[1]) or (other[0] <= one[0] and one[1] <= other[1])
    return within and told[one[1]] - told[one[0]] != told[other[1]] - told[other[0]]

"""Which entities lead on from what was found, where nobody can say what is still missing.

A language model names the next query once it has read what came of the last one (F.2). Offline a plan has to foresee
all queries, and many questions have none: they describe a thing by what only another passage tells. That passage is
about something that the passages found name, or it names what these are about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.view import View
from polyhop.ports import Floats

COMMON = 200  # passages that name an entity: one that more do leads nowhere in particular

PassagesOf = Callable[[int], list[int]]  # of an entity


def named_by_found(question: str, found: Sequence[int], translated: Iterable[int], over: View, width: int) -> list[int]:
    """Entities that passages found name, and that lead sentences of others: those with the nearest of these.

    Those that the question names, or that were translated before, have led somewhere already.
    """
    known = {*translated, *over.kg.named_in(question)}
    named = dict.fromkeys(entity for number in found for entity in over.kg.entities_of(number))
    rest = [entity for entity in named if entity not in known and over.kg.may_lead(entity)]
    return _nearest(question, rest, over.kg.passages_led_by, found, over, width)


def spoken_of(question: str, found: Sequence[int], over: View, width: int) -> list[int]:
    """Entities that the question names or passages found are about, and that sentences of others lead to."""
    titles = (over.kg.find(passage.title) for passage in over.passages(found))
    known = dict.fromkeys([*over.kg.named_in(question), *(entity for entity in titles if entity is not None)])
    return _nearest(question, known, lambda entity: _leading_to(over.kg, entity), found, over, width)


def _leading_to(kg: ParseKG, entity: int) -> list[int]:
    return kg.passages_of(kg.into.of(entity))


def _nearest(
    question: str, entities: Iterable[int], passages_of: PassagesOf, found: Sequence[int], over: View, width: int
) -> list[int]:
    """The entities with the passage nearest the question, of passages that were not found yet."""
    vector = over.vector(question)
    near: list[tuple[float, int]] = []
    for entity in entities:
        if over.kg.frequency(entity) <= COMMON:
            others = [number for number in passages_of(entity) if number not in found]
            if others:
                near.append((_cosine(others, vector, over), entity))
    return [entity for _, entity in sorted(near, key=lambda item: -item[0])[:width]]


def _cosine(numbers: Sequence[int], vector: Floats, over: View) -> float:
    """Of the nearest of some passages."""
    return float((over.text.vectors.of(np.array(numbers, np.int64)) @ vector).max())

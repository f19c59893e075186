"""Which entities lead on from what was found, where nobody can say what is still missing.

A language model names the next query once it has read what came of the last one (F.2). Offline a plan has to foresee
all queries, and many questions have none: they describe a thing by what only another passage tells. That passage is
about something that the passages found name, or it names what these are about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polyhop.layers.view import View
from polyhop.ports import Floats

COMMON = 200  # passages that name an entity: one that more do leads nowhere in particular

PassagesOf = Callable[[int], list[int]]  # of an entity


@dataclass(frozen=True, kw_only=True)
class LeadsOn:
    """What leads on from passages that were found, by their numbers."""

    question: str
    found: Sequence[int]
    over: View
    width: int  # entities each way: those with the passage nearest the question, of passages that were not found yet

    def named_by_found(self, translated: Iterable[int]) -> list[int]:
        """Entities that passages found name, and that lead sentences of others.

        Those that the question names, or that were translated before, have led somewhere already.
        """
        kg, known = self.over.kg, {*translated, *self._named}
        named = dict.fromkeys(entity for number in self.found for entity in kg.entities_of(number))
        rest = [entity for entity in named if entity not in known and kg.may_lead(entity)]
        return self._nearest(rest, kg.passages_led_by)

    def spoken_of(self) -> list[int]:
        """Entities that the question names or passages found are about, and that sentences of others lead to."""
        kg = self.over.kg
        titles = (kg.find(passage.title) for passage in self.over.passages(self.found))
        known = dict.fromkeys([*self._named, *(entity for entity in titles if entity is not None)])
        return self._nearest(known, lambda entity: kg.passages_of(kg.into.of(entity)))

    @cached_property
    def _named(self) -> list[int]:
        return self.over.kg.named_in(self.question)

    @cached_property
    def _vector(self) -> Floats:
        return self.over.vector(self.question)

    def _nearest(self, entities: Iterable[int], passages_of: PassagesOf) -> list[int]:
        near: list[tuple[float, int]] = []
        for entity in entities:
            if self.over.kg.frequency(entity) > COMMON:
                continue
            others = [number for number in passages_of(entity) if number not in self.found]
            if others:
                cosines = self.over.text.vectors.of(np.array(others, np.int64)) @ self._vector
                near.append((float(cosines.max()), entity))
        return [entity for _, entity in sorted(near, key=lambda item: -item[0])[: self.width]]

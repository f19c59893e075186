"""Binding placeholders to what resolved constraints found (C2RAG, section 3.3, Eq. 13 and 14)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyhop.layers.facts.graph import FactGraph
from polyhop.strategies.c2rag.ground import Bound, Pattern
from polyhop.strategies.c2rag.sufficiency import FactCandidate, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedConstraint:
    """A constraint with its candidates, best first, and what the check said of them."""

    position: int  # of the constraint in its plan
    pattern: Pattern
    candidates: tuple[FactCandidate, ...]
    verdict: Verdict

    @property
    def values(self) -> list[int]:
        """The entities that the placeholder may stand for (Eq. 13), best first."""
        return list(dict.fromkeys(candidate.value for candidate in self.candidates))


def bound_by(grounded: Sequence[GroundedConstraint], graph: FactGraph, *, intersection: bool) -> dict[str, Bound]:
    """What the placeholders of resolved constraints stand for: what all of them allow or, if nothing, what any does.

    Without ``intersection`` it is always what any of them allows. Values keep the order of the surest constraint.
    """
    groups: defaultdict[str, list[GroundedConstraint]] = defaultdict(list)
    for one in grounded:
        if one.verdict.resolved and one.pattern.open is not None:
            groups[one.pattern.open.name].append(one)
    found = {}
    for name, group in groups.items():
        surest = sorted(group, key=lambda one: (one.verdict.effective, one.position))
        values = list(dict.fromkeys(value for one in surest for value in one.values))
        common = [value for value in values if all(value in one.values for one in group)]
        entities = common if intersection and common else values
        found[name] = Bound(values=tuple(graph.entity(entity).name for entity in entities), entities=tuple(entities))
    return found


def consistent(one: GroundedConstraint, bound: Bound) -> GroundedConstraint:
    """The constraint without the candidates that contradict what its placeholder stands for."""
    kept = tuple(candidate for candidate in one.candidates if candidate.value in bound.entities)
    return replace(one, candidates=kept)

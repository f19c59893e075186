"""Binding placeholders to what resolved constraints found (C2RAG, section 3.3, Eq. 13 and 14)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyhop.layers.facts.graph import FactGraph
from polyhop.plans import Placeholder
from polyhop.strategies.c2rag.pattern import Bindings, Bound, Pattern
from polyhop.strategies.c2rag.sufficiency import NOTHING, FactCandidate, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedConstraint:
    """A constraint with its candidates and what the check said of them; those that it trusts most come first."""

    position: int  # of the constraint in its plan
    pattern: Pattern
    candidates: tuple[FactCandidate, ...]
    verdict: Verdict
    open_ends: int = 1  # how many of its ends nothing was known of
    aligned: tuple[FactCandidate, ...] = ()  # what the candidates were chosen from, best first by relation

    @classmethod
    def of(
        cls,
        position: int,
        pattern: Pattern,
        candidates: Sequence[FactCandidate],
        verdict: Verdict,
        *,
        open_ends: int = 1,
    ) -> GroundedConstraint:
        """Candidates, best first by their scores, in the order of the verdict: what it certifies is what is bound."""
        order = sorted(range(len(candidates)), key=lambda place: -verdict.shares[place])
        return cls(
            position=position,
            pattern=pattern,
            candidates=tuple(candidates[place] for place in order),
            verdict=replace(verdict, shares=tuple(verdict.shares[place] for place in order)),
            open_ends=open_ends,
        )

    @property
    def values(self) -> list[int]:
        """The entities that the placeholder may stand for (Eq. 13), best first."""
        return list(dict.fromkeys(candidate.value for candidate in self.candidates))


def bound_by(grounded: Sequence[GroundedConstraint], graph: FactGraph, *, intersection: bool) -> dict[str, Bound]:
    """What the placeholders of resolved constraints stand for: what all of them allow or, if nothing, what any does.

    Without ``intersection`` it is always what any of them allows. Values keep the order of the surest constraint. A
    constraint that was asked about a mere guess counts only where there is no other.
    """
    groups: defaultdict[str, list[GroundedConstraint]] = defaultdict(list)
    for one in grounded:
        if one.verdict.resolved and one.pattern.open is not None:
            groups[one.pattern.open.name].append(one)
    found = {}
    for name, everyone in groups.items():
        established = [one for one in everyone if not one.pattern.rests_on]
        group = established or everyone
        surest = sorted(group, key=lambda one: (one.verdict.effective, one.position))
        values = list(dict.fromkeys(value for one in surest for value in one.values))
        common = [value for value in values if all(value in one.values for one in group)]
        entities = common if intersection and common else values
        names = tuple(graph.entity(entity).name for entity in entities)
        alike = {value for one in surest[:1] for value in alike_values(one, graph)}
        equal = tuple(known for known, entity in zip(names, entities, strict=True) if entity in alike)
        found[name] = Bound(values=names, entities=tuple(entities), alike=equal, guessed=not established)
    return found


def alike_values(one: GroundedConstraint, graph: FactGraph) -> set[int]:
    """The values that facts give in a relation in which one of them gives the likeliest: all pupils of a teacher."""
    said = {candidate: (int(graph.relation_ids[candidate.fact]), candidate.same_way) for candidate in one.candidates}
    leading = {relation for candidate, relation in said.items() if candidate.value == one.values[0]}
    return {candidate.value for candidate, relation in said.items() if relation in leading}


def consistent(one: GroundedConstraint, bindings: Bindings, graph: FactGraph) -> GroundedConstraint:
    """The constraint without the candidates that contradict what the placeholder at either end stands for (Eq. 14).

    Where they all do, it stays as it is: what it is about has been narrowed down by others since.
    """
    pattern = one.pattern
    kept = []
    for place, candidate in enumerate(one.candidates):
        head, tail = int(graph.heads[candidate.fact]), int(graph.tails[candidate.fact])
        other = head if candidate.value == tail else tail
        known = [end for end in pattern.constraint.placeholders if end != pattern.open]
        values = {end: candidate.value if end == pattern.open else other for end in (pattern.open, *known) if end}
        if candidate.value == NOTHING or all(_allowed(end, value, bindings) for end, value in values.items()):
            kept.append(place)
    if not kept:
        return one
    shares = tuple(one.verdict.shares[place] for place in kept)
    candidates = tuple(one.candidates[place] for place in kept)
    return replace(one, candidates=candidates, verdict=replace(one.verdict, shares=shares))


def _allowed(end: Placeholder, value: int, bindings: Bindings) -> bool:
    bound = bindings.get(end.name)
    return bound is None or not bound.entities or value in bound.entities

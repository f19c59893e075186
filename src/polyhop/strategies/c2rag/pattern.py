"""A constraint as what is known of its placeholders leaves it: at most one end is open (C2RAG, 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from polyhop.plans import Constraint, Placeholder


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What a placeholder stands for: values best first, and their entities where the graph found them."""

    values: tuple[str, ...]
    entities: tuple[int, ...] = ()  # none: the value was read in a passage
    alike: tuple[str, ...] = ()  # of the values, those for which as much speaks as for the first
    guessed: bool = False  # nothing establishes it, or it was found by asking on about a guess


Bindings = Mapping[str, Bound]


@dataclass(frozen=True, slots=True)
class Anchor:
    """How well an entity matches what a constraint names."""

    coverage: float  # S_tok of Eq. 3: the share of the words named that it has, 0 to 1
    likeness: float  # the share of all words of both that they have in common, 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A constraint as the bindings leave it: at most one end is open."""

    constraint: Constraint
    line: str  # Lin of Eq. 6 and 11, with bound placeholders replaced
    asked: str  # the same as a question
    anchors: Mapping[int, Anchor]
    open: Placeholder | None
    open_is_head: bool
    known: bool = False  # both ends are: the graph can bear it out, and narrow down what ``open`` stands for
    among: frozenset[int] = frozenset()  # what ``open`` is known to be one of; none: nothing is known of it
    excluded: frozenset[int] = frozenset()  # what the question names: no placeholder stands for it
    rests_on: tuple[str, ...] = ()  # guesses that are written in, such as "?teacher = Jorun Vey"
    passages: frozenset[int] | None = None  # whose facts may satisfy it: the question's own; None: those of all

    @property
    def compares(self) -> bool:
        """Whether both ends have been found by other constraints, and are to be held against each other."""
        return self.known and len(self.constraint.placeholders) == 2

    @property
    def loose(self) -> bool:
        """Whether neither end is known, so that there is nothing to look it up by."""
        return self.open is None and not self.known and bool(self.constraint.placeholders)

    @property
    def named(self) -> list[int]:
        """The anchors that are what the constraint names: those spelled just so or, if none is, those that cover it."""
        exact = [entity for entity, anchor in self.anchors.items() if anchor.likeness == 1.0]
        return exact or [entity for entity in self.anchors if entity in self.covering]

    @property
    def covering(self) -> frozenset[int]:
        """The anchors whose names have all words of what the constraint names; what it names may be among no others."""
        return frozenset(entity for entity, anchor in self.anchors.items() if anchor.coverage == 1.0)

"""What became of one constraint (C2RAG, Eq. 16)."""

from __future__ import annotations

from dataclasses import dataclass

from polyhop.strategies.c2rag.bind import GroundedConstraint
from polyhop.strategies.c2rag.pattern import Pattern
from polyhop.strategies.c2rag.recover import Value
from polyhop.types import HopStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintBlock:
    """The status of a constraint, its evidence, and what it bound."""

    pattern: Pattern
    status: HopStatus
    passages: tuple[tuple[int, float], ...] = ()  # number and score, best first
    grounded: GroundedConstraint | None = None  # None where it was left to text at once
    values: tuple[str, ...] = ()  # of its open placeholder, likeliest first
    value: Value | None = None  # where in the text the value was read
    note: str = ""

    @property
    def found(self) -> str | None:
        """The likeliest value of its open placeholder."""
        return next(iter(self.values), None)

    @property
    def compares(self) -> bool:
        """Whether all that is left to do is to compare what other constraints have found."""
        return self.pattern.compares

    def asks(self, name: str) -> bool:
        """Whether a placeholder is what the constraint asks for."""
        return self.pattern.open is not None and self.pattern.open.name == name

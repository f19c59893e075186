"""What became of one constraint (C2RAG, Eq. 16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.indexes.names import normal, words
from polyhop.reading.reader import Quote
from polyhop.strategies.c2rag.bind import GroundedConstraint
from polyhop.strategies.c2rag.pattern import Pattern
from polyhop.strategies.shared.judge import most_telling
from polyhop.types import HopStatus

WEIGHTLESS: Final = 0.05  # share of a candidate below which a check holds it to be none


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintBlock:
    """The status of a constraint, its evidence, and what it bound; what it has but did not bind is a guess."""

    pattern: Pattern
    status: HopStatus
    passages: tuple[tuple[int, float], ...] = ()  # number and score, best first
    grounded: GroundedConstraint | None = None  # None where it was left to text at once
    values: tuple[str, ...] = ()  # of its open placeholder, likeliest first
    quotes: tuple[Quote, ...] = ()  # where in the text the likeliest of them was read, or that there is none
    quoted: tuple[int, ...] = ()  # the passages that a language model quoted for it
    chance: float | None = None  # that the likeliest value is right, 0 to 1, where that is known
    sought: bool = False  # whether somebody looked for its value in text
    note: str = ""

    @property
    def found(self) -> str | None:
        """The likeliest value of its open placeholder."""
        return next(iter(self.values), None)

    @property
    def guessed(self) -> bool:
        """Whether texts make its value likely without establishing it."""
        return self.status == "unresolved" and bool(self.values)

    @property
    def established(self) -> bool:
        """Whether its evidence suffices, and it was asked about nothing that is a mere guess."""
        return self.status != "unresolved" and not self.pattern.rests_on

    @property
    def telling(self) -> list[int]:
        """The facts behind a resolved constraint, by their places, without those that the check gives no weight.

        Beside one whose relation is known to be the one asked for, no other relation speaks for another value.
        """
        if self.grounded is None or self.status != "resolved":
            return []
        candidates, shares = self.grounded.candidates, self.grounded.verdict.shares
        likely = most_telling({place: one.score for place, one in enumerate(candidates)})
        return [
            place
            for place in likely
            if candidates[place].value == candidates[0].value
            or (shares[place] >= WEIGHTLESS and (candidates[place].worded or not candidates[0].worded))
        ]

    def asks(self, name: str) -> bool:
        """Whether a placeholder is what the constraint asks for."""
        return self.pattern.open is not None and self.pattern.open.name == name

    def allows(self, value: str) -> bool:
        """Whether a value is one of its own; what a language model tells may name several, "Ada Brook, Otto Reed"."""
        if normal(value) in map(normal, self.values):
            return True
        told = self.values if self.quoted else ()
        return any(f" {' '.join(words(value))} " in f" {' '.join(words(one))} " for one in told)


def agreed(blocks: Sequence[ConstraintBlock]) -> str | None:
    """The likeliest value that all of the blocks that have any allow, else the first one's likeliest."""
    read = [block for block in blocks if block.values]
    values = [value for block in read for value in block.values]
    return next((value for value in values if all(one.allows(value) for one in read)), next(iter(values), None))

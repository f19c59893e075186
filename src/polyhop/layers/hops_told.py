"""Telling whoever asked each hop as soon as it is settled, while the strategy goes on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from polyhop.types import Hop

if TYPE_CHECKING:
    from polyhop.reports import HopListener


@dataclass(eq=False)
class HopsTold:
    """The hops of one question that whoever asked was told so far, by their places among those of the evidence.

    A strategy may call ``settle`` as it goes; the engine calls ``complete`` with the hops of the evidence. So each hop
    of the evidence was told, and the last one told of a place is the one in the evidence. What was told of places
    behind the last of these came to nothing: the answer does not rest on it.
    """

    listener: HopListener | None = None
    told: dict[int, Hop] = field(default_factory=dict)

    @property
    def wanted(self) -> bool:
        """Whether anybody listens: making a hop before the end is wasted otherwise."""
        return self.listener is not None

    def settle(self, position: int, hop: Hop) -> None:
        """Tell a hop, unless the same was told of its place before. Raises what the listener raises."""
        if self.listener is None or self.told.get(position) == hop:
            return
        self.told[position] = hop
        self.listener(position, hop)

    def complete(self, hops: Iterable[Hop]) -> None:
        """Tell those that were not told yet, or have become others since."""
        for position, hop in enumerate(hops):
            self.settle(position, hop)

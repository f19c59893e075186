"""What every strategy is: a question and an index in, evidence out."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from polyhop import registry
from polyhop.layers.view import View
from polyhop.settings import Settings
from polyhop.types import Budget, Evidence


@runtime_checkable
class Strategy(Protocol):
    """A way to find evidence. A strategy is a frozen dataclass; its fields are its settings."""

    needs: ClassVar[tuple[str, ...]]  # the layers it reads

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """Evidence within the budget: passages best first, and the hops that led to them."""


def strategy_of(name: str, settings: Settings) -> Strategy:
    """The strategy of a name, configured by ``[strategies.NAME]`` and, on top, ``[strategy]``."""
    strategy: Strategy = registry.build("strategies", name, settings.of(f"strategies.{name}", "strategy"))
    return strategy

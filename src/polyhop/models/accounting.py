"""Counts what language-model calls consume, and stops before a cap is passed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from polyhop.errors import BudgetExceeded, OutputInvalid
from polyhop.ports import LanguageModel, Message
from polyhop.types import Cost

_BYTES_PER_TOKEN = 4  # of UTF-8, so that scripts with three bytes a character are not taken for cheap ones
_TOKENS_PER_MESSAGE = 4  # the marks of its role, begin and end


class WastedOutput(OutputInvalid):
    """An answer that was paid for and is of no use: what it says, and what it cost."""

    def __init__(self, message: str, *, text: str = "", cost: Cost, remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.text = text
        self.cost = cost


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, where no tokenizer tells: a quarter of its bytes."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def estimated_prompt(messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> int:
    """About how many tokens a conversation has, and the schema of the answer, which servers count too."""
    spoken = sum(estimated_tokens(message.content) + _TOKENS_PER_MESSAGE for message in messages)
    return spoken + (estimated_tokens(json.dumps(schema)) if schema else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a million tokens cost, in the user's currency; zero where nothing is charged."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int, *, seconds: float = 0.0, calls: int = 1) -> Cost:
        """The cost of one or more calls with so many tokens."""
        return Cost(
            llm_calls=calls,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            seconds=seconds,
            money=(prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One completion that is to be asked for."""

    messages: Sequence[Message]
    max_tokens: int = 512
    schema: Mapping[str, Any] | None = None


def forecast_of(model: LanguageModel, requests: Iterable[Request]) -> Cost:
    """The most that requests would cost now, at the model's prices where it has any.

    A model that can forecast by itself (``OpenAICompatible``) leaves out those whose answers it keeps.
    """
    if hasattr(model, "forecast"):
        told: Cost = model.forecast(requests)
        return told
    return sum((most_of(model, one) for one in requests), Cost())


def most_of(model: LanguageModel, request: Request) -> Cost:
    """The most that one request may cost, whether or not its answer is kept."""
    if hasattr(model, "most"):
        told: Cost = model.most(request)
        return told
    prices: Prices = getattr(model, "prices", Prices())
    return prices.of(estimated_prompt(request.messages, request.schema), request.max_tokens)


class Hold:
    """Room set aside for one call under the caps; ``spent`` is what it really took.

    ``broken``: what went before it on replies that broke off, each of which is a call, too.
    """

    def __init__(self, expected: Cost) -> None:
        self.expected = expected
        self.spent = Cost()
        self.broken = Cost()


class Meter:
    """A tally that many threads may share, with caps on calls, tokens and money (None: no cap).

    A call must first find room for what it may consume at most, beside all calls still under way: the caps are never
    passed by calls that consume no more than they said.
    """

    def __init__(self, *, calls: int | None = None, tokens: int | None = None, money: float | None = None) -> None:
        self._caps = (("calls", calls), ("tokens", tokens), ("money", money))
        self._lock = threading.Lock()
        self._total = Cost()
        self._holds: set[Hold] = set()

    @property
    def total(self) -> Cost:
        """What all finished calls consumed."""
        with self._lock:
            return self._total

    @contextmanager
    def holding(self, expected: Cost) -> Iterator[Hold]:
        """Set room aside for a call while it runs; what is written to ``spent`` is added to the total.

        Raises BudgetExceeded, before the call, where the room is missing.
        """
        hold = Hold(expected)
        with self._lock:
            self._check(expected)
            self._holds.add(hold)
        try:
            yield hold
        finally:
            with self._lock:
                self._holds.remove(hold)
                self._total += hold.spent

    def repeat(self, hold: Hold, cost: Cost) -> None:
        """Count a reply that broke off, for which a call is to be made again. Raises BudgetExceeded as ``holding``."""
        with self._lock:
            hold.broken += cost
            self._total += cost
            self._holds.remove(hold)
            try:
                self._check(hold.expected)
            finally:
                self._holds.add(hold)

    def _check(self, expected: Cost) -> None:
        committed = sum((hold.expected for hold in self._holds), self._total)
        wanted = committed + expected
        for (unit, cap), used, needed in zip(self._caps, _measures(committed), _measures(wanted), strict=True):
            if cap is not None and needed > cap:
                raise BudgetExceeded(
                    f"The next call may take {plainly(needed - used)} {unit}; "
                    f"{plainly(used)} of the {plainly(cap)} allowed are already spent or under way.",
                    remedy=f"Raise the cap on {unit}, or ask for less; answers paid for so far are kept in the cache.",
                )


def plainly(amount: float) -> str:
    """An amount as people write it, to a millionth, as in 1,250,000 or 0.00012."""
    return f"{amount:,.6f}".rstrip("0").rstrip(".")


def _measures(cost: Cost) -> tuple[float, float, float]:
    return cost.llm_calls, cost.tokens, cost.money

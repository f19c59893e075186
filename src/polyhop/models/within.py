"""A language model within the budget of one question: so many calls and tokens, and a part of them for one purpose."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

from polyhop.errors import BudgetExceeded
from polyhop.models.accounting import Prices, WastedOutput, estimated_prompt
from polyhop.models.endpoint import Request, forecast_of
from polyhop.models.side_by_side import concurrency_of
from polyhop.ports import Completion, LanguageModel, Message
from polyhop.types import Cost


class NoCallsLeft(BudgetExceeded):
    """A question may not ask the language model again: its own budget is used up, not a cap of the user's."""


class Within:
    """A language model that may be asked only so often; what it was asked is counted. Threads may share it.

    ``left``: calls; ``tokens``: of prompts and answers together, None for no cap. A call under way counts for what it
    may take at most (estimated as ``models/accounting.py`` does), a finished one for what it took. Answers from the
    model's cache are calls like others, so that the same budget leads to the same answer; they take no tokens.
    """

    def __init__(self, model: LanguageModel, left: int, *, tokens: int | None = None) -> None:
        self.model = model
        self._count = _Count(left, tokens)
        self._for_others = (0, 0)  # calls and tokens
        self._whole: Within | None = None
        self._spent = Cost()

    def share(self, calls: int, *, tokens: int = 0) -> Within:
        """A part of this budget, for one purpose: its calls count here too, and leave so many calls and tokens over.

        Shares of one budget draw on the same calls: nothing is set aside for any of them. Raises ValueError for less
        than 0.
        """
        if min(calls, tokens) < 0:
            raise ValueError("calls and tokens must be at least 0")
        part = copy(self)
        part._for_others = (self._for_others[0] + calls, self._for_others[1] + tokens)
        part._whole = self
        part._spent = Cost()
        return part

    @property
    def name(self) -> str:
        """The model's own."""
        return self.model.name

    @property
    def concurrency(self) -> int:
        """How many may ask at once: what the model says, else 1."""
        return concurrency_of(self.model)

    @property
    def prices(self) -> Prices:
        """What a million tokens cost; nothing where the model does not say."""
        prices: Prices = getattr(self.model, "prices", Prices())
        return prices

    @property
    def left(self) -> int:
        """Calls that may still be made through this."""
        return max(0, self._count.calls - self._for_others[0])

    @property
    def tokens_left(self) -> int | None:
        """Tokens that calls through this may still take beside those under way; None where there is no cap."""
        tokens = self._count.tokens
        return None if tokens is None else max(0, tokens - self._for_others[1])

    @property
    def spent(self) -> Cost:
        """What calls through this, and through its shares, have cost."""
        return self._spent

    def forecast(self, requests: Iterable[Request]) -> Cost:
        """The most that requests would cost now; a model that can tell leaves out those whose answers it keeps."""
        return forecast_of(self.model, requests)

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """The model's own completion. Raises NoCallsLeft, before anything is asked, and what the model raises."""
        most = estimated_prompt(messages, schema) + max_tokens + int(getattr(self.model, "reasoning_tokens", 0))
        self._count.take(most, self._for_others)
        cost = Cost()
        try:
            completion = self.model.complete(messages, max_tokens=max_tokens, schema=schema)
            cost = completion.cost
        except WastedOutput as wasted:
            cost = wasted.cost
            raise
        except BudgetExceeded:
            self._count.give_back()  # a cap of the user's: nothing was asked
            raise
        finally:
            self._settle(most, cost)
        return completion

    def _settle(self, most: int, cost: Cost) -> None:
        with self._count.lock:
            if self._count.tokens is not None:
                self._count.tokens += most - cost.tokens
            part: Within | None = self
            while part is not None:
                part._spent += cost
                part = part._whole


class _Count:
    """Calls and tokens that are left of a budget, less what calls under way may take."""

    def __init__(self, calls: int, tokens: int | None) -> None:
        self.calls = calls
        self.tokens = tokens
        self.lock = threading.Lock()

    def take(self, tokens: int, for_others: tuple[int, int]) -> None:
        """Count a call before it is made. Raises NoCallsLeft where it would leave too little for others."""
        with self.lock:
            if self.calls <= for_others[0]:
                raise NoCallsLeft("No calls to the language model are left for this question.")
            if self.tokens is not None:
                if self.tokens - tokens < for_others[1]:
                    raise NoCallsLeft(
                        f"The next call may take {tokens:,} tokens, and {max(0, self.tokens - for_others[1]):,} are "
                        "left for this question."
                    )
                self.tokens -= tokens
            self.calls -= 1

    def give_back(self) -> None:
        """A call that was counted has not been made."""
        with self.lock:
            self.calls += 1

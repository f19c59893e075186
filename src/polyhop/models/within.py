"""A language model within the budget of one question: so many calls, tokens and so much money, and parts of them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Final, Self

from polyhop.english.numbers import counted
from polyhop.errors import BudgetExceeded, EndpointError
from polyhop.models.accounting import Request, WastedOutput, estimated_tokens, plainly
from polyhop.models.around import Around
from polyhop.models.choice import Models
from polyhop.models.heard import HeardEnough, ReplyListener, heard_by
from polyhop.ports import Completion, LanguageModel, Message
from polyhop.types import Budget, Cost

READING: Final = 1  # calls that a strategy leaves to the reader
_ANSWER: Final = 1000  # tokens of instructions and answer that the reader's call takes beside its passages, about
_Most = tuple[int, int, float]  # calls, tokens, money


class NoCallsLeft(BudgetExceeded):
    """A question may not ask the language model again: its own budget is used up, not a cap of the user's.

    Where it was to repair an answer, ``text`` is that answer, and ``cost`` what it took.
    """

    text = ""


class Within(Around):
    """A language model that may be asked only so often; what it was asked is counted. Threads may share it.

    ``left``: calls; ``tokens``: of prompts and answers together; ``money``: in the currency of the model's prices;
    ``context``: tokens of material that any one prompt may show. None is no cap. A call under way counts for what it
    may take at most (estimated as ``models/accounting.py`` does), a finished one for what it took. Answers from the
    model's cache are calls like others, so that the same budget leads to the same answer; they take no tokens.
    """

    def __init__(
        self,
        model: LanguageModel,
        left: int,
        *,
        tokens: int | None = None,
        money: float | None = None,
        context: int | None = None,
    ) -> None:
        super().__init__(model)
        self.context = context
        self._count = _Count(left, tokens, money)
        self._for_others: _Most = (0, 0, 0.0)
        self._whole: Within | None = None
        self._spent = Cost()

    @classmethod
    def of(cls, model: LanguageModel, budget: Budget) -> Self:
        """The model within all that a question may ask of it."""
        return cls(model, budget.llm_calls, tokens=budget.llm_tokens, money=budget.money, context=budget.tokens)

    def share(self, calls: int, *, tokens: int = 0, money: float = 0.0) -> Within:
        """A part of this budget, for one purpose: its calls count here too, and leave so much of everything over.

        Shares of one budget draw on the same calls: nothing is set aside for any of them. Raises ValueError for less
        than 0.
        """
        if min(calls, tokens, money) < 0:
            raise ValueError("calls, tokens and money must be at least 0")
        part = copy(self)
        before = self._for_others
        part._for_others = (before[0] + calls, before[1] + tokens, before[2] + money)
        part._whole = self
        part._spent = Cost()
        return part

    def heard_by(self, listener: ReplyListener) -> LanguageModel:
        """The same budget, with somebody who listens to the replies."""
        part = self.share(0)
        part.model = heard_by(self.model, listener)
        return part

    @property
    def left(self) -> int:
        """Calls that may still be made through this."""
        return max(0, self._count.calls - self._for_others[0])

    @property
    def spent(self) -> Cost:
        """What calls through this, and through its shares, have cost."""
        return self._spent

    @property
    def left_out(self) -> tuple[str, ...]:
        """What the budget did not allow, here and in all shares, one line each."""
        with self._count.lock:
            return tuple(_said(number, what) for what, number in self._count.left_out.items())

    def leave_out(self, what: str, number: int) -> None:
        """Note what a prompt had no room for, such as 3 ``passages``."""
        with self._count.lock:
            self._count.left_out[what] += number

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """The model's own completion. Raises NoCallsLeft, before anything is asked, and what the model raises."""
        most = self.most(Request(messages=messages, max_tokens=max_tokens, schema=schema))
        self._check_material(messages)
        self._count.take(most, self._for_others)
        cost = Cost()
        try:
            completion = self.model.complete(messages, max_tokens=max_tokens, schema=schema)
            cost = completion.cost
        except (WastedOutput, HeardEnough, EndpointError, BudgetExceeded) as ended:
            cost = ended.cost
            if isinstance(ended, BudgetExceeded) and not cost.llm_calls:
                self._count.give_back()  # a cap of the user's: nothing was asked
            raise
        finally:
            self._settle(most, cost)
        return completion

    def _check_material(self, messages: Sequence[Message]) -> None:
        """Instructions and repairs aside, a prompt shows what its first turn of the user holds."""
        if self.context is None:
            return
        material = next((estimated_tokens(one.content) for one in messages if one.role == "user"), 0)
        if material > self.context:
            self.leave_out(f"requests longer than the {self.context:,} tokens of budget.tokens", 1)
            raise NoCallsLeft(f"A prompt of {material:,} tokens is longer than the {self.context:,} of budget.tokens.")

    def _settle(self, most: Cost, cost: Cost) -> None:
        with self._count.lock:
            self._count.calls -= max(0, cost.llm_calls - 1)  # made again after replies that broke off
            if self._count.tokens is not None:
                self._count.tokens += most.tokens - cost.tokens
            if self._count.money is not None:
                self._count.money += most.money - cost.money
            part: Within | None = self
            while part is not None:
                part._spent += cost
                part = part._whole


class _Count:
    """What is left of a budget, less what calls under way may take."""

    def __init__(self, calls: int, tokens: int | None, money: float | None) -> None:
        self.calls = calls
        self.tokens = tokens
        self.money = money
        self.lock = threading.Lock()
        self.left_out: Counter[str] = Counter()

    def take(self, most: Cost, for_others: _Most) -> None:
        """Count a call before it is made. Raises NoCallsLeft where it would leave too little for others."""
        with self.lock:
            if self.calls <= for_others[0]:
                raise self._refused("llm_calls", "No calls to the language model are left for this question.")
            for name, left, wanted, kept in (
                ("llm_tokens", self.tokens, most.tokens, for_others[1]),
                ("money", self.money, most.money, for_others[2]),
            ):
                if left is not None and left - wanted < kept:
                    unit = "tokens" if name == "llm_tokens" else "of money"
                    spare = max(0, left - kept)
                    needs = f"The next call may take {plainly(wanted)} {unit}, and {plainly(spare)} are left"
                    raise self._refused(name, f"{needs} for this question.")
            self.tokens = None if self.tokens is None else self.tokens - most.tokens
            self.money = None if self.money is None else self.money - most.money
            self.calls -= 1

    def _refused(self, name: str, message: str) -> NoCallsLeft:
        self.left_out[f"requests to the language model, for want of budget.{name}"] += 1
        return NoCallsLeft(message)

    def give_back(self) -> None:
        """A call that was counted has not been made."""
        with self.lock:
            self.calls += 1


def models_within(models: Models, budget: Budget) -> Models:
    """The same models for one question, the language model among them within the question's budget."""
    model = models.language_model
    return models if model is None else models.with_language_model(Within.of(model, budget))


@contextmanager
def asked_within(models: Models, budget: Budget, told: Callable[[Cost], None] | None) -> Iterator[Models]:
    """The models within the budget of one question; what the language model took is told at its end, be it an error."""
    within = models_within(models, budget)
    try:
        yield within
    finally:
        model = within.language_model
        if told is not None and isinstance(model, Within):
            told(model.spent)


def _said(number: int, what: str) -> str:
    """How many of what, which begins with a plural."""
    things, _, more = what.partition(" ")
    return f"{counted(number, things)} {more}"


def left_out_by(models: Models) -> tuple[str, ...]:
    """What the budget of a question did not let the language model do, one line each."""
    model = models.language_model
    return model.left_out if isinstance(model, Within) else ()


def before_reading(model: LanguageModel | None, budget: Budget) -> Within | None:
    """What a strategy may ask of the language model: all but what the reader needs; None where that is nothing.

    ``model`` is within the question's budget where the engine hands it on, and is put there otherwise.
    """
    if model is None:
        return None
    whole = model if isinstance(model, Within) else Within.of(model, budget)
    tokens = 0 if budget.llm_tokens is None else min(budget.llm_tokens // 2, budget.tokens + _ANSWER)
    part = whole.share(READING, tokens=tokens, money=(budget.money or 0.0) / 2)
    return part if part.left else None

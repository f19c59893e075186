"""What layers share that make rows in one of two ways: by rules over the stored parse, or by a language model."""

from __future__ import annotations

import logging
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, Generic, Literal, TypeVar

from polyhop.layers.layer import words_of
from polyhop.layers.parsekg.layer import parse_of, parses_of
from polyhop.models.accounting import estimated_tokens
from polyhop.models.choice import Models
from polyhop.models.side_by_side import concurrency_of
from polyhop.ports import Below, Failure, LanguageModel, ParsedSentence, Rows
from polyhop.prompts.batches import Batches
from polyhop.types import Cost, Passage

logger = logging.getLogger(__name__)
T = TypeVar("T")

_TITLE_TOKENS = 3  # that introduce a title in a prompt


class ByRulesOrModel(ABC, Generic[T]):
    """A layer whose rows are made by rules, which cost nothing, or by the configured language model, which may.

    Passages are done in batches, and one that cannot be done fails alone. T is what the model says of a passage.
    """

    name: ClassVar[str]
    runs: ClassVar[Literal["threads", "processes"]] = "threads"
    reads: ClassVar[tuple[str, ...]] = ("parsekg",)

    passages_a_call: int  # a setting of each such layer

    @abstractmethod
    def asks(self, models: Models) -> LanguageModel | None:
        """The model that is asked, None for rules. Raises ModelMissing."""

    @abstractmethod
    def _batches(self) -> Batches[T]:
        """What it is asked of passages."""

    @abstractmethod
    def _by_rules(self, passage: Passage, parse: Sequence[ParsedSentence]) -> bytes:
        """The row of a passage, from its parse."""

    @abstractmethod
    def _by_model(self, passage: Passage, said: T) -> bytes:
        """The row of a passage, from what the model said of it."""

    def extract(self, passages: Sequence[Passage], models: Models, below: Below) -> Sequence[Rows]:
        """For each passage what was made of it and how many such things were rejected (see the layer's ``encode``).

        Raises ModelMissing and, where a language model is asked, BudgetExceeded and EndpointError.
        """
        model = self.asks(models)
        if model is None:
            return list(map(self._row, passages, parses_of(passages, models, below)))
        outcomes, cost = self._batches().ask(model, passages)
        calls, tokens = cost.llm_calls, cost.tokens
        logger.info("%s: %d passages took %d calls and %d tokens", self.name, len(passages), calls, tokens)
        return [
            outcome if isinstance(outcome, Failure) else self._by_model(passage, outcome)
            for passage, outcome in zip(passages, outcomes, strict=True)
        ]

    def calls(self, passages: Sequence[Passage]) -> Iterator[list[int]]:
        """The passages that a language model reads in one call, by their places; without those that it need not."""
        return self._batches().calls(passages)

    def _row(self, passage: Passage, parse: Rows) -> Rows:
        if isinstance(parse, Failure):
            return parse
        try:
            return self._by_rules(passage, parse_of(parse))
        except (ValueError, TypeError, LookupError, RecursionError, zlib.error) as error:
            logger.warning("%s: passage %s cannot be done: %r", self.name, passage.id, error)
            return Failure(f"{type(error).__name__}: {error}")

    def at_once(self, models: Models) -> int:
        """Passages to extract in one go: as many as a language model reads in calls that run side by side."""
        model = self.asks(models)
        return self.passages_a_call * (1 if model is None else concurrency_of(model))

    def forecast(self, passages: Sequence[Passage], new: Sequence[int], models: Models) -> Cost:
        """The most that extracting these passages in one go would cost, and after them new ones of so many tokens."""
        model = self.asks(models)
        if model is None:
            return Cost()
        if not new:
            return self._batches().forecast(model, passages)
        sizes = [*(estimated_tokens(words_of(passage)) for passage in passages), *new]
        return self._batches().forecast_sizes([size + _TITLE_TOKENS for size in sizes], getattr(model, "prices", None))

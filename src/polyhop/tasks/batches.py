"""Asks a language model about passages, several a call: how they are packed, what a failing call means for them."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from polyhop.errors import BudgetExceeded, EndpointError, ModelError, ModelMissing, PolyhopError
from polyhop.models.accounting import Prices, WastedOutput, estimated_prompt, estimated_tokens
from polyhop.models.endpoint import Request
from polyhop.models.structured import complete_json
from polyhop.ports import Completion, Failure, LanguageModel, Message
from polyhop.tasks.blocks import Block, fenced
from polyhop.types import Cost, Passage

log = logging.getLogger(__name__)
T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S")

_BLOCK_TOKENS = 24  # the marks around a passage
_UNANSWERED = 3  # calls in a row: so many are the endpoint's fault, not the passages'
_ABOUT_REQUEST = frozenset({400, 413, 422, 500, 501})  # refusals that another request may not meet with


@dataclass(frozen=True, kw_only=True)
class Batches(Generic[T]):
    """Something that a language model is asked of every passage, several a call; T is what comes of a passage."""

    system: str  # the prompt
    schema: Mapping[str, Any]
    text_tokens: int  # of the passages of one call, about; a longer passage has a call of its own
    passages: int  # of one call, at most
    answer: Callable[[int, int], int]  # tokens that a call may answer, from those of its text and its passages
    read: Callable[[Any, Sequence[Passage]], Iterable[T]]  # what the passages of a call bear out of its answer
    nothing: T  # of a passage without words: nobody is asked about it
    undone: str  # what a failed passage lacks, as in "facts"

    def ask(self, model: LanguageModel, passages: Sequence[Passage]) -> tuple[list[T | Failure], Cost]:
        """What comes of each passage, or why it could not be done, in the order of the passages; and what that cost.

        Calls run at once where the model says how many it allows (``concurrency``). An answer for several passages
        that stays broken after one repair, or is cut off, is asked for again passage by passage. What was paid for
        before an error is in the model's cache: the same passages again pay for the rest only.

        Raises BudgetExceeded, ModelMissing, and EndpointError where it is not about the request for some passage only.
        """
        run = _Run(self, model)
        outcomes: list[T | Failure] = [self.nothing] * len(passages)
        batches = list(self._packed(passages))
        texts = [[passages[index] for index in batch] for batch in batches]
        for batch, done in zip(batches, _each(run.of, texts, int(getattr(model, "concurrency", 1))), strict=True):
            for index, outcome in zip(batch, done, strict=True):
                outcomes[index] = outcome
        return outcomes, run.cost

    def forecast(self, model: LanguageModel, passages: Sequence[Passage]) -> Cost:
        """The most that these passages would cost now, before any call, if no answer has to be repaired or asked again.

        A model that can forecast (``OpenAICompatible``) applies its prices and leaves out answers that it keeps.
        """
        requests = [self.request([passages[index] for index in batch]) for batch in self._packed(passages)]
        if hasattr(model, "forecast"):
            forecast: Cost = model.forecast(requests)
            return forecast
        sizes = [(estimated_prompt(request.messages), request.max_tokens) for request in requests]
        return sum((Prices().of(prompt, answer) for prompt, answer in sizes), Cost())

    def forecast_sizes(self, text_tokens: Iterable[int], prices: Prices | None = None) -> Cost:
        """Like ``forecast`` for passages of which only the sizes are known (``estimated_tokens``), in order."""
        charged = prices or Prices()
        head = estimated_prompt([Message("system", self.system), Message("user", "")])
        fixed = head + estimated_tokens(json.dumps(self.schema))
        sizes = [size + _BLOCK_TOKENS for size in text_tokens]
        cost = Cost()
        for batch in packed(list(enumerate(sizes)), text_tokens=self.text_tokens, passages=self.passages):
            text = sum(sizes[index] for index in batch)
            cost += charged.of(fixed + text, self.answer(text, len(batch)))
        return cost

    def request(self, batch: Sequence[Passage]) -> Request:
        """The call for some passages."""
        blocks = [Block(f"PASSAGE {number}", _shown(passage)) for number, passage in enumerate(batch, 1)]
        messages = (Message("system", self.system), Message("user", fenced(blocks)))
        answer = self.answer(sum(map(_tokens, batch)), len(batch))
        return Request(messages=messages, max_tokens=answer, schema=self.schema)

    def _packed(self, passages: Sequence[Passage]) -> Iterator[list[int]]:
        sizes = [(index, _tokens(one)) for index, one in enumerate(passages) if any(map(str.isalnum, one.text))]
        return packed(sizes, text_tokens=self.text_tokens, passages=self.passages)


def packed(sizes: Sequence[tuple[int, int]], *, text_tokens: int, passages: int) -> Iterator[list[int]]:
    """The items, given with their sizes, in batches that stay within the limits, in order."""
    batch: list[int] = []
    held = 0
    for index, size in sizes:
        if batch and (held + size > text_tokens or len(batch) == passages):
            yield batch
            batch, held = [], 0
        batch.append(index)
        held += size
    if batch:
        yield batch


class _CutOff(Exception):
    """An answer for several passages that was too long: fewer passages are a better remedy than a shorter answer."""


class _Run(Generic[T]):
    """One run over passages: the model as its tasks see it, with a tally. Threads share it."""

    def __init__(self, batches: Batches[T], model: LanguageModel) -> None:
        self.cost = Cost()
        self._batches = batches
        self._model = model
        self._unanswered = 0
        self._lock = threading.Lock()

    def of(self, batch: Sequence[Passage]) -> list[T | Failure]:
        """What one call gives for its passages; where it gives nothing usable, what a call for each of them gives."""
        request = self._batches.request(batch)
        model = _Watched(self.answered, self._model, several=len(batch) > 1)
        try:
            answer, _ = complete_json(model, request.messages, self._batches.schema, request.max_tokens)
        except (ModelError, _CutOff) as error:
            if self._is_down(error):
                raise
            if len(batch) == 1:
                log.warning("There are no %s of passage %s: %s", self._batches.undone, batch[0].id, error)
                return [Failure(str(error))]
            log.info("%d passages are asked for one by one: %s", len(batch), error)
            return [outcome for passage in batch for outcome in self.of([passage])]
        return list(self._batches.read(answer, batch))

    def answered(self, cost: Cost) -> None:
        """Count a call that was answered, well or badly."""
        with self._lock:
            self.cost += cost
            self._unanswered = 0

    def _is_down(self, error: Exception) -> bool:
        """Whether other passages would fare no better: it refuses us, or leaves several calls in a row unanswered."""
        if not isinstance(error, EndpointError) or error.status in _ABOUT_REQUEST:
            return isinstance(error, ModelMissing)
        with self._lock:
            self._unanswered += 1
            return error.status is not None or self._unanswered >= _UNANSWERED


@dataclass(frozen=True)
class _Watched:
    """The model, with every answer counted, also those that a repair replaces."""

    answered: Callable[[Cost], None]
    model: LanguageModel
    several: bool

    @property
    def name(self) -> str:
        return self.model.name

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        try:
            completion = self.model.complete(messages, max_tokens=max_tokens, schema=schema)
        except WastedOutput as wasted:
            self.answered(wasted.cost)
            if self.several and wasted.text.strip():
                raise _CutOff(str(wasted)) from wasted
            raise
        self.answered(completion.cost)
        return completion


def _shown(passage: Passage) -> str:
    return f"Title: {passage.title}\n\n{passage.text}"


def _tokens(passage: Passage) -> int:
    return estimated_tokens(_shown(passage)) + _BLOCK_TOKENS


def _each(work: Callable[[S], R], items: Sequence[S], at_once: int) -> list[R]:
    """What the work makes of each item, in order, at most so many at a time; an error lets no further one begin.

    Caps count what calls under way may consume at most. So an item that finds no room beside others is tried again
    alone, and BudgetExceeded then means what it says. An interruption (Ctrl-C) returns at once.
    """
    results: dict[int, R] = {}
    errors: list[PolyhopError] = []
    waiting = iter(range(len(items)))
    lock, stop = threading.Lock(), threading.Event()

    def run() -> None:
        while not stop.is_set():
            with lock:
                index = next(waiting, None)
            if index is None:
                return
            try:
                results[index] = work(items[index])
            except BudgetExceeded:
                stop.set()
            except PolyhopError as error:
                errors.append(error)
                stop.set()

    count = min(at_once, len(items))
    threads = [threading.Thread(target=run, daemon=True) for _ in range(count if count > 1 else 0)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)  # in slices, because Windows cannot interrupt a join without end
    finally:
        stop.set()
    if errors:
        raise errors[0]
    return [results[index] if index in results else work(item) for index, item in enumerate(items)]

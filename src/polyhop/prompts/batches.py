"""Asks a language model about passages, several a call: how they are packed, what a failing call means for them."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from polyhop.errors import EndpointError, ModelError, ModelMissing
from polyhop.models.accounting import Prices, Request, WastedOutput, estimated_prompt, estimated_tokens, forecast_of
from polyhop.models.around import Around
from polyhop.models.side_by_side import side_by_side
from polyhop.models.structured import complete_json
from polyhop.models.tallied import Counted
from polyhop.ports import Completion, Failure, LanguageModel, Message
from polyhop.prompts.blocks import PromptBlock, date_line, fenced
from polyhop.types import Cost, Passage

log = logging.getLogger(__name__)
T = TypeVar("T")

_BLOCK_TOKENS = 24  # the marks around a passage
_UNANSWERED = 3  # calls in a row: so many are the endpoint's fault, not the passages'
_SPLIT = 2  # calls in a row that had to be asked in parts: this model is not up to several passages
_ABOUT_REQUEST = frozenset({400, 413, 422, 500, 501})  # refusals that another request may not meet with


@dataclass(frozen=True, kw_only=True)
class Batches(Generic[T]):
    """Something that a language model is asked of every passage, several a call; T is what comes of a passage."""

    system: str  # the prompt
    schema: Mapping[str, Any]
    text_tokens: int  # of the passages of one call, about; a longer passage has a call of its own
    passages: int  # of one call, at most
    answer: Callable[[int, int], int]  # tokens that a call may answer, from those of its text and its passages
    read: Callable[[Any, Sequence[Passage]], Iterable[T | Failure]]  # what passages of a call bear out of its answer
    nothing: T  # of a passage without words: nobody is asked about it
    undone: str  # what a failed passage lacks, as in "facts"
    also: Sequence[Mapping[str, Any]] = ()  # wider schemas: what obeys one is as good, and is not asked for again
    dated: bool = False  # whether passages are shown with the day that only the rest of their document tells
    more: Callable[[Any, Sequence[Passage]], str] = lambda _, __: ""  # what to ask once more for, if an answer lacks it
    joined: Callable[[Any, Any], Any] = lambda answer, _: answer  # an answer with what came of asking once more

    def ask(self, model: LanguageModel, passages: Sequence[Passage]) -> tuple[list[T | Failure], Cost]:
        """What comes of each passage, or why it could not be done, in the order of the passages; and what that cost.

        Calls run at once where the model says how many it allows (``concurrency``). An answer for several passages
        that stays broken after one repair, or is cut off, is asked for again passage by passage. What was paid for
        before an error is in the model's cache: the same passages again pay for the rest only.

        Raises BudgetExceeded, ModelMissing, and EndpointError where it is not about the request for some passage only.
        """
        run = _Run(self, model)
        outcomes: list[T | Failure] = [self.nothing] * len(passages)
        batches = list(self.calls(passages))
        texts = [[passages[index] for index in batch] for batch in batches]
        for batch, done in zip(batches, side_by_side(run.of, texts, run.model.concurrency), strict=True):
            for index, outcome in zip(batch, done, strict=True):
                outcomes[index] = outcome
        return outcomes, run.model.cost

    def forecast(self, model: LanguageModel, passages: Sequence[Passage]) -> Cost:
        """The most that these passages would cost now, before any call, if nothing has to be asked again.

        A model that can forecast (``OpenAICompatible``) applies its prices and leaves out answers that it keeps.
        """
        return forecast_of(model, [self.request([passages[one] for one in batch]) for batch in self.calls(passages)])

    def forecast_sizes(self, text_tokens: Iterable[int], prices: Prices | None = None) -> Cost:
        """Like ``forecast`` for passages of which only the sizes are known (``estimated_tokens``), in order."""
        charged = prices or Prices()
        fixed = estimated_prompt([Message("system", self.system), Message("user", "")], self.schema)
        sizes = [size + _BLOCK_TOKENS for size in text_tokens]
        cost = Cost()
        for batch in packed(list(enumerate(sizes)), text_tokens=self.text_tokens, passages=self.passages):
            text = sum(sizes[index] for index in batch)
            cost += charged.of(fixed + text, self.answer(text, len(batch)))
        return cost

    def request(self, batch: Sequence[Passage]) -> Request:
        """The call for some passages."""
        blocks = [PromptBlock(f"PASSAGE {number}", self._shown(passage)) for number, passage in enumerate(batch, 1)]
        messages = (Message("system", self.system), Message("user", fenced(blocks)))
        answer = self.answer(sum(map(self._tokens, batch)), len(batch))
        return Request(messages=messages, max_tokens=answer, schema=self.schema)

    def calls(self, passages: Sequence[Passage]) -> Iterator[list[int]]:
        """The passages of each call, by their places; nobody is asked about one without words."""
        sizes = [(index, self._tokens(one)) for index, one in enumerate(passages) if any(map(str.isalnum, one.text))]
        return packed(sizes, text_tokens=self.text_tokens, passages=self.passages)

    def _shown(self, passage: Passage) -> str:
        lines = (f"Title: {passage.title}", *(date_line(passage) if self.dated else ()))
        return "\n".join(lines) + f"\n\n{passage.text}"

    def _tokens(self, passage: Passage) -> int:
        return estimated_tokens(self._shown(passage)) + _BLOCK_TOKENS


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
    """One run over passages: what the model was paid, and how long it has not answered. Threads share it."""

    def __init__(self, batches: Batches[T], model: LanguageModel) -> None:
        self.model = Counted(model)
        self._batches = batches
        self._unanswered = 0
        self._split = 0
        self._lock = threading.Lock()

    def of(self, batch: Sequence[Passage]) -> list[T | Failure]:
        """What one call gives for its passages; where it gives nothing usable, what a call for each of them gives.

        Where several calls in a row gave nothing usable for their passages, there is one for each from then on.
        """
        if len(batch) > 1 and self._split >= _SPLIT:
            return self._one_by_one(batch)
        request = self._batches.request(batch)
        model = _Splitting(self.model) if len(batch) > 1 else self.model
        try:
            answer, _ = complete_json(
                model, request.messages, self._batches.schema, request.max_tokens, also=self._batches.also
            )
        except (ModelError, _CutOff) as error:
            if self._is_down(error):
                raise
            if len(batch) == 1:
                log.warning("There are no %s of passage %s: %s", self._batches.undone, batch[0].id, error)
                return [Failure(str(error))]
            log.info("%d passages are asked for one by one: %s", len(batch), error)
            self._split += 1
            return self._one_by_one(batch)
        self._unanswered = 0
        self._split = 0 if len(batch) > 1 else self._split
        return list(self._batches.read(self._whole(answer, request, batch), batch))

    def _one_by_one(self, batch: Sequence[Passage]) -> list[T | Failure]:
        return [outcome for passage in batch for outcome in self.of([passage])]

    def _whole(self, answer: Any, request: Request, batch: Sequence[Passage]) -> Any:
        """An answer with what it lacked, for which the model is asked once; where that fails, the answer as it is."""
        wish = self._batches.more(answer, batch)
        if not wish:
            return answer
        said = Message("assistant", json.dumps(answer, ensure_ascii=False))
        messages = [*request.messages, said, Message("user", wish)]
        try:
            further, _ = complete_json(self.model, messages, self._batches.schema, request.max_tokens)
        except ModelError as error:
            if self._is_down(error):
                raise
            log.info("What an answer lacked was asked for in vain: %s", error)
            return answer
        self._unanswered = 0
        return self._batches.joined(answer, further)

    def _is_down(self, error: Exception) -> bool:
        """Whether other passages would fare no better: it refuses us, or leaves several calls in a row unanswered."""
        if not isinstance(error, EndpointError):
            self._unanswered = 0
            return isinstance(error, ModelMissing)
        if error.status is not None:
            return error.status not in _ABOUT_REQUEST
        with self._lock:
            self._unanswered += 1
            return self._unanswered >= _UNANSWERED


class _Splitting(Around):
    """The model asked about several passages: an answer that it cuts off is not repaired, but asked for in parts."""

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        try:
            return self.model.complete(messages, max_tokens=max_tokens, schema=schema)
        except WastedOutput as wasted:
            if wasted.text.strip():
                raise _CutOff(str(wasted)) from wasted
            raise

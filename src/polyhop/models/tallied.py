"""A language model during one piece of work: what it costs is counted, and what it answered can be had again."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyhop.errors import BudgetExceeded, EndpointError, ModelError, OutputInvalid
from polyhop.models.accounting import WastedOutput
from polyhop.models.around import Around
from polyhop.models.heard import HeardEnough
from polyhop.ports import Completion, LanguageModel, Message
from polyhop.types import Cost

_Request = tuple[tuple[Message, ...], int, str]


class Counted(Around):
    """Passes requests on, and counts what their answers cost, also those that were of no use. Threads may share it."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__(model)
        self._lock = threading.Lock()
        self._cost = Cost()

    @property
    def cost(self) -> Cost:
        """What all answers cost."""
        with self._lock:
            return self._cost

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """What the model answers. Raises what it raises."""
        cost = Cost()
        try:
            completion = self.model.complete(messages, max_tokens=max_tokens, schema=schema)
            cost = completion.cost
        except (WastedOutput, HeardEnough, EndpointError, BudgetExceeded) as ended:
            cost = ended.cost
            raise
        finally:
            with self._lock:
                self._cost += cost
        return completion


class Tallied(Counted):
    """Also keeps the answers for as long as the work goes on."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__(model)
        self._kept: dict[_Request, Completion | ModelError] = {}

    @property
    def again(self) -> LanguageModel:
        """The answers given so far, as a model that costs nothing and raises BudgetExceeded for any other request."""
        return _Again(self)

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """What the model answers. Raises what it raises."""
        request = _request(messages, max_tokens, schema)
        try:
            completion = super().complete(messages, max_tokens=max_tokens, schema=schema)
        except (OutputInvalid, EndpointError) as error:
            if isinstance(error, OutputInvalid) or error.status is not None:
                with self._lock:
                    self._kept[request] = error  # any other trouble may pass: it says nothing about the request
            raise
        with self._lock:
            self._kept[request] = Completion(completion.text, Cost())
        return completion

    def kept(
        self, messages: Sequence[Message], max_tokens: int, schema: Mapping[str, Any] | None
    ) -> Completion | ModelError | None:
        """The answer that was given before, or the error; None where this was not asked."""
        with self._lock:
            return self._kept.get(_request(messages, max_tokens, schema))


@dataclass(frozen=True)
class _Again:
    """What a model answered before, and nothing else."""

    tallied: Tallied

    @property
    def name(self) -> str:
        return self.tallied.name

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        kept = self.tallied.kept(messages, max_tokens, schema)
        if kept is None:
            raise BudgetExceeded("This was not answered.")
        if isinstance(kept, ModelError):
            raise kept
        return kept


def _request(messages: Sequence[Message], max_tokens: int, schema: Mapping[str, Any] | None) -> _Request:
    return tuple(messages), max_tokens, json.dumps(schema, sort_keys=True)

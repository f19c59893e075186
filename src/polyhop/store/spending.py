"""What the language models of a layer have cost since the index was made, noted in its record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from polyhop.models.tallied import Counted
from polyhop.ports import Completion, LanguageModel, Message
from polyhop.store.record import Record
from polyhop.types import Cost


def spent_on(record: Record, layer: str) -> Cost:
    """What a layer's language models have cost in all runs, and for all questions, since the index was made."""
    return Cost(**json.loads(record.meta(f"cost:{layer}") or "{}"))


def note_spent(record: Record, layer: str, total: Cost) -> None:
    """Note what they have cost by now, in all."""
    record.set_meta(f"cost:{layer}", json.dumps(asdict(total)))


class Billed(Counted):
    """Passes requests on, and notes for a layer what each has cost as soon as it is known, so that no kill hides it."""

    def __init__(self, model: LanguageModel, record: Record, layer: str) -> None:
        super().__init__(model)
        self._record, self._layer = record, layer
        self._noted = Cost()

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """What the model answers. Raises what it raises, and the errors of writing the store."""
        try:
            return super().complete(messages, max_tokens=max_tokens, schema=schema)
        finally:
            self._note()

    def _note(self) -> None:
        if self.cost.llm_calls == self._noted.llm_calls:
            return
        with self._record.transaction():  # one thread at a time
            cost = self.cost
            note_spent(self._record, self._layer, spent_on(self._record, self._layer) + (cost - self._noted))
            self._noted = cost

"""Summaries that are kept: a language model writes what lacks, several at once, each stored as soon as it is there."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from polyhop.errors import BudgetExceeded, EndpointError, ModelError
from polyhop.models.side_by_side import concurrency_of, side_by_side
from polyhop.ports import LanguageModel
from polyhop.prompts.summarise import summarise
from polyhop.store.summary_store import Stored, SummaryStore

logger = logging.getLogger(__name__)

_ABOUT_REQUEST: Final = (400, 413, 422)  # answers of an endpoint that concern the one request
_REFUSED: Final = 3  # requests in a row: so many are the endpoint's fault, not the texts'


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedSummary:
    """Texts that are to be summed up, the key of the summary, and the passages that they come from."""

    key: str
    texts: Sequence[str]
    passages: tuple[int | str, ...]  # by number or by mark
    about: str = ""  # what the texts have in common, such as the names of entities


class Summariser:
    """The summaries of a store, and a language model that writes into it until it cannot be asked any more."""

    def __init__(self, store: SummaryStore, model: LanguageModel | None, max_tokens: int) -> None:
        self.why = ""  # the model cannot be asked any more; empty where it can
        self._model = model
        self._store = store
        self._max_tokens = max_tokens
        self._refused = 0  # requests in a row
        self._lock = threading.Lock()

    def of(self, wanted: Sequence[WantedSummary]) -> list[str | None]:
        """The summary of each: empty where nothing usable was given, None where there is none.

        The model writes what lacks, until a cap is reached or the endpoint is at fault: ``why`` says so. What the
        endpoint refuses is left out. Raises StorageFull.
        """
        if self._model is not None and not self.why:
            self._write_all(self._model, [one for one in wanted if self._store.get(one.key) is None])
        return [self._store.get(one.key) for one in wanted]

    def _write_all(self, model: LanguageModel, wanted: Sequence[WantedSummary]) -> None:
        try:
            side_by_side(lambda one: self._write(model, one), wanted, concurrency_of(model))
        except (BudgetExceeded, ModelError) as error:
            self.why = f"{error} {error.remedy}".strip()
            logger.warning("No further summaries by the language model: %s", self.why)

    def _write(self, model: LanguageModel, one: WantedSummary) -> None:
        try:
            text = summarise(model, one.texts, about=one.about, max_tokens=self._max_tokens)
        except EndpointError as error:
            if error.status not in _ABOUT_REQUEST or self._is_refused():
                raise
            logger.warning("There is no summary of %s: %s", one.about or f"{len(one.texts)} texts", error)
            return
        self._refused = 0
        self._store.put([Stored(one.key, text, one.passages)])

    def _is_refused(self) -> bool:
        """Whether so many requests in a row were refused that others would be, too."""
        with self._lock:
            self._refused += 1
            return self._refused >= _REFUSED

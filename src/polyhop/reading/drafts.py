"""The draft of an answer: what a reader's language model writes, told while it is written and before it is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from polyhop.models.choice import Models
from polyhop.models.heard import HeardEnough, heard_by
from polyhop.models.json_arriving import JsonArriving
from polyhop.prompts.read_answer import answer_so_far

DraftListener = Callable[[int, str], None]  # the draft reads as the text from this character on, so far


@contextmanager
def drafting(models: Models, told: DraftListener | None) -> Iterator[Models]:
    """The models, the language model among them with somebody who is told the answer that it writes.

    What the listener raises ends the request, and the work.
    """
    model = models.language_model if told is not None else None
    if told is None or model is None:
        yield models
        return
    try:
        yield models.with_language_model(heard_by(model, _Draft(told)))
    except HeardEnough as enough:
        raise enough.reason from None


class _Draft:
    """Hears replies, and tells what has become of the answer in them."""

    def __init__(self, told: DraftListener) -> None:
        self._told = told
        self._text = ""
        self._reply = JsonArriving("answer")

    def begins(self) -> None:
        """Another reply begins: what was told of one before it is taken back."""
        self._reply = JsonArriving("answer")
        self._tell("")

    def hears(self, piece: str) -> None:
        """The reply goes on."""
        self._reply.take(piece)
        self._tell(answer_so_far(self._reply.value or {}))

    def _tell(self, text: str) -> None:
        if text == self._text:
            return
        start = len(self._text) if text.startswith(self._text) else 0
        self._text = text
        self._told(start, text[start:])

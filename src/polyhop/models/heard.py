"""Hearing what a language model writes while it writes it: who listens, and what comes of one who has heard enough."""

from __future__ import annotations

from typing import Protocol

from polyhop.ports import LanguageModel
from polyhop.types import Cost


class ReplyListener(Protocol):
    """Hears a reply as it is written. What it raises ends the request: see ``HeardEnough``."""

    def begins(self) -> None:
        """A reply begins; what was heard of one before it, which broke off or was of no use, does not count."""

    def hears(self, piece: str) -> None:
        """The reply goes on with these characters, never with half of one."""


class HeardEnough(Exception):
    """A listener wants no more of a reply, for the ``reason`` that it raised: what it heard, and what that cost."""

    def __init__(self, reason: Exception, text: str, came: str) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.text = text
        self.came = came  # with thoughts that nobody hears
        self.cost = Cost()


def heard_by(model: LanguageModel, listener: ReplyListener) -> LanguageModel:
    """The model with somebody who listens to its replies; as it is where it only gives whole ones.

    A reply that was kept is there at once, unheard.
    """
    heard: LanguageModel = model.heard_by(listener) if hasattr(model, "heard_by") else model
    return heard

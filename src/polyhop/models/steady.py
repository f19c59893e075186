"""Asking a language model so that nothing is left to chance, whatever its settings say: for verdicts."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from polyhop.ports import LanguageModel


@runtime_checkable
class Steadied(Protocol):
    """A language model that may be set to draw its words by chance."""

    def steady(self) -> LanguageModel:
        """The same model, which takes the likeliest words."""


def steady(model: LanguageModel) -> LanguageModel:
    """The model at temperature 0; as it is where it has no other."""
    return model.steady() if isinstance(model, Steadied) else model

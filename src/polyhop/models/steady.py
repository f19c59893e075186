"""Asking a language model so that nothing is left to chance, whatever its settings say: for verdicts."""

from __future__ import annotations

from polyhop.ports import LanguageModel


def steady(model: LanguageModel) -> LanguageModel:
    """The model at temperature 0; as it is where it has no other."""
    made: LanguageModel = model.steady() if hasattr(model, "steady") else model
    return made

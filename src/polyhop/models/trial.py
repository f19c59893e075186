"""Whether a configured model can be used: by using it once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from polyhop.models.choice import Models


def _embedder(models: Models) -> str:
    return f"{models.embedder.name}, {len(models.embedder.embed_questions(['ready?'])[0])} dimensions"


def _reranker(models: Models) -> str:
    return f"{models.reranker.name}, {len(models.reranker.score('ready?', ['yes']))} score"


def _parser(models: Models) -> str:
    return f"{models.parser.name}, {len(list(models.parser.parse(['Ready?'])))} text parsed"


def _translator(models: Models) -> str:
    models.translator.encode(["ready?"])
    return models.translator.name


def _language_model(models: Models) -> str:
    """Only whether there is one: an endpoint may cost money, and its own errors say what it lacks."""
    return models.language_model.name if models.language_model else "none configured (optional)"


TRIALS: Final[Mapping[str, Callable[[Models], str]]] = MappingProxyType(
    {
        "embedder": _embedder,
        "reranker": _reranker,
        "parser": _parser,
        "translator": _translator,
        "language_model": _language_model,
    }
)
"""By port: uses the model, and says which it is. Each raises ModelError, UnknownComponent and SettingError."""

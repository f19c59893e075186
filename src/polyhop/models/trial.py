"""Whether a configured model can be used: by using it once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from polyhop.models.choice import Models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.ports import TextPart

_NAMED = 5  # models of an endpoint that are told
_TEXT = [TextPart("yes")]


def _translator(models: Models) -> str:
    models.translator.encode(["ready?"])
    return models.translator.name


def _language_model(models: Models) -> str:
    """Only whether there is one: an endpoint may cost money."""
    return models.language_model.name if models.language_model else "none configured (optional)"


def reached(models: Models) -> str:
    """The language model, and what its endpoint says of it when it is asked for its models, which costs nothing.

    Raises EndpointError where nobody answers or the key is refused.
    """
    model = models.language_model
    if not isinstance(model, OpenAICompatible):
        return _language_model(models)
    listed = model.listed()
    if listed is None:
        return f"{model.name}, which answers and lists no models"
    if model.model in listed:
        return f"{model.name}, which answers"
    names = ", ".join(sorted(listed)[:_NAMED]) or "none"
    return f"{model.name}, which answers, but lists others: {names}"


TRIALS: Final[Mapping[str, Callable[[Models], str]]] = MappingProxyType(
    {
        "embedder": lambda at: f"{at.embedder.name}, {len(at.embedder.embed_questions(['ready?'])[0])} dimensions",
        "reranker": lambda at: f"{at.reranker.name}, {len(at.reranker.score('ready?', ['yes']))} score",
        "span_model": lambda at: f"{at.span_model.name}, {len(at.span_model.read('ready?', [_TEXT]))} text read",
        "parser": lambda at: f"{at.parser.name}, {len(list(at.parser.parse(['Ready?'])))} text parsed",
        "translator": _translator,
        "language_model": _language_model,
    }
)
"""By port: uses the model, and says which it is. Each raises ModelError, UnknownComponent and SettingError."""

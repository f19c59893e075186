"""The models that a user's settings choose, each loaded when it is first needed."""

from __future__ import annotations

import dataclasses
import threading
from contextlib import suppress
from typing import Any, cast

from polyhop.errors import ModelMissing, PolyhopError
from polyhop.ports import ConstrainedModel, Embedder, LanguageModel, Reranker, SpanModel, SyntacticParser
from polyhop.registry import Kind, build, load
from polyhop.settings import AUTO, Endpoint, Settings, cache_folder, reranker_of_environment

NONE = "none"


class Models:
    """The configured models. Threads may share it: each model is built once, on first use.

    Every property raises UnknownComponent and SettingError for a choice that makes no sense.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.RLock()
        self._built: dict[str, Any] = {}
        self._instead: LanguageModel | None = None  # of the configured language model
        self._judge: Reranker | None = None  # instead of the configured reranker

    def with_language_model(self, model: LanguageModel) -> Models:
        """The same models, each built once for both, but with this language model."""
        return self._with(model, self._judge)

    def with_reranker(self, reranker: Reranker) -> Models:
        """The same models, each built once for both, but with this reranker."""
        return self._with(self._instead, reranker)

    def _with(self, model: LanguageModel | None, reranker: Reranker | None) -> Models:
        other = Models(self._settings)
        other._lock, other._built, other._instead, other._judge = self._lock, self._built, model, reranker
        return other

    def forget(self) -> None:
        """Have the models that were built let go of what they read last, where they keep any of it."""
        with self._lock:
            built = list(self._built.values())
        for model in built:
            if callable(forget := getattr(model, "forget", None)):
                forget()

    @property
    def embedder(self) -> Embedder:
        """Maps texts to vectors."""
        return cast(Embedder, self._once("embedders", "embedder", self._settings.models.embedder))

    @property
    def choice_of_embedder(self) -> str:
        """The setting that chooses it, as it is written behind ``--set``."""
        return f"models.embedder={self._settings.models.embedder}"

    @property
    def reranker(self) -> Reranker:
        """Judges how well a text answers a question."""
        if self._judge is not None:
            return self._judge
        name = self._settings.models.reranker
        address = reranker_of_environment() if name == "endpoint" else {}
        return cast(Reranker, self._once("rerankers", "reranker", name, **address))

    @property
    def span_model(self) -> SpanModel:
        """Points at the answer to a question in a text."""
        return cast(SpanModel, self._once("span_models", "span_model", self._settings.models.span_model))

    @property
    def parser(self) -> SyntacticParser:
        """Finds sentences and entities."""
        return cast(SyntacticParser, self._once("parsers", "parser", self._settings.models.parser))

    @property
    def translator(self) -> ConstrainedModel:
        """Scores next tokens under a grammar."""
        return cast(ConstrainedModel, self._once("constrained_models", "translator", self._settings.models.translator))

    @property
    def language_model(self) -> LanguageModel | None:
        """Answers in words: the configured endpoint, another model by name, or none."""
        if self._instead is not None:
            return self._instead
        name = self._settings.models.language_model
        if name == NONE:
            return None
        if name != AUTO:
            return cast(LanguageModel, self._once("language_models", "language_model", name))
        endpoint = Endpoint.from_environment(str(self._settings.of("language_model").get("model", "")))
        if endpoint is None:
            return None
        address = {"base_url": endpoint.base_url, "model": endpoint.model, "api_key": endpoint.api_key}
        return cast(LanguageModel, self._once("language_models", "language_model", "openai", **address))

    def language_model_for(self, task: str, *, otherwise: str) -> LanguageModel:
        """The language model that has a task, such as "extract facts"; ``otherwise``: how to do without one.

        Raises ModelMissing where none is configured.
        """
        model = self.language_model
        if model is None:
            raise ModelMissing(
                f"A language model is to {task}, but none is configured.",
                remedy=f"Name an endpoint (POLYHOP_BASE_URL, POLYHOP_MODEL) or {otherwise}.",
            )
        return model

    def load_ahead(self) -> None:
        """Begin to load what nearly every question needs, side by side, while its index is opened and it is planned.

        Whoever asks for a model meanwhile waits for it, and is told what is wrong with it: here, nothing is raised.
        """
        for section in ("embedder", "reranker", "span_model"):  # in the order in which they are needed
            threading.Thread(target=self._prepare, args=[section], name=f"load {section}").start()

    def _prepare(self, section: str) -> None:
        with suppress(PolyhopError):
            prepare = getattr(getattr(self, section), "prepare", None)
            if prepare is not None:
                prepare()

    def close(self) -> None:
        """Close what holds connections or files; a model that is asked for again is built anew."""
        with self._lock:
            for model in self._built.values():
                if hasattr(model, "close"):
                    model.close()
            self._built.clear()

    def _once(self, kind: Kind, section: str, name: str, **defaults: object) -> Any:
        name, _, repo = name.partition(":")  # hub:owner/name
        if repo:
            defaults["repo"] = repo
        with self._lock:
            if section not in self._built:
                if _has_cache(load(kind, name)):
                    defaults["cache"] = str(cache_folder(self._settings.models))
                self._built[section] = build(kind, name, {**defaults, **self._settings.of(section)})
            return self._built[section]


def load_models(settings: Settings, language_model: LanguageModel | None = None) -> Models:
    """The models that the settings choose, and the language model that is given, if any. Loads nothing yet."""
    models = Models(settings)
    return models if language_model is None else models.with_language_model(language_model)


def _has_cache(component: type[Any]) -> bool:
    return any(field.name == "cache" for field in dataclasses.fields(component))

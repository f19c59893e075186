"""Whether all that a preset names is there, before it is used: its models, an endpoint, and layers made as it says.

Without a preset nothing is checked here: then each part says for itself what it lacks, when it is needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Final

from polyhop.errors import LayerMissing, ModelMismatch, ModelMissing, PolyhopError
from polyhop.indexing.remembered import made
from polyhop.layers.layer import layer_of
from polyhop.layers.view import View
from polyhop.models.choice import NONE, Models
from polyhop.models.trial import TRIALS
from polyhop.presets import shipped
from polyhop.settings import ModelChoice, Settings
from polyhop.store.record import Record

INDEXES: Final = ("embedder", "parser", "language_model")  # the ports that indexing uses
ASKS: Final = ("embedder", "reranker", "translator", "language_model")
CHUNKING: Final = "chunking"  # key of the record's meta


def check_indexing(settings: Settings, models: Models) -> None:
    """Refuse to index as a preset says where a model that it names cannot be used. Raises PolyhopError."""
    if settings.preset:
        _raise(settings.preset, _models_lacking(settings, models, INDEXES))


def check_asking(view: View, settings: Settings) -> tuple[str, ...]:
    """Refuse to ask as a preset says where a model or layer that it names is not there, or was made otherwise.

    Returns a line that names the preset and what the settings replace of it; none without a preset. Raises
    PolyhopError.
    """
    if not settings.preset:
        return ()
    faults = [*_layers_lacking(view, settings), *_models_lacking(settings, view.models, ASKS)]
    _raise(settings.preset, faults)
    return (f"preset {settings.preset}{''.join(f'; {line}' for line in settings.replaced)}",)


def note_chunking(record: Record, settings: Settings) -> None:
    """Remember how the passages were cut last."""
    content = json.dumps(asdict(settings.chunking))
    if record.meta(CHUNKING) != content:
        record.set_meta(CHUNKING, content)


def _models_lacking(settings: Settings, models: Models, ports: Iterable[str]) -> Iterator[PolyhopError]:
    named = shipped.content(settings.preset).get("models", {})
    for port in ports:
        if port not in named:
            continue
        if port == "language_model" and models.language_model is None:
            if settings.models.language_model != NONE:
                yield _no_endpoint(settings)
            continue
        try:
            TRIALS[port](models)
        except PolyhopError as error:
            default = getattr(ModelChoice(), port)
            other = "" if default == named[port] else f"\nOr replace it: --set models.{port}={default}"
            yield type(error)(str(error), remedy=error.remedy + other)


def _no_endpoint(settings: Settings) -> ModelMissing:
    model = settings.of("language_model").get("model", "a language model")
    return ModelMissing(
        f"No endpoint is configured for {model}.",
        remedy="Set POLYHOP_BASE_URL and POLYHOP_API_KEY, and POLYHOP_MODEL for another model.\n"
        "Or do without: --set models.language_model=none, and replace what then needs one.",
    )


def _layers_lacking(view: View, settings: Settings) -> Iterator[PolyhopError]:
    again = f"polyhop index PATH... --preset {settings.preset}"
    lacking = [name for name in settings.index.layers if name not in view.layers]
    if lacking:
        yield LayerMissing(
            f"This index lacks {_layers(lacking)}.", remedy=f"With what you replace, make what is lacking: {again}"
        )
    for path, was, wanted in _made_otherwise(view.record, settings):
        yield ModelMismatch(
            f"This index was made with {path}={was}, not {wanted}.",
            remedy=f"Make it anew: {again}\nOr ask it as it is: --set {path}={was}",
        )


def _layers(names: list[str]) -> str:
    return f"the layer {names[0]}" if len(names) == 1 else f"the layers {', '.join(names)}"


def _made_otherwise(record: Record, settings: Settings) -> Iterator[tuple[str, object, object]]:
    """Settings that the preset has, with which the index was made otherwise: the path, and both values."""
    preset, before = shipped.content(settings.preset), made(record)
    for name in settings.index.layers:
        layer, was = layer_of(name, settings), before[name].settings if name in before else {}
        for key in preset.get("layers", {}).get(name, {}):
            if key in was and was[key] != getattr(layer, key):
                yield f"layers.{name}.{key}", was[key], getattr(layer, key)
    cut, wanted = json.loads(record.meta(CHUNKING) or "{}"), asdict(settings.chunking)
    for key in preset.get(CHUNKING, {}):
        if key != "longest_row" and key in cut and cut[key] != wanted[key]:  # a data set's rows are never cut
            yield f"chunking.{key}", cut[key], wanted[key]


def _raise(preset: str, faults: Iterable[PolyhopError]) -> None:
    """Raise one error that names all faults with their remedies, a line each, of the kind of the first."""
    if found := list(faults):
        said, remedies = " ".join(map(str, found)), "\n".join(fault.remedy for fault in found if fault.remedy)
        raise type(found[0])(f"The preset {preset} cannot be used as it is: {said}", remedy=remedies)

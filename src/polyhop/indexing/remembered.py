"""How the layers of an index were made: its record remembers it, and later runs go on in the same way.

Without that, a run that leaves out ``--set layers.facts.extractor=language_model`` would take facts that were paid for
to be stale, and make all of them again by other means.

A layer may also be grown, passage by passage, by the questions that come to them (``layers/facts/growth.py``). It is
then not whole: nothing but questions adds to it, until somebody asks for the layer by name.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any, Final, NamedTuple, cast

from polyhop import registry
from polyhop.errors import ModelMismatch, ModelMissing, SettingError, UnknownComponent
from polyhop.indexing.build import Builder, asked_by
from polyhop.layers.facts.growth import Manner
from polyhop.layers.facts.layer import FactsLayer
from polyhop.layers.generations import contents_of
from polyhop.layers.layer import Layer, fingerprint, layer_of
from polyhop.models.choice import Models
from polyhop.reports import LayerReport, LayerStatus
from polyhop.settings import Indexing, Settings
from polyhop.store.record import Record
from polyhop.store.spending import spent_on

logger = logging.getLogger(__name__)

DEFAULT_LAYERS: Final = Indexing().layers
META: Final = "layers"  # key of the record's meta
VIEWING: Final = frozenset({"overlay"})  # settings that say how a layer is looked at, not how it is made
PLAIN: Final = bool | int | float | str | tuple | None  # what JSON can keep


class Made(NamedTuple):
    """How a layer was made: its settings, those that have their default too, and the fingerprint of its rows."""

    settings: Mapping[str, object]
    fingerprint: str
    whole: bool = True  # False: grown by questions


def made(record: Record) -> dict[str, Made]:
    """By name, how each layer was made that an index remembers."""
    return {name: Made(**content) for name, content in json.loads(record.meta(META) or "{}").items()}


def grown(record: Record) -> frozenset[str]:
    """The layers that are not whole."""
    return frozenset(name for name, found in made(record).items() if not found.whole)


def installed(record: Record) -> list[str]:
    """The layers that an index has, sorted, without those that nobody has installed any more: they stay as they are."""
    known = registry.names("layers")
    return [name for name in record.layers() if name in known]


def whole(record: Record) -> list[str]:
    """The installed layers that an index has, without those that have only grown, sorted."""
    partial = grown(record)
    return [name for name in installed(record) if name not in partial]


def behind(record: Record) -> dict[str, str]:
    """The whole layers that were gathered elsewhere since they were here, with the fingerprints of their rows."""
    marks = record.behind()
    return {name: marks[name] for name in whole(record) if name in marks} if marks else {}


def up_to_date(record: Record) -> list[str]:
    """The whole layers that are not behind: what questions are answered from."""
    late = behind(record)
    return [name for name in whole(record) if name not in late]


def in_force(record: Record, chosen: Settings) -> Settings:
    """What the user chose on top of the settings that the layers of an index were made with."""
    return chosen.above({f"layers.{name}": _known(name, found.settings) for name, found in made(record).items()})


def mark_of(record: Record, layer: Layer, chosen: Settings, models: Models) -> str:
    """The fingerprint under which a layer is kept up to date; empty where it cannot be made and never was."""
    mark = _standing(record, layer, chosen, models).mark
    current = record.generation(layer.name)
    if mark is None and current is not None:
        mark = current.description.get("fingerprint")
    return mark or ""


def statuses(record: Record, chosen: Settings, models: Models) -> tuple[LayerStatus, ...]:
    """How complete and how fresh each installed layer of an index is, and what it cost."""
    settings, names, partial = in_force(record, chosen), installed(record), grown(record)
    marks = {name: mark_of(record, layer_of(name, settings), chosen, models) for name in names}
    return tuple(
        replace(
            record.layer_status(name, mark),
            cost=spent_on(record, name),
            whole=name not in partial,
            contents=None if name in partial else contents_of(record, name),
        )
        for name, mark in marks.items()
    )


def in_order(layers: Sequence[str], record: Record) -> list[str]:
    """The layers asked for and the whole ones that the index has, the usual ones first: none is left to go stale."""
    wanted = dict.fromkeys([*layers, *whole(record)])
    return sorted(wanted, key=lambda name: DEFAULT_LAYERS.index(name) if name in DEFAULT_LAYERS else 99)


def check(builder: Builder, names: Sequence[str], chosen: Settings) -> None:
    """Refuse layers that can neither be made nor stay as they are.

    Raises ModelMissing, UnknownComponent, SettingError.
    """
    for name in names:
        standing = _standing(builder.record, layer_of(name, builder.settings), chosen, builder.models)
        if standing.obstacle is not None and standing.mark is None:
            raise standing.obstacle


def forecast(builder: Builder, name: str, new: Sequence[int], gone: int, chosen: Settings) -> LayerReport:
    """What ``bring_up_to_date`` would do, with new passages of so many tokens and without so many old ones.

    Raises ModelMissing, ModelMismatch.
    """
    layer = layer_of(name, builder.settings)
    standing = _standing(builder.record, layer, chosen, builder.models)
    if standing.obstacle is not None:
        return _kept(builder.record, layer, standing, len(new), gone)
    return builder.forecast(name, new, gone)


def bring_up_to_date(builder: Builder, name: str, chosen: Settings) -> LayerReport:
    """Extract what a layer lacks, gather it, and remember how it is made, from the start.

    A layer that lacks nothing stays as it is where a model is missing, or where another language model would be paid
    for all of it again although the user did not say so. Raises ModelMissing, ModelMismatch
    and the others of ``Builder.bring_up_to_date``.
    """
    layer = layer_of(name, builder.settings)
    standing = _standing(builder.record, layer, chosen, builder.models)
    if standing.obstacle is not None:
        report = _kept(builder.record, layer, standing, 0, 0)
        builder.gather(layer, str(standing.mark))
        if name in grown(builder.record):  # questions came to every passage there is
            _note(builder.record, name, made(builder.record)[name]._replace(whole=True))
        return replace(report, contents=contents_of(builder.record, name))
    _remember(builder.record, layer, str(standing.mark))
    return builder.bring_up_to_date(name)


def let_go(builder: Builder) -> None:
    """Gather what has grown again, so that nothing of passages that are gone stays in it."""
    for name in sorted(grown(builder.record)):
        current = builder.record.generation(name)
        if current is not None:
            builder.gather(layer_of(name, builder.settings), current.description["fingerprint"])


class GrownFacts:
    """How facts are extracted for a question, as the user chose and as an index remembers it. Threads may share it."""

    def __init__(self, chosen: Settings, models: Models) -> None:
        self._chosen, self._models = chosen, models
        self._settled: tuple[_Remembered, Manner] | None = None

    def manner(self, record: Record) -> Manner:
        """How facts are made now; where that is not how they were made, only what would cost nothing is replaced.

        Every pull asks, and to build the settings of all layers takes milliseconds. So the answer holds until the
        index remembers something else: whoever makes a layer in another way, in any process, changes that. It does not
        hold where something stands in the way, or facts were made otherwise: that depends on more.

        Raises SettingError, UnknownComponent.
        """
        with record.snapshot():
            now = _Remembered(record.meta(META), _gathered(record, FactsLayer.name))
            settled = self._settled
            if settled is not None and settled[0] == now:
                return settled[1]
            manner, before = self._manner(record), _before(record, FactsLayer.name)
        if not manner.obstacle and (before is None or before.fingerprint == manner.mark):
            self._settled = now, manner
        return manner

    def _manner(self, record: Record) -> Manner:
        settings = in_force(record, self._chosen)
        layer = cast(FactsLayer, layer_of(FactsLayer.name, settings))
        below = {}
        for name in layer.reads:
            with suppress(ModelMissing):  # without the parser there may still be facts by a language model
                below[name] = fingerprint(layer_of(name, settings), self._models)
        mark, obstacle = _standing(record, layer, self._chosen, self._models)
        before = _before(record, layer.name)
        if obstacle is None and before is not None and before.fingerprint != mark and _is_kept(record, layer, before):
            mark, obstacle = before.fingerprint, _otherwise(layer)
        return Manner(layer, mark or "", below, f"{obstacle} {obstacle.remedy}" if obstacle else "")

    def remember(self, record: Record, manner: Manner) -> None:
        """Note that facts have grown in this manner, unless the whole layer was made in it."""
        before = _before(record, manner.layer.name)
        if before is None or before.fingerprint != manner.mark:
            _note(record, manner.layer.name, Made(_settings_of(manner.layer), manner.mark, whole=False))


class _Remembered(NamedTuple):
    """What decides how facts are made, apart from what was chosen and from rows that were made otherwise."""

    layers: str | None  # how they were made, as stored
    gathered: Made | None


def _before(record: Record, name: str) -> Made | None:
    """How a layer was made last."""
    return made(record).get(name) or _gathered(record, name)


def _gathered(record: Record, name: str) -> Made | None:
    """How a layer was made that was made before indexes remembered it."""
    current = record.generation(name)
    return None if current is None else Made({}, current.description.get("fingerprint", ""))


def _is_kept(record: Record, layer: FactsLayer, before: Made) -> bool:
    """Whether a question must not replace what there is: all of a layer, or what was paid for."""
    paid = before.settings.get("extractor") == "language_model"
    return (before.whole or paid) and bool(len(record.done(layer.name, before.fingerprint)))


def _otherwise(layer: FactsLayer) -> ModelMismatch:
    return ModelMismatch(
        f"Layer {layer.name} was made with other settings or models than are configured now: no question adds to it.",
        remedy="Configure them as they were or, to make all of it again, run: "
        f"polyhop index PATH... --layers {layer.name}",
    )


class _Standing(NamedTuple):
    """Under which fingerprint a layer is kept up to date, and why nothing can be added to it."""

    mark: str | None  # None: it can neither be made nor stay
    obstacle: ModelMissing | ModelMismatch | None = None


def _standing(record: Record, layer: Layer, chosen: Settings, models: Models) -> _Standing:
    before = made(record).get(layer.name)
    same = before is not None and _settings_of(_as_it_was(layer.name, before)) == _settings_of(layer)
    try:
        mark = fingerprint(layer, models)
    except ModelMissing as error:
        if before is None or not same:
            return _Standing(None, error)
        remedy = f"{error.remedy} Another setting of the layer makes all of it again."
        return _Standing(before.fingerprint, ModelMissing(str(error), remedy=remedy))
    if before is None or not same or before.fingerprint == mark:
        return _Standing(mark)
    model, key = asked_by(layer, models), _telling(layer, before)
    if (
        model is None
        or key in chosen.of(f"layers.{layer.name}")
        or not len(record.done(layer.name, before.fingerprint))
    ):
        return _Standing(mark)
    return _Standing(before.fingerprint, _paid_for(layer, key, before, model.name))


def _telling(layer: Layer, before: Made) -> str:
    """The setting to repeat in order to say that a layer is to be made like that again."""
    default = _settings_of(layer_of(layer.name, Settings()))
    return next((key for key, value in before.settings.items() if value != default.get(key)), next(iter(default), ""))


def _paid_for(layer: Layer, key: str, before: Made, model: str) -> ModelMismatch:
    return ModelMismatch(
        f"Layer {layer.name} was made, and paid for, with another language model (or version of Polyhop) than {model}.",
        remedy=f"Configure the one that it was made with or, to make and pay for all of it again with {model}, add: "
        f"--set layers.{layer.name}.{key}={before.settings.get(key)}",
    )


def _kept(record: Record, layer: Layer, standing: _Standing, new: int, gone: int) -> LayerReport:
    """What is done for a layer that nothing can be added to: nothing. Raises where something is lacking."""
    mark, obstacle, stay = standing.mark, standing.obstacle, record.count_passages() - gone
    if mark is None and obstacle is not None:
        raise obstacle
    untried, left = (min(record.count_pending(layer.name, str(mark), retry), stay) for retry in (False, True))
    if untried + new and obstacle is not None:
        count = "1 passage lacks" if untried + new == 1 else f"{untried + new} passages lack"
        raise type(obstacle)(
            f"{obstacle} {count} the layer {layer.name}; what was made before stays as it is.",
            remedy=obstacle.remedy,
        )
    return LayerReport(name=layer.name, extracted=0, reused=stay - left, failed=left, seconds=0.0)


def _remember(record: Record, layer: Layer, mark: str) -> None:
    now = Made(_settings_of(layer), mark)
    if made(record).get(layer.name) != now:
        _note(record, layer.name, now)


def _note(record: Record, name: str, now: Made) -> None:
    content = {known: each._asdict() for known, each in sorted({**made(record), name: now}.items())}
    record.set_meta(META, json.dumps(content))


def _settings_of(layer: Layer) -> dict[str, object]:
    """The settings that a layer is made with, as JSON gives them back; what its ``repr`` hides is a secret."""
    component: Any = layer
    names = [each.name for each in fields(component) if each.init and each.repr]
    values = {name: getattr(component, name) for name in names if name not in VIEWING}
    plain = {name: value for name, value in values.items() if isinstance(value, PLAIN)}
    content: dict[str, object] = json.loads(json.dumps(plain))
    return content


def _as_it_was(name: str, before: Made) -> Layer:
    """A layer with the settings that it was made with."""
    layer: Layer = registry.build("layers", name, _known(name, before.settings))
    return layer


def _known(name: str, settings: Mapping[str, object]) -> Mapping[str, object]:
    """Of the settings of a layer, those that the installed version of it knows."""
    try:
        registry.build("layers", name, settings)
    except UnknownComponent:
        return {}
    except SettingError as error:
        logger.warning("The index remembers a setting of layer %s that does not fit any more: %s", name, error)
        return {key: value for key, value in settings.items() if _fits(name, key, value)}
    return settings


def _fits(name: str, key: str, value: object) -> bool:
    try:
        registry.build("layers", name, {key: value})
    except SettingError:
        return False
    return True

"""Finds components by name and builds them from settings.

Built-in and third-party components enter by the same door: an entry point in the group ``polyhop.KIND``. A component is
a dataclass; its fields are its settings, and there is no second schema. A field that is a dataclass itself, such as a
step of a strategy, has settings of its own: ``walk.depth``, or ``depth`` in the section ``walk`` of its component.
"""

from __future__ import annotations

import dataclasses
import logging
import types
import typing
from collections.abc import Mapping
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from polyhop.errors import ComponentBroken, PolyhopError, SettingError, UnknownComponent, nearest

Kind = Literal[
    "strategies",
    "planners",
    "layers",
    "loaders",
    "embedders",
    "rerankers",
    "span_models",
    "parsers",
    "language_models",
    "constrained_models",
    "readers",
    "metrics",
]

log = logging.getLogger(__name__)

OWN = "polyhop"  # the package whose components keep their names
DUTIES: Mapping[Kind, tuple[str, ...]] = {  # what the class of each kind has, as its protocol says
    "strategies": ("needs", "retrieve"),
    "planners": ("plan",),
    "layers": ("name", "runs", "reads", "made_with", "extract", "gather", "open"),
    "loaders": ("suffixes", "load"),
    "embedders": ("embed_passages", "embed_questions"),
    "rerankers": ("score",),
    "span_models": ("read",),
    "parsers": ("parse",),
    "language_models": ("complete",),
    "constrained_models": ("encode", "encode_spans", "decode", "prompt", "begin", "extend", "branch"),
    "readers": ("read",),
    "metrics": ("__call__",),
}
FILE: Mapping[str, bool] = {"file": True}  # metadata of a field that names a file


@cache
def _found(kind: Kind) -> Mapping[str, EntryPoint]:
    """By name; of several, Polyhop's own: no package replaces it unseen, whatever is installed beside it."""
    found: dict[str, EntryPoint] = {}
    for point in _installed()[kind]:
        kept = found.setdefault(point.name, point)
        if kept.value != point.value:
            log.warning("%s is left out: %s has one of that name.", _in_words(kind, point), _package(kept))
    return found


@cache
def _installed() -> Mapping[Kind, list[EntryPoint]]:
    """The components of every kind, our own first: all packages that are installed are looked through for them."""
    every = entry_points()
    return {kind: sorted(every.select(group=f"polyhop.{kind}"), key=_own_first) for kind in typing.get_args(Kind)}


def _own_first(point: EntryPoint) -> tuple[bool, str, str, str]:
    return _package(point) != OWN, _package(point), point.name, point.value


def _package(point: EntryPoint) -> str:
    """The name of the package that brings a component."""
    return _named(point.dist) if point.dist is not None else point.module.partition(".")[0]


@cache  # of a package: to tell its name, all that it says of itself is read
def _named(package: Distribution) -> str:
    return package.name


def _in_words(kind: Kind, point: EntryPoint) -> str:
    return f"The {_singular(kind)} {point.name!r} of the package {_package(point)}"


def _singular(kind: Kind) -> str:
    return kind.removesuffix("s").replace("strategie", "strategy").replace("_", " ")


def names(kind: Kind) -> tuple[str, ...]:
    """The names of all components of a kind, sorted."""
    return tuple(sorted(_found(kind)))


def sources() -> frozenset[Path]:
    """The Python files of all packages that have components, found without importing them."""
    packages = {point.module.partition(".")[0] for kind in typing.get_args(Kind) for point in _found(kind).values()}
    specs = [spec for name in packages if (spec := find_spec(name)) is not None]
    folders = [Path(folder) for spec in specs for folder in spec.submodule_search_locations or ()]
    modules = [Path(spec.origin) for spec in specs if spec.origin and not spec.submodule_search_locations]
    return frozenset([*modules, *(file for folder in folders for file in folder.rglob("*.py"))])


def load(kind: Kind, name: str) -> Any:
    """The class or function registered under a name.

    Raises UnknownComponent, which offers the nearest name, and ComponentBroken.
    """
    point = _found(kind).get(name)
    if point is None:
        raise UnknownComponent(f"There is no {_singular(kind)} named {name!r}.", remedy=nearest(name, _found(kind)))
    try:
        component = point.load()
    except PolyhopError:
        raise
    except Exception as error:  # code of somebody else runs here
        raise _broken(kind, name, f"cannot be loaded: {type(error).__name__}: {error}") from error
    if not dataclasses.is_dataclass(component):
        raise _broken(kind, name, "is no dataclass, whose fields would be its settings")
    if lacking := [each for each in DUTIES[kind] if not hasattr(component, each)]:
        raise _broken(kind, name, f"lacks {', '.join(lacking)}")
    return component


def working(kind: Kind) -> tuple[str, ...]:
    """The names of the components of a kind that can be loaded; of others it is said once what is wrong with them."""
    able = []
    for name in names(kind):
        try:
            load(kind, name)
        except ComponentBroken as error:
            _warn_once(f"{error} {error.remedy}")
        else:
            able.append(name)
    return tuple(able)


@cache
def _warn_once(said: str) -> None:
    log.warning("%s", said)


def build(kind: Kind, name: str, settings: Mapping[str, object] | None = None) -> Any:
    """A component with its settings checked.

    Raises UnknownComponent, ComponentBroken, and SettingError for a setting it does not have or whose value does not
    fit.
    """
    return configured(load(kind, name), settings or {}, f"{kind}.{name}")


def _broken(kind: Kind, name: str, why: str) -> ComponentBroken:
    point = _found(kind)[name]
    package = _package(point)
    return ComponentBroken(
        f"{_in_words(kind, point)} {why}.", remedy=f"Mend that package, or remove it with: pip uninstall {package}"
    )


def configured(component: type[Any], settings: Mapping[str, object], section: str) -> Any:
    """An instance of a dataclass from a mapping, with ``values_of`` it. Raises SettingError."""
    values = values_of(component, settings, section)
    if missing := [name for name in required(component) if name not in values]:
        raise SettingError(f"{section} needs to be told: {', '.join(missing)}.", remedy=f"Set {section}.{missing[0]}.")
    try:
        return component(**values)
    except (TypeError, ValueError) as error:
        raise SettingError(f"{section}: {error}.") from error


def values_of(component: type[Any], settings: Mapping[str, object], section: str) -> dict[str, object]:
    """Settings of a dataclass, each as its field has it: text values (from the command line) are converted.

    The settings of a step are named ``step.setting``, or stand in a mapping of their own. Raises SettingError.
    """
    known = _settings_of(component)  # type: ignore[arg-type]  # a class is hashable, though mypy doubts it
    values: dict[str, object] = {}
    steps: dict[str, dict[str, object]] = {}
    for key, value in dotted(settings, known).items():
        name, dot, inner = key.partition(".")
        if name not in known or (dot and not dataclasses.is_dataclass(known[name])):
            raise SettingError(f"{section} has no setting {key!r}.", remedy=nearest(key, setting_names(component)))
        if dot:
            steps.setdefault(name, {})[inner] = value
        else:
            values[key] = fitted(value, known[key], f"{section}.{key}")
    return values | {name: configured(known[name], inner, f"{section}.{name}") for name, inner in steps.items()}


def required(component: type[Any]) -> list[str]:
    """The settings that have no default."""
    without = dataclasses.MISSING
    own = [each for each in dataclasses.fields(component) if each.init]
    return [each.name for each in own if each.default is without and each.default_factory is without]


def dotted(settings: Mapping[str, object], known: Mapping[str, Any] | None = None) -> dict[str, object]:
    """Settings with those of a step by their full names, so that what is laid over them replaces them one by one.

    ``known``: the type of each setting, where only steps are to be taken apart.
    """
    flat: dict[str, object] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping) and (known is None or dataclasses.is_dataclass(known.get(key))):
            flat |= {f"{key}.{inner}": each for inner, each in dotted(value).items()}
        else:
            flat[key] = value
    return flat


def setting_names(component: type[Any]) -> tuple[str, ...]:
    """The names of all settings of a component, those of its steps as ``step.setting``."""
    return tuple(setting_fields(component))


def setting_fields(component: type[Any]) -> dict[str, dataclasses.Field[Any]]:
    """All settings of a component with what its class says of each, those of its steps as ``step.setting``."""
    hints, found = _settings_of(component), dict[str, dataclasses.Field[Any]]()  # type: ignore[arg-type]
    for field in dataclasses.fields(component):
        hint = hints.get(field.name)
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            found |= {f"{field.name}.{name}": inner for name, inner in setting_fields(hint).items()}
        elif field.init:
            found[field.name] = field
    return found


@cache  # of a pure function: what a class declares does not change, and to resolve it takes longer than all the rest
def _settings_of(component: type[Any]) -> Mapping[str, Any]:
    """By name, the type of each setting."""
    hints = typing.get_type_hints(component)
    return {field.name: hints[field.name] for field in dataclasses.fields(component) if field.init}


def fitted(value: object, hint: Any, key: str) -> object:
    """A value as the type a field declares.

    Raises SettingError where it does not fit.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _fitted_union(value, arguments, key)
    if origin is Literal:
        if value in arguments:
            return value
        raise SettingError(f"{key} cannot be {value!r}.", remedy=nearest(str(value), map(str, arguments)))
    if origin is tuple:
        items = value.split(",") if isinstance(value, str) and value.strip() else value or ()
        if not isinstance(items, (list, tuple)):
            raise SettingError(f"{key} takes a list, not {value!r}.")
        return tuple(fitted(item.strip() if isinstance(item, str) else item, arguments[0], key) for item in items)
    return _fitted_plain(value, hint, key)


def written(value: object) -> str:
    """A setting's value as text that ``fitted`` takes for it, as behind ``--set``; a list has commas."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(written, value)) if isinstance(value, (list, tuple)) else str(value)


def _fitted_union(value: object, options: tuple[Any, ...], key: str) -> object:
    if type(None) in options and (value is None or value == "none"):
        return None
    for option in (option for option in options if option is not type(None)):
        try:
            return fitted(value, option, key)
        except SettingError:
            continue
    raise SettingError(f"{key} cannot be {value!r}.")


def _fitted_plain(value: object, hint: Any, key: str) -> object:
    if hint is bool and isinstance(value, str):
        if value.lower() in ("true", "on", "yes", "1"):
            return True
        if value.lower() in ("false", "off", "no", "0"):
            return False
    elif hint in (int, float) and isinstance(value, (str, int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = float("nan")
        if hint is float and number == number:
            return number
        if hint is int and number.is_integer():
            return int(number)
    elif isinstance(hint, type) and isinstance(value, hint) and isinstance(value, bool) == (hint is bool):
        return value
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        own = ", ".join(f"{key}.{name}" for name in setting_names(hint))
        raise SettingError(f"{key} has settings of its own, and cannot be {value!r}.", remedy=f"Set one of: {own}.")
    expected = getattr(hint, "__name__", str(hint))
    raise SettingError(f"{key} takes a value of type {expected}, not {value!r}.")

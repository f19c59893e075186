"""The strategies of an experiment: those that were named, their ablations, and a grid of settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter

from polyhop import registry
from polyhop.errors import SettingError, UsageError, nearest
from polyhop.settings import Settings
from polyhop.strategies.strategy import (
    ablations_of,
    base_name,
    canonical,
    parse_variant,
    split_outside_brackets,
    strategy_of,
    variant_name,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A strategy that is measured because another one is, and compared with it."""

    name: str  # such as c2rag(check=off)
    of: str  # the unchanged strategy
    label: str  # what tables call it


def variants(
    names: Sequence[str],
    *,
    ablations: bool = False,
    sweeps: Sequence[str] = (),
    settings: Settings | None = None,
) -> tuple[Variant, ...]:
    """What to measure besides the strategies named: each one's ablations, then the grid of ``sweeps``.

    A sweep is ``SETTING=VALUE,VALUE``; several make a grid, over each strategy that has all of their settings. A
    variant whose settings are those of another one is left out: where ``settings`` are given also one that only writes
    out what these and defaults say. Raises UsageError and SettingError where there is nothing to ablate or to sweep,
    or a value does not fit, and UnknownComponent.
    """
    found = {canonical(name): None for name in names}
    known = {_in_full(name, settings) for name in found}
    added: list[Variant] = []
    for variant in (*(_ablated(list(found)) if ablations else ()), *_swept(list(found), sweeps)):
        full = _in_full(variant.name, settings)
        if full not in known:
            known.add(full)
            added.append(variant)
    return tuple(added)


def _in_full(name: str, settings: Settings | None) -> str:
    """The name with all settings of its strategy; as it is where it is not known what settings say."""
    if settings is None:
        return name
    strategy, base = strategy_of(name, settings), base_name(name)
    return variant_name(base, {setting: attrgetter(setting)(strategy) for setting in _settings_of(base)})


def _settings_of(name: str) -> tuple[str, ...]:
    return registry.setting_names(registry.load("strategies", base_name(name)))


def _ablated(names: Sequence[str]) -> Iterator[Variant]:
    if not any(map(ablations_of, names)):
        raise UsageError(
            f"{', '.join(names)}: no ablations are declared.",
            remedy="See which strategies have some: polyhop strategies",
        )
    for name in names:
        base, own = parse_variant(name)
        for label, changes in ablations_of(name).items():
            yield Variant(name=variant_name(base, {**own, **changes}), of=name, label=f"{name}: {label}")


def _swept(names: Sequence[str], sweeps: Sequence[str]) -> Iterator[Variant]:
    if not sweeps:
        return
    grid = _grid(sweeps)
    sweepable = [name for name in names if set(grid) <= set(_settings_of(name))]
    if not sweepable:
        known = {setting for name in names for setting in _settings_of(name)}
        missing = next((setting for setting in grid if setting not in known), None)
        if missing is None:
            raise SettingError(f"No strategy named has all of the settings {', '.join(grid)}.")
        remedy = nearest(missing, registry.setting_names(registry.load("strategies", base_name(names[0]))))
        raise SettingError(f"{', '.join(names)}: there is no setting {missing!r}.", remedy=remedy)
    for name in sweepable:
        base, own = parse_variant(name)
        for values in product(*grid.values()):
            swept = variant_name(base, {**own, **dict(zip(grid, values, strict=True))})
            yield Variant(name=swept, of=name, label=swept)


def _grid(sweeps: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    grid: dict[str, tuple[str, ...]] = {}
    for sweep in sweeps:
        setting, _, values = (part.strip() for part in sweep.partition("="))
        found = tuple(dict.fromkeys(split_outside_brackets(values)))
        if not setting or not found or setting in grid:
            trouble = "sweeps a setting twice" if setting in grid else "is no sweep"
            raise UsageError(f"{sweep!r} {trouble}.", remedy="Write SETTING=VALUE,VALUE, as in: --sweep links=2,4,8")
        grid[setting] = found
    return grid

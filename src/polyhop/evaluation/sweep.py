"""Which strategies of a run differ in one setting only: the lines of a plot, or its bars."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter

from polyhop.errors import PolyhopError
from polyhop.settings import Settings
from polyhop.strategies.strategy import parse_variant, strategy_of, variant_name

Member = tuple[str, Mapping[str, str], Mapping[str, str]]
"""A strategy's name, the settings written in it, and these with what the others vary and it has by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Strategies that differ in one setting, by what else they are set to.

    ``lines``: by the other settings in which they differ, such as "check=paper" (the strategy where there are none),
    the strategy at each value. The values are numbers, ascending, or all of them words, in the order of the run.
    """

    strategy: str  # with the settings that all of them were given, such as qcg(words=false)
    setting: str
    lines: Mapping[str, Mapping[float | str, str]]


def sweeps(names: Sequence[str], settings: Settings | None = None) -> tuple[Sweep, ...]:
    """The sweeps among the strategies of a run, those over numbers first: for each registered name, over each setting.

    A setting is swept where the names give it two values, and a line has two values with all other settings equal. What
    a name leaves out is what ``settings`` and defaults say, so that the unchanged strategy is a point as well. A line
    whose other strategies all stand in a sweep before is left out: a grid is drawn one way.
    """
    by_base: dict[str, list[tuple[str, Mapping[str, str]]]] = {}
    for name in names:
        base, own = parse_variant(name)
        by_base.setdefault(base, []).append((name, own))
    return tuple(
        sweep for base, named in by_base.items() for sweep in _of(base, _completed(base, named, settings or Settings()))
    )


def _of(base: str, members: Sequence[Member]) -> Iterator[Sweep]:
    """The sweeps of one strategy, numbers before words."""
    written = {
        setting: list(dict.fromkeys(_plain(own[setting]) for _, own, _ in members if setting in own))
        for setting in dict.fromkeys(key for _, own, _ in members for key in own)
    }
    swept = [setting for setting, values in written.items() if len(values) > 1]
    drawn: set[str] = set()
    for setting in sorted(swept, key=lambda setting: not _all_numbers(written[setting])):
        given = [name for name, own, _ in members if setting in own]
        lines = [
            (others, points)
            for others, points in _lines(setting, members, numbers=_all_numbers(written[setting]))
            if any(name in given and name not in drawn for name in points.values())
        ]
        # the line of the unchanged strategy where its values were written, not before all others
        lines.sort(key=lambda line: min(given.index(name) for name in line[1].values() if name in given))
        if lines:
            drawn.update(name for _, points in lines for name in points.values())
            yield _sweep(base, setting, lines, members)


def _completed(base: str, named: Sequence[tuple[str, Mapping[str, str]]], settings: Settings) -> list[Member]:
    try:
        unchanged = strategy_of(base, settings)
    except PolyhopError:  # a report may be of strategies that are not installed here
        unchanged = None
    defaults: dict[str, str] = {}
    for setting in dict.fromkeys(key for _, own in named for key in own):
        with suppress(AttributeError):
            defaults |= parse_variant(variant_name(base, {setting: attrgetter(setting)(unchanged)}))[1]
    return [(name, own, {key: _plain(value) for key, value in {**defaults, **own}.items()}) for name, own in named]


def _lines(
    setting: str, members: Sequence[Member], *, numbers: bool
) -> list[tuple[dict[str, str], dict[float | str, str]]]:
    """The other settings of each line, and the strategy at each value."""
    found: dict[tuple[tuple[str, str], ...], dict[float | str, str]] = {}
    given = {name for name, own, _ in members if setting in own}
    for name, _, full in members:
        number = _number(full.get(setting))
        value = number if numbers else full.get(setting)
        if value is not None:
            others = tuple(sorted((key, text) for key, text in full.items() if key != setting))
            points = found.setdefault(others, {})
            if value not in points or (name in given and points[value] not in given):
                points[value] = name  # rather the name that says the value than the unchanged strategy's
    return [
        (dict(others), dict(sorted(points.items(), key=lambda point: _rank(point[0]))))
        for others, points in found.items()
        if len(points) > 1
    ]


def _sweep(
    base: str, setting: str, lines: Sequence[tuple[dict[str, str], dict[float | str, str]]], members: Sequence[Member]
) -> Sweep:
    drawn = {name for _, points in lines for name in points.values()}
    owns = [own for name, own, _ in members if name in drawn]
    common = {key: value for key, value in owns[0].items() if all(own.get(key) == value for own in owns)}
    strategy = variant_name(base, common)
    order = dict.fromkeys(key for _, own, _ in members for key in own)
    differing = [key for key in order if len({others.get(key) for others, _ in lines}) > 1]
    labelled = {}
    for others, points in lines:
        apart = variant_name("", {key: others[key] for key in differing if key in others})
        labelled[apart[1:-1] or strategy] = points
    return Sweep(strategy=strategy, setting=setting, lines=labelled)


def _rank(value: float | str) -> float:
    """By size where values are numbers; words stay in their order."""
    return value if isinstance(value, float) else 0.0


def _all_numbers(values: Sequence[str]) -> bool:
    return all(_number(value) is not None for value in values)


def _plain(text: str) -> str:
    """A value as it is compared and shown, however it was written: 1 for 1.0, true for True."""
    number = _number(text)
    if number is not None:
        return f"{number:.12g}"
    return text.lower() if text.lower() in ("true", "false", "none") else text


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None

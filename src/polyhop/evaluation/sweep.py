"""Which strategies of a run differ in one setting only: the lines of a plot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyhop.strategies.strategy import parse_variant, variant_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Strategies that differ in a number, by what else they are set to."""

    strategy: str
    setting: str  # the number's
    lines: Mapping[str, Mapping[float, str]]  # by the other settings, such as "check=paper": the strategy at each value


def sweeps(names: Sequence[str]) -> tuple[Sweep, ...]:
    """The sweeps among the strategies of a run: for each registered name, over the first setting that gives a line.

    A line needs two values of a number with all other settings equal.
    """
    by_base: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for name in names:
        base, own = parse_variant(name)
        by_base.setdefault(base, []).append((name, own))
    found = []
    for base, members in by_base.items():
        for setting in dict.fromkeys(key for _, own in members for key in own):
            if lines := _lines(setting, base, members):
                found.append(Sweep(strategy=base, setting=setting, lines=lines))
                break
    return tuple(found)


def _lines(setting: str, base: str, members: Sequence[tuple[str, dict[str, str]]]) -> dict[str, dict[float, str]]:
    lines: dict[str, dict[float, str]] = {}
    for name, own in members:
        number = _number(own.get(setting))
        if number is not None:
            others = variant_name("", {key: value for key, value in own.items() if key != setting})
            lines.setdefault(others[1:-1] or base, {}).setdefault(number, name)
    return {label: dict(sorted(points.items())) for label, points in lines.items() if len(points) > 1}


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None

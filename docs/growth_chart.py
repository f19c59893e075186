"""Draws docs/images/growth.svg: what an index costs as it grows, from benchmarks/results, by powers of ten."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import log10
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"
WIDTH, HEIGHT = 880, 360
LEFT, TOP, ACROSS, DOWN = 64, 52, 230, 250  # of a panel: where it begins, and how far it goes
BETWEEN = 424  # from the left side of one panel to that of the next
APART = 15  # between two names
COLOURS = ("#0969da", "#8250df", "#bf3989", "#bc4c00", "#4d7c0f", "#57606a", "#0f766e", "#7c5e10")
ASKED_LATER = ("asking-grown-half-signs", "asking-grown-facts")  # of some strategies, as the table has them
Curves = Mapping[str, Mapping[int, float]]  # by name: passages, and what they cost


def growth_chart() -> str:
    """The picture: gathering on the left, questions on the right, each curve with the power at which it grows."""
    gathered, asked = read("gathering"), read("asking-grown")
    for later in ASKED_LATER:
        for at, figures in read(later).items():
            asked[at] |= figures
    layers = {name: {at: gathered[at][name]["processor seconds"] for at in gathered} for name in ("text", "parsekg")}
    strategies = [name for name, one in next(iter(asked.values())).items() if isinstance(one, dict)]
    questions = {name: {at: asked[at][name]["p95_ms"] for at in asked} for name in strategies}
    begin = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" aria-labelledby="title about" font-family="system-ui, sans-serif" font-size="12">'
    )
    panels = (
        *panel(LEFT, "gathering a layer, processor seconds", layers),
        *panel(LEFT + BETWEEN, "a question outside the models, p95, ms", questions),
    )
    about = "; ".join(f"{name} grows with the power {power(curve):.2f}" for name, curve in (layers | questions).items())
    named = ('<title id="title">What grows with an index</title>', f'<desc id="about">{about}.</desc>')
    ground = f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="12" fill="#ffffff" stroke="#d0d7de"/>'
    return "\n".join((begin, *(f"  {line}" for line in (*named, ground, *panels)), "</svg>")) + "\n"


def read(name: str) -> dict[int, Any]:
    """The figures of a benchmark, by how many passages there were, without the few that came later."""
    figures = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["figures"]
    return {round(int(size.replace(",", "")), -3): figures[size] for size in figures}


def power(curve: Mapping[int, float]) -> float:
    """The power of the number of passages at which a cost grows, from the smallest number to the largest."""
    least, most = min(curve), max(curve)
    return log10(curve[most] / curve[least]) / log10(most / least)


def panel(left: int, title: str, curves: Curves) -> Iterator[str]:
    """A frame with its scales, and the curves in it with their names behind them."""
    sizes = sorted({at for curve in curves.values() for at in curve})
    costs = [cost for curve in curves.values() for cost in curve.values()]
    low, high = int(log10(min(costs)) // 1), -int(-log10(max(costs)) // 1)

    def x(size: int) -> float:
        return left + ACROSS * log10(size / sizes[0]) / log10(sizes[-1] / sizes[0])

    def y(cost: float) -> float:
        return TOP + DOWN * (high - log10(cost)) / (high - low)

    yield f'<text x="{left}" y="30" fill="#1f2328" font-size="13" font-weight="600">{title}</text>'
    for exponent in range(low, high + 1):
        at = y(10**exponent)
        yield f'<path d="M{left} {at:.1f} H{left + ACROSS}" stroke="#d0d7de"/>'
        yield f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end" fill="#57606a">{10**exponent:,}</text>'
    for size in sizes:
        yield f'<text x="{x(size):.1f}" y="{TOP + DOWN + 20}" text-anchor="middle" fill="#57606a">{size:,}</text>'
    middle = left + ACROSS / 2
    yield f'<text x="{middle:.1f}" y="{TOP + DOWN + 40}" text-anchor="middle" fill="#57606a">passages</text>'
    free = float("inf")
    ordered = sorted(curves.items(), key=lambda one: one[1][sizes[-1]])
    for (name, curve), colour in zip(ordered, COLOURS[: len(ordered)], strict=True):
        points = " ".join(f"{x(size):.1f},{y(curve[size]):.1f}" for size in sizes)
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        free = min(y(curve[sizes[-1]]), free - APART)
        grows = f"{name}, power {power(curve):.2f}"
        yield f'<text x="{left + ACROSS + 8}" y="{free + 4:.1f}" fill="{colour}">{grows}</text>'

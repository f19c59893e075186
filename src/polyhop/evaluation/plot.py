"""Line charts as SVG, to stand in a page that loads nothing: legible in light and dark, and without colours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

# The lines' colours (distinct also to the colour-blind; lighter on dark), to be put into the page once.
STYLE = """
:root { --line-0: #0b5fa5; --line-1: #b3450b; --line-2: #1f7a4d; --line-3: #8a3f8f; --line-4: #7a6200; --line-5: #555; }
@media (prefers-color-scheme: dark) { :root {
  --line-0: #6cb4f0; --line-1: #f2955c; --line-2: #62c796; --line-3: #d594da; --line-4: #d8bd4a; --line-5: #bbb; } }
.charts { display: flex; flex-wrap: wrap; gap: 1rem; margin: .5rem 0 2rem; }
.chart text { fill: currentColor; font-size: 12px; } .chart .title { font-size: 14px; font-weight: 600; }
.chart line { stroke: currentColor; } .chart .grid { opacity: .18; } .chart polyline { fill: none; stroke-width: 2; }
"""
COLOURS = 6
DASHES = ("", "7 3", "2 3", "9 3 2 3")  # with the markers' forms, lines differ without their colours
WIDTH, HEIGHT = 420, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 34, 44  # what stands around the field of a chart
ROW = 18  # height of a line of the legend
TICKS = 6  # at most, on the vertical axis
CLOSEST = 26  # pixels between two labels on the horizontal axis
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)  # between ticks of shares


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a chart."""

    label: str
    points: tuple[tuple[float, float], ...]  # (x, a share from 0 to 1), by x


def line_chart(
    title: str,
    lines: Sequence[Line],
    *,
    x_label: str,
    y_label: str,
    ticks: Sequence[float] = (),
    from_zero: bool = True,
) -> str:
    """An SVG element: shares, as percent, over any numbers; nothing where no line has a point.

    ``ticks``: ascending, of the horizontal axis, which ends with them; without them it has those numbers that the lines
    have. ``from_zero``: the vertical axis begins at 0; otherwise near the values. The description has every number.
    """
    drawn = [line for line in lines if line.points]
    if not drawn:
        return ""
    xs = list(ticks) or sorted({x for line in drawn for x, _ in line.points})
    field = _Field.of(xs, [y for line in drawn for _, y in line.points], from_zero=from_zero)
    height = HEIGHT + ROW * len(drawn) + 8
    parts = [
        f"<title>{escape(title)}</title><desc>{escape(_described(drawn, x_label, y_label))}</desc>",
        f'<text class="title" x="{LEFT}" y="18">{escape(title)}</text>',
        *_axes(field, xs, x_label, y_label),
        *(part for number, line in enumerate(drawn) for part in _line(field, line, number)),
    ]
    return (
        f'<svg class="chart" role="img" aria-label="{escape(title)}" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}">{"".join(parts)}</svg>'
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """Where numbers lie in the chart."""

    left: float
    right: float
    low: float
    high: float
    step: float  # between ticks

    @classmethod
    def of(cls, xs: Sequence[float], ys: Sequence[float], *, from_zero: bool) -> _Field:
        least, most = 0.0 if from_zero else min(ys), max(ys)
        step = next((step for step in STEPS if most - least <= (TICKS - 2) * step), STEPS[-1])
        low = math.floor(least / step + 1e-9) * step
        high = max(math.ceil(most / step - 1e-9) * step, low + step)
        return cls(left=xs[0], right=xs[-1], low=low, high=high, step=step)

    def x(self, value: float) -> float:
        width = WIDTH - LEFT - RIGHT
        return LEFT + (width * (value - self.left) / (self.right - self.left) if self.right > self.left else width / 2)

    def y(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value) / (self.high - self.low)


def _axes(field: _Field, xs: Sequence[float], x_label: str, y_label: str) -> Iterator[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for number in range(round((field.high - field.low) / field.step) + 1):
        share = field.low + number * field.step
        level = field.y(share)
        yield f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{level:.1f}" y2="{level:.1f}"/>'
        yield f'<text x="{LEFT - 6}" y="{level + 4:.1f}" text-anchor="end">{100 * share:g}</text>'
    yield f'<line x1="{LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>'
    yield f'<line x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{bottom}"/>'
    last = -math.inf
    for value in xs:
        place = field.x(value)
        yield f'<line x1="{place:.1f}" x2="{place:.1f}" y1="{bottom}" y2="{bottom + 4}"/>'
        if place - last >= CLOSEST:
            yield f'<text x="{place:.1f}" y="{bottom + 18}" text-anchor="middle">{value:g}</text>'
            last = place
    yield f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_label)}</text>'
    middle = (TOP + bottom) / 2
    yield f'<text transform="translate(13 {middle}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>'


def _line(field: _Field, line: Line, number: int) -> Iterator[str]:
    """The line with its markers, and its row of the legend."""
    colour, dash = f"var(--line-{number % COLOURS})", DASHES[number % len(DASHES)]
    stroke = f'style="stroke:{colour}"' + (f' stroke-dasharray="{dash}"' if dash else "")
    places = [(field.x(x), field.y(y)) for x, y in line.points]
    if len(places) > 1:
        yield f'<polyline {stroke} points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>'
    yield from (_marker(x, y, number, colour) for x, y in places)
    level = HEIGHT + ROW * number + 10
    yield f'<line {stroke} stroke-width="2" x1="{LEFT}" x2="{LEFT + 28}" y1="{level}" y2="{level}"/>'
    yield _marker(LEFT + 14, level, number, colour)
    yield f'<text x="{LEFT + 36}" y="{level + 4}">{escape(line.label)}</text>'


def _marker(x: float, y: float, number: int, colour: str) -> str:
    fill = f'style="fill:{colour}"'
    forms = (
        f'<circle {fill} cx="{x:.1f}" cy="{y:.1f}" r="4"/>',
        f'<path {fill} d="M{x - 4:.1f} {y - 4:.1f}h8v8h-8z"/>',
        f'<path {fill} d="M{x:.1f} {y - 5:.1f}l5 9h-10z"/>',
        f'<path {fill} d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"/>',
    )
    return forms[number % len(forms)]


def _described(lines: Sequence[Line], x_label: str, y_label: str) -> str:
    told = (f"{line.label}: {', '.join(f'{x:g}: {100 * y:.1f}' for x, y in line.points)}" for line in lines)
    return f"{y_label} by {x_label}. {'; '.join(told)}."

"""Lines and bars as SVG, to stand in a page that loads nothing: legible in light and dark, and without colours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = 6
DASHES = ("", "7 3", "2 3", "9 3 2 3")  # with the markers' forms, lines differ without their colours
WIDTH, HEIGHT = 420, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 34, 44  # what stands around the field of a chart
ROW = 18  # height of a line of the legend
TICKS = 6  # at most, on the vertical axis
CLOSEST = 26  # pixels between two labels on the horizontal axis
LETTER = 6.6  # pixels of a letter, at the least
GAP = 0.2  # of a group's width, between bars of neighbouring groups
WIDEST = 48  # pixels of a bar
NARROWEST = 0.1  # between the ends of a vertical axis, so that one question more or less looks small
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)  # between ticks of shares


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a chart."""

    label: str
    points: tuple[tuple[float, float], ...]  # (x, a share from 0 to 1), by x


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """The bars of one colour: one in each group."""

    label: str
    shares: tuple[float | None, ...]  # 0 to 1, by group; None: no bar


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What lines or bars are compared with: the same share everywhere."""

    label: str
    share: float  # 0 to 1


def line_chart(
    title: str,
    lines: Sequence[Line],
    *,
    x_label: str,
    y_label: str,
    ticks: Sequence[float] = (),
    from_zero: bool = True,
    levels: Sequence[Level] = (),
) -> str:
    """An SVG element: shares, as percent, over any numbers; nothing where no line has a point.

    ``ticks``: ascending, of the horizontal axis, which ends with them; without them it has those numbers that the lines
    have. ``from_zero``: the vertical axis begins at 0; otherwise near the values. The description has every number.
    """
    drawn = [line for line in lines if line.points]
    if not drawn:
        return ""
    xs = list(ticks) or sorted({x for line in drawn for x, _ in line.points})
    shares = [y for line in drawn for _, y in line.points] + [level.share for level in levels]
    field = _Field.of(xs, shares, from_zero=from_zero)
    told = [(line.label, ", ".join(f"{x:g}: {100 * y:.1f}" for x, y in line.points)) for line in drawn]
    parts = [
        *_vertical(field, x_label, y_label),
        *_horizontal(field, xs),
        *_levels(field, levels, len(drawn)),
        *(part for number, line in enumerate(drawn) for part in _line(field, line, number)),
    ]
    return _svg(title, parts, len(drawn) + len(levels), _described(told, levels, x_label, y_label))


def bar_chart(
    title: str,
    groups: Sequence[str],
    bars: Sequence[Bars],
    *,
    x_label: str,
    y_label: str,
    levels: Sequence[Level] = (),
) -> str:
    """An SVG element: shares, as percent, of each group side by side; nothing where there is no bar.

    The vertical axis begins at 0. The description has every number.
    """
    drawn = [each for each in bars if any(share is not None for share in each.shares)]
    if not drawn:
        return ""
    shares = [share for each in drawn for share in each.shares if share is not None]
    field = _Field.of([0.0, float(len(groups))], shares + [level.share for level in levels], from_zero=True)
    told = [
        (each.label, ", ".join(f"{group}: {100 * share:.1f}" for group, share in _known(groups, each)))
        for each in drawn
    ]
    rows = len(drawn) + len(levels)
    parts = [
        *_vertical(field, x_label, y_label),
        *_groups(field, groups),
        *(
            part
            for number, each in enumerate(drawn)
            for part in _bars(field, each, number, len(drawn), legend=rows > 1)
        ),
        *_levels(field, levels, len(drawn)),  # over the bars
        *(part for number, each in enumerate(drawn) for part in _numbers(field, each, number, len(drawn))),
    ]
    return _svg(title, parts, rows if rows > 1 else 0, _described(told, levels, x_label, y_label))


def _svg(title: str, parts: Sequence[str], rows: int, description: str) -> str:
    """The element, with room for a legend of so many rows."""
    height = HEIGHT + (ROW * rows + 8 if rows else 0)
    return (
        f'<svg class="chart" role="img" aria-label="{escape(title)}" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}"><title>{escape(title)}</title><desc>{escape(description)}</desc>'
        f'<text class="title" x="{LEFT}" y="18">{escape(title)}</text>{"".join(parts)}</svg>'
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
        if not from_zero and most - least < NARROWEST:
            least = min(max((least + most - NARROWEST) / 2, 0.0), 1 - NARROWEST)
            most = least + NARROWEST
        step = next((step for step in STEPS if most - least <= (TICKS - 2) * step), STEPS[-1])
        low = math.floor(least / step + 1e-9) * step
        high = max(math.ceil(most / step - 1e-9) * step, low + step)
        return cls(left=xs[0], right=xs[-1], low=low, high=high, step=step)

    def x(self, value: float) -> float:
        width = WIDTH - LEFT - RIGHT
        return LEFT + (width * (value - self.left) / (self.right - self.left) if self.right > self.left else width / 2)

    def y(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value) / (self.high - self.low)


def _vertical(field: _Field, x_label: str, y_label: str) -> Iterator[str]:
    """Both axes, the vertical one's ticks with lines of the grid, and what the axes show."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for number in range(round((field.high - field.low) / field.step) + 1):
        share = field.low + number * field.step
        level = field.y(share)
        yield f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{level:.1f}" y2="{level:.1f}"/>'
        yield f'<text x="{LEFT - 6}" y="{level + 4:.1f}" text-anchor="end">{100 * share:g}</text>'
    yield f'<line x1="{LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>'
    yield f'<line x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{bottom}"/>'
    yield f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 4}" text-anchor="middle">{escape(x_label)}</text>'
    middle = (TOP + bottom) / 2
    yield f'<text transform="translate(13 {middle}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>'


def _horizontal(field: _Field, xs: Sequence[float]) -> Iterator[str]:
    """The ticks of numbers."""
    bottom, last = HEIGHT - BOTTOM, -math.inf
    for value in xs:
        place = field.x(value)
        yield f'<line x1="{place:.1f}" x2="{place:.1f}" y1="{bottom}" y2="{bottom + 4}"/>'
        if place - last >= CLOSEST:
            yield f'<text x="{place:.1f}" y="{bottom + 18}" text-anchor="middle">{value:g}</text>'
            last = place


def _groups(field: _Field, groups: Sequence[str]) -> Iterator[str]:
    """The groups' names: in two rows by turns where one has not the room, cut where two have not."""
    bottom, slot = HEIGHT - BOTTOM, (WIDTH - LEFT - RIGHT) / len(groups)
    letters = int(slot / LETTER)
    turns = any(len(group) > letters for group in groups)
    most = max(2 * letters - 1, 2) if turns else letters
    for number, group in enumerate(groups):
        shown = group if len(group) <= most else f"{group[: most - 1]}…"
        level = bottom + (13 + 13 * (number % 2) if turns else 18)
        yield f'<text x="{field.x(number + 0.5):.1f}" y="{level}" text-anchor="middle">{escape(shown)}</text>'


def _known(groups: Sequence[str], bars: Bars) -> Iterator[tuple[str, float]]:
    return ((group, share) for group, share in zip(groups, bars.shares, strict=True) if share is not None)


def _bars(field: _Field, bars: Bars, number: int, of: int, *, legend: bool) -> Iterator[str]:
    """The bars of one colour, and their row of the legend."""
    width = _width(len(bars.shares), of)
    bottom, colour = HEIGHT - BOTTOM, f"var(--line-{number % COLOURS})"
    for group, share in enumerate(bars.shares):
        if share is None:
            continue
        left, top = field.x(group + 0.5) + (number - of / 2) * width, field.y(share)
        yield (
            f'<rect style="fill:{colour}" x="{left + 0.5:.1f}" y="{top:.1f}" width="{width - 1:.1f}" '
            f'height="{bottom - top:.1f}"/>'
        )
        if of > 1 and width >= 12 and bottom - top >= 18:
            yield _marker(left + width / 2, bottom - 9, number, None)
    if legend:
        level = HEIGHT + ROW * number + 10
        yield f'<rect style="fill:{colour}" x="{LEFT}" y="{level - 7}" width="28" height="14"/>'
        if of > 1:
            yield _marker(LEFT + 14, level, number, None)
        yield f'<text x="{LEFT + 36}" y="{level + 4}">{escape(bars.label)}</text>'


def _numbers(field: _Field, bars: Bars, number: int, of: int) -> Iterator[str]:
    """The share above each bar, where there is room."""
    width = _width(len(bars.shares), of)
    for group, share in enumerate(bars.shares):
        if share is not None and width >= 4 * LETTER:
            middle, level = field.x(group + 0.5) + (number - of / 2 + 0.5) * width, field.y(share) - 4
            told = f"{100 * share:.1f}"
            yield f'<text class="value" x="{middle:.1f}" y="{level:.1f}" text-anchor="middle">{told}</text>'


def _width(groups: int, of: int) -> float:
    """Pixels of a bar, where so many stand in each group."""
    return min((WIDTH - LEFT - RIGHT) / groups * (1 - GAP) / of, WIDEST)


def _levels(field: _Field, levels: Sequence[Level], before: int) -> Iterator[str]:
    """A line of dots from side to side for each level, and its row of the legend below ``before`` others."""
    for number, level in enumerate(levels, start=before):
        stroke = f'style="stroke:var(--line-{number % COLOURS})" stroke-dasharray="1 4" stroke-linecap="round"'
        height, row = field.y(level.share), HEIGHT + ROW * number + 10
        yield f'<line {stroke} stroke-width="3" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{height:.1f}" y2="{height:.1f}"/>'
        yield f'<line {stroke} stroke-width="3" x1="{LEFT}" x2="{LEFT + 28}" y1="{row}" y2="{row}"/>'
        yield f'<text x="{LEFT + 36}" y="{row + 4}">{escape(level.label)}</text>'


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


def _marker(x: float, y: float, number: int, colour: str | None) -> str:
    """A form of its own for each number; without a colour in that of the page, to stand in a bar."""
    fill = f'style="fill:{colour}"' if colour else 'class="mark"'
    forms = (
        f'<circle {fill} cx="{x:.1f}" cy="{y:.1f}" r="5"/>',
        f'<path {fill} d="M{x - 4:.1f} {y - 4:.1f}h8v8h-8z"/>',
        f'<path {fill} d="M{x:.1f} {y - 5:.1f}l5 9h-10z"/>',
        f'<path {fill} d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"/>',
    )
    return forms[number % len(forms)]


def _described(told: Sequence[tuple[str, str]], levels: Sequence[Level], x_label: str, y_label: str) -> str:
    series = [*told, *((level.label, f"{100 * level.share:.1f} throughout") for level in levels)]
    return f"{y_label} by {x_label}. {'; '.join(f'{label}: {shares}' for label, shares in series)}."

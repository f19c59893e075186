"""The report as one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from polyhop.evaluation.reports.plot import Bars, Level, Line, bar_chart, line_chart
from polyhop.evaluation.reports.terminal import (
    BINDINGS,
    COSTS,
    HEADINGS,
    LEGEND,
    RELIABILITY,
    UNSUPPORTED,
    Rows,
    amount,
    breakdowns,
    comparisons,
    label_of,
    metric_names,
    percent,
    sections,
)

MOST_LINES = 12  # that can be told apart in one chart
BAR_METRICS = ("accuracy", "f1", "recall@5", "covered@5", "held", "wrong")
TITLES = {  # of charts, where there is more room than in the head of a column
    "accuracy": "Accuracy",
    "covered@5": "Evidence covered by the first 5 passages",
    "quoted": "Evidence covered by quotations",
    "held": "Gold answer held by answer or quotations",
    "wrong": "Answered and not held (wrong)",
    "abstained": "Abstained",
    "abstained_on_null": "Unanswerable, abstained",
    "lost": "Answerable, abstained (lost)",
    "closeness of clues": "Closeness of clues to the question (cosine)",
    "closeness of passages": "Closeness of their passages to the question (cosine)",
    "semantic coverage": "Clues that cover the question (semantic coverage score)",
    "meaning of steps": "Planned steps that mean the right thing",
    "meaning of relations": "Planned steps with the right relation",
    "meaning of references": "Planned steps with the right references",
    "meaning of plans": "Plans whose steps are all right",
}
SWEEP_LEGEND = (
    "Percent. Axes of lines begin near their values. Dotted: strategies without this setting, to compare with."
)
LABEL, LETTER, SCALE, ROW = 200, 8, 400, 24  # least width of labels, widths of a letter and of 100 %, height of a row


def html(report: Mapping[str, Any]) -> str:
    """The page: nothing is loaded from elsewhere, and every name is escaped."""
    strategies, columns = report["strategies"], metric_names(report)
    data = report["manifest"].get("dataset", {})
    title = " ".join(["Polyhop", "on", str(data.get("name", "a data set")), str(data.get("split") or "")]).strip()
    body = [
        f"<h1>{escape(title)}</h1>",
        *(f'<p class="warning">{escape(warning)}</p>' for warning in report["warnings"]),
        _overview(strategies, columns),
        f"<p><small>{escape(LEGEND)}</small></p>",
        *_sweeps(report.get("sweeps", ()), strategies, columns),
        *(_section(*section, strategies) for section in sections(report)),
        *(_bars(strategies, metric) for metric in BAR_METRICS if metric in columns),
        *(_titled(title, rows, names=2) for title, rows in (*breakdowns(report), *comparisons(report))),
        f"<details><summary>Manifest</summary><pre>{escape(json.dumps(report['manifest'], indent=2))}</pre></details>",
    ]
    return page_of(title, body)


def page_of(title: str, parts: Iterable[str]) -> str:
    """A page of such parts, with the style that tables and charts need."""
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body>\n</html>\n"
    )


def _overview(strategies: Mapping[str, Any], columns: Sequence[str]) -> str:
    headings = ("strategy", "n", *(HEADINGS.get(name, name) for name in columns), *COSTS.values(), "errors")
    rows = [
        (
            label_of(name, figures),
            str(figures["n"]),
            *(_with_interval(figures, column) for column in columns),
            *(amount(figures[cost]) for cost in COSTS),
            str(figures["errors"]),
        )
        for name, figures in strategies.items()
    ]
    return "<h2>Strategies</h2>" + _table(headings, rows, names=1, wraps=True)


def _with_interval(figures: Mapping[str, Any], column: str) -> str:
    bounds = figures["intervals"].get(column)
    return percent(figures.get(column)) + (f" [{percent(bounds[0])},\u00a0{percent(bounds[1])}]" if bounds else "")


def _sweeps(sweeps: Sequence[Mapping[str, Any]], strategies: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """For each sweep, a chart of every measure that its strategies have, over the swept setting; then of each type."""
    parts = []
    drawn = {point["strategy"] for sweep in sweeps for points in sweep["lines"].values() for point in points}
    named = [name for name, each in strategies.items() if name not in drawn and "of" not in each]
    apart = {name: strategies[name] for name in named[:MOST_LINES]}
    for sweep in sweeps:
        charts = [
            *(_chart(sweep, strategies, {}, key, heading, "bindings") for key, heading in BINDINGS.items()),
            _trade(sweep, strategies),
            *(_chart(sweep, strategies, apart, key, TITLES.get(key, HEADINGS.get(key, key))) for key in columns),
        ]
        heading = f"<h2>{escape(sweep['strategy'])} over {escape(sweep['setting'])}</h2>"
        parts.append(f"{heading}<p><small>{SWEEP_LEGEND}</small></p>{_charts(charts)}")
        swept = [strategies[point["strategy"]] for points in sweep["lines"].values() for point in points]
        kinds = dict.fromkeys(kind for each in swept for kind in each.get("by_type") or ())
        parts += [_of_type(kind, sweep, strategies, apart, columns) for kind in kinds]
    return parts


def _of_type(
    kind: str,
    sweep: Mapping[str, Any],
    strategies: Mapping[str, Any],
    levels: Mapping[str, Any],
    columns: Sequence[str],
) -> str:
    """The charts of the questions of one type, folded away."""

    def of_kind(found: Mapping[str, Any]) -> dict[str, Any]:
        return {name: (each.get("by_type") or {}).get(kind, {}) for name, each in found.items()}

    groups, compared = of_kind(strategies), of_kind(levels)
    charts = [_chart(sweep, groups, compared, key, TITLES.get(key, HEADINGS.get(key, key))) for key in columns]
    asked = max((group["n"] for group in groups.values() if group), default=0)
    told = f"{kind}, {asked} question{'' if asked == 1 else 's'}"
    return f"<details><summary>{escape(told)}</summary>{_charts(charts)}</details>"


def _charts(charts: Sequence[str]) -> str:
    return f'<div class="charts">{"".join(charts)}</div>'


def _chart(
    sweep: Mapping[str, Any],
    strategies: Mapping[str, Any],
    levels: Mapping[str, Any],
    key: str,
    heading: str,
    section: str | None = None,
) -> str:
    """Lines over a number, bars by a word; the strategies that are not swept are levels to compare with."""

    def share(figures: Mapping[str, Any]) -> float | None:
        found: float | None = (figures.get(section) or {} if section else figures).get(key)
        return found

    title, x_label = f"{heading[0].upper()}{heading[1:]}", sweep["setting"]
    series = {
        label: {point["value"]: share(strategies[point["strategy"]]) for point in points}
        for label, points in sweep["lines"].items()
    }
    across = [Level(label=name, share=found) for name, each in levels.items() if (found := share(each)) is not None]
    values = list(dict.fromkeys(value for found in series.values() for value in found))
    if any(isinstance(value, str) for value in values):
        bars = [Bars(label=label, shares=tuple(map(found.get, values))) for label, found in series.items()]
        return bar_chart(title, list(map(str, values)), bars, x_label=x_label, y_label="percent", levels=across)
    lines = [
        Line(label=label, points=tuple((value, known) for value, known in found.items() if known is not None))
        for label, found in series.items()
    ]
    from_zero = section is not None
    return line_chart(title, lines, x_label=x_label, y_label="percent", from_zero=from_zero, levels=across)


def _trade(sweep: Mapping[str, Any], strategies: Mapping[str, Any]) -> str:
    """Wrong bindings over the resolved rate: where two checks resolve as much, the lower line is the better check."""
    lines = []
    for label, points in sweep["lines"].items():
        found = [bound for point in points if (bound := strategies[point["strategy"]].get("bindings"))]
        shares = sorted({(100 * bound["resolved_rate"], bound["confident_wrong"]) for bound in found})
        lines.append(Line(label=label, points=tuple(shares)))
    return line_chart(
        "Confident wrong over resolved", lines, x_label="resolved, percent", y_label="percent", ticks=range(0, 101, 20)
    )


def _section(title: str, rows: Rows, legend: str, strategies: Mapping[str, Any]) -> str:
    """A table with what it means and, where a line says more, a chart."""
    charts = {UNSUPPORTED: _unsupported, RELIABILITY: _reliability}
    chart = charts[title](strategies) if title in charts else ""
    return titled(title, rows, legend) + (_charts([chart]) if chart else "")


def titled(title: str, rows: Rows, legend: str) -> str:
    """A table, the first row of which is the heading, with what it means."""
    return f"{_titled(title, rows)}<p><small>{escape(legend)}</small></p>"


def _titled(title: str, rows: Rows, names: int = 1) -> str:
    return f"<h2>{escape(title)}</h2>{_table(rows[0], rows[1:], names)}"


def _unsupported(strategies: Mapping[str, Any]) -> str:
    lines = [
        Line(
            label=label_of(name, figures),
            points=tuple((float(row["hop"]), row["share"]) for row in figures.get("unsupported", ())),
        )
        for name, figures in strategies.items()
    ]
    title = "Unsupported evidence" + (f", the first {MOST_LINES}" if len(lines) > MOST_LINES else "")
    hops = {hop for line in lines for hop, _ in line.points}  # of one hop, the table says it all
    return line_chart(title, lines[:MOST_LINES], x_label="hop", y_label="percent") if len(hops) > 1 else ""


def _reliability(strategies: Mapping[str, Any]) -> str:
    """The share of right answers over the confidence: on the diagonal where that means what it says."""
    lines = [
        Line(
            label=label_of(name, figures),
            points=tuple((group["confidence"], group["accuracy"]) for group in found["bins"]),
        )
        for name, figures in strategies.items()
        if (found := figures.get("reliability")) and "of" not in figures
    ]
    diagonal = Line(label="as confident as right", points=((0.0, 0.0), (1.0, 1.0)))
    shown = [diagonal, *lines[:MOST_LINES]]
    ticks = [tick / 5 for tick in range(6)]
    return line_chart("Right over confidence", shown, x_label="confidence", y_label="percent", ticks=ticks)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], names: int, *, wraps: bool = False) -> str:
    """``names``: how many columns are text; ``wraps``: cells take two lines where the page is narrow."""

    def line(tag: str, cells: Sequence[str]) -> str:
        marked = (
            f"<{tag}{' class=name' if number < names else ''}>{escape(cell)}</{tag}>"
            for number, cell in enumerate(cells)
        )
        return f"<tr>{''.join(marked)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    kind = " class=wraps" if wraps else ""
    return (
        f'<div class="scroll"><table{kind}>\n<thead>{line("th", headings)}</thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _bars(strategies: Mapping[str, Any], metric: str) -> str:
    """One horizontal bar a strategy, with its confidence interval as a line."""
    shown = [(label_of(name, each), each) for name, each in strategies.items() if each.get(metric) is not None]
    left = max(LABEL, LETTER * max(len(name) for name, _ in shown))
    drawn = []
    for number, (name, figures) in enumerate(shown):
        top, middle = number * ROW, number * ROW + ROW // 2
        low, high = figures["intervals"].get(metric) or (figures[metric], figures[metric])
        drawn.append(
            f'<text x="{left - 8}" y="{middle + 4}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{left}" y="{top + 4}" width="{figures[metric] * SCALE:.1f}" height="{ROW - 8}"/>'
            f'<line x1="{left + low * SCALE:.1f}" x2="{left + high * SCALE:.1f}" y1="{middle}" y2="{middle}"/>'
            f'<text x="{left + SCALE + 8}" y="{middle + 4}">{percent(figures[metric])}</text>'
        )
    label = TITLES.get(metric, HEADINGS.get(metric, metric))
    width, height = left + SCALE + 60, ROW * len(shown)
    return (
        f'<h2>{escape(label)}</h2><div class="scroll"><svg role="img" aria-label="{escape(label)} by strategy" '
        f'class="bars" viewBox="0 0 {width} {height}" width="{width}" height="{height}">{"".join(drawn)}</svg></div>'
    )

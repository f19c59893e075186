"""The report as one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from polyhop.evaluation.terminal import COSTS, HEADINGS, LEGEND, amount, metric_names, percent

STYLE = """
:root { color-scheme: light dark; --bar: #3b6ea5; --rule: #8886; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0 2rem; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); }
th.name, td.name { text-align: left; }
td { font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
.warning { border-left: .25rem solid #c80; padding-left: .75rem; }
small { opacity: .75; }
svg { max-width: 100%; }
svg rect { fill: var(--bar); } svg text { fill: currentColor; font-size: 13px; } svg line { stroke: currentColor; }
pre { overflow-x: auto; }
"""
BAR_METRICS = ("f1", "recall@5")
LABEL, SCALE, ROW = 200, 400, 24  # widths of a bar's label and of 100 %, height of a row, in pixels


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
        *(_bars(strategies, metric) for metric in BAR_METRICS if metric in columns),
        *(_breakdown(strategies, columns, key, heading) for key, heading in (("by_type", "type"), ("by_hops", "hops"))),
        _comparisons(report["comparisons"]),
        f"<details><summary>Manifest</summary><pre>{escape(json.dumps(report['manifest'], indent=2))}</pre></details>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in body if part)
        + "\n</body>\n</html>\n"
    )


def _overview(strategies: Mapping[str, Any], columns: Sequence[str]) -> str:
    headings = ("strategy", "n", *(HEADINGS.get(name, name) for name in columns), *COSTS.values(), "errors")
    rows = [
        (
            name,
            str(figures["n"]),
            *(_with_interval(figures, column) for column in columns),
            *(amount(figures[cost]) for cost in COSTS),
            str(figures["errors"]),
        )
        for name, figures in strategies.items()
    ]
    return "<h2>Strategies</h2>" + _table(headings, rows, names=1)


def _with_interval(figures: Mapping[str, Any], column: str) -> str:
    bounds = figures["intervals"].get(column)
    return percent(figures.get(column)) + (f" [{percent(bounds[0])}, {percent(bounds[1])}]" if bounds else "")


def _breakdown(strategies: Mapping[str, Any], columns: Sequence[str], key: str, heading: str) -> str:
    kinds = dict.fromkeys(kind for figures in strategies.values() for kind in figures.get(key) or ())
    rows = [
        (kind, name, str(group["n"]), *(percent(group.get(column)) for column in columns))
        for kind in kinds
        for name, figures in strategies.items()
        if (group := (figures.get(key) or {}).get(kind))
    ]
    headings = (heading, "strategy", "n", *(HEADINGS.get(name, name) for name in columns))
    return f"<h2>By {heading}</h2>" + _table(headings, rows, names=2) if rows else ""


def _comparisons(comparisons: Sequence[Mapping[str, Any]]) -> str:
    if not comparisons:
        return ""
    rows = [
        (
            row["strategy"],
            HEADINGS.get(row["metric"], row["metric"]),
            f"{100 * row['difference']:+.1f}",
            f"{100 * row['interval'][0]:+.1f} to {100 * row['interval'][1]:+.1f}",
            f"{row['p_value']:.3f}",
        )
        for row in comparisons
    ]
    heading = f"<h2>Difference from {escape(comparisons[0]['against'])} (paired bootstrap)</h2>"
    return heading + _table(("strategy", "metric", "points", "95 % interval", "p"), rows, names=2)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], names: int) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        marked = (
            f"<{tag}{' class=name' if number < names else ''}>{escape(cell)}</{tag}>"
            for number, cell in enumerate(cells)
        )
        return f"<tr>{''.join(marked)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return (
        f'<div class="scroll"><table>\n<thead>{line("th", headings)}</thead>\n<tbody>\n{body}\n</tbody></table></div>'
    )


def _bars(strategies: Mapping[str, Any], metric: str) -> str:
    """One horizontal bar a strategy, with its confidence interval as a line."""
    shown = [(name, figures) for name, figures in strategies.items() if figures.get(metric) is not None]
    drawn = []
    for number, (name, figures) in enumerate(shown):
        top, middle = number * ROW, number * ROW + ROW // 2
        low, high = figures["intervals"].get(metric) or (figures[metric], figures[metric])
        drawn.append(
            f'<text x="{LABEL - 8}" y="{middle + 4}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{LABEL}" y="{top + 4}" width="{figures[metric] * SCALE:.1f}" height="{ROW - 8}"/>'
            f'<line x1="{LABEL + low * SCALE:.1f}" x2="{LABEL + high * SCALE:.1f}" y1="{middle}" y2="{middle}"/>'
            f'<text x="{LABEL + SCALE + 8}" y="{middle + 4}">{percent(figures[metric])}</text>'
        )
    label = HEADINGS.get(metric, metric)
    width, height = LABEL + SCALE + 60, ROW * len(shown)
    return (
        f'<h2>{escape(label)}</h2><svg role="img" aria-label="{escape(label)} by strategy" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">{"".join(drawn)}</svg>'
    )

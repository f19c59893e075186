"""The report as tables for a terminal of 100 columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # rich is imported when a table is drawn: start-up time
    from rich.console import Console, ConsoleOptions, Group, RenderResult
    from rich.table import Table

HEADINGS = {
    "em": "EM",
    "f1": "F1",
    "accuracy": "acc.",
    "recall@2": "R@2",
    "recall@5": "R@5",
    "all@5": "all@5",
    "covered@5": "cov@5",
    "quoted": "quoted",
    "held": "held",
    "wrong": "wrong",
    "abstained": "abst.",
    "abstained_on_null": "null✓",
    "lost": "lost",
    "closeness of clues": "cos clue",
    "closeness of passages": "cos text",
    "semantic coverage": "SCS",
    "meaning of steps": "steps✓",
    "meaning of relations": "relations✓",
    "meaning of references": "refs✓",
    "meaning of plans": "plans✓",
}
COSTS = {
    "llm_calls": "calls",
    "llm_tokens": "tokens",
    "passages": "ctx",
    "seconds_p50": "p50 s",
    "seconds_p95": "p95 s",
}
LEGEND = (
    "Percent; R@k: recall of supporting passages, all@5: questions with all of them in the top 5, cov@5: evidence "
    "sentences that the top 5 cover, quoted: that quotations cover, held: questions whose gold answer the answer or "
    "its quotations hold, wrong: answered otherwise, null✓: unanswerable questions that were left unanswered, lost: "
    "answerable ones. Passages found (ctx), calls and tokens are means a question."
)
MOST_RUNS = 5  # that are shown one by one
FOLDED = 12  # letters of a name that stand on a line, however narrow the terminal is
COLUMNS = 4  # of metrics, beside which there is room for what they cost
Rows = list[tuple[str, ...]]  # the heading, and what stands below it
NOT_FIGURES = frozenset(COSTS) | {
    *("n", "errors", "context", "money", "intervals", "calibration", "bindings", "unsupported", "by_type", "by_hops"),
    *("stopped", "clues", "plans", "judging", "label", "of", "reliability"),
}
BINDINGS = {"resolved_rate": "resolved", "precision": "precision", "confident_wrong": "confident wrong"}
BINDINGS_LEGEND = (
    "Bindings: of the hops that bind a placeholder, in questions with a gold decomposition: the share that the graph "
    "resolved, how many of these bound a gold value, and the share of all hops that are resolved and wrong."
)
PLANS = ("undivided", "fewer", "more", "references")
PLANS_LEGEND = (
    "Plans, beside the gold decomposition, in percent: those with an error (wrong), by kind: not divided, fewer or "
    "more steps, as many that build on one another otherwise (references); and planned steps out of place (misplaced)."
)
CLUES = {
    "validity": "valid",
    "reverse_share": "by reverse",
    "named_share": "of named",
    "named_accuracy": "named linked",
    "unnamed_accuracy": "others linked",
}
CLUES_LEGEND = (
    "Clues that hops show, in percent: those that lead to a supporting passage (valid), the share that reverse "
    "translation gave of these, of their entities those that the question names, and how many of the named and of the "
    "other entities have a valid clue."
)
JUDGING = {"llm_calls": "calls", "llm_tokens": "tokens", "money": "to pay"}
JUDGING_LEGEND = (
    "Judging: what the language model that judges answers took, means a question. It is no part of what strategies "
    "cost, and an answer that was judged before costs nothing."
)
UNSUPPORTED = "Unsupported evidence by hop"
UNSUPPORTED_LEGEND = (
    "Unsupported evidence: percent of the passages behind a hop that are not among the supporting ones."
)
RUNS_LEGEND = "Runs: the mean of the runs and, behind ±, their standard deviation, in percent."
RELIABILITY = "Reliability"
RELIABILITY_LEGEND = (
    "Reliability: answers that were given, by their confidence; how many were right (held: the answer or its "
    "quotations hold a gold answer; without it, an F1 of 50 % or more); the share of right ones, the mean confidence, "
    "and the gap between them, in percent. The gap of all is the expected calibration error."
)


def render(report: Mapping[str, Any]) -> Group:
    """Everything worth a look: strategies, reliability, by type and hops, comparisons, calibration, warnings."""
    from rich.console import Group
    from rich.text import Text

    strategies = report["strategies"]
    columns = metric_names(report)
    parts: list[Any] = (
        [_overview(strategies, columns, COSTS)]
        if len(columns) <= COLUMNS
        else [_overview(strategies, columns, {}), _overview(strategies, (), COSTS, "Cost")]
    )
    told = sections(report)
    parts += [_plain(title, rows) for title, rows, _ in told]
    legends = [LEGEND, *(legend for _, _, legend in told)]
    parts += [_plain(title, rows, names=2) for title, rows in (*breakdowns(report), *comparisons(report))]
    parts += [Text(line, style="dim") for line in (*legends, *_calibrations(strategies))]
    parts += [Text(f"! {warning}", style="yellow") for warning in report["warnings"]]
    return Group(*parts)


def sections(report: Mapping[str, Any]) -> list[tuple[str, Rows, str]]:
    """The tables beside the overview that have rows: title, heading and rows, and what they mean."""
    strategies = report["strategies"]
    every = (
        (f"{report.get('runs', {}).get('count', 1)} runs", run_rows(report), RUNS_LEGEND),
        ("Judging", judging_rows(strategies), JUDGING_LEGEND),
        ("Bindings", binding_rows(strategies), BINDINGS_LEGEND),
        ("Plans", plan_rows(strategies), PLANS_LEGEND),
        ("Clues", clue_rows(strategies), CLUES_LEGEND),
        (UNSUPPORTED, unsupported_rows(strategies), UNSUPPORTED_LEGEND),
        (RELIABILITY, reliability_rows(strategies), RELIABILITY_LEGEND),
    )
    return [section for section in every if len(section[1]) > 1]


def breakdowns(report: Mapping[str, Any]) -> Iterator[tuple[str, Rows]]:
    """The tables by type and by hops that have rows: title, heading and rows."""
    strategies, columns = report["strategies"], metric_names(report)
    for part, kind in (("by_type", "type"), ("by_hops", "hops")):
        rows: Rows = [(kind, "strategy", "n", *(HEADINGS.get(name, name) for name in columns))]
        for value in dict.fromkeys(value for figures in strategies.values() for value in figures.get(part) or ()):
            for name, figures in strategies.items():
                if group := (figures.get(part) or {}).get(value):
                    cells = (percent(group.get(column)) for column in columns)
                    rows.append((value, label_of(name, figures), str(group["n"]), *cells))
        if len(rows) > 1:
            yield f"By {kind}", rows


def comparisons(report: Mapping[str, Any]) -> Iterator[tuple[str, Rows]]:
    """For each strategy that others are compared with: title, heading and a row a difference."""
    for against in dict.fromkeys(row["against"] for row in report["comparisons"]):
        rows: Rows = [("strategy", "metric", "points", "95 % interval", "p")]
        for row in report["comparisons"]:
            if row["against"] == against:
                low, high = row["interval"]
                between = f"{100 * low:+.1f} to {100 * high:+.1f}"
                figures = (f"{100 * row['difference']:+.1f}", between, f"{row['p_value']:.3f}")
                label = label_of(row["strategy"], report["strategies"][row["strategy"]])
                rows.append((label, HEADINGS.get(row["metric"], row["metric"]), *figures))
        yield f"Difference from {against} (paired bootstrap)", rows


def metric_names(report: Mapping[str, Any]) -> tuple[str, ...]:
    """The metrics that apply to at least one strategy, those with a heading of their own first.

    Abstentions are shown as right ones and lost questions; of both together there is no column beside these.
    """
    names: dict[str, None] = {}
    for figures in report["strategies"].values():
        names |= {key: None for key, value in figures.items() if key not in NOT_FIGURES and value is not None}
    if names.keys() & {"abstained_on_null", "lost"}:
        names.pop("abstained", None)
    known = list(HEADINGS)
    return tuple(sorted(names, key=lambda name: known.index(name) if name in HEADINGS else len(known)))


def label_of(name: str, figures: Mapping[str, Any]) -> str:
    """What tables call a strategy."""
    return str(figures.get("label", name))


def run_rows(report: Mapping[str, Any]) -> Rows:
    """The heading and a row for each strategy and metric, where there are several runs; variants are among them."""
    rows: Rows = [("strategy", "metric", "mean ± deviation", "each run")]
    columns = metric_names(report)
    for name, figures in report.get("runs", {}).get("strategies", {}).items():
        label = label_of(name, report["strategies"][name])
        for column in (column for column in columns if column in figures):
            found = figures[column]
            spread = f"{percent(found['mean'])} ± {percent(found['deviation'])}"
            each = ", ".join(map(percent, found["values"][:MOST_RUNS]))
            rows.append((label, HEADINGS.get(column, column), spread, each))
            label = ""
    return rows


def _rows_of(
    strategies: Mapping[str, Any],
    part: str,
    headings: Iterable[str],
    cells: Callable[[Mapping[str, Any]], Iterable[str]],
) -> Rows:
    """The heading and a row for each strategy whose figures have such a part."""
    told = [(name, each, each[part]) for name, each in strategies.items() if each.get(part)]
    return [("strategy", *headings), *((label_of(name, each), *cells(found)) for name, each, found in told)]


def judging_rows(strategies: Mapping[str, Any]) -> Rows:
    """A row for each strategy whose answers a language model judged."""
    return _rows_of(strategies, "judging", JUDGING.values(), lambda found: (amount(found[key]) for key in JUDGING))


def binding_rows(strategies: Mapping[str, Any]) -> Rows:
    """A row for each strategy whose hops bind placeholders."""

    def cells(found: Mapping[str, Any]) -> Iterable[str]:
        shares = (*(found[key] for key in BINDINGS), found["recovered"] / found["hops"])
        return str(found["hops"]), *map(percent, shares)

    return _rows_of(strategies, "bindings", ("hops", *BINDINGS.values(), "recovered"), cells)


def plan_rows(strategies: Mapping[str, Any]) -> Rows:
    """A row for each strategy whose hops follow a plan."""

    def cells(found: Mapping[str, Any]) -> Iterable[str]:
        kinds = (found[kind] / found["plans"] for kind in PLANS)
        return str(found["plans"]), *map(percent, (found["plan_error_rate"], *kinds, found["step_error_rate"]))

    return _rows_of(strategies, "plans", ("plans", "wrong", *PLANS, "misplaced"), cells)


def clue_rows(strategies: Mapping[str, Any]) -> Rows:
    """A row for each strategy whose hops show clues."""

    def cells(found: Mapping[str, Any]) -> Iterable[str]:
        return str(found["clues"]), *(percent(found[key]) for key in CLUES)

    return _rows_of(strategies, "clues", ("clues", *CLUES.values()), cells)


def unsupported_rows(strategies: Mapping[str, Any]) -> Rows:
    """The heading and a row for each strategy whose hops have evidence: a column a position, percent and passages."""
    hops = sorted({row["hop"] for figures in strategies.values() for row in figures.get("unsupported", ())})
    rows: Rows = [("strategy", *(f"hop {hop}" for hop in hops))]
    for name, figures in strategies.items():
        if found := {row["hop"]: row for row in figures.get("unsupported", ())}:
            cells = (
                f"{percent(found[hop]['share'])} of {found[hop]['passages']}" if hop in found else "–" for hop in hops
            )
            rows.append((label_of(name, figures), *cells))
    return rows


def reliability_rows(strategies: Mapping[str, Any]) -> Rows:
    """The heading, and for each strategy a row a bin of confidence and one for all; variants are left out."""
    rows: Rows = [("strategy", "confidence", "answers", "right", "share", "mean", "gap")]
    for name, figures in strategies.items():
        found = figures.get("reliability")
        if not found or "of" in figures:
            continue
        for group in found["bins"]:
            between, shares = f"{group['low']:.1f} to {group['high']:.1f}", ("accuracy", "confidence", "gap")
            counts = (str(group["count"]), str(group["right"]))
            rows.append((label_of(name, figures), between, *counts, *(percent(group[share]) for share in shares)))
        answers, right = found["answers"], found["right"]
        whole = (right / answers, found["confidence"], found["error"])
        rows.append((label_of(name, figures), "all", str(answers), str(right), *map(percent, whole)))
    return rows


def percent(value: float | None) -> str:
    """A fraction as a percentage with one decimal; a dash for None."""
    return "–" if value is None else f"{100 * value:.1f}"


def amount(value: float | None) -> str:
    """A number with the digits that matter; a dash for None."""
    if value is None:
        return "–"
    if value >= 10_000:
        return f"{value / 1000:,.0f}k"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


@dataclass(frozen=True, slots=True)
class _Whole:
    """A table that is never narrower than its figures need: where the terminal is, it goes on beyond its edge."""

    table: Table
    least: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from console.render(self.table, options.update_width(max(options.max_width, self.least)))


def _overview(
    strategies: Mapping[str, Any], columns: Sequence[str], costs: Mapping[str, str], title: str = "Strategies"
) -> _Whole:
    rows: Rows = [("strategy", "n", *(HEADINGS.get(name, name) for name in columns), *costs.values())]
    for name, figures in strategies.items():
        cells = (*(percent(figures.get(column)) for column in columns), *(amount(figures[cost]) for cost in costs))
        rows.append((label_of(name, figures), str(figures["n"]), *cells))
    return _plain(title, rows)


def _plain(title: str, rows: Rows, names: int = 1) -> _Whole:
    """A table of rows, the first of which is the heading, each begun by so many names, which may be folded."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False
    )
    for number, heading in enumerate(rows[0]):
        name = number < names
        table.add_column(heading, justify="left" if name else "right", overflow="fold", no_wrap=not name)
    for row in rows[1:]:
        table.add_row(*map(Text, row[:names]), *row[names:])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return _Whole(table, sum(min(width, FOLDED) for width in widths[:names]) + sum(widths[names:]) + 2 * len(widths))


def _upward(threshold: float) -> str:
    """A threshold with the digits of confidences: with fewer it would catch and lose other answers than is said."""
    return f"{math.ceil(threshold * 1e6) / 1e6:.6f}".rstrip("0").ljust(5, "0")


def _calibrations(strategies: Mapping[str, Any]) -> list[str]:
    return [
        f"{label_of(name, figures)}: abstaining below a confidence of {_upward(found['threshold'])} would catch "
        f"{percent(found['abstained_on_null'])} % of answers to unanswerable questions and lose "
        f"{percent(found['lost'])} % of the right ones (calibration error {percent(found['calibration_error'])} %)."
        for name, figures in strategies.items()
        if (found := figures.get("calibration")) and "of" not in figures and found["threshold"] > 0
    ]

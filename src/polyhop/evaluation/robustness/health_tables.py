"""The health report for people: tables for a terminal, and one page that loads nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from polyhop.evaluation.reports.page import page_of, titled
from polyhop.evaluation.reports.plot import Line, line_chart
from polyhop.evaluation.reports.terminal import UNSUPPORTED_LEGEND, Rows, percent, unsupported_rows

if TYPE_CHECKING:  # rich is imported when a table is drawn: start-up time
    from rich.console import Group

LEGENDS: Final = {
    "Symptoms": "Signs, no proofs: each fact is held against the sentence that states it.",
    "Rejected facts": "What an extractor offered and its passage did not bear out; none of it is in the graph.",
    "Two-hop chains": (
        "Percent of chains drawn from the graph itself. right: the value is the chain's; conf. wrong: resolved by the "
        "graph with another one; unsupported: of the evidence, passages that do not state the hop."
    ),
    "Questions": UNSUPPORTED_LEGEND,
}


def tables(report: Mapping[str, Any]) -> dict[str, Rows]:
    """By title, the heading and the rows of every table that has rows."""
    made: dict[str, Rows] = {
        "Symptoms": _symptoms(report["symptoms"]),
        "Rejected facts": [("reason", "facts"), *((reason, f"{n:,}") for reason, n in report["rejected"].items())],
        "Two-hop chains": _behaviour(report["behaviour"]),
        "Questions": unsupported_rows(report.get("questions", {})),
    }
    return {title: rows for title, rows in made.items() if len(rows) > 1}


def examples(report: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each symptom that shows, with its meaning, and its examples with their sentences."""
    for symptom in report["symptoms"]:
        if symptom["examples"]:
            shown = [(example["what"], example["sentence"]) for example in symptom["examples"]]
            yield f"{symptom['name']}: {symptom['meaning']}", shown


def size_line(report: Mapping[str, Any]) -> str:
    """What the index holds, in one line."""
    index = report["index"]
    sizes = ", ".join(f"{index[key]:,} {key}" for key in ("passages", "facts", "entities", "relations"))
    return sizes + (f"; overlay {index['overlay']}" if index.get("overlay") else "")


def render(report: Mapping[str, Any]) -> Group:
    """Everything worth a look, for a terminal of 100 columns."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = [Text(size_line(report), style="bold")]
    for title, (headings, *rows) in tables(report).items():
        table = Table(title=title, title_justify="left", title_style="bold")
        for number, heading in enumerate(headings):
            numeric = number and title != "Symptoms"
            table.add_column(Text(heading), justify="right" if numeric else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        parts += [table, Text(LEGENDS[title], style="dim")]
    for heading, shown in examples(report):
        parts.append(Text(f"\n{heading}", style="bold"))
        for what, sentence in shown:
            parts.append(Text(f"  {what}"))
            if sentence:
                parts.append(Text(f"    {sentence}", style="dim"))
    return Group(*parts)


def html(report: Mapping[str, Any]) -> str:
    """The page; every name is escaped."""
    body = [f"<h1>Graph health</h1><p>{escape(size_line(report))}</p>"]
    for title, rows in tables(report).items():
        body.append(titled(title, rows, LEGENDS[title]))
        body.append(_chart(title, report))
    for heading, shown in examples(report):
        items = "".join(f"<li>{escape(what)}<br><small>{escape(sentence)}</small></li>" for what, sentence in shown)
        body.append(f"<h3>{escape(heading)}</h3><ul>{items}</ul>")
    body.append(f"<details><summary>All of it</summary><pre>{escape(json.dumps(report, indent=2))}</pre></details>")
    return page_of("Graph health", body)


def _symptoms(found: Sequence[Mapping[str, Any]]) -> Rows:
    rows: Rows = [("symptom", "sign of", "count", "share")]
    for symptom in found:
        share = percent(symptom["count"] / symptom["of"]) if symptom["of"] else "–"
        count = f"{symptom['count']:,} of {symptom['of']:,} {symptom['unit']}"
        rows.append((symptom["name"], symptom["issue"], count, share))
    return rows


def _behaviour(found: Sequence[Mapping[str, Any]]) -> Rows:
    rows: Rows = [("setting", "hop", "chains", "resolved", "right", "conf. wrong", "unsupported")]
    for setting in found:
        for hop in setting["hops"]:
            shares = (percent(hop[key]) for key in ("resolved", "right", "confident_wrong", "unsupported"))
            rows.append((setting["setting"], str(hop["hop"]), str(hop["chains"]), *shares))
    return rows


def _chart(title: str, report: Mapping[str, Any]) -> str:
    """Unsupported evidence by hop, a line a setting."""
    if title == "Two-hop chains":
        behaviour = report["behaviour"]
        series = [(each["setting"], [(row["hop"], row["unsupported"]) for row in each["hops"]]) for each in behaviour]
    elif title == "Questions":
        found = report["questions"].values()
        series = [(each["label"], [(row["hop"], row["share"]) for row in each["unsupported"]]) for each in found]
    else:
        return ""
    lines = [
        Line(label=label, points=tuple((float(hop), share) for hop, share in points if share is not None))
        for label, points in series
    ]
    return f'<div class="charts">{line_chart("Unsupported evidence", lines, x_label="hop", y_label="percent")}</div>'

"""Readers side by side, to be judged by hand: a Markdown table of what ``polyhop eval --json`` wrote.

    python benchmarks/judging.py sheet BEFORE.json [AFTER.json] [--strategy dense] [--judged OLD.md] > SHEET.md
    python benchmarks/judging.py count SHEET.md

The sheet has a row for each question, and for each report, named as its file, the answer, how sure it is, what it
quotes, and a verdict: right, partly, wrong, not answered, or ? where a person has to say. A verdict stands there
already where nobody needs to look (no answer; an answer where there is none; word for word the expected one), and where
an older sheet has one for the same answer to the same question. ``count`` adds the verdicts up by type of question.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from measuring import show_table

Row = Mapping[str, Any]
Verdicts = dict[tuple[str, str], str]  # by the question's id and the answer

VERDICTS = ("right", "partly", "wrong", "not answered", "?")
ASKED = ("id", "type", "question", "expected")
GIVEN = ("answer", "sure", "quoted", "verdict")  # of each report
LONGEST_QUOTATION = 240  # characters
NOTHING = "-"  # what stands in a cell where nothing was answered, or nothing is to be


def cell(text: str | None, longest: int | None = None) -> str:
    """A text as the cell of a table, on one line."""
    line = " ".join((text or NOTHING).split()).replace("|", "\\|")
    return line if longest is None or len(line) <= longest else f"{line[:longest]}…"


def cells(line: str) -> list[str]:
    """The cells of a row."""
    return [each.strip() for each in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def quoted(row: Row) -> str:
    """What an answer quotes."""
    return "<br>".join(cell(quotation, LONGEST_QUOTATION) for quotation in row.get("quotations", ())) or NOTHING


def verdict(row: Row, known: Verdicts) -> str:
    """What can be said of an answer without reading it; else what was said of it before, or a question mark."""
    if row["answer"] is None:
        return "right" if row["gold"] is None else "not answered"
    if row["gold"] is None:
        return "wrong"
    if row.get("metrics", {}).get("em") == 1.0:
        return "right"
    return known.get((row["id"], cell(row["answer"])), "?")


def sheet(reports: Mapping[str, Sequence[Row]], known: Verdicts) -> Iterator[str]:
    """The lines of the table; the reports have answered the same questions in the same order."""
    heading = [*ASKED, *(f"{part}, {name}" for name in reports for part in GIVEN)]
    yield f"| {' | '.join(heading)} |"
    yield "|---" * len(heading) + "|"
    for answers in zip(*reports.values(), strict=True):
        first = answers[0]
        line = [cell(first["id"]), cell(first["type"]), cell(first["question"]), cell(first["gold"])]
        for row in answers:
            if row["id"] != first["id"]:
                raise SystemExit(f"The reports part at {first['id']} and {row['id']}: they must be of one data set.")
            sure = NOTHING if row["confidence"] is None else f"{row['confidence']:.2f}"
            line += [cell(row["answer"]), sure, quoted(row), verdict(row, known)]
        yield f"| {' | '.join(line)} |"


def rows_of(text: str) -> tuple[list[str], list[dict[str, str]]]:
    """The names of the reports in a sheet, and its rows by their headings."""
    lines = [cells(line) for line in text.splitlines() if line.startswith("|")]
    if not lines or tuple(lines[0][: len(ASKED)]) != ASKED:
        raise SystemExit("This is no sheet that `judging.py sheet` wrote.")
    heading = lines[0]
    names = [column.removeprefix("verdict, ") for column in heading if column.startswith("verdict, ")]
    return names, [dict(zip(heading, line, strict=True)) for line in lines[2:]]


def judged(text: str) -> Verdicts:
    """The verdicts of a sheet."""
    names, rows = rows_of(text)
    found = {(row["id"], row[f"answer, {name}"]): row[f"verdict, {name}"] for row in rows for name in names}
    return {answer: verdict for answer, verdict in found.items() if verdict != "?"}


def counted(text: str) -> Iterator[list[object]]:
    """By report and type of question: how many there are, and how many got each verdict."""
    names, rows = rows_of(text)
    for name in names:
        for kind in (*dict.fromkeys(row["type"] for row in rows), "all"):
            of_kind = [row for row in rows if kind in (row["type"], "all")]
            found = Counter(row[f"verdict, {name}"] for row in of_kind)
            if unknown := found.keys() - set(VERDICTS):
                raise SystemExit(f"Not a verdict: {', '.join(sorted(unknown))}. There are {', '.join(VERDICTS)}.")
            yield [f"{name}, {kind}", len(of_kind), *(found[verdict] for verdict in VERDICTS)]


def answers_of(report: Path, strategy: str) -> Sequence[Row]:
    """What a strategy answered, of a report."""
    records: Mapping[str, Sequence[Row]] = json.loads(report.read_text(encoding="utf-8"))["records"]
    if strategy not in records:
        raise SystemExit(f"{report} has no answers of {strategy}, but of {', '.join(records)}.")
    return records[strategy]


def main() -> None:
    """Print a sheet, or what one adds up to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("sheet", help="print the table of one or more reports")
    making.add_argument("reports", type=Path, nargs="+")
    making.add_argument("--strategy", default="dense")
    making.add_argument("--judged", type=Path, nargs="*", default=[], help="sheets whose verdicts are taken over")
    counting = commands.add_parser("count", help="add the verdicts of a sheet up")
    counting.add_argument("sheet", type=Path)
    options = parser.parse_args()
    if options.command == "count":
        rows = list(counted(options.sheet.read_text(encoding="utf-8")))
        show_table(("answers to", "questions", *VERDICTS), rows)
        return
    known: Verdicts = {}
    for old in options.judged:
        known |= judged(old.read_text(encoding="utf-8"))
    reports = {report.stem: answers_of(report, options.strategy) for report in options.reports}
    sys.stdout.write("\n".join(sheet(reports, known)) + "\n")


if __name__ == "__main__":
    main()

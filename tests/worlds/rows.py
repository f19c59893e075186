"""A folder of rows to train on: an invented harbour, and questions about it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PLACES = ("Harrowmere", "Pellingrove", "Ostrand", "Quillhaven", "Tarn Ferry", "Velmouth")
KEEPERS = ("Edda Marrish", "Tom Harl", "Ines Dove", "Rolf Quade", "Ada Finch")


def reading() -> list[dict[str, Any]]:
    """Rows of every kind, of two sources."""
    rows = []
    for year, place in enumerate(PLACES * 4, start=1801):
        keeper = KEEPERS[year % len(KEEPERS)]
        context = f"The light of {place} was lit in {year}. {keeper} kept it for ten years. Nobody paid for the oil."
        for question, kind, answer in (
            (f"Who kept the light of {place}?", "span", keeper),
            (f"When was the light of {place} lit?", "span", str(year)),
            (f"Who built the pier of {place}?", "none", ""),
            (f"Was the oil of {place} paid for?", "no", ""),
            (f"Was {keeper} a keeper?", "yes", ""),
        ):
            answers = [[answer, context.index(answer)]] if answer else []
            common = {"src": "harbours/one" if year % 2 else "lights", "licence": "CC0-1.0", "context": context}
            rows.append({**common, "question": question, "answers": answers, "kind": kind})
    return rows


def multi_hop() -> list[dict[str, Any]]:
    """Questions that take two passages."""
    rows = []
    for number, place in enumerate(PLACES):
        keeper, other = KEEPERS[number % 5], KEEPERS[(number + 1) % 5]
        positives = [
            {"title": place, "text": f"The light of {place} was kept by {keeper}."},
            {"title": keeper, "text": f"{keeper} was born in {PLACES[number - 1]}. " + "The sea was rough. " * 40},
        ]
        rows.append(
            {
                "src": "hops",
                "license": "CC0-1.0",
                "question": f"Where was the keeper of {place} born?",
                "answer": PLACES[number - 1],
                "positives": positives,
                "negatives": [{"title": other, "text": f"{other} was never at sea."}],
            }
        )
    return rows


def write_rows(folder: Path, reading: Sequence[Mapping[str, Any]], multi_hop: Sequence[Mapping[str, Any]]) -> Path:
    """Write both files; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "reading.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in reading)
    lines = "".join(json.dumps(row) + "\n" for row in multi_hop)
    (folder / "reader_reranker.jsonl").write_text(lines, encoding="utf-8")
    return folder


def decompositions() -> list[dict[str, Any]]:
    """Questions with their steps, in the forms of three data sets, and one whose source is not read."""
    rows: list[dict[str, Any]] = []
    for number, place in enumerate(PLACES * 3):
        keeper, other = KEEPERS[number % 5], PLACES[(number + 1) % len(PLACES)]
        rows += [
            {
                "src": "musique_dev",
                "question": f"In which year {number} was the keeper of the {place} light born?",
                "steps": [[f"{place} light >> keeper", keeper], ["In which year was #1 born?", "1801"]],
            },
            {
                "src": "musique_dev",
                "question": f"Who rules the country {number} of the builder of the {place} pier?",
                "steps": [[f"{place} pier >> builder", keeper], ["#1 >> country", "Velm"], ["Who rules #2 ?", other]],
            },
            {
                "src": "2wiki_dev",
                "question": f"Which light {number} was lit first, {place} or {other}?",
                "steps": [[f"{place} >> lit", "1801"], [f"{other} >> lit", "1802"]],
            },
            {
                "src": "break_qdmr",
                "question": f"What does the man who painted the {place} pier {number} sell?",
                "steps": [
                    ["return men", None],
                    [f"return #1 who painted the {place} pier {number}", None],
                    ["return what does #2 sell", None],
                ],
            },
        ]
    rows.append({"src": "riddles", "question": "Is it there?", "steps": [["Where is it?", None]]})
    return [{"license": "CC0-1.0", "id": str(number), "answer": "", **row} for number, row in enumerate(rows)]


def skeletons() -> list[dict[str, Any]]:
    """Questions with the clauses that can be cut out of them, innermost first."""

    def row(question: str, *cuts: tuple[str, int, str]) -> dict[str, Any]:
        names = ("text_span", "headword_index", "attachment_relation")
        return {
            "src": "skeleton/cwq",
            "licence": "CC0-1.0",
            "question": question,
            "plan": [dict(zip(names, cut, strict=True)) for cut in cuts],
        }

    return [
        row(
            "What is sold in the port where the Ostrand ferry lands ?",
            ("where the Ostrand ferry lands", 5, "acl:relcl"),
        ),
        row(
            "Who met the man who sailed to Velmouth in May ?",
            ("to Velmouth", 5, "nmod"),
            ("who sailed", 3, "acl:relcl"),
        ),
        row("Which port that has a light is old ?", ("that has a light", 1, "acl:relcl")),
        row(
            "Who is the mayor of the port that Tom left ?",
            ("that Tom left", 6, "acl:relcl"),
        ),
    ]


def write_plans(folder: Path, steps: Sequence[Mapping[str, Any]], cuts: Sequence[Mapping[str, Any]]) -> Path:
    """Write what the planner is trained on, beside the rows that are there; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "decompositions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in steps), encoding="utf-8")
    with gzip.open(folder / "plans_more.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in cuts)
    return folder

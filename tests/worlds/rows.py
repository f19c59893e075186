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

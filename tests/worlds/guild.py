"""Makers of four crafts, an index of them with its tree of summaries, and what such a tree says."""

from __future__ import annotations

import json
from pathlib import Path

from polyhop.engine import Polyhop
from polyhop.layers.tree.index import TreeIndex
from polyhop.store.record import Record

CRAFTS = ("glass", "clocks", "ropes", "maps")
TOWNS = ("Fennick", "Tarn Bay", "Grebe Marsh", "Oar Falls", "Low Ness", "Asper Point", "Quillmouth")


def works(rows: int) -> list[dict[str, str]]:
    """Rows of a file about makers of four crafts: a passage each."""
    made = []
    for number in range(rows):
        craft, town = CRAFTS[number % 4], TOWNS[number % 7]
        text = (
            f"Maker {number} sold {craft} in {town} from {1700 + number} on. "
            f"The guild of {craft} had {number + 3} members. Nobody made better {craft} than maker {number}."
        )
        made.append({"id": f"m{number}", "title": f"Maker {number} of {craft}", "text": text})
    return made


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def tree_in(folder: Path) -> TreeIndex:
    """What is searchable there."""
    with Record.open(folder) as record:
        current = record.generation("tree")
        assert current is not None
        return TreeIndex.open(folder / "generations" / "tree" / current.name, record.numbers())


def guild_in(folder: Path) -> Path:
    """An index of forty makers, with its tree."""
    with Polyhop(folder / "an.index") as engine:
        engine.index(write(folder / "makers.jsonl", works(40)), layers=("text", "tree"))
    return folder / "an.index"

"""Graphs of facts that a test states, over passages that are given by their titles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyhop.layers.facts.graph import FactGraph
from polyhop.ports import Floats
from polyhop.types import Fact
from tests.worlds.extraction import passage


def fact(head: str, relation: str, tail: str, head_label: str = "", tail_label: str = "") -> Fact:
    """A fact whose evidence is the first letter of its passage."""
    return Fact(head=head, relation=relation, tail=tail, start=0, end=1, head_label=head_label, tail_label=tail_label)


def lengths(texts: Sequence[str]) -> Floats:
    """Unit vectors that differ where the texts do: what a graph keeps does not depend on what they mean."""
    rows = np.array([[len(text), sum(map(ord, text)) % 97, 1] for text in texts], np.float32).reshape(-1, 3)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def graph_of(facts: dict[str, list[Fact]], texts: dict[str, str] | None = None, **how: object) -> FactGraph:
    """The graph of passages given by their titles."""
    stated = [
        (number, passage(title.strip("*"), (texts or {}).get(title, "…")), found)
        for number, (title, found) in enumerate(facts.items(), 1)
    ]
    return FactGraph.of(stated, lengths, **how)  # type: ignore[arg-type]


def spellings(graph: FactGraph) -> dict[str, list[str]]:
    """All entities: key, and spellings in order."""
    return {graph.keys[place]: graph.aliases[place].split("\n") for place in range(len(graph))}


BUILT = {
    "Quillmouth": [fact("Quillmouth", "is on", "the Sable Coast"), fact("lighthouse", "was built by", "Ada Brisk")],
    "Ada Brisk": [fact("Ada Brisk", "was born in", "Fennick"), fact("ADA BRISK", "studied at", "Tarn School")],
    "River Oar": [fact("River Oar", "rises near", "Fennick")],
}

"""An invented coast: what its passages state, the graph of these facts, and damage done to it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyhop.evaluation.robustness.corruption import corrupt
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.overlay import Overlay, Worded
from polyhop.ports import Floats
from polyhop.types import Fact, Passage

Row = tuple[str, str, str, str, str]  # head, relation, tail, label of the head, label of the tail

# An invented coast: by passage title, what the passage states.
COAST: dict[str, list[Row]] = {
    "Quillmouth": [
        ("Quillmouth", "is a harbour on", "Sable Coast", "GPE", "LOC"),
        ("Quillmouth Light", "was built by", "Ada Brisk", "FAC", "PERSON"),
        ("Quillmouth Light", "was built in", "12 May 1841", "FAC", "DATE"),
        ("Quillmouth Light", "was not damaged by", "Great Gale", "FAC", "EVENT"),
    ],
    "Ada Brisk": [
        ("Ada Brisk", "born in", "Fennick", "PERSON", "GPE"),
        ("Ada Brisk", "studied at", "Tarn School of Engineers", "PERSON", "ORG"),
        ("Ada Brisk", "was nominated for", "Lantern Medal", "PERSON", "WORK_OF_ART"),
        ("Ada Brisk", "was a pupil of", "Piet Rook", "PERSON", "PERSON"),
        ("Ada Brisk", "was a builder of bridges in", "Orrel", "PERSON", "GPE"),
    ],
    "Fennick": [
        ("Fennick", "is a town on", "River Oar", "GPE", "LOC"),
        ("Fennick", "is the oldest town of", "Oarland", "GPE", "GPE"),
        ("Piet Rook", "was mayor of", "Fennick", "PERSON", "GPE"),
    ],
    "Tarn School of Engineers": [
        ("Tarn School of Engineers", "was founded by", "Piet Rook", "ORG", "PERSON"),
        ("Tarn School of Engineers", "was founded in", "1790", "ORG", "DATE"),
        ("Tarn School of Engineers", "stands in", "Orrel", "ORG", "GPE"),
    ],
    "Orrel": [
        ("Orrel", "is the capital of", "Oarland", "GPE", "GPE"),
        ("Orrel", "lies north of", "Fennick", "GPE", "GPE"),
    ],
}


def embed(texts: Sequence[str]) -> Floats:
    """A unit vector that is a text's own."""
    made = [np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])) for text in texts]
    vectors = np.array([generator.normal(size=8) for generator in made], np.float32).reshape(-1, 8)
    lengths: Floats = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return vectors / lengths


def stated(world: dict[str, list[Row]]) -> list[tuple[int, Passage, list[Fact]]]:
    """The passages of a world, each with a sentence for each of its facts."""
    found = []
    for number, (title, rows) in enumerate(world.items(), start=1):
        sentences = [f"{head} {relation} {tail}." for head, relation, tail, _, _ in rows]
        text, facts, at = " ".join(sentences), [], 0
        for (head, relation, tail, head_label, tail_label), sentence in zip(rows, sentences, strict=True):
            words = Worded(head, relation, tail, head_label, tail_label)._asdict()
            facts.append(Fact(**words, start=at, end=at + len(sentence)))
            at += len(sentence) + 1
        passage = Passage(
            id=f"p{number}", document_id=f"d{number}", ordinal=0, start=0, end=len(text), title=title, text=text
        )
        found.append((number, passage, facts))
    return found


class Shelf:
    """The passages of a world by number."""

    def __init__(self, world: dict[str, list[Row]]) -> None:
        self._passages = {number: passage for number, passage, _ in stated(world)}

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        """In the order given."""
        return [self._passages[number] for number in numbers]


def graph_of(world: dict[str, list[Row]]) -> FactGraph:
    return FactGraph.of(stated(world), embed)


GRAPH, SHELF = graph_of(COAST), Shelf(COAST)


def said(graph: FactGraph) -> list[tuple[int, Worded]]:
    """All facts in order, each with the number of its passage."""
    return [(graph.place(fact)[0], Worded.of(graph.fact(fact))) for fact in range(len(graph.heads))]


def damaged(kind: str, **more: Any) -> Overlay:
    return corrupt(GRAPH, SHELF, kind=kind, **{"ratio": 1.0, **more})

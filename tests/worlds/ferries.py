"""A small invented world of ferries, with a graph of facts made by hand, so that tests know what a graph offers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from polyhop.engine import Polyhop
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.view import View
from polyhop.types import Fact, Passage

ROWS = {  # by title, its text
    "Gull": "The Gull is a ferry. It was built by Ada Brook in 1801. It sails to Oster.",
    "Tern": "The Tern is a ferry. It was built by Ada Brook in 1803. It sails to Mirl. It was painted by Nell Orme.",
    "Pike": "The Pike is a ferry. It was built by Otto Reed in 1810. It sails to Mirl.",
    "Ada Brook": "Ada Brook was a shipwright. Her mother was Wilma Fenn. She was born in Velm.",
    "Wilma Fenn": "Wilma Fenn was a rower. She was born in Hallow. She liked rain.",
    "Hallow": "Hallow is a village. It lies on the River Oar.",
    "Velm": "Velm is a town. Its mayor is Jory Pell. The town is known for Löwen Glass.",
    "Sable Light": "The Sable Light stands near Oster. Its keeper was Mina Stroud, who kept bees.",  # states no fact
}
STATED = {  # by title, what the graph says: head, relation, tail, the words of the sentence
    "Gull": [
        ("Gull", "was built by", "Ada Brook", "It was built by Ada Brook in 1801."),
        ("Gull", "was built in", "1801", "It was built by Ada Brook in 1801."),
        ("Gull", "sails to", "Oster", "It sails to Oster."),
    ],
    "Tern": [
        ("Tern", "was built by", "Ada Brook", "It was built by Ada Brook in 1803."),
        ("Tern", "sails to", "Mirl", "It sails to Mirl."),
        ("Tern", "was painted by", "Nell Orme", "It was painted by Nell Orme."),
    ],
    "Pike": [
        ("Pike", "was built by", "Otto Reed", "It was built by Otto Reed in 1810."),
        ("Pike", "sails to", "Mirl", "It sails to Mirl."),
    ],
    "Ada Brook": [
        ("Ada Brook", "mother was", "Wilma Fenn", "Her mother was Wilma Fenn."),
        ("Ada Brook", "was born in", "Velm", "She was born in Velm."),
    ],
    "Wilma Fenn": [("Wilma Fenn", "was born in", "Hallow", "She was born in Hallow.")],
    "Hallow": [("Hallow", "lies on", "River Oar", "It lies on the River Oar.")],
    "Velm": [("Velm", "mayor is", "Jory Pell", "Its mayor is Jory Pell.")],
}
KINDS = {
    **dict.fromkeys(("Ada Brook", "Otto Reed", "Wilma Fenn", "Jory Pell", "Nell Orme"), "PERSON"),
    **dict.fromkeys(("Oster", "Mirl", "Velm", "Hallow"), "GPE"),
    "River Oar": "LOC",
    "1801": "DATE",
}
CORPUS = {"ferries.jsonl": "\n".join(json.dumps({"id": name, "title": name, "text": ROWS[name]}) for name in ROWS)}
CHAIN = "Where was the mother of the builder of the Gull born?"  # Ada Brook, Wilma Fenn, Hallow
CHAINED = (
    ("Gull", "was built by", "?builder"),
    ("?builder", "mother", "?mother"),
    ("?mother", "was born in", "?place"),
)


def facts_of(passage: Passage) -> list[Fact]:
    """What the graph says of a passage, as sure of it as rules may be."""
    return [
        Fact(
            head=head,
            relation=relation,
            tail=tail,
            start=passage.text.index(sentence),
            end=passage.text.index(sentence) + len(sentence),
            head_label="TITLE" if head == passage.title else KINDS.get(head, ""),
            tail_label=KINDS.get(tail, ""),
            confidence=0.999,
        )
        for head, relation, tail, sentence in STATED.get(passage.title, [])
    ]


def graph_of(engine: Polyhop) -> FactGraph:
    """The graph made by hand, over the passages of an index of ``CORPUS``."""
    with engine.view() as view:
        numbers = view.record.numbers().tolist()
        passages = view.passages(numbers)
        stated = [(number, passage, facts_of(passage)) for number, passage in zip(numbers, passages, strict=True)]
        return FactGraph.of(stated, view.models.embedder.embed_passages)


@contextmanager
def viewed(engine: Polyhop, graph: FactGraph) -> Iterator[View]:
    """The index with this graph in the place of its own."""
    with engine.view() as view:
        yield replace(view, layers={**view.layers, "facts": graph}, kept={})


def recorded(path: Path, question: str, *triples: tuple[str, ...]) -> Path:
    """A file with one plan: triples of head, relation and tail, and further phrasings of the relation."""
    plan = [
        {"head": head, "relation": relation, "relation_variants": [relation, *more], "tail": tail}
        for head, relation, tail, *more in triples
    ]
    path.write_text(json.dumps({"question": question, "plan": plan}) + "\n", encoding="utf-8")
    return path

"""What the facts of an index that ``gathering.py --keep`` grew cost: to gather, open, and change by ten documents.

Ten documents go, and then ten others come in the place of ten more.

Facts are extracted by syntax from the stored parses. Vectors of relations are made up, because to embed them would take
most of the time: each relation has its own, always the same. Each step runs in a fresh process, as there.

    python benchmarks/grown_facts.py INDEX [INDEX ...] [--set SECTION.KEY=VALUE ...] [--json OUT]

Afterwards ``asking_grown.py`` can ask strategies that need facts (``c2rag``) of these indexes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from gathering import CHANGING, COLUMNS, DISK, MORE, OPENING, in_fresh_process, in_groups
from measuring import Figures, beside_others, cpu_seconds, machine, save, show_load, show_table
from numpy.typing import NDArray

from polyhop.documents.chunking import cut
from polyhop.indexing.remembered import META
from polyhop.layers.facts.layer import decode
from polyhop.layers.layer import fingerprint, layer_of
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record

LAYER = "facts"


@dataclass(frozen=True)
class MadeUp:
    """Unit vectors in place of those of an embedder, of which it has the name and the dimensions."""

    name: str
    dimensions: int

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A vector for each text, in a direction of its own."""
        rows = [np.random.default_rng(list(text.encode())).standard_normal(self.dimensions) for text in texts]
        vectors = np.array(rows, np.float32).reshape(-1, self.dimensions)
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same."""
        return self.embed_passages(texts)


def extracted(index: Path, settings: Settings) -> Figures:
    """Store the facts of passages that lack them, and a vector for each relation; what they are, and what it took."""
    models = Models(settings)
    layer = layer_of(LAYER, settings)
    mark, facts, relations, spent = fingerprint(layer, models), 0, set[str](), 0.0
    with Record.create_or_open(index) as record:
        for numbers in in_groups(record.done("parsekg", fingerprint(layer_of("parsekg", settings), models)).tolist()):
            known = record.payloads_of(LAYER, numbers, mark)
            lacking = [number for number in numbers if number not in known]
            begun = cpu_seconds()
            parses = record.payloads_of("parsekg", lacking)
            below = {"parsekg": [parses[number] for number in lacking]}
            rows = [row for row in layer.extract(record.passages(lacking), models, below) if isinstance(row, bytes)]
            record.record_rows(LAYER, mark, list(zip(lacking, rows, strict=True)))
            spent += cpu_seconds() - begun if lacking else 0
            for row in (*known.values(), *rows):
                stated, _ = decode(row)
                facts += len(stated)
                relations.update(" ".join(fact.relation.split()) for fact in stated)
        record.settle(LAYER, mark)
        count_as_whole(record)
        embedder = models.embedder
        PhraseStore.open(record.folder, MadeUp(embedder.name, embedder.dimensions)).vectors(sorted(relations))
        passages = record.count_passages()
    found = {"passages": passages, "facts": facts, "relations": len(relations)}
    return {**found, "extraction, processor seconds": spent or None}


def count_as_whole(record: Record) -> None:
    """Let questions be answered from the facts where some of them had grown before: no passage lacks them now."""
    noted = json.loads(record.meta(META) or "{}")
    if noted.pop(LAYER, None) is not None:
        record.set_meta(META, json.dumps(noted))


def measured(index: Path, changes: Sequence[str]) -> Figures:
    """All figures of one index."""
    begun = time.perf_counter()
    told = extracted(index, Settings.read(None, changes))
    print(f"{index}: {told}, in {time.perf_counter() - begun:.0f} s", file=sys.stderr)
    return told | step_by_step(index, LAYER, changes)


def step_by_step(index: Path, layer: str, changes: Sequence[str]) -> Figures:
    """What a layer whose rows are there costs to gather, to open, and after each change."""
    told: Figures = {}
    for step in ("gathering", "opening", *CHANGES):
        if step in CHANGES:
            CHANGES[step](index)
        found = in_fresh_process("changing" if step in CHANGES else step, index, layer, changes)
        told |= {name.replace("more", step): figure for name, figure in found.items()}
        print(f"{step}: {found}", file=sys.stderr)
    return told


def went(index: Path) -> None:
    """Take the last documents out."""
    with Record.create_or_open(index) as record:
        record.drop([row.id for row in record.documents()][-MORE:])


def came(index: Path) -> None:
    """Take the last documents out and put them in again: others come in their place, which state the same."""
    with Record.create_or_open(index) as record:
        renew(record, [row.id for row in record.documents()][-MORE:])


def renew(record: Record, documents: Sequence[str]) -> None:
    """Take documents out and put them in again, with what the layers that were gathered have of them."""
    gathered = {name: found for name in record.layers() if (found := record.generation(name)) is not None}
    marks = {name: found.description["fingerprint"] for name, found in gathered.items()}
    for identity in documents:
        document = record.document(identity)
        passages = cut(document, Settings().chunking)
        before = record.numbers_by_id([one.id for one in passages])
        rows = {name: record.payloads_of(name, list(before.values()), mark) for name, mark in marks.items()}
        record.drop([identity])
        record.put(document, passages)
        now = record.numbers_by_id(list(before))
        for name, mark in marks.items():
            own = rows[name]
            record.record_rows(name, mark, [(now[each], own[at]) for each, at in before.items() if at in own])
    for name, mark in marks.items():
        record.settle(name, mark)


CHANGES = {"went": went, "came": came}


def main() -> None:
    """Measure, print the table, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("indexes", type=Path, nargs="+")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    about = {**machine(), "settings": options.set, "vectors": "made up", "changing": f"{MORE} documents"}
    found: dict[str, Figures] = {}
    with beside_others(about):
        for index in options.indexes:
            told = measured(index, options.set)
            found[f"{told['passages']:,}"] = told
    changing = [name.replace("more", change) for change in CHANGES for name in CHANGING if "opening" not in name]
    names = ("facts", "relations", "extraction, processor seconds", *COLUMNS, *OPENING, *changing, DISK)
    show_table(("", *found), [[name, *(told[name] for told in found.values())] for name in names])
    show_load(about)
    save(options.json, about, found)


if __name__ == "__main__":
    main()

"""A record of any number of passages with the facts that they state, and nothing else, for ``changing_facts.py``.

The corpus is that of ``gathering.py``, from the same seeds. Facts of a copy are those of the passage that it was made
from, with other names, which is nearly what extracting them gives (of 295 in 300 passages the very same), so that a
million passages are there in minutes. Vectors of relations are made up, as those of ``grown_facts.py`` are.

    python benchmarks/growing_facts.py DATA [DATA ...] --seeds DIR --count N --index DIR
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path

from gathering import in_fresh_process, in_groups, seeds
from grown_corpus import Renaming, Row, grown, read
from grown_facts import LAYER, MadeUp
from measuring import cpu_seconds

from polyhop.documents.chunking import cut
from polyhop.layers.facts.layer import decode, encode
from polyhop.layers.layer import fingerprint, layer_of
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record
from polyhop.types import Document, Fact, Passage

Stated = tuple[list[Fact], dict[str, int]]


def passages_of(row: Row) -> tuple[Document, list[Passage]]:
    """A row of the corpus as it is stored."""
    digest = hashlib.sha256(f"{row.title}\0{row.text}".encode()).hexdigest()
    document = Document(id=row.id, uri=row.id, title=row.title, text=row.text, sha256=digest, whole=True)
    return document, list(cut(document, Settings().chunking))


def stated(rows: Sequence[Row], data: Sequence[Path], folder: Path, models: Models) -> Iterator[list[Stated]]:
    """What the passages of each row of the data sets state, extracted from the parses that are kept of them."""
    layer = layer_of(LAYER, Settings())
    for row, seed in zip(rows, seeds(data, folder, Settings()), strict=True):
        made = layer.extract(passages_of(row)[1], models, {"parsekg": seed.parses})
        yield [decode(payload) for payload in made if isinstance(payload, bytes)]


@dataclass
class Copies:
    """What copies of rows state."""

    originals: list[list[Stated]]
    renaming: Renaming
    relations: set[str] = field(default_factory=set)
    copy: int = 0
    renamed: Callable[[str], str] = str  # in this copy

    def of(self, copy: int, place: int) -> list[bytes]:
        """The rows of the passages of one copy of a row."""
        if copy != self.copy:
            self.copy, self.renamed = copy, lru_cache(maxsize=None)(partial(self.renaming.renamed, copy=copy))
        return [encode([self._told(fact) for fact in facts], why) for facts, why in self.originals[place]]

    def _told(self, fact: Fact) -> Fact:
        head, relation, tail = map(self.renamed, (fact.head, fact.relation, fact.tail))
        fact = replace(fact, head=head, relation=relation, tail=tail)
        self.relations.add(" ".join(fact.relation.split()))
        return fact


def grow(index: Path, data: Sequence[Path], folder: Path, count: int, seed: int = 0) -> None:
    """Store so many documents with their facts."""
    models, rows = Models(Settings()), read(data)
    mark = fingerprint(layer_of(LAYER, Settings()), models)
    copies = Copies(list(stated(rows, data, folder, models)), Renaming.fitted(rows, seed))
    with Record.create_or_open(index) as record:
        for group in in_groups(islice(grown(rows, seed), count)):
            made: list[tuple[str, bytes]] = []
            with record.transaction():
                for copy, place, row in group:
                    document, passages = passages_of(row)
                    record.put(document, passages, "given")
                    made += zip((passage.id for passage in passages), copies.of(copy, place), strict=True)
                numbers = record.numbers_by_id([key for key, _ in made])
                record.record_rows(LAYER, mark, [(numbers[key], payload) for key, payload in made])
        record.settle(LAYER, mark)
        vectors = MadeUp(models.embedder.name, models.embedder.dimensions)
        PhraseStore.open(record.folder, vectors).vectors(sorted(copies.relations))


def main() -> None:
    """Grow, gather, and tell what that took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="folders with corpus.jsonl")
    parser.add_argument("--seeds", type=Path, required=True, help="where what is stored of the data sets is kept")
    parser.add_argument("--count", type=int, required=True, help="how many passages, about")
    parser.add_argument("--index", type=Path, required=True, help="the folder to make")
    options = parser.parse_args()
    begun, spent = time.perf_counter(), cpu_seconds()
    grow(options.index, options.data, options.seeds, options.count)
    print(f"grown in {time.perf_counter() - begun:.0f} s, {cpu_seconds() - spent:.0f} of the processor", flush=True)
    print(json.dumps(in_fresh_process("gathering", options.index, LAYER, [])))


if __name__ == "__main__":
    main()

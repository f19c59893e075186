"""What generated questions of an index that ``gathering.py --keep`` grew cost: to gather, to open, and ten documents.

Pairs of a copy are those of the passage that it was made from, with other names; those of the data sets' own passages
come from the templates, over the stored parses. So do vectors: of the originals they are the embedder's, and each copy
has them as far aside as a renamed passage lies from its original. Each step runs in a fresh process, as there.

    python benchmarks/grown_questions.py DATA [DATA ...] --seeds DIR --indexes DIR,DIR [--seed N]
                                         [--set SECTION.KEY=VALUE ...] [--json OUT]

Afterwards ``asking_grown.py`` can ask ``qcg`` of these indexes. ``layers.questions.per_passage`` says how many nodes
there are.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path

import numpy as np
from gathering import CHANGING, COLUMNS, DISK, OPENING, in_groups, moved, seeds
from growing_facts import passages_of
from grown_corpus import Renaming, grown, read
from grown_facts import CHANGES, step_by_step
from measuring import Figures, beside_others, cpu_seconds, machine, save, show_load, show_table
from numpy.typing import NDArray

from polyhop.layers.layer import fingerprint, layer_of
from polyhop.layers.questions.layer import decode, encode
from polyhop.layers.questions.segment import text_of
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.phrase_store import PhraseStore
from polyhop.store.record import Record
from polyhop.types import GeneratedQuestion

LAYER = "questions"

Vectors = NDArray[np.float32]
Asked = tuple[list[GeneratedQuestion], dict[str, int]]  # pairs, and how many were rejected, by reason


@dataclass(frozen=True)
class Original:
    """What a passage of the data sets can be asked, and the vectors of these pairs, one row each."""

    pairs: list[GeneratedQuestion]
    rejected: dict[str, int]
    vectors: Vectors


@dataclass
class Known:
    """Vectors that were made before, under the name of the embedder in whose place they stand."""

    name: str
    dimensions: int
    vectors: dict[str, Vectors] = field(default_factory=dict)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """The vector of each text. Raises KeyError for one that has none."""
        return np.stack([self.vectors[text] for text in texts])

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """The same."""
        return self.embed_passages(texts)


def originals(data: Sequence[Path], folder: Path, settings: Settings) -> list[list[Original]]:
    """What the passages of each row of the data sets can be asked, in order; vectors are kept in ``folder``."""
    models = Models(settings)
    layer, told = layer_of(LAYER, settings), list[list[Asked]]()
    for row, seed in zip(read(data), seeds(data, folder, settings), strict=True):
        made = layer.extract(passages_of(row)[1], models, {"parsekg": seed.parses})
        told.append([decode(payload) for payload in made if isinstance(payload, bytes)])
    texts = [text_of(pair) for passages in told for pairs, _ in passages for pair in pairs]
    vectors, begun, found = PhraseStore.open(folder, models.embedder).vectors(texts), 0, list[list[Original]]()
    for passages in told:
        found.append([])
        for pairs, rejected in passages:
            found[-1].append(Original(pairs, rejected, vectors[begun : begun + len(pairs)]))
            begun += len(pairs)
    return found


def grow(index: Path, data: Sequence[Path], asked: list[list[Original]], settings: Settings, seed: int) -> Figures:
    """Store what each passage of an index can be asked, and the vectors of that; how much it is."""
    models, rows = Models(settings), read(data)
    spent = cpu_seconds()
    mark, renaming = fingerprint(layer_of(LAYER, settings), models), Renaming.fitted(rows, seed)
    known = Known(models.embedder.name, models.embedder.dimensions)
    chance, nodes = np.random.default_rng(seed), 0
    last: int | None = None
    renamed: Callable[[str], str] = str
    with Record.create_or_open(index) as record:
        phrases, passages = PhraseStore.open(index, known), record.count_passages()
        for group in in_groups(islice(grown(rows, seed), record.count_documents())):
            made: list[tuple[str, bytes]] = []
            known.vectors.clear()
            for copy, place, row in group:
                if copy != last:
                    last, renamed = copy, lru_cache(maxsize=None)(partial(renaming.renamed, copy=copy))
                for passage, own in zip(passages_of(row)[1], asked[place], strict=True):
                    pairs = [_told(pair, renamed) for pair in own.pairs]
                    vectors = moved(own.vectors, chance) if copy and pairs else own.vectors
                    known.vectors |= zip(map(text_of, pairs), vectors, strict=True)
                    made.append((passage.id, encode(pairs, own.rejected)))
                    nodes += len(pairs)
            phrases.vectors(list(known.vectors))
            numbers = record.numbers_by_id([key for key, _ in made])
            there = [(numbers[key], payload) for key, payload in made if key in numbers]
            record.record_rows(LAYER, mark, there)
        record.settle(LAYER, mark)
    return {"passages": passages, "questions": nodes, "growing, processor seconds": cpu_seconds() - spent}


def _told(pair: GeneratedQuestion, renamed: Callable[[str], str]) -> GeneratedQuestion:
    return replace(pair, question=renamed(pair.question), answer=renamed(pair.answer))


def main() -> None:
    """Measure, print the table, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="folders with corpus.jsonl, as the indexes were grown from")
    parser.add_argument("--seeds", type=Path, required=True, help="where what is stored of the data sets is kept")
    parser.add_argument("--indexes", type=lambda given: [Path(one) for one in given.split(",")], required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    settings = Settings.read(None, options.set)
    about = {**machine(), "settings": options.set, "vectors": "moved", "pairs": "those of the passages renamed"}
    found: dict[str, Figures] = {}
    with beside_others(about):
        asked = originals(options.data, options.seeds, settings)
        for index in options.indexes:
            begun = time.perf_counter()
            told = grow(index, options.data, asked, settings, options.seed)
            print(f"{index}: {told}, in {time.perf_counter() - begun:.0f} s", file=sys.stderr)
            found[f"{told['passages']:,}"] = told | step_by_step(index, LAYER, options.set)
    changing = [name.replace("more", change) for change in CHANGES for name in CHANGING if "opening" not in name]
    names = ("questions", "growing, processor seconds", *COLUMNS, *OPENING, *changing, DISK)
    show_table(("", *found), [[name, *(told[name] for told in found.values())] for name in names])
    show_load(about)
    save(options.json, about, found)


if __name__ == "__main__":
    main()

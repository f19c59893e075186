"""What gathering costs as an index grows: peak memory, time and disk of each layer, at several sizes in one run.

The corpus is grown from data sets by renaming what is named in them (``grown_corpus.py``). No model is run on it:
rows of ``parsekg`` are the stored parses of the passages that it was grown from, which stay true letter for letter,
because a made-up name is as long as the real one; rows of ``text`` are the stored vectors of those passages, and in
each copy as far from them, in a direction of its own, as a renamed passage is (the median of 251 that were embedded).
The passages of the data sets themselves are parsed and embedded once, into the folder ``--seeds``, and used again by
later runs.

Each gathering runs in a fresh process, whose peak is what the kernel notes (VmHWM), pages of mapped files included;
what it had before is told beside it. ``parsekg`` is gathered without the translator's tokens, and these are made in a
process of their own; ``polyhop index`` does both in one. Opening what was gathered runs in another. So does bringing a
layer up to date after ten documents more, as ``polyhop index`` does once they are stored and extracted, and opening it
again.

    python benchmarks/gathering.py DATA [DATA ...] --seeds DIR [--sizes 5000,15000] [--layers text,parsekg]
                                   [--set SECTION.KEY=VALUE ...] [--seed N] [--folder DIR [--keep]] [--json OUT]

With ``--keep`` the grown indexes stay in ``--folder``, for benchmarks that ask them (``asking_grown.py``).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np
from grown_corpus import grown, read
from measuring import Figures, beside_others, cpu_seconds, machine, save, show_load, show_table
from numpy.typing import NDArray

from polyhop.documents.chunking import cut
from polyhop.engine import Polyhop
from polyhop.indexing.build import Builder
from polyhop.layers.layer import fingerprint, layer_of
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import FILE, Record
from polyhop.types import Document

Item = TypeVar("Item")
SIZES = (5_000, 15_000)
LAYERS = ("text", "parsekg")
TOGETHER = 500  # documents in one transaction
RENAMED = 0.77  # the cosine of a passage with its renamed copy
COLUMNS = ("seconds", "processor seconds", "memory before, MB", "peak memory, MB", "peak a passage, kB")
TOKENS = ("tokens, processor seconds", "tokens, peak MB", "tokens a passage, kB")
OPENING = ("opening, seconds", "opening, peak MB")
MORE = 10  # documents that come later
CHANGING = ("ten more, processor seconds", "opening them, processor seconds", "ten more, peak MB")
DISK = "disk a passage, kB"


@dataclass(frozen=True, slots=True)
class Seed:
    """What is stored of a document that others are grown from, a row a passage."""

    parses: list[bytes]
    vectors: NDArray[np.float32]


def seeds(data: Sequence[Path], folder: Path, settings: Settings) -> list[Seed]:
    """What is stored of each document of the data sets, in order; it is made where it is missing."""
    found: dict[str, Seed] = {}
    for place in data:
        name = place.resolve().name
        with Polyhop(folder / name, settings=settings) as engine:
            engine.index(place / "corpus.jsonl", layers=LAYERS)
            mark = fingerprint(layer_of("parsekg", settings), engine.models)
        with Record.open(folder / name) as record:
            for numbers in in_groups(record.done("parsekg", mark).tolist()):
                parses, vectors = (record.payloads_of(layer, numbers) for layer in ("parsekg", "text"))
                rows = zip(numbers, record.passages(numbers), strict=True)
                for identity, passages in groupby(rows, lambda row: row[1].document_id):
                    own = [number for number, _ in passages]
                    stacked = np.stack([np.frombuffer(vectors[number], np.float16) for number in own])
                    found[f"{name}-{identity}"] = Seed([parses[number] for number in own], stacked.astype(np.float32))
    return [found[row.id] for row in read(data)]


def moved(vectors: NDArray[np.float32], chance: np.random.Generator) -> NDArray[np.float32]:
    """Unit vectors as far from those given as a renamed passage is from its original, each in another direction."""
    aside = chance.standard_normal(vectors.shape).astype(np.float32)
    aside -= np.vecdot(aside, vectors)[:, None] * vectors
    aside *= np.sqrt(RENAMED**-2 - 1) / np.linalg.norm(aside, axis=1, keepdims=True)
    turned: NDArray[np.float32] = (vectors + aside) * RENAMED
    return turned


def in_groups(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Items in groups of one transaction."""
    left = iter(items)
    while group := list(islice(left, TOGETHER)):
        yield group


def grow(index: Path, data: Sequence[Path], stored: Sequence[Seed], count: int, seed: int, *, there: int = 0) -> None:
    """A record of so many documents, some of which are ``there``, with rows of both layers; nothing is gathered."""
    settings = Settings()
    models = Models(settings)
    marks = {name: fingerprint(layer_of(name, settings), models) for name in LAYERS}
    chance = np.random.default_rng(seed + there)
    with Record.create_or_open(index) as record:
        for group in in_groups(islice(grown(read(data), seed), there, count)):
            made: list[tuple[str, bytes, bytes]] = []
            with record.transaction():
                for copy, place, row in group:
                    digest = hashlib.sha256(f"{row.title}\0{row.text}".encode()).hexdigest()
                    document = Document(
                        id=row.id, uri=row.id, title=row.title, text=row.text, sha256=digest, whole=True
                    )
                    passages = cut(document, settings.chunking)
                    record.put(document, passages, "given")
                    own = stored[place]
                    vectors = moved(own.vectors, chance) if copy else own.vectors
                    rows = (vector.astype(np.float16).tobytes() for vector in vectors)
                    made += zip((passage.id for passage in passages), own.parses, rows, strict=True)
                numbers = record.numbers_by_id([key for key, _, _ in made])
                record.record_rows("parsekg", marks["parsekg"], [(numbers[key], parse) for key, parse, _ in made])
                record.record_rows("text", marks["text"], [(numbers[key], vector) for key, _, vector in made])
        for name in LAYERS if not there else ():
            record.settle(name, marks[name])  # as ``polyhop index`` does when it has extracted what was missing


def resident() -> tuple[float, float]:
    """What this process has in memory, and the most that it had, in MB."""
    status = Path("/proc/self/status")
    if not status.exists():
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
        return most, most
    told = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines())
    now, most = (int(told[name].split()[0]) * 1.024e-3 for name in ("VmRSS", "VmHWM"))
    return now, most


def gathering(index: Path, layer: str, changes: Sequence[str]) -> Figures:
    """Gather one layer in this process."""
    settings = Settings.read(None, [*changes, "layers.parsekg.tokens=false"])
    models = Models(settings)
    with Record.create_or_open(index) as record:
        builder = Builder(record=record, folder=index / "generations", settings=settings, models=models)
        one = layer_of(layer, settings)
        mark = fingerprint(one, models)
        passages = len(record.done(layer, mark))
        before, _ = resident()
        spent, begun = cpu_seconds(), time.perf_counter()
        builder.gather(one, mark)
        seconds, spent = time.perf_counter() - begun, cpu_seconds() - spent
        peak = resident()[1]
    figures = (seconds, spent, before, peak, (peak - before) * 1e3 / passages)
    return {**dict(zip(COLUMNS, figures, strict=True)), DISK: taken(index, layer) / 1e3 / passages}


def taken(index: Path, layer: str) -> int:
    """Bytes that a layer takes on disk, gathered."""
    return sum(path.stat().st_size for path in (index / "generations" / layer).rglob("*") if path.is_file())


def putting_into_tokens(index: Path, layer: str, changes: Sequence[str]) -> Figures:
    """Make the translator's tokens of what was gathered, in this process; nothing for a layer that has none."""
    if layer != "parsekg":
        return {}
    settings = Settings.read(None, changes)
    models = Models(settings)
    before = taken(index, layer)
    with Record.create_or_open(index) as record:
        one = layer_of(layer, settings)
        builder = Builder(record=record, folder=index / "generations", settings=settings, models=models)
        spent = cpu_seconds()
        builder.gather(one, fingerprint(one, models))
        spent, peak, passages = cpu_seconds() - spent, resident()[1], record.count_passages()
    return dict(zip(TOKENS, (spent, peak, (taken(index, layer) - before) / 1e3 / passages), strict=True))


def opening(index: Path, layer: str, changes: Sequence[str]) -> Figures:
    """Open what was gathered, in this process."""
    settings = Settings.read(None, changes)
    with Record.open(index) as record:
        begun = time.perf_counter()
        layer_of(layer, settings).open(record, index / "generations" / layer, Models(settings))
        return dict(zip(OPENING, (time.perf_counter() - begun, resident()[1]), strict=True))


def changing(index: Path, layer: str, changes: Sequence[str]) -> Figures:
    """Bring a layer up to date after a few documents more, and open it, in this process."""
    settings = Settings.read(None, changes)
    models = Models(settings)
    with Record.create_or_open(index) as record:
        builder = Builder(record=record, folder=index / "generations", settings=settings, models=models)
        one = layer_of(layer, settings)
        spent = cpu_seconds()
        builder.bring_up_to_date(layer)
        brought = cpu_seconds()
        one.open(record, index / "generations" / layer, models)
        return dict(zip(CHANGING, (brought - spent, cpu_seconds() - brought, resident()[1]), strict=True))


STEPS = {"gathering": gathering, "tokens": putting_into_tokens, "opening": opening, "changing": changing}


def in_fresh_process(step: str, index: Path, layer: str, changes: Sequence[str]) -> Figures:
    """The figures of one step, and what it said meanwhile on standard error."""
    asked = [sys.executable, __file__, str(index), "--step", step, "--layers", layer]
    asked += [part for change in changes for part in ("--set", change)]
    told: Figures = json.loads(subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return told


def sizes_of(index: Path, passages: int) -> Figures:
    """What the record takes on disk, and what each layer's rows take of it."""
    with Record.open(index) as record:
        rows = {layer: sum(len(row) for _, row in record.payloads(layer)) for layer in LAYERS}
    return {
        "record a passage, kB": (index / FILE).stat().st_size / 1e3 / passages,
        **{f"of it rows of {layer}, kB": size / 1e3 / passages for layer, size in rows.items()},
    }


def measured(options: argparse.Namespace, folder: Path) -> Iterator[tuple[int, Figures]]:
    """For each size the figures of each layer, and what the record takes."""
    stored = seeds(options.data, options.seeds, Settings())
    for size in sorted(options.sizes):
        index = folder / str(size)
        begun = time.perf_counter()
        grow(index, options.data, stored, size, options.seed)
        print(f"{size:,} documents grown in {time.perf_counter() - begun:.0f} s", file=sys.stderr)
        with Record.open(index) as record:
            passages = record.count_passages()
        told: Figures = {"passages": passages, "record": sizes_of(index, passages)}
        for step in STEPS:
            if step == "changing":
                grow(index, options.data, stored, size + MORE, options.seed, there=size)
            for layer in options.layers:
                found = in_fresh_process(step, index, layer, options.set)
                told[layer] = {**told.get(layer, {}), **found}
                print(f"{step} {layer}: {found}", file=sys.stderr)
        if not options.keep:
            shutil.rmtree(index)
        yield size, told


def table(found: dict[int, Figures], layers: Sequence[str]) -> None:
    """Each layer at each size, and how its figures grow from the smallest to the largest."""
    for layer in layers:
        tokens = TOKENS if layer == "parsekg" else ()
        headings = ("passages", *COLUMNS, *OPENING, *CHANGING, DISK, *tokens)
        rows = [[told["passages"], *(told[layer][name] for name in headings[1:])] for told in found.values()]
        shown: list[list[object]] = [[layer, *row] for row in rows]
        if len(rows) > 1:
            shown.append(
                ["times", *(last / first if first else "" for first, last in zip(rows[0], rows[-1], strict=True))]
            )
        show_table(("", *headings), shown)
        print()


def main() -> None:
    """Grow, gather, print the tables, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="folders with corpus.jsonl")
    parser.add_argument("--seeds", type=Path, help="where what is stored of the data sets is kept")
    parser.add_argument("--sizes", type=lambda given: [int(one) for one in given.split(",")], default=list(SIZES))
    parser.add_argument("--layers", type=lambda given: given.split(","), default=list(LAYERS))
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where the grown indexes lie meanwhile; by default a temporary one")
    parser.add_argument("--keep", action="store_true", help="leave them there")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)  # what the fresh processes are told
    options = parser.parse_args()
    if options.step:
        print(json.dumps(STEPS[options.step](options.data[0], options.layers[0], options.set)))
        return
    if options.seeds is None:
        parser.error("--seeds is missing: a folder where what is stored of the data sets is kept")
    if options.keep and options.folder is None:
        parser.error("--keep needs a --folder")
    about = {**machine(), "data": [one.resolve().name for one in options.data], "settings": options.set}
    about |= {"seed": options.seed, "vectors": "moved", "parses": "those of the passages that were renamed"}
    found: dict[int, Figures] = {}
    place = nullcontext(options.folder) if options.keep else TemporaryDirectory(dir=options.folder)
    with place as folder, beside_others(about):
        found.update(measured(options, Path(folder)))
    print(f"Grown from {', '.join(about['data'])}; vectors and parses are made of those of the passages renamed.")
    table(found, options.layers)
    show_table(("record", *(f"{size:,}" for size in found)), list(_turned([told["record"] for told in found.values()])))
    show_load(about)
    save(options.json, about, {str(size): told for size, told in found.items()})


def _turned(figures: Sequence[Figures]) -> Iterator[list[object]]:
    for name in figures[0]:
        yield [name, *(each[name] for each in figures)]


if __name__ == "__main__":
    main()

"""How long indexing takes (text and parsekg), beside the bare embedder and the bare spaCy pipeline on the same texts.

Each side runs in fresh processes and loads its own models; the sides take turns, and who begins alternates. The bare
side hands all texts to the embedder at once, and all texts to spaCy with the same pipes left out and as many processes.
It neither reads documents nor stores anything.

    python benchmarks/indexing.py DATA [--limit N] [--rounds N] [--workers N] [--json OUT]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from measuring import (
    Figures,
    Stopwatch,
    available_cores,
    beside_others,
    cpu_seconds,
    machine,
    median,
    save,
    show_load,
    show_table,
    show_verdicts,
    verdict,
)

from polyhop.store import json_lines

LIMIT = 1.15  # times the bare models
SPACY_BATCH = 64  # texts that a spaCy process gets at once
OVERHEAD = ("reading", "storing documents", "storing text", "storing parsekg", "gathering text", "gathering parsekg")


def bare(corpus: Path, workers: int) -> Figures:
    """The models alone. spaCy first: it forks where it can, and then had better not have the other model's threads."""
    rows = [line.fields for line in json_lines.rows(corpus)]
    texts = [row["text"] for row in rows]
    titled = [f"{row['title']}\n{row['text']}" if row.get("title") else row["text"] for row in rows]
    cpu, begun = cpu_seconds(), time.perf_counter()
    import spacy

    from polyhop.models.bge import BgeSmall
    from polyhop.models.spacy_parser import UNUSED, SpacyParser

    pipeline = spacy.load(SpacyParser().package, exclude=UNUSED)
    for _ in pipeline.pipe(texts, n_process=workers, batch_size=SPACY_BATCH):
        pass
    parsed = time.perf_counter()
    BgeSmall().embed_passages(titled)
    ended = time.perf_counter()
    for child in multiprocessing.active_children():
        child.join()  # only then does its processor time count
    return {
        "seconds": ended - begun,
        "cpu_seconds": cpu_seconds() - cpu,
        "models": {"text": ended - parsed, "parsekg": parsed - begun},
    }


def polyhop(corpus: Path, workers: int) -> Figures:
    """What ``polyhop index`` does, in a fresh folder."""
    cpu, begun = cpu_seconds(), time.perf_counter()
    from polyhop.engine import Polyhop
    from polyhop.indexing.build import Builder
    from polyhop.indexing.ingest import Ingest
    from polyhop.layers.parsekg.layer import ParseKGLayer
    from polyhop.layers.text.layer import TextLayer
    from polyhop.settings import Settings

    watch = Stopwatch()
    whole = Settings.from_mapping({"chunking": {"longest_row": "none"}})  # a row is a passage for the bare models, too
    with TemporaryDirectory() as folder, ExitStack() as meanwhile:
        engine = meanwhile.enter_context(Polyhop(Path(folder) / "index", settings=whole))
        for label, owner, name in (
            ("embedding", type(engine.models.embedder), "embed_passages"),
            ("ingest", Ingest, "run"),
            ("storing documents", Ingest, "_store"),
            (lambda _, layer, *rest: f"storing {layer}", Builder, "_commit"),
            ("gathering text", TextLayer, "gather"),
            ("gathering parsekg", ParseKGLayer, "gather"),
        ):
            meanwhile.enter_context(watch.watching(label, owner, name))
        report = engine.index(corpus, workers=workers)
        ended = time.perf_counter()
        spent = cpu_seconds() - cpu
    told = watch.seconds
    told["reading"] = told["ingest"] - told["storing documents"]
    took = {layer.name: layer.seconds for layer in report.layers}
    waiting = took["parsekg"] - told["storing parsekg"] - told["gathering parsekg"]
    overhead = {name: told[name] for name in OVERHEAD}
    overhead["handing passages to the embedder"] = (
        took["text"] - told["embedding"] - told["storing text"] - told["gathering text"]
    )
    overhead["imports, opening, counting"] = ended - begun - told["ingest"] - sum(took.values())
    return {
        "seconds": ended - begun,
        "cpu_seconds": spent,
        "models": {"text": told["embedding"], "parsekg": waiting},
        "overhead": overhead,
        "started_workers": worker_start(corpus, workers),
    }


def worker_start(corpus: Path, workers: int) -> float:
    """Seconds until workers that start together have each parsed a passage: interpreter, imports, pipeline."""
    from polyhop.indexing.executors.processes import Processes
    from polyhop.ports import Chunk
    from polyhop.settings import Settings
    from polyhop.types import Passage

    with corpus.open(encoding="utf-8") as lines:
        text = json.loads(next(lines))["text"]
    passage = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="", text=text)
    start = time.perf_counter()
    with Processes(workers=workers) as executor:
        for _ in executor.extract("parsekg", Settings(), [Chunk([passage])] * workers):
            pass
    return time.perf_counter() - start


SIDES = {"polyhop": polyhop, "bare": bare}


def in_fresh_process(side: str, corpus: Path, workers: int) -> Figures:
    """The figures of one side."""
    asked = [sys.executable, __file__, str(corpus), "--side", side, "--workers", str(workers)]
    told: Figures = json.loads(subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout)
    print(f"{side}: {told['seconds']:.1f} s, {told['cpu_seconds']:.1f} s of processor time", file=sys.stderr)
    return told


def middle(runs: Sequence[Figures]) -> Figures:
    """The median of each figure over the runs."""
    first = runs[0]
    return {
        key: middle([run[key] for run in runs]) if isinstance(first[key], dict) else median([run[key] for run in runs])
        for key in first
    }


def compared(ours: Figures, theirs: Figures) -> list[list[object]]:
    """The table: both sides, what lies between them, and where our side's overhead goes."""
    rows: list[list[object]] = [
        [name, mine, other, mine - other, mine / other]
        for name, mine, other in (
            ("everything", ours["seconds"], theirs["seconds"]),
            ("processor time", ours["cpu_seconds"], theirs["cpu_seconds"]),
            ("in the embedder", ours["models"]["text"], theirs["models"]["text"]),
            ("waiting for the parser", ours["models"]["parsekg"], theirs["models"]["parsekg"]),
        )
    ]
    rows += [[name, spent, None, spent, None] for name, spent in ours["overhead"].items()]
    rows.append(["(until the workers parse, within the waiting)", ours["started_workers"], None, None, None])
    return rows


def main() -> None:
    """Run both sides, print the table, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a folder with corpus.jsonl")
    parser.add_argument("--limit", type=int, help="the first N passages only")
    parser.add_argument("--rounds", type=int, default=2, help="how often each side runs")
    parser.add_argument("--workers", type=int, default=available_cores(), help="processes for parsing, on both sides")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)  # what the fresh processes are told
    options = parser.parse_args()
    if options.side:
        print(json.dumps(SIDES[options.side](options.data, options.workers)))
        return
    runs: dict[str, list[Figures]] = {side: [] for side in SIDES}
    with TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        with (options.data / "corpus.jsonl").open(encoding="utf-8") as lines:
            chosen = list(islice((line for line in lines if line.strip()), options.limit))
        corpus.write_text("".join(chosen), encoding="utf-8")
        about = {**machine(), "data": options.data.resolve().name, "passages": len(chosen), "rounds": options.rounds}
        about["workers"] = options.workers
        with beside_others(about):
            for number in range(options.rounds):
                for side in list(SIDES)[:: -1 if number % 2 else 1]:
                    runs[side].append(in_fresh_process(side, corpus, options.workers))
    ours, theirs = middle(runs["polyhop"]), middle(runs["bare"])
    print(f"{len(chosen):,} passages, {options.workers} workers, median of {options.rounds} rounds")
    show_table(("seconds", "polyhop", "bare", "difference", "ratio"), compared(ours, theirs))
    ratios = {name: ours[name] / theirs[name] for name in ("seconds", "cpu_seconds")}
    verdicts = [
        verdict("wall-clock time, times the bare models", ratios["seconds"], LIMIT, "times"),
        verdict("processor time, times the bare models", ratios["cpu_seconds"], LIMIT, "times"),
    ]
    show_load(about)
    show_verdicts(verdicts)
    save(options.json, about, {"polyhop": ours, "bare": theirs, "ratios": ratios, "runs": runs, "verdicts": verdicts})


if __name__ == "__main__":
    main()

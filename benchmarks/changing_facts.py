"""How long it takes until ten documents are found that come to an index with facts, change after change.

Others come in the place of ten documents of an index whose facts ``grown_facts.py`` gathered, and state the same. The
time of a change is what it waits for another writer, and what passes from when their facts are stored until
the graph that has them is open. What changes make worth writing is written in a thread beside those that follow, as in
the worker of a server. Meanwhile another process asks questions at even intervals, and then as long of an index that
nobody changes. The index is copied, and stays as it is.

    python benchmarks/changing_facts.py INDEX --questions FILE [--changes 60] [--rate 5] [--strategies A,B]
                                        [--json OUT]

``FILE`` has a question a line.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from gathering import MORE
from grown_facts import LAYER, renew
from measuring import Figures, beside_others, cpu_seconds, machine, median, percentile, save, show_load, show_table
from merging import asked

from polyhop.engine import Polyhop
from polyhop.indexing.run import IndexRun
from polyhop.layers.layer import layer_of
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.strategies.strategy import split_names

STRATEGIES = "hybrid(rerank=false),c2rag"


def changing(index: Path, changes: int) -> None:
    """Make changes one after the other, in this process, and tell of each how many seconds it took."""
    settings = Settings()
    models, layer, place = Models(settings), layer_of(LAYER, settings), index / "generations" / LAYER
    run = IndexRun(path=index, settings=settings, models=models, layers=(LAYER,))
    merging = threading.Thread()
    print("begin", flush=True)
    for number in range(changes):
        begun = time.perf_counter()
        with Record.create_or_open(index, wait=600) as record:
            waited = time.perf_counter() - begun
            renew(record, [row.id for row in record.documents()][number * MORE : (number + 1) * MORE])
            begun, spent = time.perf_counter(), cpu_seconds()
            layer.gather(record, place, record.generation(LAYER).description["fingerprint"], models)  # type: ignore[union-attr]
        with Record.open(index) as record:
            layer.open(record, place, models)
        found = {"seconds": waited + time.perf_counter() - begun, "processor": cpu_seconds() - spent}
        print(json.dumps({**found, "merging": merging.is_alive()}), flush=True)
        if not merging.is_alive():
            merging = threading.Thread(target=run.merge)
            merging.start()
    merging.join()


def measured(index: Path, options: argparse.Namespace, questions: Sequence[str]) -> tuple[Figures, list[Figures]]:
    """What changes take, and what questions wait for beside them and by themselves."""
    strategies = split_names(options.strategies)
    command = [sys.executable, __file__, str(index), "--change", "--changes", str(options.changes)]
    with Polyhop(index) as engine, subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        lines, told = writer.stdout, list[Figures]()
        if lines is None or lines.readline() != "begin\n":
            raise SystemExit("the other process did not begin")
        begun = time.monotonic()
        reading = threading.Thread(target=lambda: told.extend(map(json.loads, lines)))
        reading.start()
        beside = asked(engine, questions, strategies, options.rate, reading.is_alive)
        until = 2 * time.monotonic() - begun
        alone = asked(engine, questions, strategies, options.rate, lambda: time.monotonic() < until)
        passages = engine.status().passages
    if writer.returncode:
        raise SystemExit("the other process failed")
    table: list[Figures] = [{"strategy": strategy, "questions": len(beside[strategy])} for strategy in strategies]
    for row in table:
        for name, times in (("alone", alone), ("beside", beside)):
            row |= {f"{name}_p50_ms": median(times[row["strategy"]])}
            row |= {f"{name}_p95_ms": percentile(times[row["strategy"]], 95)}
    seconds = [one["seconds"] for one in told]
    figures = {"passages": passages, "changes": len(told), "mean_s": mean(seconds), "median_s": median(seconds)}
    figures |= {"max_s": max(seconds), "processor_median_s": median([one["processor"] for one in told])}
    return {**figures, "beside a merge": sum(one["merging"] for one in told)}, table


def main() -> None:
    """Measure, print the tables, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("--changes", type=int, default=60, help="of ten documents each (%(default)s)")
    parser.add_argument("--questions", type=Path, help="a file with a question a line")
    parser.add_argument("--rate", type=float, default=5.0, help="questions a second (%(default)s)")
    parser.add_argument("--strategies", default=STRATEGIES, help="by turns (%(default)s)")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--change", action="store_true", help=argparse.SUPPRESS)  # what the other process is told
    options = parser.parse_args()
    if options.change:
        changing(options.index, options.changes)
        return
    if options.questions is None:
        parser.error("--questions is missing: a file with a question a line")
    questions = options.questions.read_text(encoding="utf-8").splitlines()
    about = {**machine(), "rate": options.rate, "vectors of relations": "made up", "changing": f"{MORE} documents"}
    with TemporaryDirectory() as name, beside_others(about):
        index = Path(shutil.copytree(options.index, Path(name) / "polyhop.index"))
        figures, table = measured(index, options, questions)
    show_table(list(figures), [list(figures.values())])
    print()
    show_table([one.replace("_", " ") for one in table[0]], [list(row.values()) for row in table])
    show_load(about)
    save(options.json, about, {**figures, "questions": table})


if __name__ == "__main__":
    main()

"""How long it takes until ten documents are found that come to an index, change after change, and what questions wait.

Others come in the place of documents of an index that ``gathering.py``, ``grown_facts.py`` or ``growing_facts.py``
gathered, and state the same. The time of a change is what it waits for another writer, and what passes from when its
rows are stored until the layers that have them are open. What changes make worth writing is written in a thread beside
those that follow, as in the worker of a server. Meanwhile another process asks questions at even intervals, as a server
does, after as long of an index that nobody changes; with ``--against`` a second one asks the same questions at the
same time with another version of Polyhop. The index is copied, and stays as it is, unless nothing is asked.

    python benchmarks/changing_facts.py INDEX --questions FILE [--changes 60] [--each 10] [--every SECONDS] [--rate 5]
                                        [--strategies A,B] [--against SRC] [--json OUT]
    python benchmarks/changing_facts.py INDEX --change [--changes 1] [--each 1000]

``FILE`` has a question a line. The second form changes the index itself and asks nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from gathering import MORE, resident
from grown_facts import renew
from measuring import Figures, beside_others, cpu_seconds, machine, median, percentile, save, show_load, show_table
from merging import asked

from polyhop.engine import Polyhop
from polyhop.indexing.run import IndexRun
from polyhop.layers.layer import layer_of, opened_layers
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.strategies.strategy import split_names

STRATEGIES = "hybrid(rerank=false),bm25"
ALONE = 60.0  # seconds by itself, where changes follow one another


def changing(options: argparse.Namespace) -> None:
    """Make changes one after the other, in this process, and tell of each how many seconds it took."""
    index, settings = options.index, Settings.read(None, ["layers.parsekg.tokens=false"])
    run = IndexRun(path=index, settings=settings, models=Models(settings), layers=())
    merging = threading.Thread()
    print("begin", flush=True)
    for number in range(options.changes):
        due = time.monotonic() + options.every
        begun = time.perf_counter()
        with Record.create_or_open(index, wait=600) as record:
            waited = time.perf_counter() - begun
            there = [row.id for row in record.documents()]
            renew(record, there[number * options.each : (number + 1) * options.each])
            begun, spent = time.perf_counter(), cpu_seconds()
            gathered = {name: found for name in record.layers() if (found := record.generation(name)) is not None}
            for name, found in gathered.items():
                run.builder(record).gather(layer_of(name, settings), found.description["fingerprint"])
        with Record.open(index) as record:
            opened_layers(gathered, record, settings, index / "generations", run.models, {})
        told = {"seconds": waited + time.perf_counter() - begun, "processor": cpu_seconds() - spent}
        print(json.dumps({**told, "peak, MB": resident()[1], "merging": merging.is_alive()}), flush=True)
        if not merging.is_alive():
            merging = threading.Thread(target=run.merge)
            merging.start()
        time.sleep(max(0.0, due - time.monotonic()))
    begun, spent = time.perf_counter(), cpu_seconds()
    merging.join()
    print(
        f"merged in {time.perf_counter() - begun:.1f} s more, {cpu_seconds() - spent:.1f} of the processor,",
        end=" ",
        file=sys.stderr,
    )
    print(f"{resident()[1]:.0f} MB at most", file=sys.stderr)


def asking(options: argparse.Namespace) -> None:
    """Ask as long as standard input is open, and tell how long questions waited, under the names that come there."""
    questions = options.questions.read_text(encoding="utf-8").splitlines()
    strategies, phases = split_names(options.strategies), list[str]()
    listening = threading.Thread(target=lambda: phases.extend(map(str.strip, sys.stdin)))
    listening.start()
    told: dict[str, dict[str, list[float]]] = {}

    def still(phase: int) -> bool:
        return len(phases) == phase and listening.is_alive()

    with Polyhop(options.index, beside=True) as engine:
        print("ready", flush=True)
        while listening.is_alive():
            for phase in phases[-1:]:
                told[phase] = asked(engine, questions, strategies, options.rate, partial(still, len(phases)))
            time.sleep(0.01)
    print(json.dumps(told), flush=True)


@contextmanager
def askers(options: argparse.Namespace) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """A process that asks for each version, ready to."""
    versions = {"now": None, "before": options.against} if options.against else {"now": None}
    command = [sys.executable, __file__, str(options.index), "--ask", "--questions", str(options.questions)]
    command += ["--rate", str(options.rate), "--strategies", options.strategies]
    with ExitStack() as running:
        found = {}
        for name, source in versions.items():
            place = {} if source is None else {"PYTHONPATH": str(source)}
            one = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **place}
            )
            found[name] = running.enter_context(one)
        for one in found.values():
            if line_of(one) != "ready":
                raise SystemExit("a process that asks did not begin")
        yield found


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line that a process writes."""
    return process.stdout.readline().strip() if process.stdout else ""


def tell(processes: Iterable[subprocess.Popen[str]], phase: str) -> None:
    """Have those that ask note what they measure from now on under another name."""
    for process in processes:
        print(phase, file=process.stdin, flush=True)


def measured(options: argparse.Namespace) -> tuple[Figures, list[Figures]]:
    """What changes take, and what questions wait for by themselves and beside them."""
    command = [sys.executable, __file__, str(options.index), "--change", "--changes", str(options.changes)]
    command += ["--each", str(options.each), "--every", str(options.every)]
    with askers(options) as asking:
        tell(asking.values(), "alone")
        time.sleep(options.changes * options.every or ALONE)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            if line_of(writer) != "begin":
                raise SystemExit("the other process did not begin")
            tell(asking.values(), "beside")
            changes = [json.loads(line) for line in writer.stdout or ()]
        times = {}
        for name, process in asking.items():
            if process.stdin is not None:
                process.stdin.close()
            times[name] = json.loads(line_of(process))
    if writer.returncode:
        raise SystemExit("the other process failed")
    with Record.open(options.index) as record:
        passages = record.count_passages()
    seconds = [one["seconds"] for one in changes]
    figures = {"passages": passages, "changes": len(changes), "mean_s": mean(seconds), "median_s": median(seconds)}
    figures |= {"max_s": max(seconds), "processor_median_s": median([one["processor"] for one in changes])}
    return {**figures, "beside a merge": sum(one["merging"] for one in changes)}, list(compared(times))


def compared(times: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]) -> Iterator[Figures]:
    """What questions of each strategy waited for with each version: by version, phase and strategy."""
    for strategy in times["now"]["alone"]:
        for version, phases in times.items():
            row: Figures = {"strategy": strategy, "version": version, "questions": len(phases["beside"][strategy])}
            for phase in ("alone", "beside"):
                own = phases[phase][strategy]
                row |= {f"{phase}_p50_ms": median(own), f"{phase}_p95_ms": percentile(own, 95)}
            yield {**row, "p95_times": row["beside_p95_ms"] / row["alone_p95_ms"]}


def main() -> None:
    """Measure, print the tables, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("--changes", type=int, default=60, help="(%(default)s)")
    parser.add_argument("--each", type=int, default=MORE, help="documents of a change (%(default)s)")
    parser.add_argument("--every", type=float, default=0.0, help="seconds between two changes (one after the other)")
    parser.add_argument("--questions", type=Path, help="a file with a question a line")
    parser.add_argument("--rate", type=float, default=5.0, help="questions a second (%(default)s)")
    parser.add_argument("--strategies", default=STRATEGIES, help="by turns (%(default)s)")
    parser.add_argument("--against", type=Path, help="the folder src of another version, which is asked as well")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--change", action="store_true", help="change the index, and ask nothing")
    parser.add_argument("--ask", action="store_true", help=argparse.SUPPRESS)  # what processes that ask are told
    options = parser.parse_args()
    if options.change:
        changing(options)
    elif options.questions is None:
        parser.error("--questions is missing: a file with a question a line")
    elif options.ask:
        asking(options)
    else:
        measuring(options)


def measuring(options: argparse.Namespace) -> None:
    """Measure, and show what was measured."""
    about = {**machine(), "rate": options.rate, "vectors of relations": "made up"}
    about |= {"changing": f"{options.each} documents", "every_s": options.every}
    with TemporaryDirectory() as name, beside_others(about):
        options.index = Path(shutil.copytree(options.index, Path(name) / "polyhop.index"))
        figures, table = measured(options)
    show_table(list(figures), [list(figures.values())])
    print()
    show_table([one.replace("_", " ") for one in table[0]], [list(row.values()) for row in table])
    show_load(about)
    save(options.json, about, {**figures, "questions": table})


if __name__ == "__main__":
    main()

"""What questions wait for while an index grows beside them and its segments are merged, beside when nothing changes.

An index that ``gathering.py --keep`` left is copied and asked at even intervals, first by itself, and then while
another process stores documents and brings both layers up to date, group after group, until all are there: enough of
them that every segment is written again, the largest one too. A question's time begins when it is due, so that waiting
for the one before counts. Models run as they always do; strategies that take them longer than the rate allows would
only queue.

    python benchmarks/merging.py DATA [DATA ...] --index DIR --seeds DIR [--more 30000] [--groups 12] [--rate 5]
                                 [--strategies A,B] [--seconds 45] [--json OUT]

``DATA``, ``--seeds`` and ``--seed`` are those of ``gathering.py``; questions are those of the first data set.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from gathering import LAYERS, grow, seeds
from measuring import (
    Figures,
    beside_others,
    machine,
    median,
    percentile,
    save,
    show_load,
    show_table,
    show_verdicts,
    verdict,
)

from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset
from polyhop.indexing.build import Builder
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.strategies.strategy import split_names

STRATEGIES = "hybrid(rerank=false),bm25"
WARM_UP = 10  # questions that do not count
TIMES = 2.0  # the 95th percentile meanwhile over that of the index by itself


def growing(options: argparse.Namespace) -> None:
    """Store documents and gather them, group after group, in this process."""
    settings = Settings()
    stored = seeds(options.data, options.seeds, settings)
    with Record.open(options.index) as record:
        there = sum(1 for _ in record.documents())
    print("begin", flush=True)
    for group in range(options.groups):
        ends = [there + options.more * part // options.groups for part in (group, group + 1)]
        grow(options.index, options.data, stored, ends[1], options.seed, there=ends[0])
        with Record.create_or_open(options.index) as record:
            models = Models(settings)
            builder = Builder(record=record, folder=options.index / "generations", settings=settings, models=models)
            for layer in LAYERS:
                builder.bring_up_to_date(layer)


def asked(
    engine: Polyhop, questions: Sequence[str], strategies: Sequence[str], rate: float, goes_on: Callable[[], bool]
) -> dict[str, list[float]]:
    """How many milliseconds each question waited for its answer, by strategy, until nothing goes on any more."""
    waited: dict[str, list[float]] = {strategy: [] for strategy in strategies}
    begun = time.monotonic()
    for number in count():
        due = begun + number / rate
        if not goes_on():
            break
        time.sleep(max(0.0, due - time.monotonic()))
        strategy = strategies[number % len(strategies)]
        engine.search(questions[number // len(strategies) % len(questions)], k=5, strategy=strategy)
        if number >= WARM_UP:
            waited[strategy].append((time.monotonic() - due) * 1e3)
    return waited


def measured(options: argparse.Namespace, questions: Sequence[str]) -> Figures:
    """The same questions by themselves, and beside an index that grows."""
    strategies = split_names(options.strategies)
    with Polyhop(options.index) as engine:
        until = time.monotonic() + options.seconds
        alone = asked(engine, questions, strategies, options.rate, lambda: time.monotonic() < until)
        command = [sys.executable, __file__, *map(str, options.data), "--grow", "--index", str(options.index)]
        command += ["--seeds", str(options.seeds), "--seed", str(options.seed)]
        command += ["--more", str(options.more), "--groups", str(options.groups)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            if writer.stdout is None or writer.stdout.readline() != "begin\n":
                raise SystemExit("the other process did not begin")
            start = time.monotonic()
            beside = asked(engine, questions, strategies, options.rate, lambda: writer.poll() is None)
            seconds = time.monotonic() - start
        if writer.returncode:
            raise SystemExit("the other process failed")
        passages = engine.status().passages
    rounds = {"alone": alone, "beside": beside}
    table: list[Figures] = [{"strategy": strategy} for strategy in strategies]
    for row in table:
        for name, times in rounds.items():
            own = times[row["strategy"]]
            row |= {f"{name}_p50_ms": median(own), f"{name}_p95_ms": percentile(own, 95)}
    return {"table": table, "passages": passages, "growing_s": seconds}


def main() -> None:
    """Grow or measure, as the options say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="folders with corpus.jsonl, the first with questions, too")
    parser.add_argument("--index", type=Path, required=True, help="is copied, and stays as it is")
    parser.add_argument("--seeds", type=Path, required=True, help="where what is stored of the data sets is kept")
    parser.add_argument("--more", type=int, default=30_000, help="documents that come (%(default)s)")
    parser.add_argument("--groups", type=int, default=12, help="in so many groups (%(default)s)")
    parser.add_argument("--rate", type=float, default=5.0, help="questions a second (%(default)s)")
    parser.add_argument("--strategies", default=STRATEGIES, help="by turns (%(default)s)")
    parser.add_argument("--seconds", type=float, default=45.0, help="that it is asked by itself (%(default)s)")
    parser.add_argument("--split", default="dev", help="which questions (%(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--grow", action="store_true", help=argparse.SUPPRESS)  # what the other process is told
    options = parser.parse_args()
    if options.grow:
        growing(options)
    else:
        measuring(options)


def measuring(options: argparse.Namespace) -> None:
    """Measure, and show what was measured."""
    data = Dataset.read(options.data[0], options.split)
    questions = [question.text for question in data.questions]
    about = {**machine(), "data": data.folder.resolve().name, "rate": options.rate, "more": options.more}
    with TemporaryDirectory() as name, beside_others(about):
        options.index = Path(shutil.copytree(options.index, Path(name) / "polyhop.index"))
        figures = measured(options, questions)
    columns = list(figures["table"][0])
    show_table([one.replace("_", " ") for one in columns], [[row[one] for one in columns] for row in figures["table"]])
    print(f"\n{figures['passages']:,} passages; {options.more:,} documents came in {figures['growing_s']:.0f} s")
    verdicts = [
        verdict(f"{row['strategy']}, p95 beside over alone", row["beside_p95_ms"] / row["alone_p95_ms"], TIMES, "times")
        for row in figures["table"]
    ]
    show_verdicts(verdicts)
    show_load(about)
    save(options.json, about, figures | {"verdicts": verdicts})


if __name__ == "__main__":
    main()

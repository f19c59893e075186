"""What questions cost outside the models as an index grows: the same questions, of one index after another, in one run.

The indexes are those that ``gathering.py --keep`` leaves: what they were grown from stands in each of them, with ever
more copies beside it, so that the questions of those data sets can be answered in all. Models read as they always do,
but what they take does not count: it is a matter of how many passages are read, and not of how many there are. Time is
processor time of the thread that asks, because others may use the machine; that on the clock stands beside it.

Strategies that extract facts from what a question pulls in are asked each question once before.

    python benchmarks/asking_grown.py DATA --indexes DIR,DIR [--strategies A,B] [--split dev] [--limit N] [--json OUT]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil
from measuring import Figures, Stopwatch, beside_others, machine, median, percentile, save, show_load, show_table
from query_latency import GROWING, top, watch_models

from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset
from polyhop.indexes.lexical import Lexical
from polyhop.indexes.titles import Titles
from polyhop.indexes.vectors import Vectors
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.store.record import Record
from polyhop.strategies.strategy import base_name, split_names

STRATEGIES = "dense,bm25,hybrid,paths,auto"
WARM_UP = 10  # questions that do not count: what they touch of the index is read from the disk
STAGES: dict[str, tuple[type[Any], tuple[str, ...]]] = {
    "vectors": (Vectors, ("search", "search_each", "of", "scores")),
    "words": (Lexical, ("search", "coverage")),
    "titles": (Titles, ("named_in", "about")),
    "names of entities": (ParseKG, ("named_in",)),
    "passages from the record": (Record, ("passages", "numbers_by_id")),
}


def asked(engine: Polyhop, strategy: str, questions: Sequence[str], watch: Stopwatch) -> Figures:
    """Milliseconds a question outside the models, in all and stage by stage."""
    if base_name(strategy) in GROWING:
        for question in questions:
            engine.search(question, k=top(strategy), strategy=strategy)
    for question in questions[:WARM_UP]:
        engine.search(question, k=top(strategy), strategy=strategy)
    models = {"embedder", "reranker", "span model", "translator", "parser", "language model"}
    clocked: list[float] = []
    spent: list[float] = []
    stages: dict[str, list[float]] = {name: [] for name in STAGES}
    for question in questions[WARM_UP:]:
        watch.clear()
        begun = time.monotonic()
        with patch.object(time, "perf_counter", time.thread_time):
            start = time.thread_time()
            engine.search(question, k=top(strategy), strategy=strategy)
            total = time.thread_time() - start
        clocked.append((time.monotonic() - begun) * 1e3)
        spent.append((total - sum(watch.seconds[name] for name in models)) * 1e3)
        for name, times in stages.items():
            times.append(watch.seconds[name] * 1e3)
    return {
        "questions": len(spent),
        "p50_ms": median(spent),
        "p95_ms": percentile(spent, 95),
        "clock_with_models_p50_ms": median(clocked),
        "stages_p95_ms": {name: percentile(times, 95) for name, times in stages.items()},
    }


def measured(index: Path, strategies: Sequence[str], questions: Sequence[str]) -> Figures:
    """The figures of each strategy on one index."""
    watch, found = Stopwatch(), dict[str, Any]()
    with Polyhop(index) as engine, ExitStack() as meanwhile:
        found["passages"] = engine.status().passages
        watch_models(watch, engine.models, meanwhile)
        for label, (owner, names) in STAGES.items():
            meanwhile.enter_context(watch.watching(label, owner, *names))
        start = time.perf_counter()
        engine.search(questions[0], k=5, strategy=strategies[0])
        found["first_question_s"] = time.perf_counter() - start
        for strategy in strategies:
            found[strategy] = asked(engine, strategy, questions, watch)
            print(f"{index.name} {strategy}: {found[strategy]}", flush=True)
        memory = psutil.Process().memory_info()
        found |= {"resident_gb": memory.rss / 1e9, "own_memory_gb": (memory.rss - getattr(memory, "shared", 0)) / 1e9}
    return found


def rows(found: dict[str, Figures], strategies: Sequence[str]) -> Iterator[list[object]]:
    """A row for each strategy: median and 95th percentile by index, and how the latter grows over the last step."""
    for strategy in strategies:
        figures = [each[strategy] for each in found.values()]
        growth = figures[-1]["p95_ms"] / figures[-2]["p95_ms"] if len(figures) > 1 else 1.0
        yield [strategy, *(one["p50_ms"] for one in figures), *(one["p95_ms"] for one in figures), growth]


def main() -> None:
    """Ask, print the tables, and write the figures as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a folder with corpus.jsonl and questions_SPLIT.jsonl")
    parser.add_argument("--indexes", type=lambda given: [Path(one) for one in given.split(",")], required=True)
    parser.add_argument("--strategies", default=STRATEGIES, help="separated by commas (%(default)s)")
    parser.add_argument("--split", default="dev", help="which questions (%(default)s)")
    parser.add_argument("--limit", type=int, default=60, help="the first N questions only (%(default)s)")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    strategies = split_names(options.strategies)
    data = Dataset.read(options.data, options.split)
    questions = [question.text for question in islice(data.questions, options.limit)]
    about = {**machine(), "data": data.folder.resolve().name, "split": options.split}
    found: dict[str, Figures] = {}
    with beside_others(about):
        for index in options.indexes:
            one = measured(index, strategies, questions)
            found[f"{one['passages']:,}"] = one
    print(f"{len(questions) - WARM_UP} questions; milliseconds of processor time outside the models")
    headings = [f"{kind}, {size}" for kind in ("p50", "p95") for size in found]
    show_table(("strategy", *headings, "p95, times"), list(rows(found, strategies)))
    memory = [[size, one["first_question_s"], one["resident_gb"], one["own_memory_gb"]] for size, one in found.items()]
    show_table(("passages", "first question, s", "memory, GB", "of it not mapped, GB"), memory)
    show_load(about)
    save(options.json, about, found)


if __name__ == "__main__":
    main()

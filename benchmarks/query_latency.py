"""How long questions take, strategy by strategy: in all, inside the models, and around them; and the memory it needs.

Retrieval only, through ``Polyhop.search`` with k = 5, and k = 20 for ``stepchain``, which is asked every question once
before, so that the facts are there (in the index, where it has no layer of them). ``hybrid`` and ``c2rag`` are asked
without the cross-encoder, too, and ``translator`` with a single hop. The index is made first where it is missing.

    python benchmarks/query_latency.py DATA --index DIR [--strategies A,B] [--split dev] [--limit N] [--json OUT]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import psutil
from measuring import (
    Figures,
    Stopwatch,
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
from polyhop.evaluation.experiment import layers_of, prepare
from polyhop.models.choice import Models
from polyhop.strategies.strategy import base_name, split_names

STRATEGIES = "dense,bm25,hybrid,translator,paths,c2rag,stepchain"
UNJUDGED = "c2rag(reading.by=nobody,grounding.reranked=false,recovery.reranked=false,similar=0)"
VARIANTS = {"hybrid": "hybrid(rerank=false)", "translator": "translator(hops=1)", "c2rag": UNJUDGED}
WARM_UP = 5  # questions that do not count
PASSAGES = 5
MORE_PASSAGES = {"stepchain": 20}
GROWING = ("stepchain",)  # what extracts facts when it is asked
LANGUAGE_MODEL = "language model"
FAST_P95 = 15.0  # ms: dense, bm25, hybrid without its reranker
ONE_HOP_P50 = 800.0  # ms: the translator with one hop
ONE_HOP_AROUND = 20.0  # ms of which are spent outside the models
CHECKED_P50 = 500.0  # ms: c2rag with plans made by rules
UNJUDGED_P50 = 30.0  # ms: c2rag without the cross-encoder
STEPS_P50 = 500.0  # ms: stepchain on a warm graph, without what a language model takes
MEMORY = 1.5  # GB with all models loaded


def cases(strategies: Sequence[str]) -> list[str]:
    """What is timed: each strategy as it comes, and its variant."""
    return [name for strategy in strategies for name in (strategy, VARIANTS.get(strategy)) if name is not None]


def top(strategy: str) -> int:
    """How many passages a strategy is asked for."""
    return MORE_PASSAGES.get(base_name(strategy), PASSAGES)


def grow(index: Path, strategy: str, questions: Sequence[str]) -> int:
    """Ask every question once; how many passages have facts then.

    It is asked of an engine of its own: what an engine remembers of questions besides facts is not to count.
    """
    with Polyhop(index) as engine:
        for question in questions:
            engine.search(question, k=top(strategy), strategy=strategy)
        return next((layer.done for layer in engine.status().layers if layer.name == "facts"), 0)


def watch_models(watch: Stopwatch, models: Models, meanwhile: ExitStack) -> None:
    """Time everything that reads with a model."""
    reading = {
        "embedder": (type(models.embedder), ("embed_questions", "embed_passages")),
        "reranker": (type(models.reranker), ("score",)),
        "span model": (type(models.span_model), ("read",)),
        "translator": (type(models.translator), ("begin", "extend", "branch")),
        "parser": (type(models.parser), ("parse",)),
    }
    if models.language_model is not None:
        reading[LANGUAGE_MODEL] = type(models.language_model), ("complete",)
    for label, (owner, names) in reading.items():
        meanwhile.enter_context(watch.watching(label, owner, *names))


def asked(engine: Polyhop, strategy: str, questions: Sequence[str], watch: Stopwatch) -> Figures:
    """Milliseconds a question: in all, in each model, and around the models; processor time of all threads."""
    for question in questions[:WARM_UP]:
        engine.search(question, k=top(strategy), strategy=strategy)
    total, inside, around, unjudged, own, processor = [], [], [], [], [], []
    models: dict[str, list[float]] = {}
    for question in questions:
        watch.clear()
        start, begun = time.perf_counter(), time.process_time()
        engine.search(question, k=top(strategy), strategy=strategy)
        spent = (time.perf_counter() - start) * 1e3
        processor.append((time.process_time() - begun) * 1e3)
        reading = {label: seconds * 1e3 for label, seconds in watch.seconds.items()}
        for label, milliseconds in reading.items():
            models.setdefault(label, []).append(milliseconds)
        total.append(spent)
        inside.append(sum(reading.values()))
        around.append(spent - sum(reading.values()))
        unjudged.append(spent - reading.get("reranker", 0.0))
        own.append(spent - reading.get(LANGUAGE_MODEL, 0.0))
    return {
        "questions": len(questions),
        "top": top(strategy),
        "p50_ms": median(total),
        "p95_ms": percentile(total, 95),
        "processor_p50_ms": median(processor),
        "in_models_p50_ms": median(inside),
        "around_p50_ms": median(around),
        "around_p95_ms": percentile(around, 95),
        "besides_reranker_p50_ms": median(unjudged),
        "besides_language_model_p50_ms": median(own),
        "by_model_p50_ms": {label: median(spent) for label, spent in models.items()},
        "resident_gb": resident(),
    }


def resident() -> float:
    """Memory of this process, in GB."""
    return float(psutil.Process().memory_info().rss) / 1e9


def load_all(models: Models, question: str) -> None:
    """Make every model read something, so that all are in memory."""
    models.embedder.embed_questions([question])
    models.reranker.score(question, [question])
    models.translator.begin(models.translator.prompt(question, question))
    list(models.parser.parse([question]))


def judged(figures: dict[str, Figures], memory: float) -> list[Figures]:
    """The figures that must reach something."""
    found = [
        verdict(f"{name}, p95", figures[name]["p95_ms"], FAST_P95, "ms")
        for name in ("dense", "bm25", VARIANTS["hybrid"])
        if name in figures
    ]
    if one_hop := figures.get(VARIANTS["translator"]):
        found.append(verdict("translator with one hop, median", one_hop["p50_ms"], ONE_HOP_P50, "ms"))
        found.append(verdict("  of which around the models, median", one_hop["around_p50_ms"], ONE_HOP_AROUND, "ms"))
    for name, limit in (("c2rag", CHECKED_P50), (UNJUDGED, UNJUDGED_P50)):
        if name in figures:
            found.append(verdict(f"{name}, median", figures[name]["p50_ms"], limit, "ms"))
    if steps := figures.get("stepchain"):
        spent = steps["besides_language_model_p50_ms"]
        found.append(verdict("stepchain, besides the language model, median", spent, STEPS_P50, "ms"))
    return [*found, verdict("memory with all models loaded", memory, MEMORY, "GB")]


def main() -> None:
    """Ask, print the table, and write it as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a folder with corpus.jsonl and questions_SPLIT.jsonl")
    parser.add_argument("--index", type=Path, required=True, help="the folder of its index")
    parser.add_argument("--strategies", default=STRATEGIES, help="separated by commas (%(default)s)")
    parser.add_argument("--split", default="dev", help="which questions (%(default)s)")
    parser.add_argument("--limit", type=int, help="the first N questions only")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    strategies = split_names(options.strategies)
    data = Dataset.read(options.data, options.split)
    questions = [question.text for question in islice(data.questions, options.limit)]
    with Polyhop(options.index) as engine:
        report = prepare(engine, data, layers=layers_of(strategies))
    about = {**machine(), "data": data.folder.resolve().name, "split": options.split, "passages": report.passages}
    figures: dict[str, Figures] = {}
    grown: dict[str, int] = {}  # passages with facts, by what was asked before
    watch = Stopwatch()
    with beside_others(about), ExitStack() as meanwhile:
        watch_models(watch, Polyhop(options.index).models, meanwhile)
        for name in cases(strategies):
            if base_name(name) in GROWING:
                grown[name] = grow(options.index, name, questions)
            with Polyhop(options.index) as engine:
                figures[name] = asked(engine, name, questions, watch)
        with Polyhop(options.index) as engine:
            engine.search(questions[0], k=PASSAGES, strategy=strategies[0])
            load_all(engine.models, questions[0])
            memory = resident()
    columns = (
        "p50_ms",
        "p95_ms",
        "processor_p50_ms",
        "in_models_p50_ms",
        "around_p50_ms",
        "around_p95_ms",
        "besides_reranker_p50_ms",
        "resident_gb",
    )
    print(f"{report.passages:,} passages, {len(questions)} questions, milliseconds a question")
    show_table(
        (
            *("strategy", "p50", "p95", "processor", "in models", "around them", "around, p95"),
            *("besides reranker", "memory, GB", "models"),
        ),
        [[name, *(row[column] for column in columns), _by_model(row)] for name, row in figures.items()],
    )
    for name, count in grown.items():
        asked_for = figures[name]["top"]
        print(f"\n{name}: {count:,} of {report.passages:,} passages had facts; top {asked_for} of each question.")
    verdicts = judged(figures, memory)
    show_load(about)
    show_verdicts(verdicts)
    found = {"strategies": figures, "passages_with_facts": grown, "resident_gb": memory, "verdicts": verdicts}
    save(options.json, about, found)


def _by_model(row: Figures) -> str:
    return ", ".join(f"{label} {spent:,.1f}" for label, spent in row["by_model_p50_ms"].items())


if __name__ == "__main__":
    main()

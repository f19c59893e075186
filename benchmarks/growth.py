"""What a second question about the same things saves, where facts are extracted from what questions pull in.

The first questions of a data set are asked in their order, and then once more: how many passages had their facts
extracted, how long it took, and whether answers and passages are the same. They are asked of a copy of the index that
has nothing but the layer text, so that the index named stays as it is. The copy keeps parses where ``--keep-parse`` is
given: facts are then made from those, otherwise passages are parsed when they are pulled in.

    python benchmarks/growth.py DATA [--index DIR] [--split dev] [--limit 40] [--strategy NAME] [--keep-parse]
                                [--json OUT]
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

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

from polyhop import registry
from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.experiment import prepare
from polyhop.indexing import remembered as making
from polyhop.layers.facts.layer import FactsLayer
from polyhop.models.choice import Models
from polyhop.ports import Below, Rows
from polyhop.settings import Settings
from polyhop.store.record import FILE, Record
from polyhop.strategies.strategy import canonical
from polyhop.types import Cost, Passage

QUESTIONS = 40
PASSAGES = 20
ROUNDS = ("first", "second")
EXTRACTIONS = 0.2  # of the second round, at most, against the first: five times fewer
DIFFERENT = 0  # answers, at most
FACTS, PARSES = "facts", "parsekg"
SAID_EVERY = 10  # questions


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What came of one question."""

    answer: str | None
    passages: tuple[str, ...]  # ids, best first
    extracted: int  # passages
    seconds: float  # without the reader's
    processor: float  # seconds of all threads, with the reader's
    reading: float  # seconds of the reader
    extracting: float  # seconds of the facts layer
    embedding: float  # seconds of the embedder: questions, and new names and relations
    cost: Cost


def bare_copy(index: Path, folder: Path, *, keep_parse: bool) -> None:
    """Copy an index without what was derived from its texts, but for their vectors (and parses)."""
    kept = {"text", PARSES} if keep_parse else {"text"}
    folder.mkdir()
    for file in index.glob(f"{FILE}*"):
        shutil.copy(file, folder)
    for name in kept:
        if (generations := index / "generations" / name).is_dir():
            shutil.copytree(generations, folder / "generations" / name)
    with Record.create_or_open(folder) as record:
        for name in set(record.layers()) - kept:
            record.forget(name)
        remembered = json.loads(record.meta(making.META) or "{}")
        record.set_meta(making.META, json.dumps({name: how for name, how in remembered.items() if name in kept}))


def rows_of(index: Path, layer: str) -> int:
    """How many passages a layer has rows of, whatever their fingerprint."""
    with Record.open(index) as record:
        return sum(1 for _ in record.payloads(layer))


@contextmanager
def counting_extractions(watch: Stopwatch) -> Iterator[list[int]]:
    """The sizes of all batches that the facts layer extracts meanwhile; it is timed as "extracting"."""
    sizes: list[int] = []
    before = FactsLayer.extract

    def counted(layer: FactsLayer, passages: Sequence[Passage], models: Models, below: Below) -> Sequence[Rows]:
        with watch.timing("extracting"):
            rows = before(layer, passages, models, below)
        sizes.append(len(passages))
        return rows

    FactsLayer.extract = counted  # type: ignore[assignment, method-assign]
    try:
        yield sizes
    finally:
        FactsLayer.extract = before  # type: ignore[method-assign]


def asked_in_order(engine: Polyhop, strategy: str, questions: Sequence[str]) -> Iterator[Asked]:
    """What comes of each question, one after the other."""
    watch = Stopwatch()
    budget = replace(engine.settings.budget, passages=PASSAGES)
    with ExitStack() as meanwhile:
        sizes = meanwhile.enter_context(counting_extractions(watch))
        for name in registry.names("readers"):
            meanwhile.enter_context(watch.watching("reading", registry.load("readers", name), "read"))
        embedder = type(engine.models.embedder)
        meanwhile.enter_context(watch.watching("embedding", embedder, "embed_questions", "embed_passages"))
        for number, question in enumerate(questions, start=1):
            watch.clear()
            sizes.clear()
            start, begun = time.perf_counter(), time.process_time()
            answer = engine.ask(question, strategy=strategy, budget=budget)
            spent, processor = time.perf_counter() - start, time.process_time() - begun
            yield Asked(
                answer=answer.text,
                passages=tuple(passage.id for passage in answer.evidence.passages),
                extracted=sum(sizes),
                seconds=spent - watch.seconds["reading"],
                processor=processor,
                reading=watch.seconds["reading"],
                extracting=watch.seconds["extracting"],
                embedding=watch.seconds["embedding"],
                cost=answer.evidence.cost,
            )
            if number % SAID_EVERY == 0:
                print(f"{number} of {len(questions)} questions", file=sys.stderr, flush=True)


def figures_of(asked: Sequence[Asked], rows: int) -> Figures:
    """A round; ``rows``: passages with facts in the ledger after it."""
    seconds = [one.seconds for one in asked]
    cost = sum((one.cost for one in asked), Cost())
    return {
        "questions": len(asked),
        "answered": sum(one.answer is not None for one in asked),
        "extracted": sum(one.extracted for one in asked),
        "questions_that_extracted": sum(one.extracted > 0 for one in asked),
        "p50_s": median(seconds),
        "p95_s": percentile(seconds, 95),
        "processor_p50_s": median([one.processor for one in asked]),
        "extracting_p50_s": median([one.extracting for one in asked]),
        "embedding_p50_s": median([one.embedding for one in asked]),
        "reading_p50_s": median([one.reading for one in asked]),
        "ledger_rows": rows,
        "llm_calls": cost.llm_calls,
        "llm_tokens": cost.tokens,
    }


def changed(first: Sequence[Asked], second: Sequence[Asked]) -> Figures:
    """Which questions (counted from 1) had another outcome the second time, by what was other."""
    pairs = list(enumerate(zip(first, second, strict=True), start=1))
    return {
        "answer": [place for place, (one, two) in pairs if one.answer != two.answer],
        "passages_in_order": [place for place, (one, two) in pairs if one.passages != two.passages],
        "passages": [place for place, (one, two) in pairs if set(one.passages) != set(two.passages)],
        "first_five": [place for place, (one, two) in pairs if one.passages[:5] != two.passages[:5]],
    }


def judged(rounds: Mapping[str, Figures], other: Mapping[str, Sequence[int]]) -> list[Figures]:
    """The figures that must reach something. Where nothing was extracted at first, nothing may be later."""
    first, second = (rounds[name]["extracted"] for name in ROUNDS)
    return [
        verdict("passages extracted the second time, of those the first time", second / max(first, 1), EXTRACTIONS, ""),
        verdict("questions with another answer the second time", len(other["answer"]), DIFFERENT, ""),
    ]


def measure(index: Path, settings: Settings, strategy: str, questions: Sequence[str]) -> Figures:
    """Both rounds, by one engine, and what they have in common."""
    found: dict[str, list[Asked]] = {}
    rounds: dict[str, Figures] = {}
    with Polyhop(index, settings=settings) as engine:
        engine.models.embedder.embed_questions(["warm"])  # loading models is no part of the first question
        engine.models.reranker.score("warm", ["warm"])
        list(engine.models.parser.parse(["warm"]))
        for name in ROUNDS:
            found[name] = list(asked_in_order(engine, strategy, questions))
            rounds[name] = figures_of(found[name], rows_of(index, FACTS))
        passages = engine.status().passages
    first, second = (rounds[name] for name in ROUNDS)
    other = changed(found["first"], found["second"])
    return {
        "rounds": rounds,
        "extractions_ratio": second["extracted"] / max(first["extracted"], 1),
        "median_ratio": second["p50_s"] / first["p50_s"],
        "share_of_passages_grown": second["ledger_rows"] / passages,
        "other_the_second_time": other,
        "verdicts": judged(rounds, other),
    }


def options_of() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a folder with corpus.jsonl and questions_SPLIT.jsonl")
    parser.add_argument("--index", type=Path, help="the folder of its index, which is copied; made where it is missing")
    parser.add_argument("--split", default="dev", help="which questions (%(default)s)")
    parser.add_argument("--limit", type=int, default=QUESTIONS, help="the first N questions only (%(default)s)")
    parser.add_argument("--strategy", default="stepchain", help="one that grows facts (%(default)s)")
    parser.add_argument("--keep-parse", action="store_true", help="leave the copy the parses that the index has")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="change a setting")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    return parser.parse_args()


def main() -> None:
    """Ask twice, print the table, and write it as JSON where asked."""
    options = options_of()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    data, settings = Dataset.read(options.data, options.split), Settings.read(None, options.set)
    questions = [question.text for question in islice(data.questions, options.limit)]
    strategy = canonical(options.strategy)
    about: Figures = {**machine(), "data": data.folder.resolve().name, "split": options.split}
    with TemporaryDirectory() as scratch:
        index, copy = options.index or Path(scratch) / "index", Path(scratch) / "copy"
        with Polyhop(index, settings=settings) as engine:
            about["passages"] = prepare(engine, data, layers=("text",)).passages
        bare_copy(index, copy, keep_parse=options.keep_parse)
        about |= {"strategy": strategy, "top": PASSAGES, "parses_before": rows_of(copy, PARSES)}
        with beside_others(about):
            found = measure(copy, settings, strategy, questions)
    show(found, about)
    show_load(about)
    show_verdicts(found["verdicts"])
    save(options.json, about, found)


def show(found: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """The table, and what the rounds have in common."""
    columns = {
        "answered": "answered",
        "passages extracted": "extracted",
        "by questions": "questions_that_extracted",
        "p50, s": "p50_s",
        "p95, s": "p95_s",
        "processor, p50": "processor_p50_s",
        "extracting, p50": "extracting_p50_s",
        "embedder, p50": "embedding_p50_s",
        "reader, p50": "reading_p50_s",
        "rows after it": "ledger_rows",
        "calls": "llm_calls",
        "tokens": "llm_tokens",
    }
    parsed = f"{about['parses_before']:,} of which are parsed" if about["parses_before"] else "none of which is parsed"
    count = found["rounds"]["first"]["questions"]
    print(f"{about['strategy']}: {count} questions, {about['passages']:,} passages, {parsed}.")
    print("Seconds a question, on the clock without the reader's:")
    rows = [[name, *(row[key] for key in columns.values())] for name, row in found["rounds"].items()]
    show_table(("round", *columns), rows)
    same = {what: count - len(places) for what, places in found["other_the_second_time"].items()}
    print(
        f"\nSecond against first: {found['extractions_ratio']:.3f} of the extractions,"
        f" {found['median_ratio']:.2f} of the median."
        f"\nFacts of {found['share_of_passages_grown']:.1%} of the passages have grown."
        f"\nOf {count} questions, {same['answer']} have the same answer, {same['passages_in_order']} the same"
        f" {PASSAGES} passages in the same order, {same['passages']} in any order,"
        f" {same['first_five']} the same first five."
    )


if __name__ == "__main__":
    main()

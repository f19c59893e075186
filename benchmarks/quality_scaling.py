"""What strategies find as a corpus grows by passages of other data sets, with the questions staying the same.

Corpora of several data sets are merged, as KG-Translator's ScaleQA merges three. The smallest corpus has the paragraphs
that the questions come with, and their supporting passages; then come all others, those of every data set in one order
drawn by lot, so that a smaller corpus is the beginning of a larger one. Passages that say the same are there once. The
same index grows from size to size.

    python benchmarks/quality_scaling.py DATA [DATA ...] --sizes 1000,3000,10000 --work DIR [--limit N]
        [--strategies A,B] [--split dev] [--seed N] [--page OUT] [--json OUT]

The questions are the first ``--limit`` of each data set; ``--questions-of first`` takes those of the first one alone.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

from grown_corpus import Row, read
from measuring import Figures, beside_others, machine, save, show_load, show_table

from polyhop.engine import Polyhop
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.experiment import Experiment, Run, layers_of, prepare
from polyhop.evaluation.reports import plot
from polyhop.evaluation.reports.page import page_of
from polyhop.evaluation.reports.report import write
from polyhop.strategies.strategy import split_names

STRATEGIES = "dense,bm25,hybrid,paths"
METRICS = ("recall@2", "recall@5", "all@5")
DRAWN = "recall@5"


@dataclass(frozen=True)
class Merged:
    """Corpora as one: passages in the order in which they come in, and questions that name them."""

    rows: tuple[Row, ...]
    questions: tuple[Mapping[str, Any], ...]
    least: int  # passages that the questions come with: no corpus is smaller

    def write(self, folder: Path, size: int) -> Dataset:
        """The data set of one size; the corpus of another size in the same folder is replaced."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in (("corpus", [row._asdict() for row in self.rows[:size]]), ("questions", self.questions)):
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        return Dataset.read(folder)


def merged(folders: Sequence[Path], split: str | None, limit: int | None, seed: int, *, first_only: bool) -> Merged:
    """The questions of data sets about one corpus, which is theirs put together."""
    all_rows = read(folders)
    said: dict[tuple[str, str], str] = {}  # what passages say, and the id of the first that says it
    same = {row.id: said.setdefault((row.title, row.text), row.id) for row in all_rows}
    questions = []
    wanted: dict[str, None] = {}
    for folder in folders[:1] if first_only else folders:
        data = Dataset.read(folder, split)
        name = folder.resolve().name
        for question in islice(data.questions, limit):
            supporting, beside = (
                [same[key] for one in ids if (key := f"{name}-{one}") in same] for ids in _passages_of(question)
            )
            questions.append(_row(question, name, supporting))
            wanted |= dict.fromkeys((*supporting, *beside))
    rows = {row.id: row for row in all_rows if same[row.id] == row.id}
    others = [row for row in rows.values() if row.id not in wanted]
    random.Random(seed).shuffle(others)  # noqa: S311
    return Merged((*(rows[one] for one in wanted), *others), tuple(questions), len(wanted))


def _passages_of(question: Question) -> tuple[Sequence[str], Sequence[str]]:
    context = question.extra.get("context")
    return question.supporting, context if isinstance(context, list) else ()


def _row(question: Question, name: str, supporting: Sequence[str]) -> dict[str, Any]:
    answer = None if question.answer is None else [question.answer, *question.aliases]
    row = {"id": f"{name}-{question.id}", "question": question.text, "answer": answer, "supporting": supporting}
    return {**row, "type": name, **({} if question.hops is None else {"hops": question.hops})}


def figures_of(run: Run, seconds: float, passages: int) -> Figures:
    """By strategy the means of a run, and what it took to index what was new."""
    found: Figures = {"passages": passages, "indexing_seconds": seconds, "strategies": {}}
    for name, records in run.records.items():
        means = {
            metric: sum(values) / len(values)
            for metric in METRICS
            if (values := [value for one in records if (value := one.metrics[metric]) is not None])
        }
        spent = [one.outcome.seconds for one in records]
        found["strategies"][name] = {**means, "seconds": sum(spent) / len(spent)}
    return found


def chart(figures: Sequence[Figures], metric: str = DRAWN) -> str:
    """An SVG element: a line for each strategy, over the number of passages."""
    names = list(figures[0]["strategies"])
    lines = [
        plot.Line(
            label=name,
            points=tuple((float(one["passages"]), one["strategies"][name][metric]) for one in figures),
        )
        for name in names
    ]
    return plot.line_chart(f"{metric} as the corpus grows", lines, x_label="passages", y_label=metric, from_zero=False)


def page(figures: Sequence[Figures], about: Mapping[str, Any]) -> str:
    """A page with a chart for each metric."""
    told = escape(f"{about['questions']} questions of {about['data']}; seed {about['seed']}.")
    charts = "\n".join(chart(figures, metric) for metric in METRICS)
    return page_of("Quality as a corpus grows", ("<h1>Quality as a corpus grows</h1>", f"<p>{told}</p>", charts))


def rows_of(figures: Sequence[Figures]) -> list[list[object]]:
    """The table: a row for each strategy and size, in percent."""
    return [
        [name, one["passages"], *(100 * found[metric] for metric in METRICS), 1e3 * found["seconds"]]
        for name in figures[0]["strategies"]
        for one in figures
        for found in [one["strategies"][name]]
    ]


def measured(corpus: Merged, sizes: Sequence[int], names: tuple[str, ...], work: Path) -> list[Figures]:
    """The same questions about each size, on an index that grows."""
    found = []
    for size in sorted(sizes):
        data = corpus.write(work / "data", size)
        with Polyhop(work / "polyhop.index") as engine:
            start = time.perf_counter()
            report = prepare(engine, data, layers=layers_of(names, settings=engine.settings))
            seconds = time.perf_counter() - start
            experiment = Experiment(strategies=names, retrieval_only=True)
            found.append(figures_of(experiment.run(engine, data), seconds, report.passages))
        print(f"{report.passages:,} passages: indexed in {seconds:.0f} s", flush=True)
    return found


def main() -> None:
    """Merge, grow, ask, and show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="folders with corpus.jsonl and questions_SPLIT.jsonl")
    parser.add_argument("--sizes", required=True, help="numbers of passages, such as 1000,3000")
    parser.add_argument("--work", type=Path, required=True, help="a folder for the merged corpus and its index")
    parser.add_argument("--questions-of", choices=("all", "first"), default="all")
    parser.add_argument("--strategies", default=STRATEGIES)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int, help="questions of each data set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", type=Path, help="draw the curves on a page (HTML)")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    first_only = options.questions_of == "first"
    corpus = merged(options.data, options.split, options.limit, options.seed, first_only=first_only)
    sizes = [int(size) for size in options.sizes.split(",")]
    if min(sizes) < corpus.least or max(sizes) > len(corpus.rows):
        parser.error(f"sizes are {corpus.least} (what the questions come with) to {len(corpus.rows)} passages")
    names = [folder.resolve().name for folder in options.data]
    about: Figures = {**machine(), "data": ", ".join(names[:1] if first_only else names), "passages_of": names}
    about |= {"split": options.split, "questions": len(corpus.questions), "least": corpus.least, "seed": options.seed}
    with beside_others(about):
        figures = measured(corpus, sizes, split_names(options.strategies), options.work)
    show_table(("strategy", "passages", *METRICS, "ms"), rows_of(figures))
    show_load(about)
    save(options.json, about, figures)
    if options.page is not None:
        write(options.page, page(figures, about))


if __name__ == "__main__":
    main()

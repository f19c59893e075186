"""``polyhop eval``: several strategies on one data set, under one budget, in one table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyhop.cli.options import index_options, settings_of

if TYPE_CHECKING:
    from polyhop.evaluation.dataset import Dataset

INTERRUPTED = 130


@click.command("eval")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--strategy", "names", default="paths", show_default=True, help="One or more, separated by commas.")
@click.option("--split", help="Which questions: questions_SPLIT.jsonl.  [default: questions.jsonl]")
@click.option("--limit", type=click.IntRange(1), help="The first N questions only.")
@click.option("--retrieval-only", is_flag=True, help="Find passages but read no answers: much faster.")
@click.option("--passages", type=click.IntRange(1, 100), help="Passages that the reader may see.  [default: 5]")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the confidence intervals.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write all numbers here.")
@click.option("--report", "report_path", type=click.Path(path_type=Path), help="Write a page (HTML) here.")
@index_options
def evaluate(
    dataset: Path,
    names: str,
    split: str | None,
    limit: int | None,
    retrieval_only: bool,
    passages: int | None,
    seed: int,
    json_path: Path | None,
    report_path: Path | None,
    index_path: str,
    config: Path | None,
    changes: tuple[str, ...],
) -> int:
    """Compare strategies on DATASET, a folder with corpus.jsonl and questions.jsonl.

    The corpus is indexed where needed, one row a passage. Ctrl-C keeps what is done. The manifest in the JSON replays
    the run.

    \b
    polyhop eval data/2wiki --split dev --strategy dense,bm25,hybrid,paths --retrieval-only
    polyhop eval data/mine --strategy paths,translator --json out.json --report out.html
    """
    from rich.console import Console

    from polyhop.cli.index import progress_bars
    from polyhop.engine import Polyhop
    from polyhop.evaluation.dataset import Dataset
    from polyhop.evaluation.experiment import Experiment, prepare
    from polyhop.evaluation.manifest import manifest
    from polyhop.evaluation.page import html
    from polyhop.evaluation.report import summary, write, write_json
    from polyhop.evaluation.terminal import render

    data = Dataset.read(dataset, split)
    settings = settings_of(config, changes)
    place = _index_of(data, index_path)
    with Polyhop(place, settings=settings) as engine:
        with progress_bars(quiet=False) as listener:
            prepare(engine, data, progress=listener)
        experiment = Experiment(
            strategies=tuple(name.strip() for name in names.split(",") if name.strip()),
            budget=replace(settings.budget, passages=passages) if passages else settings.budget,
            limit=limit,
            seed=seed,
            retrieval_only=retrieval_only,
        )
        with progress_bars(quiet=False) as listener:
            run = experiment.run(engine, data, progress=listener)
        models = engine.status().models
    report = summary(run, data, manifest(experiment, data, settings=settings, models=models))
    Console().print(render(report))
    if json_path is not None:
        write_json(json_path, report)
    if report_path is not None:
        write(report_path, html(report))
    return INTERRUPTED if run.interrupted else 0


def _index_of(data: Dataset, index_path: str) -> Path:
    """The index that was asked for; by default one beside the data, so that it is made once."""
    if index_path != "polyhop.index":
        return Path(index_path)
    return data.corpus.parent / "polyhop.index"

"""``polyhop health``: what looks wrong with the fact graph, and how questions fare on it, hop by hop."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from polyhop.cli.options import ChosenIndex, index_options, json_option
from polyhop.cli.terminal import draw, tell_json

if TYPE_CHECKING:
    from polyhop.settings import Settings


@click.command(short_help="Say how sound the fact graph is.")
@json_option
@click.option("--report", "report_path", type=click.Path(path_type=Path), help="Write a page (HTML) here.")
@click.option(
    "--chains", type=click.IntRange(0), default=20, show_default=True, help="Two-hop chains to draw and ask for."
)
@click.option("--questions", type=click.Path(path_type=Path), help="Also ask the questions of this data set.")
@click.option("--split", help="Which questions: questions_SPLIT.jsonl.  [default: questions.jsonl]")
@click.option("--min-hops", type=click.IntRange(1), help="Only questions known to take at least N hops.")
@click.option("--limit", type=click.IntRange(1), help="The first N questions only.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the chains.")
@index_options
def health(
    as_json: bool,
    report_path: Path | None,
    chains: int,
    questions: Path | None,
    split: str | None,
    min_hops: int | None,
    limit: int | None,
    seed: int,
    chosen: ChosenIndex,
) -> None:
    """Say how sound the fact graph is: signs of wrong and missing facts, and how well its own chains are found.

    Two-hop chains are drawn from the graph and asked with every hop checked, with the first unchecked, and with none
    checked. With an overlay (--set layers.facts.overlay=NAME) they are drawn from the undamaged graph.
    """
    from polyhop.evaluation.reports.report import check_places, write
    from polyhop.evaluation.robustness.health_tables import html, render

    check_places(report_path)
    settings = chosen.settings()
    report = _report(settings, chosen.path, chains, seed, (questions, split, min_hops, limit), quiet=as_json)
    if report_path is not None:
        write(report_path, html(report))
    if as_json:
        tell_json(report)
    else:
        draw(render(report))


def _report(
    settings: Settings,
    index_path: str,
    chains: int,
    seed: int,
    asked: tuple[Path | None, str | None, int | None, int | None],
    *,
    quiet: bool,
) -> dict[str, Any]:
    from polyhop.cli.progress import progress_shown
    from polyhop.engine import Polyhop
    from polyhop.evaluation.dataset import Dataset
    from polyhop.evaluation.robustness.corruption import undamaged
    from polyhop.evaluation.robustness.health import health as health_of
    from polyhop.evaluation.robustness.health import question_health
    from polyhop.strategies.c2rag.strategy import C2RAG
    from polyhop.strategies.strategy import strategy_of

    folder, split, min_hops, limit = asked
    dataset = None if folder is None else Dataset.read(folder, split)
    strategy = cast("C2RAG", strategy_of("c2rag", settings))
    overlay = settings.of("layers.facts").get("overlay")
    with ExitStack() as opened:
        engine = opened.enter_context(Polyhop(index_path, settings=settings))
        view = opened.enter_context(engine.view())
        whole = None
        if overlay is not None:
            other = opened.enter_context(Polyhop(index_path, settings=undamaged(settings)))
            whole = opened.enter_context(other.view()).facts
        report = health_of(view, chains=chains, seed=seed, strategy=strategy, undamaged=whole)
        report["index"]["overlay"] = overlay
        if dataset is not None:
            with progress_shown(quiet=quiet) as listener:
                report["questions"] = question_health(
                    engine, view, dataset, limit=limit, min_hops=min_hops, progress=listener
                )
    return report

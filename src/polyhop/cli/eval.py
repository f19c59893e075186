"""``polyhop eval``: several strategies on one data set, under one budget, in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from polyhop.cli.options import ChosenIndex, index_options, replaying
from polyhop.cli.terminal import draw, echo
from polyhop.english.numbers import counted
from polyhop.errors import UsageError

if TYPE_CHECKING:
    from polyhop.engine import Polyhop
    from polyhop.evaluation.dataset import Dataset
    from polyhop.evaluation.experiment import Experiment, Run
    from polyhop.evaluation.unfinished import Unfinished
    from polyhop.ports import LanguageModel
    from polyhop.settings import Settings

INTERRUPTED = 130
FAILED = 1  # every question ended in an error
REPORT = click.Path(path_type=Path, dir_okay=False)  # refused before anything is asked


@click.command("eval", short_help="Compare strategies on questions with known answers.")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--strategy", "named", help="One or more: a,b or a,b(setting=value).  [default: that of polyhop ask]")
@click.option("--ablations", is_flag=True, help="Also each strategy without one part, for every part it names.")
@click.option(
    "--sweep", "sweeps", multiple=True, metavar="SETTING=VALUE,VALUE", help="Also with these; several: a grid."
)
@click.option("--plans", type=click.Path(path_type=Path), help="Take questions apart as a file says.")
@click.option("--record-plans", type=click.Path(path_type=Path), help="Add each plan that is made to a file.")
@click.option("--record", type=click.Path(path_type=Path), help="Keep every request to the language model, and reply.")
@click.option("--replay", type=click.Path(path_type=Path), help="Reply as recorded there, and ask no endpoint.")
@click.option("--split", help="Which questions: questions_SPLIT.jsonl.  [default: questions.jsonl]")
@click.option("--min-hops", type=click.IntRange(1), help="Only questions known to take at least N hops.")
@click.option("--limit", type=click.IntRange(1), help="The first N questions only.")
@click.option("--retrieval-only", is_flag=True, help="Find passages but read no answers: much faster.")
@click.option("--passages", type=click.IntRange(1, 100), help="Passages that the reader may see.  [default: 5]")
@click.option("--metric", "metrics", multiple=True, help="One more figure, such as accuracy or recall@10; repeatable.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the confidence intervals.")
@click.option(
    "--runs", type=click.IntRange(1), default=1, show_default=True, help="Ask all N times, each with another seed."
)
@click.option("--layers", default="", help="Make these as well as the layers that the strategies need.")
@click.option("--json", "json_path", type=REPORT, help="Write all numbers here.")
@click.option("--report", "report_path", type=REPORT, help="Write a page (HTML) here.")
@partial(index_options, index=None)
def evaluate(
    dataset: Path,
    named: str | None,
    ablations: bool,
    sweeps: tuple[str, ...],
    plans: Path | None,
    record_plans: Path | None,
    record: Path | None,
    replay: Path | None,
    split: str | None,
    min_hops: int | None,
    limit: int | None,
    retrieval_only: bool,
    passages: int | None,
    metrics: tuple[str, ...],
    seed: int,
    runs: int,
    layers: str,
    json_path: Path | None,
    report_path: Path | None,
    chosen: ChosenIndex,
) -> int:
    """Compare strategies on DATASET, a folder with questions.jsonl and a corpus.jsonl, or a folder of documents.

    These are indexed where needed; a row of a corpus stays one passage, however long it is. Each outcome is kept:
    after Ctrl-C or a kill, the same command goes on where it stopped. The manifest in the JSON says what made it. A
    language model answers as briefly as gold answers are (reader.brief); with --replay a file of its replies does. With
    --runs 3 figures are means. Plans of the first run are kept with --record-plans, and taken again with --plans.

    \b
    polyhop eval data/2wiki --split dev --strategy dense,bm25,hybrid,paths --retrieval-only
    polyhop eval data/mine --strategy paths,translator --json out.json --report out.html
    polyhop eval data/mine --strategy "paths,paths(plan=false)" --sweep links=2,4,6
    polyhop eval data/mine --strategy c2rag,stepchain --record replies.jsonl
    """
    from polyhop.evaluation.experiment import Experiment
    from polyhop.evaluation.reports.report import check_places
    from polyhop.evaluation.variants import variants
    from polyhop.reading.reader import in_few_words
    from polyhop.strategies.strategy import split_names

    check_places(json_path, report_path)
    settings = chosen.settings(*replaying(plans))
    names = split_names(named or settings.choice("strategy")[0])
    experiment = Experiment(
        strategies=names,
        variants=variants(names, ablations=ablations, sweeps=sweeps, settings=settings),
        budget=replace(settings.budget, passages=passages) if passages else settings.budget,
        min_hops=min_hops,
        limit=limit,
        seed=seed,
        retrieval_only=retrieval_only,
        extra_metrics=metrics,
    )
    model = _language_model(settings, record, replay, runs)
    settings = in_few_words(settings, model)
    kept = (record, record_plans)
    report, done = _measured(experiment, dataset, split, settings, chosen.path, layers, model, runs, kept)
    _show(report, json_path, report_path)
    return INTERRUPTED if report["interrupted"] else _ended(done)


def _measured(
    experiment: Experiment,
    dataset: Path,
    split: str | None,
    settings: Settings,
    index_path: str,
    also: str,
    model: LanguageModel | None,
    runs: int,
    kept: tuple[Path | None, Path | None],
) -> tuple[dict[str, Any], list[_Done]]:
    """The report of an experiment and its runs, on an index that has the layers it needs.

    ``kept``: the files to which requests and plans are added. Raises UsageError where plans cannot be.
    """
    from polyhop.cli.progress import progress_shown
    from polyhop.engine import Polyhop
    from polyhop.evaluation.dataset import Dataset
    from polyhop.evaluation.experiment import layers_of, prepare
    from polyhop.evaluation.metrics.metric import given_models
    from polyhop.evaluation.repeated import settings_of_run
    from polyhop.evaluation.reports.report import summary
    from polyhop.models.recorded import Replay
    from polyhop.planning.recorded import PlanFile
    from polyhop.strategies.strategy import strategy_of

    recorded = [str(file.absolute()) for file in kept if file is not None]  # a run that goes on finds none half full
    plans = None if kept[1] is None else PlanFile(kept[1])
    for name in experiment.names:
        strategy_of(name, settings)  # a setting that does not fit is refused before anything is indexed
    data = Dataset.read(dataset, split)
    experiment.questions(data)  # that there are any, and
    metrics = experiment.metrics(data)  # that they exist, before anything is indexed
    wanted = [name.strip() for name in also.split(",") if name.strip()]
    layers = layers_of(experiment.names, wanted, settings=settings)
    path = _index_of(data, index_path)
    with Polyhop(path, settings=settings, language_model=model) as engine:
        given_models(metrics, engine.models)  # a judge that is not there is missed at once
        with progress_shown(quiet=False) as listener:
            prepare(engine, data, layers=layers, progress=listener)
        settings = engine.settings
        engine.planning = replace(engine.planning, kept=plans)
        first = _run(experiment, data, engine, 0, recorded)
    done = [first]
    while len(done) < runs and not done[-1].run.interrupted:
        with Polyhop(path, settings=settings_of_run(settings, len(done)), language_model=model) as engine:
            done.append(_run(experiment, data, engine, len(done), recorded))
    if isinstance(model, Replay):
        model.check()
    again = [one.run for one in done[1:]]
    told = {**first.manifest, **({"runs": len(done)} if again else {})}
    return summary(first.run, data, told, again=again), done


class _Done(NamedTuple):
    """A run that has ended, what replays it, and where its outcomes are kept."""

    run: Run
    manifest: dict[str, Any]
    unfinished: Unfinished


def _run(experiment: Experiment, data: Dataset, engine: Polyhop, number: int, recorded: Sequence[str]) -> _Done:
    """One of several runs, from 0: what an earlier one of this number has done is taken over."""
    from polyhop.cli.progress import progress_shown
    from polyhop.evaluation.manifest import manifest, names_of
    from polyhop.evaluation.unfinished import Unfinished

    made = manifest(experiment, data, settings=engine.settings, models=names_of(engine.models))
    unfinished = Unfinished.of(engine.path, {**made, "run": number, "recorded": recorded})
    if len(unfinished):
        are = "is" if len(unfinished) == 1 else "are"
        there = f"{counted(len(unfinished), 'outcomes')} {are} there"
        echo(f"{there} from a run that did not end, or not without errors; this one goes on.", err=True)
    with progress_shown(quiet=False) as listener:
        run = experiment.run(engine, data, progress=listener, models=engine.models, unfinished=unfinished)
    return _Done(run, made, unfinished)


def _ended(done: Sequence[_Done]) -> int:
    """Let go of outcomes that are in a report now, where none is left to ask again; the command's exit code."""
    for one in done:
        if one.run.complete:
            one.unfinished.clear(one.run.records)
    return 0 if any(one.run.answered for one in done) else FAILED


def _language_model(settings: Settings, record: Path | None, replay: Path | None, runs: int) -> LanguageModel | None:
    """The model that is recorded, or the recording that stands for one; None for the configured one.

    Raises UsageError, ModelMissing.
    """
    from polyhop.models.choice import load_models
    from polyhop.models.recorded import Recorder, Replay

    if runs > 1 and (record is not None or replay is not None):
        raise UsageError("A recording holds one run.", remedy="Leave out --runs, or --record and --replay.")
    if record is not None and replay is not None:
        raise UsageError("Replies are recorded or replayed, not both.", remedy="Leave out --record or --replay.")
    if replay is not None:
        return Replay(replay)
    if record is None:
        return None
    models = load_models(settings)
    return Recorder(models.language_model_for("be recorded", otherwise="leave out --record"), record)


def _show(report: dict[str, Any], json_path: Path | None, report_path: Path | None) -> None:
    from polyhop.evaluation.reports.page import html
    from polyhop.evaluation.reports.report import write, write_json
    from polyhop.evaluation.reports.terminal import render

    try:
        if json_path is not None:
            write_json(json_path, report)
        if report_path is not None:
            write(report_path, html(report))
    finally:  # last, because a pager may be left early; and also where a file could not be written
        draw(render(report))


def _index_of(data: Dataset, index_path: str) -> Path:
    """The index that was asked for; by default one beside the data, so that it is made once."""
    return Path(index_path) if index_path else data.corpus.parent / "polyhop.index"

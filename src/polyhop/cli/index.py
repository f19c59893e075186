"""``polyhop index``: read documents into an index; again, only what changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyhop.cli.options import index_options, json_option, settings_of

if TYPE_CHECKING:
    from polyhop.reports import IndexReport, Progress, ProgressListener

SKIPPED_SHOWN = 20


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--layers", default="text,parsekg", show_default=True, help="What to derive from the documents.")
@click.option("--dry-run", is_flag=True, help="Say what would be done and what it would cost; change nothing.")
@click.option("--workers", type=click.IntRange(1), help="Processes for parsing.  [default: one a core]")
@click.option("--wait", type=float, default=0.0, help="Seconds to wait while another process writes.  [default: 0]")
@json_option
@index_options
def index(
    paths: tuple[Path, ...],
    layers: str,
    dry_run: bool,
    workers: int | None,
    wait: float,
    as_json: bool,
    index_path: str,
    config: Path | None,
    changes: tuple[str, ...],
) -> None:
    """Read files and folders (txt, md, html, pdf, docx, csv, jsonl) into the index.

    The same command again does only what changed, and removes documents whose files have vanished. It can be
    interrupted at any moment: what was done is stored, and the next run goes on from there.

    \b
    polyhop index docs/
    polyhop index docs/ notes.pdf --dry-run
    polyhop index docs/ --set chunking.tokens=256 --set chunking.overlap=32
    """
    from polyhop.engine import Polyhop

    names = [name.strip() for name in layers.split(",") if name.strip()]
    with Polyhop(index_path, settings=settings_of(config, changes)) as engine, progress_bars(quiet=as_json) as listener:
        report = engine.index(*paths, layers=names, dry_run=dry_run, workers=workers, wait=wait, progress=listener)
    if as_json:
        from polyhop.cli.as_json import text_of

        click.echo(text_of(asdict(report)))
    else:
        _summary(report, index_path)


@contextmanager
def progress_bars(*, quiet: bool) -> Iterator[ProgressListener | None]:
    """A bar a stage, with rate and time left, on standard error."""
    if quiet:
        yield None
        return
    from rich import progress
    from rich.console import Console

    bars = progress.Progress(
        progress.TextColumn("{task.description:<18}"),
        progress.BarColumn(),
        progress.TextColumn("{task.fields[count]:>13}"),
        progress.TextColumn("{task.fields[rate]:>14}"),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    tasks: dict[str, progress.TaskID] = {}

    def listen(step: Progress) -> None:
        bars.start()  # with the first step: what fails before it has nothing to show
        if step.stage not in tasks:
            for task in tasks.values():
                bars.update(task, total=bars.tasks[task].completed)
                bars.stop_task(task)
            tasks[step.stage] = bars.add_task(step.stage, total=step.total, rate="", count="")
        task = tasks[step.stage]
        elapsed = bars.tasks[task].elapsed or 0.0
        rate = f"{step.done / elapsed:.0f} {step.unit}/s" if elapsed > 0 and step.done else ""
        count = f"{step.done}/{step.total}" if step.total else f"{step.done}" if step.done else ""
        bars.update(task, completed=step.done, total=step.total, rate=rate, count=count)

    try:
        yield listen
    finally:
        if tasks:
            bars.stop()


def _summary(report: IndexReport, index_path: str) -> None:
    would = "would be " if report.dry_run else ""
    click.echo(
        f"Documents: {report.added} {would}added, {report.changed} {would}changed, {report.unchanged} unchanged, "
        f"{report.removed} {would}removed, {report.duplicates} duplicates, {len(report.skipped)} skipped."
    )
    for layer in report.layers:
        failed = f", {click.style(f'{layer.failed} failed', fg='red')}" if layer.failed else ""
        done = "to do" if report.dry_run else "done"
        about = "about " if report.dry_run else ""
        click.echo(
            f"Layer {layer.name}: {layer.extracted} passages {done}, {layer.reused} up to date{failed}; "
            f"{about}{layer.seconds:.1f} s, {layer.cost.tokens} tokens."
        )
    for skipped in report.skipped[:SKIPPED_SHOWN]:
        click.echo(f"{click.style('skipped', fg='yellow')} {skipped.uri}: {skipped.reason}")
    if len(report.skipped) > SKIPPED_SHOWN:
        click.echo(f"... and {len(report.skipped) - SKIPPED_SHOWN} more (all of them with --json)")
    if not report.dry_run:
        click.echo(
            f"{index_path} holds {report.documents} documents, {report.passages} passages, {report.entities} entities "
            f"({report.seconds:.1f} s, {report.cost.tokens} tokens)."
        )

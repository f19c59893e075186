"""``polyhop index``: read documents into an index; again, only what changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyhop.cli.options import ChosenIndex, index_options, json_option
from polyhop.cli.progress import progress_shown
from polyhop.cli.terminal import echo, on_one_line, style, tell_json
from polyhop.english.numbers import counted
from polyhop.errors import BudgetExceeded, SettingError, UsageError

if TYPE_CHECKING:
    from polyhop.engine import Polyhop
    from polyhop.reports import Contents, IndexReport, LayerReport
    from polyhop.types import Cost

SKIPPED_SHOWN = 20


@click.command(short_help="Read documents into the index; again: only what changed.")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--layers", help="What to derive from the documents.  [default: text,parsekg, or what index.layers says]")
@click.option("--dry-run", is_flag=True, help="Say what would be done and what it would cost; change nothing.")
@click.option("--max-tokens", type=click.IntRange(1), help="Tokens that a language model may take in this run.")
@click.option(
    "--max-money", type=click.FloatRange(0, min_open=True), help="The same in money, at the prices in [language_model]."
)
@click.option("--workers", type=click.IntRange(1), help="Processes for parsing.  [default: one a core]")
@click.option("--executor", type=click.Choice(["processes", "ray"]), help="Where to work.  [default: processes]")
@click.option("--address", help="Address of the Ray cluster for --executor ray.  [default: one on this machine]")
@click.option("--objects", metavar="ADDRESS", help="Object store where others find generations, as s3://bucket/prefix.")
@click.option(
    "--memory", type=click.IntRange(64), help="Mebibytes that gathering a layer may take.  [default: a quarter of all]"
)
@click.option("--wait", type=float, default=0.0, help="Seconds to wait while another process writes.  [default: 0]")
@click.option("--watch", is_flag=True, help="Go on, and follow the files as they change, until Ctrl-C.")
@json_option
@index_options
def index(
    paths: tuple[str, ...],
    layers: str | None,
    dry_run: bool,
    max_tokens: int | None,
    max_money: float | None,
    workers: int | None,
    executor: str | None,
    address: str | None,
    objects: str | None,
    memory: int | None,
    wait: float,
    watch: bool,
    as_json: bool,
    chosen: ChosenIndex,
) -> int:
    """Read files and folders (text, web pages, PDF, office files, books, mail, code, CSV, JSON Lines) into the index.

    The same command again does only what changed, and removes documents whose files have vanished; a named folder that
    has vanished is an error. It can be interrupted at any moment: the next run goes on from there.

    \b
    polyhop index docs/
    polyhop index docs/ notes.pdf --dry-run
    polyhop index docs/ --watch
    polyhop index docs/ --set chunking.tokens=256 --set chunking.overlap=32

    A layer that asks a language model may cost money: --dry-run says how much at most, and a cap ends the run in good
    order. What was paid for by then is stored and not paid for again.

    
    polyhop index docs/ --layers text,parsekg,facts --set layers.facts.extractor=language_model --max-tokens 200000
    """
    from polyhop.documents.reading import given_path
    from polyhop.engine import Polyhop

    inputs = [given_path(path) for path in paths]
    caps = {"language_model.token_cap": max_tokens, "language_model.money_cap": max_money}
    where = {"index.executor": executor, "index.cluster": address, "index.objects": objects, "index.memory": memory}
    settings = chosen.settings(*(f"{name}={value}" for name, value in {**caps, **where}.items() if value is not None))
    named = settings.index.layers if layers is None else map(str.strip, layers.split(","))
    names = [name for name in named if name]
    if watch:
        _check_watch(dry_run=dry_run, as_json=as_json)
    with Polyhop(chosen.path, settings=settings) as engine, progress_shown(quiet=as_json) as listener:
        if max_tokens is not None or max_money is not None:
            _check_caps(engine, names, money=max_money is not None)

        def run(over: Sequence[Path]) -> IndexReport:
            return engine.index(*over, layers=names, dry_run=dry_run, workers=workers, wait=wait, progress=listener)

        report = run(inputs)
        asking = engine.asking(*names) if any(layer.failed for layer in report.layers) else ()
        _tell(report, chosen.path, asking, as_json=as_json)
        if watch:
            from polyhop.cli.watch import keep_watching

            keep_watching(engine, inputs, lambda over: _tell(run(over), chosen.path, asking, as_json=False))
    return BudgetExceeded.exit_code if report.stopped else 0


def _tell(report: IndexReport, index_path: str, asking: Collection[str], *, as_json: bool) -> None:
    if as_json:
        tell_json(report.to_dict())
    else:
        _summary(report, index_path)
        _failures(report, asking)


def _check_watch(*, dry_run: bool, as_json: bool) -> None:
    """Refuse to watch what would never be done, or told as several JSON texts. Raises UsageError."""
    from polyhop.indexing.watching import check_watching

    if dry_run or as_json:
        raise UsageError(f"--watch and {'--dry-run' if dry_run else '--json'} do not go together.")
    check_watching()


def _check_caps(engine: Polyhop, layers: list[str], *, money: bool) -> None:
    """Refuse caps that would cap nothing. Raises SettingError, ModelMissing."""
    if not engine.asking(*layers):
        layer, setting = ("questions", "generator") if "questions" in layers else ("facts", "extractor")
        raise SettingError(
            "--max-tokens and --max-money would cap nothing: no layer of this command asks a language model.",
            remedy="Leave them out, or add: "
            f"--layers text,parsekg,{layer} --set layers.{layer}.{setting}=language_model",
        )
    prices = getattr(engine.models.language_model, "prices", None)
    if money and not (prices and (prices.prompt or prices.completion)):
        raise SettingError(
            "--max-money would cap nothing: no prices are set.",
            remedy="Set what a million tokens cost (--set language_model.prompt_price=... and completion_price), "
            "or use --max-tokens.",
        )


def in_words(cost: Cost) -> str:
    """What language models took, as in "12 calls, 5,120 tokens, 0.0123 to pay"."""
    if not cost.llm_calls:
        return "0 tokens"
    money = f"{cost.money:,.2f}" if cost.money >= 1 else f"{cost.money:.4f}"
    return f"{counted(cost.llm_calls, 'calls')}, {counted(cost.tokens, 'tokens')}" + (
        f", {money} to pay" if cost.money else ""
    )


def holdings(documents: int, passages: int, entities: int) -> str:
    """What an index holds, as in "83 documents, 412 passages, 1 entity"; of no entities nothing is said.

    They are those of ``parsekg``, and an index without it may have others.
    """
    numbers = {"documents": documents, "passages": passages} | ({"entities": entities} if entities else {})
    return ", ".join(counted(number, things) for things, number in numbers.items())


def contents_in_words(contents: Contents) -> str:
    """What a layer found, as in "472 questions in 24 of 33 passages; rejected: answer 34, duplicate 23"."""
    where = ""
    if contents.passages is not None:
        done = "" if contents.of is None else f"{contents.passages:,} of "
        where = f" in {done}{counted(contents.passages if contents.of is None else contents.of, 'passages')}"
    parts = [counted(contents.count, contents.things) + where]
    if contents.counts:
        parts.append(", ".join(f"{name} {count:,}" for name, count in contents.counts.items()))
    if contents.rejected is not None:
        reasons = sorted(contents.rejected.items(), key=lambda reason: (-reason[1], reason[0]))
        rejected = ", ".join(f"{reason} {count:,}" for reason, count in reasons)
        parts.append(f"rejected: {rejected}" if rejected else "none rejected")
    return "; ".join(parts)


def _summary(report: IndexReport, index_path: str) -> None:
    would = "would be " if report.dry_run else ""
    echo(
        f"Documents: {report.added} {would}added, {report.changed} {would}changed, {report.unchanged} unchanged, "
        f"{report.removed} {would}removed, {counted(report.duplicates, 'duplicates')}, "
        f"{len(report.skipped) - report.duplicates} skipped."
    )
    for layer in report.layers:
        _layer(layer, dry_run=report.dry_run)
    for skipped in report.skipped[:SKIPPED_SHOWN]:
        echo(f"{style('skipped', fg='yellow')} {on_one_line(skipped.uri)}: {on_one_line(skipped.reason)}")
    if len(report.skipped) > SKIPPED_SHOWN:
        echo(f"... and {len(report.skipped) - SKIPPED_SHOWN} more (all of them with --json)")
    if not report.dry_run:
        echo(
            f"{index_path} holds {holdings(report.documents, report.passages, report.entities)} "
            f"({report.seconds:.1f} s, {in_words(report.cost)})."
        )


def _failures(report: IndexReport, asking: Collection[str]) -> None:
    """What to do about passages that failed; of layers that ask a language model, the next run would ask it nothing."""
    if report.dry_run or not any(layer.failed for layer in report.layers):
        return
    echo("  Passages that failed are tried again by the same command (with -v it says why).", err=True)
    if any(layer.failed for layer in report.layers if layer.name in asking):
        echo("  What the language model has answered is kept: --set language_model.seed=1 has it asked anew.", err=True)


def _layer(layer: LayerReport, *, dry_run: bool) -> None:
    failed = f", {style(f'{layer.failed} failed', fg='red')}" if layer.failed else ""
    left = f", {style(f'{layer.left} left', fg='red')}" if layer.left else ""
    done = "to do" if dry_run else "done"
    about = "about " if dry_run else ""
    most = "at most " if dry_run and layer.cost.llm_calls else ""
    echo(
        f"Layer {layer.name}: {counted(layer.extracted, 'passages')} {done}, {layer.reused} up to date{failed}{left}; "
        f"{about}{layer.seconds:.1f} s, {most}{in_words(layer.cost)}."
    )
    if layer.contents is not None:
        echo(f"  {contents_in_words(layer.contents)}.")
    if layer.stopped:
        echo(f"{style('Stopped:', fg='red', bold=True)} {layer.stopped}", err=True)
        echo("  What was done is stored. The same command goes on from there; caps count anew in each run.", err=True)

"""``polyhop status``: what the index holds and how fresh it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from polyhop.cli.index import contents_in_words, holdings, in_words
from polyhop.cli.options import ChosenIndex, index_options, json_option
from polyhop.cli.remedies import completed
from polyhop.cli.terminal import echo, tell_json
from polyhop.english.numbers import counted

if TYPE_CHECKING:
    from polyhop.reports import LayerStatus


@click.command(short_help="Show what the index holds and how complete it is.")
@json_option
@index_options
def status(as_json: bool, chosen: ChosenIndex) -> None:
    """Show what the index holds, how complete each layer is, what it found and rejected, and who is writing."""
    with chosen.opened() as engine:
        report = engine.status()
    if as_json:
        tell_json(report.to_dict())
        return
    echo(f"{report.path} (written by Polyhop {report.version}, {report.bytes / 1e6:.1f} MB)")
    echo(holdings(report.documents, report.passages, report.entities))
    for layer in report.layers:
        paid = f"; so far {in_words(layer.cost)}" if layer.cost.llm_calls else ""
        echo(f"layer {layer.name}: {_counts(layer, report.passages)}{paid}")
        if layer.contents is not None:
            echo(f"  {contents_in_words(layer.contents)}")
    if report.writer:
        echo(f"being written by {report.writer}")
    if report.has_gaps:
        echo(completed("Bring it up to date with: polyhop index PATH..."))


def _counts(layer: LayerStatus, passages: int) -> str:
    if layer.whole:
        return f"{layer.done} done, {layer.missing} missing, {layer.stale} stale, {layer.failed} failed"
    stale = f", {layer.stale} stale" if layer.stale else ""
    return f"grown on demand, {layer.done:,} of {counted(passages, 'passages')} so far{stale}, {layer.failed} failed"

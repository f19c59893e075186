"""``polyhop remove``: take documents out, with all that was derived from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from polyhop.cli.options import ChosenIndex, index_options, json_option
from polyhop.cli.terminal import echo, from_here, on_one_line, style, tell_json
from polyhop.english.numbers import counted

if TYPE_CHECKING:
    from polyhop.reports import RemoveReport

SHOWN = 20  # names


@click.command(short_help="Remove documents from the index.")
@click.argument("uris", nargs=-1, required=True)
@json_option
@index_options
def remove(uris: tuple[str, ...], as_json: bool, chosen: ChosenIndex) -> int:
    """Remove documents by path, file name or URI, with everything derived from them.

    A path counts from the current folder, and means no other file; that of a folder means all that is below it, and
    either may be gone. A name that several files have removes none of them:
    they are listed. Exits with 1 where nothing was removed.

    \b
    polyhop remove docs/old.pdf
    polyhop remove docs/2019               # all files of a folder
    polyhop remove people.jsonl            # all rows of a file
    polyhop remove people.jsonl#row-17     # one row
    """
    with chosen.opened() as engine:
        report = engine.remove(*uris)
    if as_json:
        tell_json(report.to_dict())
    else:
        _summary(report)
    return 0 if report.removed else 1


def _summary(report: RemoveReport) -> None:
    echo(f"Removed {counted(len(report.removed), 'documents')} with {counted(report.passages, 'passages')}.")
    _list(report.uris, err=False)
    for name in report.missing:
        echo(f"{style('not in the index', fg='yellow')}: {on_one_line(name)}", err=True)
    for name, files in report.ambiguous.items():
        echo(f"{style('several files have this name', fg='yellow')}: {on_one_line(name)}", err=True)
        _list(files, err=True)
        echo("  Name one of them by its path.", err=True)


def _list(uris: Sequence[str], *, err: bool) -> None:
    for uri in uris[:SHOWN]:
        echo(f"  {from_here(uri)}", err=err)
    if len(uris) > SHOWN:
        echo(f"  ... and {len(uris) - SHOWN:,} more (all of them with --json)", err=err)

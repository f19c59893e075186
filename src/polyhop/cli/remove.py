"""``polyhop remove``: take documents out, with all that was derived from them."""

from __future__ import annotations

from pathlib import Path

import click

from polyhop.cli.counted import counted
from polyhop.cli.options import index_options, json_option, settings_of
from polyhop.cli.terminal import echo, on_one_line, style


@click.command(short_help="Remove documents from the index.")
@click.argument("uris", nargs=-1, required=True)
@json_option
@index_options
def remove(uris: tuple[str, ...], as_json: bool, index_path: str, config: Path | None, changes: tuple[str, ...]) -> int:
    """Remove documents by path, file name or URI, with everything derived from them.

    Exits with 1 where none of the names is in the index.

    \b
    polyhop remove docs/old.pdf
    polyhop remove people.jsonl            # all rows of a file
    polyhop remove people.jsonl#row-17     # one row
    """
    from polyhop.engine import Polyhop

    with Polyhop(index_path, settings=settings_of(config, changes)) as engine:
        report = engine.remove(*uris)
    if as_json:
        from polyhop.cli.as_json import text_of

        echo(text_of(report.to_dict()))
    else:
        echo(f"Removed {counted(len(report.removed), 'documents')} with {counted(report.passages, 'passages')}.")
        for uri in report.missing:
            echo(f"{style('not in the index', fg='yellow')}: {on_one_line(uri)}", err=True)
    return 0 if report.removed else 1

"""``polyhop export``: the graph of an index as GraphML, JSON lines, or a page to look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import click

from polyhop.cli.options import ChosenIndex, index_options
from polyhop.cli.terminal import echo
from polyhop.english.numbers import counted
from polyhop.errors import StorageFull
from polyhop.store.whole_file import whole_file


@click.command(short_help="Write the graph of the index as a file or a page.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["graphml", "jsonl", "html"]),
    default="jsonl",
    show_default=True,
    help="What to write.",
)
@click.option(
    "--layer", type=click.Choice(["facts", "parsekg"]), help="Which graph.  [default: facts, if there are any]"
)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="File.  [default: standard output]")
@click.option("--limit", type=click.IntRange(1), help="Links, at most.  [default: all; of a page, 5000]")
@index_options
def export(
    format_: str,
    layer: str | None,
    output: Path | None,
    limit: int | None,
    chosen: ChosenIndex,
) -> None:
    """Write the graph of the index: entities, and what is said between them, with the sentence that says it.

    A page (html) is one file that works offline: look up an entity, and go from one to the next.

    \b
    polyhop export --format html --output graph.html
    polyhop export --format graphml --layer facts --output graph.graphml
    polyhop export --limit 100
    """
    from polyhop.exports.formats import PAGE_LINKS, WRITERS, ExportFormat
    from polyhop.exports.linked import LinkedGraph
    from polyhop.layers.read_graph import GraphLayer

    most = limit or (PAGE_LINKS if format_ == "html" else None)
    with chosen.opened() as engine, engine.view() as view:
        graph = LinkedGraph.of(view, cast("GraphLayer | None", layer), most)
        pieces = WRITERS[cast("ExportFormat", format_)](graph)
        if output is None:
            for piece in pieces:
                echo(piece, nl=False)
            return
        _write(pieces, output)
        if graph.cut():
            echo(f"{output} has the first {counted(most or 0, 'links')}; more with: --limit", err=True)


def _write(pieces: Iterator[str], output: Path) -> None:
    """Write a file as a whole, or not at all. Raises StorageFull."""
    try:
        with whole_file(output) as file:
            for piece in pieces:
                file.write(piece.encode("utf-8", errors="replace"))
    except OSError as error:
        raise StorageFull(
            f"{output} cannot be written: {error.strerror or error}.",
            remedy="Choose a file in a folder that is there and can be written.",
        ) from error

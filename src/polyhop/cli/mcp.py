"""``polyhop mcp``: the index as tools for an assistant, over standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from polyhop.cli.options import index_options, settings_of


@click.command(short_help="Serve an assistant on this machine (MCP).")
@index_options
def mcp(index_path: str, config: Path | None, changes: tuple[str, ...]) -> None:
    """Serve an assistant on this machine (extra 'server'), which starts this command by itself.

    It speaks the Model Context Protocol over standard input and output, with the tools ask, search, read,
    list_documents and status. A server that runs already (polyhop serve) has the same tools at /mcp.

    \b
    polyhop mcp --index ~/polyhop.index
    """
    from polyhop.serve.extra import check_extra

    check_extra()
    from polyhop.engine import Polyhop
    from polyhop.serve.standard_input import serve_standard_input

    with Polyhop(index_path, settings=settings_of(config, changes)) as engine:
        serve_standard_input(engine)

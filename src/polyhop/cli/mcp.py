"""``polyhop mcp``: the index as tools for an assistant, over standard input and output."""

from __future__ import annotations

import click

from polyhop.cli.options import ChosenIndex, index_options
from polyhop.cli.remedies import completed
from polyhop.cli.serve import check_extra


@click.command(short_help="Serve an assistant on this machine (MCP).")
@index_options
def mcp(chosen: ChosenIndex) -> None:
    """Serve an assistant on this machine (extra 'server'), which starts this command by itself.

    It speaks the Model Context Protocol over standard input and output, with the tools ask, search, read,
    list_documents and status. A server that runs already (polyhop serve) has the same tools at /mcp.

    \b
    polyhop mcp --index ~/polyhop.index
    """
    check_extra()
    from polyhop.serve.standard_input import serve_standard_input

    with chosen.opened() as engine:
        serve_standard_input(engine, completed)

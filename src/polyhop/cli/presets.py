"""``polyhop presets``: the settings of published experiments."""

from __future__ import annotations

import click

from polyhop.cli.options import json_option
from polyhop.cli.terminal import echo, style, tell_json


@click.group(invoke_without_command=True, short_help="List the settings of published experiments.")
@json_option
@click.pass_context
def presets(context: click.Context, as_json: bool) -> None:
    """List the presets: settings of published experiments, each with what it departs from its paper in.

    Use one with --preset NAME, which index, ask, search, eval and all other commands with settings take. It lies below
    polyhop.toml, the environment and --set; what these replace is said.

    \b
    polyhop presets
    polyhop index documents --preset c2rag
    """
    if context.invoked_subcommand is not None:
        return
    from polyhop.presets import shipped

    rows = [{"name": name, "about": shipped.about(name)} for name in shipped.names()]
    if as_json:
        tell_json(rows)
        return
    for row in rows:
        echo(f"{style(row['name'].ljust(23), bold=True)} {row['about']}")


@presets.command(short_help="Print the settings of one, as a file to go on from.")
@click.argument("name")
def show(name: str) -> None:
    """Print the preset NAME: a settings file, with comments on what departs from the paper, and why.

    \b
    polyhop presets show c2rag
    """
    from polyhop.presets import shipped

    echo(shipped.text_of(name).rstrip("\n"))

"""``polyhop strategies``: the ways to find evidence that are installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from polyhop.cli.components import about, with_defaults
from polyhop.cli.options import json_option
from polyhop.cli.terminal import echo, style, tell_json
from polyhop.english.numbers import counted


@click.command(short_help="List the ways to find evidence.")
@click.argument("name", required=False)
@json_option
def strategies(name: str | None, as_json: bool) -> None:
    """List the strategies with the layers they need and their settings, or show one: NAME.

    Change a setting with --set strategy.SETTING=VALUE, or for one strategy where it is named:
    --strategy "NAME(SETTING=VALUE)".
    """
    from polyhop import registry

    rows = [_row(each) for each in ([name] if name else registry.working("strategies"))]
    if as_json:
        tell_json(rows[0] if name else rows)
    elif name:
        _tell_all(rows[0])
    else:
        for row in rows:
            _tell(row)


def _row(name: str) -> dict[str, Any]:
    """What is known of a strategy. Raises UnknownComponent."""
    from polyhop import registry
    from polyhop.strategies.strategy import ablations_of

    strategy = registry.load("strategies", name)
    return {
        **about("strategies", name),
        "needs": list(strategy.needs),
        "ablations": {label: dict(changes) for label, changes in ablations_of(name).items()},
    }


def _tell(row: Mapping[str, Any]) -> None:
    """Some lines about a strategy in the list."""
    echo(f"{style(row['name'].ljust(14), bold=True)} {row['about']}")
    ablations = f"; {counted(len(row['ablations']), 'ablations')}" if row["ablations"] else ""
    echo(f"{'':<13} needs {', '.join(row['needs']) or 'no layer'}{ablations}")
    if row["settings"]:
        echo(style(f"{'':<13} {', '.join(with_defaults(row))}", dim=True))


def _tell_all(row: Mapping[str, Any]) -> None:
    """Everything about one strategy."""
    from polyhop.strategies.strategy import variant_name

    echo(f"{style(row['name'], bold=True)}: {row['about']}")
    echo(f"Needs {', '.join(row['needs']) or 'no layer'}.")
    for title, lines in (
        ("Settings and their defaults:", with_defaults(row, " = ")),
        (
            "Ablations (polyhop eval DATASET --ablations):",
            [f"{label}: {variant_name(row['name'], changes)}" for label, changes in row["ablations"].items()],
        ),
    ):
        if lines:
            echo(f"\n{style(title, bold=True)}")
            for line in lines:
                echo(f"  {line}")

